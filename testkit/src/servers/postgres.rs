//! A throw-away PostgreSQL cluster.

use std::fmt::Write;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tacho_core::{Error, ErrorKind, Result};

use super::guard::Guard;
use super::owner::Owner;

/// Where Debian's packages put each version.
const VERSIONS: &str = "/usr/lib/postgresql";
/// Users to run as when we are root.
const OWNERS: [&str; 2] = ["postgres", "nobody"];
const PID_FILE: &str = "data/postmaster.pid";
/// How long a start may take on a machine whose cores are all taken.
const PATIENCE: Duration = Duration::from_mins(1);
const ATTEMPTS: usize = 5;
/// Ports below those that the system gives to outgoing connections, so that none of these takes
/// the port of a server that is being restarted.
const PORTS: std::ops::Range<u16> = 20_000..32_000;
const TICK: Duration = Duration::from_millis(20);

/// Fast rather than safe: nobody misses this data after a crash of the machine.
const SETTINGS: [(&str, &str); 6] = [
    ("listen_addresses", "127.0.0.1"),
    ("fsync", "off"),
    ("full_page_writes", "off"),
    ("max_connections", "50"),
    ("shared_buffers", "64MB"),
    ("max_wal_size", "4GB"),
];

/// How a cluster differs from the usual one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Settings, over the usual ones.
    pub settings: &'a [(&'a str, &'a str)],
    /// Lines of `pg_hba.conf`, before the one that trusts the superuser on the Unix socket.
    pub access: &'a [&'a str],
}

/// A running PostgreSQL server with a cluster of its own: superuser `postgres`, no password.
pub struct Postgres {
    binaries: PathBuf,
    owner: Option<Owner>,
    port: u16,
    process: Option<Child>,
    guard: Guard,
}

impl Postgres {
    /// Starts a server with the usual settings.
    pub fn start() -> Result<Self> {
        Self::start_with(Options::default())
    }

    /// Starts a server. Fails with [`ErrorKind::Missing`] if there are no binaries.
    pub fn start_with(options: Options<'_>) -> Result<Self> {
        let binaries = find_binaries()?;
        let owner = Owner::choose(&OWNERS)?;
        let guard = Guard::new("tacho-pg-", owner, PID_FILE)?;
        let mut server = Self { binaries, owner, port: 0, process: None, guard };
        server.create_cluster()?;
        // Between our look and the server's start another program may take the port.
        let mut launched = Ok(());
        for _ in 0..ATTEMPTS {
            server.port = free_port()?;
            server.configure(options)?;
            launched = server.launch();
            if !matches!(&launched, Err(error) if error.message().contains("already in use")) {
                break;
            }
        }
        launched.map(|()| server)
    }

    /// The port, of TCP and of the Unix socket.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The folder of the Unix socket; the data directory and the log are below it.
    pub fn folder(&self) -> &Path {
        self.guard.folder()
    }

    /// The target that names the superuser's own database over the Unix socket.
    pub fn target(&self) -> String {
        format!("postgres://postgres@:{}/postgres?host={}", self.port, self.folder().display())
    }

    /// The same over TCP.
    pub fn tcp_target(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Writes a file into the data directory, such as a certificate; only the server can read it.
    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        use std::os::unix::fs::PermissionsExt;
        let path = self.folder().join("data").join(name);
        #[expect(clippy::disallowed_methods, reason = "the server's own files")]
        std::fs::write(&path, text)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        self.owner.map_or(Ok(()), |owner| owner.take(&path))
    }

