//! Private MySQL and MariaDB servers.
//!
//! In both products, the user `root` needs no password on the Unix socket, and the user `tacho` uses a password over
//! TCP.
//!
//! Start reading at [`Relative`].

mod mariadb;
mod mysql;
mod replica;

use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tacho_core::Result;
use tacho_servers::binaries::{Found, Search};
use tacho_servers::{Installation, LocalSocket, Options, Product, ServerPlace, Signal, text};

pub use mariadb::MARIADB;
pub use mysql::MYSQL;

const PID_FILE: &str = "pid";
/// RHEL installs servers outside PATH, Homebrew uses a folder for each product, and other systems use /usr/local.
const FOLDERS: &[&str] = &[
    "/usr/sbin",
    "/usr/libexec",
    "/usr/local/sbin",
    "/usr/local/mysql/bin",
    "/opt/homebrew/opt/mariadb*/bin",
    "/usr/local/opt/mariadb*/bin",
    "/opt/homebrew/opt/mysql*/bin",
    "/usr/local/opt/mysql*/bin",
];
/// Statements that the server runs each time it starts. Running them again must have no effect.
const FIRST: &str = include_str!("../sql/first.sql");
/// Number of bytes to read from a server's greeting, and the protocol version, which is the last of these bytes.
const GREETING: (usize, u8) = (5, 10);

/// The differences between the two products.
#[derive(Debug)]
pub struct Relative {
    id: &'static str,
    short: &'static str,
    title: &'static str,
    programs: &'static [&'static str],
    is_ours: fn(&str) -> bool,
    /// A target that connects to a server installed by the operating system.
    usual_target: &'static str,
    /// Instructions for installing the product.
    hint: &'static str,
    /// Settings for this product only, in addition to those that both products share.
    settings: &'static [(&'static str, &'static str)],
    /// Settings that Tacho raises, because with their defaults the speed of a long load would vary.
    steady: &'static [(&'static str, &'static str)],
    /// Finds the program that creates a data directory.
    setup: fn(&Found) -> Result<PathBuf>,
    creation: fn(&ServerPlace) -> Command,
    /// True if Tacho can create replicas of this product.
    has_replicas: bool,
}

impl Product for Relative {
    fn id(&self) -> &'static str {
        self.id
    }

    fn short(&self) -> &'static str {
        self.short
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn usual(&self) -> (u16, &'static str) {
        (3306, self.usual_target)
    }

    fn steady_settings(&self) -> &'static [(&'static str, &'static str)] {
        self.steady
    }

    fn owners(&self) -> &'static [&'static str] {
        &["mysql", "nobody"]
    }

    fn pid_file(&self) -> &'static str {
        PID_FILE
    }

    fn stop_signal(&self) -> Signal {
        Signal::TERM
    }

    fn find(&self, options: &Options) -> Result<Installation> {
        let Self { title, programs, is_ours, .. } = *self;
        let hint = self.hint.into();
        let search = Search { title, programs, folders: FOLDERS, is_ours, hint };
        let found = search.find(options)?;
        let root = root(&found.server);
        let setup = (self.setup)(&found)?;
        let Found { server, loader, version } = found;
        Ok(Installation { server, setup, root, loader, version })
    }

    fn creation(&self, place: &ServerPlace) -> Vec<Command> {
        vec![(self.creation)(place)]
    }

    fn primary_settings(&self, synchronous: bool) -> Option<Vec<(String, String)>> {
        self.has_replicas.then(|| replica::settings(synchronous))
    }

    fn replica_creation(&self, place: &ServerPlace, _: &ServerPlace) -> Vec<Command> {
        self.creation(place)
    }

    fn following(&self, place: &ServerPlace, primary: &ServerPlace) -> Result<Option<Command>> {
        replica::following(place, primary).map(Some)
    }

    fn promotion(&self, place: &ServerPlace) -> Option<Command> {
        replica::promotion(place)
    }

    fn configure(&self, place: &ServerPlace, options: &Options) -> Result<()> {
        configure(place, options, self.settings)
    }

    fn command(&self, place: &ServerPlace) -> Command {
        let mut command = place.installation.program(&place.installation.server);
        command.arg(defaults(place));
        // Run the initial statements when the server starts. They cannot run while the data directory is being created,
        // because they need a complete directory.
        command.arg(format!("--init-file={}", place.folder.join("first.sql").display()));
        command
    }

    fn settings_list(&self, installation: &Installation) -> Option<Command> {
        let mut command = installation.program(&installation.server);
        command.args(["--no-defaults", "--verbose", "--help"]);
        Some(command)
    }

    /// The server first runs the initial statements and then accepts connections on its socket.
    fn is_ready(&self, place: &ServerPlace, pid: u32) -> bool {
        let written = text::read(&place.folder.join(PID_FILE));
        written.trim() == pid.to_string() && greets(&self.socket(place))
    }

    fn socket(&self, place: &ServerPlace) -> PathBuf {
        socket(place)
    }

    /// The URL scheme names the product, because Tacho rejects a server of the other product.
    fn target(&self, place: &ServerPlace) -> String {
        format!("{}://root@localhost/tacho?socket={}", self.id, socket(place).display())
    }

    fn tcp_target(&self, place: &ServerPlace) -> String {
        format!("{}://tacho:{}@127.0.0.1:{}/tacho", self.id, place.password, place.port)
    }
}

