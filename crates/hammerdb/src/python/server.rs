//! Tacho's end of the socket through which it communicates with the Python process.

use std::cell::{Cell, OnceCell};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tacho_app::Exit;
use tacho_core::{Error, Result};

use super::guard::Guard;
use super::missing;
use crate::console::COMMANDS;
use crate::shell::{Host, Shell};
use crate::tcl::{Interpreter, Library};
use crate::{Ending, Source};

const BOOTSTRAP: &str = include_str!("bootstrap.py");
/// Interval between checks of the child process.
const LOOK: Duration = Duration::from_millis(10);

/// A request from the child process.
#[derive(Deserialize)]
struct Question {
    /// Name of a console command.
    call: Option<String>,
    /// Arguments of the command.
    #[serde(default)]
    words: Vec<String>,
    /// A Tcl script.
    eval: Option<String>,
}

/// The folder that contains the socket. Only this user can access it. It is removed at the end of the session.
struct Place(PathBuf);

impl Place {
    fn new(shell: &Shell) -> Result<Self> {
        let name = format!("tacho-python-{}", std::process::id());
        let path = shell.console.borrow().temp().join(name);
        let made = std::fs::create_dir(&path)
            .and_then(|()| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)));
        made.map(|()| Self(path.clone())).map_err(|error| {
            Error::from(error)
                .during(format!("make {}", path.display()))
                .hint("set TMP to a writable folder")
        })
    }

    fn socket(&self) -> PathBuf {
        self.0.join("console")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Ignore errors, because only a small temporary folder would be left behind.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn run(shell: &Shell, tcl: &Library, source: &Source) -> Result<Ending> {
    let place = Place::new(shell)?;
    let listener = UnixListener::bind(place.socket())?;
    listener.set_nonblocking(true)?;
    let terminal = matches!(source, Source::Typed(true));
    let child = Guard::watch(start(shell, &place, source)?, shell.interrupt.clone(), terminal)?;
    let stream = loop {
        match listener.accept() {
            Ok((stream, _)) => break Some(stream),
            Err(_) if child.ended()?.is_none() => std::thread::park_timeout(LOOK),
            Err(_) => break None,
        }
    };
    if let Some(stream) = stream {
        stream.set_nonblocking(false)?;
        let console = Remote {
            shell,
            library: tcl,
            tcl: OnceCell::new(),
            stream: &stream,
            gone: Cell::default(),
            guard: &child,
        };
        console.serve_child(terminal);
        shell.shut_down(&console);
    }
    let status = child.wait()?;
    let failure = shell.console.borrow().failure();
    Ok(match status.code() {
        // A script may handle the failure of a command and then exit with code 0. The exit code of the session must
        // show the failure even in this case.
        Some(0) => Ending::Exit(failure.unwrap_or(Exit::Success)),
        Some(code) => Ending::Code(u8::try_from(code).unwrap_or(1)),
        None => Ending::Exit(failure.unwrap_or(Exit::Interrupted)),
    })
}

fn start(shell: &Shell, place: &Place, source: &Source) -> Result<Child> {
    let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
    let mut command = Command::new("python3");
    command.arg("-u");
    // HammerDB's wrapper scripts need this variable. Tacho also uses its value if the user has set it.
    let temp = shell.console.borrow().temp().to_owned();
    command.env("TMP", temp);
    if matches!(source, Source::Typed(_)) {
        command.arg("-i");
    }
    command.args(["-c", BOOTSTRAP]).arg(place.socket()).arg(names.join(" "));
    if let Source::Script(path, arguments) = source {
        command.arg(path).args(arguments);
    }
    command.spawn().map_err(|error| missing(format!("could not start python3: {error}")))
}

/// The console as it is exposed to the child process.
struct Remote<'a> {
    shell: &'a Shell,
    library: &'a Library,
    /// The Tcl interpreter. It is created when the child evaluates Tcl for the first time.
    tcl: OnceCell<Box<Interpreter<'a>>>,
    stream: &'a UnixStream,
    guard: &'a Guard,
    /// True if a response could not be sent, because the child no longer reads responses.
    gone: Cell<bool>,
}

impl Remote<'_> {
    /// Handles requests until the child exits. On a terminal, Ctrl-C stops the current work and returns to the prompt.
    fn serve_child(&self, terminal: bool) {
        for line in BufReader::new(self.stream).lines() {
            let Ok(line) = line else { return };
            // Ctrl-C also reaches Python. If no command is running, Python handles it by returning to its prompt.
            if terminal && self.shell.is_interrupted() {
                self.goes_on();
            }
            if terminal {
                // Python does not wait for Tacho's events, so their output is printed with the next command's output.
                self.shell.deliver_all(self);
            }
            self.guard.answering(true);
            let answer = match serde_json::from_str::<Question>(&line) {
                Ok(question) => self.answer(&question),
                Err(error) => Err(format!("invalid request to the console: {error}")),
            };
            self.guard.answering(false);
            let stopped = self.shell.is_interrupted();
            if stopped && terminal {
                self.goes_on();
            }
            self.send(&match answer {
                _ if stopped => json!({ "interrupted": true }),
                Ok(value) => json!({ "value": value }),
                Err(text) => json!({ "error": text }),
            });
            if self.gone.get() {
                return;
            }
        }
    }

    /// Waits until interrupted work has ended, so that the session can continue.
    fn goes_on(&self) -> bool {
        match self.tcl.get() {
            Some(tcl) => tcl.goes_on(),
            None => self.shell.goes_on(self),
        }
    }

    fn answer(&self, question: &Question) -> std::result::Result<String, String> {
        if let Some(name) = &question.call {
            let words: Vec<&str> = question.words.iter().map(String::as_str).collect();
            return self.shell.call(name, &words, self);
        }
        let script = question.eval.as_deref().unwrap_or_default();
        // A single command does not need Tcl.
        if COMMANDS.iter().any(|command| command.name == script.trim()) {
            return self.shell.call(script.trim(), &[], self);
        }
        self.evaluate(script)
    }

    /// Evaluates Tcl code. A script has only one interpreter for all such code.
    fn evaluate(&self, script: &str) -> std::result::Result<String, String> {
        let tcl = if let Some(tcl) = self.tcl.get() {
            tcl
        } else {
            let tcl = Interpreter::new(self.shell, self.library);
            let tcl = tcl.map_err(|error| crate::work::words(&error))?;
            self.tcl.get_or_init(|| tcl)
        };
        tcl.set_globals();
        let value = tcl.evaluate(script);
        let _ = tcl.evaluate("catch {flush stdout}");
        value
    }

    fn send(&self, value: &serde_json::Value) {
        let mut stream = self.stream;
        if writeln!(stream, "{value}").is_err() {
            self.gone.set(true);
        }
    }
}

impl Host for Remote<'_> {
    fn line(&self, text: &str) {
        if self.gone.get() {
            // The child was ended during a command and can no longer print the command's output, so print it here.
            crate::interactive::complain(text);
        } else if let Some(tcl) = self.tcl.get() {
            // A script may have redefined `puts`, which must then receive each line separately.
            tcl.line(text);
            let _ = tcl.evaluate("catch {flush stdout}");
        } else {
            crate::interactive::print(text);
        }
    }

    fn shown(&self, text: String) -> String {
        text
    }

    fn serve(&self) {
        if let Some(tcl) = self.tcl.get() {
            tcl.serve();
        }
    }
}
