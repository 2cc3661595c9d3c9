//! Private servers. Each server is a cluster of its own, and its superuser `postgres` needs no password on the Unix
//! socket.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use tacho_core::{Error, ErrorKind, Result};
use tacho_servers::binaries::{Search, next_to};
use tacho_servers::{
    Identity, Installation, Options, Product, ServerPlace, Signal, text, wait_until_unused,
};

/// The product.
#[derive(Clone, Copy, Debug)]
pub struct PrivateServer;

/// Installation folders of Debian, RHEL and related systems, Homebrew on Intel and on Apple silicon, and Postgres.app.
const FOLDERS: [&str; 5] = [
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql*/bin",
    "/usr/local/opt/postgresql*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
];
/// File that contains the superuser's password, which is required only over TCP.
const PASSWORD_FILE: &str = "password";
const PID_FILE: &str = "data/postmaster.pid";

impl Product for PrivateServer {
    fn id(&self) -> &'static str {
        "postgres"
    }

    fn short(&self) -> &'static str {
        "pg"
    }

    fn title(&self) -> &'static str {
        "PostgreSQL"
    }

    fn usual(&self) -> (u16, &'static str) {
        (5432, "postgres://localhost/postgres")
    }

    fn owners(&self) -> &'static [&'static str] {
        &["postgres", "nobody"]
    }

    fn pid_file(&self) -> &'static str {
        PID_FILE
    }

    /// Requests a fast shutdown. The server then ends all sessions and rolls back their transactions.
    fn stop_signal(&self) -> Signal {
        Signal::INT
    }

    fn find(&self, options: &Options) -> Result<Installation> {
        let package = match options.version.as_deref().and_then(|v| v.split('.').next()) {
            Some(major) => format!("postgresql-{major}"),
            None => "postgresql".into(),
        };
        let search = Search {
            title: self.title(),
            programs: &["postgres"],
            folders: &FOLDERS,
            is_ours: |line| line.contains("PostgreSQL"),
            hint: format!("on Debian, install the {package} package: apt-get install {package}"),
        };
        let found = search.find(options)?;
        let setup = next_to(&found.server, &["initdb"]).ok_or_else(|| {
            Error::new(
                ErrorKind::Missing,
                format!("initdb was not found next to {}", found.server.display()),
            )
            .hint("install the complete server package, not just its client")
        })?;
        let (server, loader, version) = (found.server, found.loader, found.version);
        Ok(Installation { server, setup, root: None, loader, version })
    }

    fn creation(&self, place: &ServerPlace) -> Vec<Command> {
        let mut command = place.installation.program(&place.installation.setup);
        command.args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]);
        command.arg("-D").arg(place.data());
        if !place.password.is_empty() {
            command.arg("--pwfile").arg(place.folder.join(PASSWORD_FILE));
        }
        vec![command]
    }

    fn primary_settings(&self, synchronous: bool) -> Option<Vec<(String, String)>> {
        let waits = if synchronous { "*" } else { "" };
        let settings = [
            ("wal_level", "replica"),
            ("max_wal_senders", "10"),
            ("hot_standby", "on"),
            ("synchronous_standby_names", waits),
        ];
        Some(settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into())
    }

    /// Creates a replica by copying the running server. The `-R` option writes the primary's address into the copy.
    fn replica_creation(&self, place: &ServerPlace, primary: &ServerPlace) -> Vec<Command> {
        let program = tool(place, "pg_basebackup");
        let mut command = place.installation.program(&program);
        command.args(["-U", "postgres", "-X", "stream", "-R", "--no-sync", "--checkpoint=fast"]);
        command.arg("-h").arg(&primary.sockets).arg("-p").arg(primary.port.to_string());
        command.arg("-D").arg(place.data());
        vec![command]
    }

    fn promotion(&self, place: &ServerPlace) -> Option<Command> {
        place.data().join("standby.signal").exists().then(|| {
            let program = tool(place, "pg_ctl");
            let mut command = place.installation.program(&program);
            command.args(["promote", "--wait", "-D"]).arg(place.data());
            command
        })
    }

    fn configure(&self, place: &ServerPlace, options: &Options) -> Result<()> {
        let access = place.folder.join("pg_hba.conf");
        let mut settings = String::new();
        let defaults = [
            ("port", place.port.to_string()),
            ("listen_addresses", "127.0.0.1".to_owned()),
            ("unix_socket_directories", place.sockets.display().to_string()),
            ("hba_file", access.display().to_string()),
        ];
        let defaults = defaults.iter().map(|(name, value)| (*name, value.as_str()));
        let theirs = options.settings.iter().map(|(name, value)| (&**name, &**value));
        for (name, value) in defaults.chain(theirs) {
            // Writing to a `String` cannot fail. If a setting occurs more than once, the server uses the last value.
            let _ = writeln!(settings, "{name} = '{}'", in_quotes(value));
        }
        place.write(&place.folder.join("postgresql.conf"), &settings)?;
        let mut lines = options.access.join("\n");
        if !place.password.is_empty() {
            place.write(&place.folder.join(PASSWORD_FILE), &format!("{}\n", place.password))?;
            lines.push_str("\nhost all all 127.0.0.1/32 scram-sha-256");
        }
        // Passwords can be omitted only on the socket, because other users of the machine can reach the loopback
        // interface but not the socket's folder.
        lines.push_str("\nlocal all all trust\nlocal replication all trust\n");
        place.write(&access, &lines)
    }

    fn command(&self, place: &ServerPlace) -> Command {
        let mut command = place.installation.program(&place.installation.server);
        command.arg("-D").arg(place.data()).arg("-c");
        command.arg(format!("config_file={}", place.folder.join("postgresql.conf").display()));
        command
    }

    fn settings_list(&self, installation: &Installation) -> Option<Command> {
        let mut command = installation.program(&installation.server);
        command.arg("--describe-config");
        Some(command)
    }

    /// Removes the PID files that a killed server has left, unless a process still has the data directory open.
    ///
    /// In a container without an init process, the killed process still appears in the process list, so PostgreSQL
    /// would refuse to start.
    fn clear(&self, place: &ServerPlace) {
        let socket = self.socket(place).with_added_extension("lock");
        for file in [place.folder.join(PID_FILE), socket] {
            let pid = text::read(&file).lines().next().and_then(|line| line.trim().parse().ok());
            if pid.is_some_and(|pid| Identity::of(pid).is_none())
                && wait_until_unused(&place.data())
            {
                // If a file cannot be removed, the server's error message will mention it.
                let _ = std::fs::remove_file(file);
            }
        }
    }

    /// The eighth line of the PID file contains the server's state.
    fn is_ready(&self, place: &ServerPlace, pid: u32) -> bool {
        let file = text::read(&place.folder.join(PID_FILE));
        let mut lines = file.lines();
        let is_this = lines.next() == Some(pid.to_string().as_str());
        is_this && lines.nth(6).is_some_and(|state| state.trim() == "ready")
    }

    fn socket(&self, place: &ServerPlace) -> PathBuf {
        place.sockets.join(format!(".s.PGSQL.{}", place.port))
    }

    fn target(&self, place: &ServerPlace) -> String {
        format!("postgres://postgres@:{}/postgres?host={}", place.port, place.sockets.display())
    }

    fn tcp_target(&self, place: &ServerPlace) -> String {
        let colon = if place.password.is_empty() { "" } else { ":" };
        let ServerPlace { password, port, .. } = place;
        format!("postgres://postgres{colon}{password}@127.0.0.1:{port}/postgres")
    }
}

/// Returns the path of a program in the folder of `initdb`, or in the folder of the file that `initdb` links to. If the
/// program is in neither, returns only its name.
fn tool(place: &ServerPlace, name: &str) -> PathBuf {
    let setup = &place.installation.setup;
    let linked = setup.canonicalize().unwrap_or_else(|_| setup.clone());
    let mut known = [setup, &linked].into_iter().map(|setup| setup.with_file_name(name));
    known.find(|program| program.exists()).unwrap_or_else(|| name.into())
}
/// Escapes a value that is written in single quotes in the configuration file, where a backslash is an escape
/// character.
fn in_quotes(value: &str) -> String {
    value.replace('\\', "\\\\").replace('\'', "''").replace('\n', "\\n")
}