/// Returns the option that makes the server read only this settings file.
fn defaults(place: &ServerPlace) -> String {
    format!("--defaults-file={}", settings_file(place).display())
}

fn settings_file(place: &ServerPlace) -> PathBuf {
    place.folder.join("my.cnf")
}

fn socket(place: &ServerPlace) -> PathBuf {
    place.sockets.join("s.sock")
}

/// Writes the settings file and the file of initial statements.
fn configure(place: &ServerPlace, options: &Options, more: &[(&str, &str)]) -> Result<()> {
    // Give each server its own temporary folder. With a shared folder, MariaDB 10.11 did not find new tables in 2 of 16
    // setups.
    let temporary = place.subfolder("tmp")?;
    let first = place.folder.join("first.sql");
    place.write(&first, &FIRST.replace("PASSWORD_OF_TACHO", &place.password))?;
    let mut defaults: Vec<(&str, String)> = vec![
        ("port", place.port.to_string()),
        ("bind-address", "127.0.0.1".into()),
        // Servers in a replication setup must have different IDs.
        ("server-id", place.port.to_string()),
        // Match users by IP address only, so that `root`, who needs no password on the socket, cannot connect over TCP.
        ("skip-name-resolve", "1".into()),
        ("datadir", place.data().display().to_string()),
        ("tmpdir", temporary.display().to_string()),
        ("socket", socket(place).display().to_string()),
        ("pid-file", place.folder.join(PID_FILE).display().to_string()),
        ("local-infile", "1".into()),
    ];
    defaults.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
    defaults.extend(tree(place.installation.root.as_deref()));
    let defaults = defaults.iter().map(|(name, value)| (*name, value.as_str()));
    let theirs = options.settings.iter().map(|(name, value)| (&**name, &**value));
    let mut text = String::from("[mysqld]\n");
    for (name, value) in defaults.chain(theirs) {
        // Writing to a `String` cannot fail. If a setting occurs more than once, the server uses the last value.
        let _ = writeln!(text, "{name} = \"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""));
    }
    place.write(&settings_file(place), &text)
}

/// Returns the additional settings for a server that is not installed in the usual place.
fn tree(root: Option<&Path>) -> Vec<(&'static str, String)> {
    let Some(root) = root else { return Vec::new() };
    let folders = [
        ("basedir", ""),
        ("lc-messages-dir", "share/mysql"),
        ("character-sets-dir", "share/mysql/charsets"),
        ("plugin-dir", "lib/mysql/plugin"),
    ];
    let there = folders.map(|(name, below)| (name, root.join(below)));
    there
        .into_iter()
        .filter(|(_, folder)| folder.is_dir())
        .map(|(name, folder)| (name, folder.display().to_string()))
        .collect()
}

/// Returns the root folder of the installation, or `None` if the server is part of the operating system.
fn root(server: &Path) -> Option<PathBuf> {
    let root = server.parent()?.parent()?;
    (root != Path::new("/usr")).then(|| root.to_owned())
}

fn greets(socket: &Path) -> bool {
    let Ok(mut stream) = LocalSocket::connect(socket) else { return false };
    let mut start = [0; GREETING.0];
    stream.set_read_timeout(Some(Duration::from_secs(1))).is_ok()
        && stream.read_exact(&mut start).is_ok()
        && start.last() == Some(&GREETING.1)
}
