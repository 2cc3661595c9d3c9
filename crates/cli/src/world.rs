//! The only module that reads the arguments, the environment, the working directory and the terminal's properties.

#![expect(clippy::disallowed_methods, reason = "this module reads the environment")]

use std::ffi::OsString;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tacho_app::{Context, Exit, Reading, Trust};
use tacho_engine::Interrupt;
use tacho_store::TrustStore;
use tacho_web::REQUEST_VARIABLE;

use crate::system;

/// Default folder for records and embedded databases.
const FOLDER: &str = "tacho-data";

/// Files with trusted certificates: on Debian, on Fedora, and on BSD and macOS.
const BUNDLES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/// The kind of display that is available on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Canvas {
    /// Standard error is not a terminal.
    None,
    /// A terminal that can display only one line after another.
    Lines,
    /// A terminal on which the full screen can be used.
    Screen {
        /// True if colours may be used.
        color: bool,
    },
}

/// The environment with which the process was started.
#[expect(clippy::struct_excessive_bools, reason = "independent flags, accessed by name")]
pub(crate) struct World {
    pub(crate) arguments: Vec<OsString>,
    /// Environment variables whose names start with `TACHO_`.
    pub(crate) environment: Vec<(String, String)>,
    /// Headers for an OpenTelemetry collector, from the standard environment variable. They may contain a secret.
    pub(crate) otlp_headers: String,
    /// Certificates to trust for an OpenTelemetry collector. The default is the operating system's certificates.
    pub(crate) otlp_authorities: Option<PathBuf>,
    pub(crate) folder: PathBuf,
    /// Folder for temporary files. It comes from the same environment variables as in HammerDB, in the same order.
    pub(crate) temp: PathBuf,
    /// True if standard input is a terminal, so that the user can answer questions.
    pub(crate) terminal_in: bool,
    /// True if standard output is a terminal.
    pub(crate) terminal_out: bool,
    /// The kind of display on standard error, which determines how progress is shown.
    pub(crate) canvas: Canvas,
    /// True if standard error is a terminal in the foreground that is not used by a CI system.
    pub(crate) is_for_people: bool,
    /// True if standard output may be coloured.
    pub(crate) color: bool,
    /// Width of the terminal in columns; 100 if there is no terminal.
    pub(crate) width: usize,
    pub(crate) interrupt: Interrupt,
    /// A callback that reports progress in reading a long file.
    reading: Reading,
    /// True if a driver wrote text to a pipe, and the process at the other end has closed it.
    unread: Arc<AtomicBool>,
    /// True if a driver has written text to a terminal.
    written: Arc<AtomicBool>,
    stopped_by: Arc<system::StoppedBy>,
    /// The programs that the user allows Tacho to start.
    trust: Trust,
    /// The user's state folder, for files outside of data folders; absent if the system has none.
    state: Option<PathBuf>,
}

impl World {
    /// Returns the actual environment and installs the signal handlers.
    pub(crate) fn real(arguments: Vec<OsString>, reading: Reading) -> Self {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let terminal_out = std::io::stdout().is_terminal();
        let dumb = variable("TERM").is_some_and(|term| term == "dumb");
        let plain = variable("NO_COLOR").is_some() || variable("CI").is_some() || dumb;
        let terminal_err = std::io::stderr().is_terminal();
        let interrupt = Interrupt::default();
        let stopped_by = system::watch(&interrupt);
        Self {
            arguments,
            environment: std::env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
                .filter(|(name, _)| name.starts_with("TACHO_"))
                .map(|(name, value)| (name, value.to_string_lossy().into_owned()))
                .collect(),
            otlp_headers: variable("OTEL_EXPORTER_OTLP_HEADERS").unwrap_or_default(),
            otlp_authorities: ["OTEL_EXPORTER_OTLP_CERTIFICATE", "SSL_CERT_FILE"]
                .iter()
                .find_map(|name| variable(name))
                .map(PathBuf::from)
                .or_else(|| BUNDLES.iter().map(PathBuf::from).find(|file| file.is_file())),
            folder: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            temp: ["TMP", "TMPDIR", "TEMP"]
                .iter()
                .filter_map(|name| variable(name))
                .chain(["/tmp".to_owned(), ".".to_owned()])
                .map(PathBuf::from)
                .find(|folder| folder.is_dir())
                .unwrap_or_default(),
            terminal_out,
            terminal_in: std::io::stdin().is_terminal(),
            canvas: match (terminal_err, dumb) {
                (false, _) => Canvas::None,
                (true, true) => Canvas::Lines,
                (true, false) => Canvas::Screen { color: !plain },
            },
            is_for_people: terminal_err
                && variable("CI").is_none()
                && (cfg!(windows) || variable("TERM").is_some())
                && !dumb
                && system::is_in_foreground(),
            color: terminal_out && !plain,
            width: terminal_out.then(columns).flatten().unwrap_or(100),
            interrupt,
            reading,
            unread: Arc::default(),
            written: Arc::default(),
            stopped_by,
            trust: Trust { requested: variable(REQUEST_VARIABLE).is_some(), ..Trust::default() },
            state: state_folder(&variable),
        }
    }