    /// Stops the server in good order, ending its sessions.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            // It may have ended already, and then there is nothing to do.
            let _ = kill_process(Pid::from_child(&process), Signal::INT);
            let _ = process.wait();
        }
    }

    /// Ends the server and all its processes at once, as a power failure would.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            let pid = Pid::from_child(&process);
            // Stopped first, so that neither it nor its children can say a last word.
            let _ = kill_process(pid, Signal::STOP);
            while let living @ [_, ..] = &children(pid)[..] {
                for child in living {
                    let _ = kill_process(*child, Signal::KILL);
                }
                wait();
            }
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// Starts the server again, after [`Postgres::stop`], [`Postgres::kill`] or while it runs.
    pub fn restart(&mut self) -> Result<()> {
        self.stop();
        self.launch()
    }

    fn create_cluster(&self) -> Result<()> {
        let mut command = self.program("initdb");
        command.args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]);
        let output = command.arg("-D").arg(self.folder().join("data")).output()?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(Error::new(ErrorKind::Other, text).during("create a PostgreSQL cluster"))
    }

    fn configure(&self, options: Options<'_>) -> Result<()> {
        let mut text = String::new();
        let own = [
            ("port", self.port.to_string()),
            ("unix_socket_directories", self.folder().display().to_string()),
        ];
        let own = own.iter().map(|(name, value)| (*name, value.as_str()));
        for (name, value) in own.chain(SETTINGS).chain(options.settings.iter().copied()) {
            // Writing to a String cannot fail; of a setting given twice the last one counts.
            let _ = writeln!(text, "{name} = '{}'", value.replace('\'', "''"));
        }
        self.write("postgresql.conf", &text)?;
        let mut access = options.access.join("\n");
        if access.is_empty() {
            access.push_str("host all all 127.0.0.1/32 trust");
        }
        access.push_str("\nlocal all postgres trust\nlocal all all trust\n");
        self.write("pg_hba.conf", &access)
    }

    fn launch(&mut self) -> Result<()> {
        let log = self.folder().join("log");
        #[expect(clippy::disallowed_methods, reason = "the server's own log")]
        let log = std::fs::File::create(log)?;
        let mut command = self.program("postgres");
        command.arg("-D").arg(self.folder().join("data"));
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        // An interrupt from the terminal is meant for the tests, which then stop the server.
        command.process_group(0);
        let process = self.process.insert(command.spawn()?);
        let pid = process.id();
        for _ in 0..PATIENCE.as_millis() / TICK.as_millis() {
            if self.is_ready(pid) {
                return Ok(());
            }
            if self.process.as_mut().is_some_and(|process| !matches!(process.try_wait(), Ok(None)))
            {
                break;
            }
            wait();
        }
        Err(self.failure())
    }

    /// The server writes its state to the eighth line of a file.
    fn is_ready(&self, pid: u32) -> bool {
        #[expect(clippy::disallowed_methods, reason = "the server's own file")]
        let text = std::fs::read_to_string(self.folder().join(PID_FILE)).unwrap_or_default();
        let mut lines = text.lines();
        let is_this = lines.next() == Some(pid.to_string().as_str());
        is_this && lines.nth(6).is_some_and(|state| state.trim() == "ready")
    }

    fn failure(&self) -> Error {
        #[expect(clippy::disallowed_methods, reason = "the server's own log")]
        let log = std::fs::read_to_string(self.folder().join("log")).unwrap_or_default();
        Error::new(ErrorKind::Other, log).during("start PostgreSQL")
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.binaries.join(name));
        command.current_dir("/");
        if let Some(owner) = self.owner {
            owner.run(&mut command);
        }
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The folder of `initdb` and `postgres`: in `PATH`, else Debian's newest.
fn find_binaries() -> Result<PathBuf> {
    let complete =
        |folder: &PathBuf| ["initdb", "postgres"].iter().all(|p| folder.join(p).exists());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut versions: Vec<(u32, PathBuf)> = Path::new(VERSIONS)
        .read_dir()
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let version = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        })
        .collect();
    versions.sort();
    let versions = versions.into_iter().rev().map(|(_, folder)| folder);
    std::env::split_paths(&path).chain(versions).find(complete).ok_or_else(|| {
        Error::new(ErrorKind::Missing, "there are no PostgreSQL binaries")
            .hint("install the Debian package postgresql: apt-get install postgresql")
    })
}

/// A port that is free now. The search begins elsewhere in each process and at each call.
fn free_port() -> Result<u16> {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let count = u32::from(PORTS.end - PORTS.start);
    let first = std::process::id() * 61 + CALLS.fetch_add(1, Ordering::Relaxed) * 7;
    let ports = (0..count).map(|next| PORTS.start + ((first + next) % count) as u16);
    let free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    ports.into_iter().find(free).ok_or_else(|| Error::new(ErrorKind::Resource, "no port is free"))
}

/// The living processes that a process has started, from `/proc/PID/stat`: after the name come the
/// state, `Z` for one that has ended, and the parent.
fn children(parent: Pid) -> Vec<Pid> {
    let Ok(processes) = Path::new("/proc").read_dir() else { return Vec::new() };
    let parent = parent.as_raw_nonzero().to_string();
    let of_parent = |entry: std::fs::DirEntry| {
        #[expect(clippy::disallowed_methods, reason = "the system's list of processes")]
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let (_, after_name) = stat.rsplit_once(')')?;
        let mut fields = after_name.split_whitespace();
        let lives = fields.next()? != "Z" && fields.next()? == parent;
        lives.then(|| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))?
    };
    processes.filter_map(|entry| of_parent(entry.ok()?)).collect()
}

#[expect(clippy::disallowed_methods, reason = "a server outside of any virtual time is starting")]
fn wait() {
    std::thread::sleep(TICK);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_comes_and_goes_without_a_trace() -> Result<()> {
        let mut server = Postgres::start()?;
        let folder = server.folder().to_owned();
        let pid = server.process.as_ref().map(Child::id).expect("a process");
        assert!(folder.join(format!(".s.PGSQL.{}", server.port())).exists());
        server.kill();
        server.restart()?;
        drop(server);
        assert!(!folder.exists() && !Path::new("/proc").join(pid.to_string()).exists());
        Ok(())
    }
}