    /// Allows the settings with these keys to start programs and load code, no matter where the settings come from.
    pub(crate) fn allow(&mut self, keys: impl Iterator<Item = String>) {
        self.trust.allowed.extend(keys);
    }

    /// Returns the programs that the user allows Tacho to start.
    pub(crate) fn trust(&self) -> &Trust {
        &self.trust
    }

    /// Returns the files that the user trusts, or `None` if the user has no state folder.
    pub(crate) fn trusted_files(&self) -> Option<TrustStore> {
        self.state.as_deref().map(TrustStore::open)
    }

    /// Returns an environment variable of Tacho, or `None` if it is empty or absent.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        let entry = self.environment.iter().find(|(known, _)| known == name);
        entry.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Returns true if another process was reading a driver's statements and has closed the pipe. In this case,
    /// the command ends without an error.
    pub(crate) fn unread(&self) -> bool {
        self.unread.load(Ordering::SeqCst)
    }

    /// Returns a flag that is set when a driver writes text to a terminal.
    pub(crate) fn written(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.written)
    }

    /// Returns the exit code for the signal that stopped this process, if any.
    pub(crate) fn stopped(&self) -> Option<Exit> {
        self.stopped_by.exit()
    }

    /// Returns the context for the use cases. `folder` is the value of `--dir`.
    pub(crate) fn context(&self, folder: Option<&str>) -> Context {
        let folder = folder.or_else(|| self.variable("TACHO_DIR")).unwrap_or(FOLDER);
        let (unread, written) = (Arc::clone(&self.unread), Arc::clone(&self.written));
        let output = Output { unread, written, terminal: std::io::stdout().is_terminal() };
        Context {
            folder: self.folder.join(folder).components().collect(),
            output: Arc::new(Mutex::new(BufWriter::new(output))),
            interrupt: self.interrupt.clone(),
            reading: Arc::clone(&self.reading),
            trust: self.trust.clone(),
        }
    }
}

/// Returns the user's state folder by the operating system's conventions.
fn state_folder(variable: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else {
        absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))
    };
    Some(folder?.join("tacho"))
}

/// The standard output, to which drivers write text. Records whether the reader has closed the pipe.
struct Output {
    unread: Arc<AtomicBool>,
    written: Arc<AtomicBool>,
    terminal: bool,
}

impl Output {
    fn noted<T>(&self, result: std::io::Result<T>) -> std::io::Result<T> {
        if result.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe) {
            self.unread.store(true, Ordering::SeqCst);
        }
        result
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.terminal {
            self.written.store(true, Ordering::Relaxed);
        }
        self.noted(std::io::stdout().write(bytes))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.noted(std::io::stdout().flush())
    }
}

/// Returns the width of the terminal in columns.
fn columns() -> Option<usize> {
    let (terminal_size::Width(columns), _) = terminal_size::terminal_size_of(std::io::stdout())?;
    // Terminals that do not know their width report zero.
    Some(usize::from(columns)).filter(|columns| *columns > 0)
}
