//! Servers for tests. They are private servers of `tacho-servers`, and are removed at the end of the test.
//!
//! Test servers must never touch other servers on the machine. Start reading at [`TestServer`].

mod copied;
mod kinds;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::Signal;
use tacho_core::{Error, Result};
use tacho_servers::{Guard, Product, Server};

use crate::permits::{Group, permit};
use copied::{Copied, Kept};
pub use kinds::{Kind, MariaDbKind, MySqlKind, PostgresKind};

/// A PostgreSQL server. Its superuser `postgres` has no password.
pub type Postgres = TestServer<PostgresKind>;
/// A MariaDB server. `root` connects through the socket without a password, and `tacho` over TCP with a password.
pub type MariaDb = TestServer<MariaDbKind>;
/// A MySQL server with the same users as [`MariaDb`].
pub type MySql = TestServer<MySqlKind>;

/// Options that distinguish a server from the default test server.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Settings that override the defaults.
    pub settings: &'a [(&'a str, &'a str)],
    /// Lines of `pg_hba.conf`. They precede the line that lets everyone connect through the Unix socket.
    pub access: &'a [&'a str],
    /// The requested version, such as `17`. If none is requested, the newest version is used.
    pub version: Option<&'a str>,
}

/// A running server with a separate folder.
pub struct TestServer<K: Kind> {
    server: Server,
    // The guard is declared after the server, because dropping the guard removes the server's folder.
    guard: Guard,
    kind: std::marker::PhantomData<K>,
}

impl<K: Kind> TestServer<K> {
    /// Starts a server with the default settings.
    pub fn start() -> Result<Self> {
        Self::start_with(Options::default())
    }

    /// Starts a server.
    ///
    /// # Errors
    /// Returns [`tacho_core::ErrorKind::Missing`] if the product is not installed.
    pub fn start_with(options: Options<'_>) -> Result<Self> {
        Self::start_product(K::product(), options)
    }

    /// Starts a server with data that `make` creates. The data for each `name` is created once per test program, and
    /// each server gets a copy.
    pub fn start_with_data(
        options: Options<'_>,
        name: &str,
        make: impl FnOnce(&Self),
    ) -> Result<Self> {
        let product = kept_data(format!("{} {name}", K::product().id()), || {
            let mut server = Self::start_with(options)?;
            make(&server);
            server.stop();
            let folder = server.server.place().data();
            // Keep the folder for later copies. The guard removes it when the program exits.
            std::mem::forget(server);
            Ok(Copied { product: K::product(), kept: Kept::Folder(folder) })
        })?;
        Self::start_product(product, options)
    }

    fn start_product(product: &'static dyn Product, options: Options<'_>) -> Result<Self> {
        let _permit = K::IS_HEAVY.then(|| permit(Group::HeavyStart));
        let options = tacho_servers::Options {
            settings: K::SETTINGS.iter().chain(options.settings).map(owned).collect(),
            access: K::access(options.access),
            version: options.version.map(str::to_owned),
            binaries: binaries(product),
            port: None,
        };
        let guard = Guard::new("tacho-test-", product)?;
        let password = K::PASSWORD.to_owned();
        let mut server = Server::create(product, guard.folder(), options, password, None)?;
        server.start(&|| true)?;
        note_start(&server)?;
        Ok(Self { server, guard, kind: std::marker::PhantomData })
    }

    /// Starts a server. If its product is not installed, prints a message instead and returns `None`.
    pub fn start_if_there(options: Options<'_>) -> Result<Option<Self>> {
        Self::if_there(Self::start_with(options))
    }

    /// Starts a server with data, like [`TestServer::start_with_data`]. If the product is not installed, prints a
    /// message instead and returns `None`.
    pub fn start_with_data_if_there(
        options: Options<'_>,
        name: &str,
        make: impl FnOnce(&Self),
    ) -> Result<Option<Self>> {
        Self::if_there(Self::start_with_data(options, name, make))
    }

    #[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
    fn if_there(started: Result<Self>) -> Result<Option<Self>> {
        match started {
            Ok(server) => Ok(Some(server)),
            Err(error)
                if error.kind() == tacho_core::ErrorKind::Missing
                    && binaries(K::product()).is_none() =>
            {
                eprintln!("NOT TESTED, {error}; hint: {}", error.hints().join("; "));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the server that all tests of a program share. Each test uses its own databases.
    ///
    /// Tests that change the server itself must start another one.
    #[expect(clippy::missing_panics_doc, reason = "a helper of tests fails by panicking")]
    pub fn shared() -> &'static Self {
        let start = || Some(Self::start().expect("a server"));
        K::shared().get_or_init(start).as_ref().expect("a server")
    }

    /// Returns the shared server, or `None` if its product is not installed. See [`TestServer::start_if_there`].
    #[expect(clippy::missing_panics_doc, reason = "a helper of tests fails by panicking")]
    pub fn shared_if_there() -> Option<&'static Self> {
        let start = || Self::start_if_there(Options::default()).expect("a server or none");
        K::shared().get_or_init(start).as_ref()
    }

    /// Returns the TCP port, which may also be part of the socket's name.
    pub fn port(&self) -> u16 {
        self.server.place().port
    }

    /// Returns the folder that contains the Unix socket, the data directory and the log.
    pub fn folder(&self) -> &Path {
        self.guard.folder()
    }

    /// Returns the numeric version, such as `17.2`.
    pub fn version(&self) -> &str {
        &self.server.place().installation.version
    }

    /// Returns the administrator's target, which uses the Unix socket.
    pub fn target(&self) -> String {
        self.server.product().target(self.server.place())
    }

    /// Returns the target for TCP connections. It contains a password if the server requires one.
    pub fn tcp_target(&self) -> String {
        self.server.product().tcp_target(self.server.place())
    }

    /// Returns the user's password for TCP connections.
    pub fn password(&self) -> &str {
        &self.server.place().password
    }

    /// Writes a file, such as a certificate, to the data directory. Only the server's user can read it.
    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        let place = self.server.place();
        place.write(&place.data().join(name), text)
    }

    /// Shuts the server down cleanly. This ends its sessions.
    pub fn stop(&mut self) {
        self.server.stop();
    }

    /// Kills the server and all its processes at once, as in a power failure.
    pub fn kill(&mut self) {
        self.server.kill();
    }

    /// Sends a signal to the server's main process, for example to suspend or resume it.
    pub fn signal(&mut self, signal: Signal) {
        self.server.signal(signal);
    }

    /// Restarts the server, whether it is running or was stopped by [`TestServer::stop`] or [`TestServer::kill`].
    ///
    /// # Errors
    /// Returns an error if another program now uses the server's port, because clients would connect to that program.
    pub fn restart(&mut self) -> Result<()> {
        let port = self.port();
        self.server.stop();
        self.server.start(&|| true)?;
        if self.port() == port {
            return Ok(());
        }
        Err(Error::usage(format!("another program has taken port {port} between stop and start")))
    }

    /// Runs statements as the administrator, using the product's command-line client. Returns the output.
    pub fn client(&self, statements: &str) -> Result<String> {
        self.client_with(&[statements])
    }

    fn client_with(&self, words: &[&str]) -> Result<String> {
        let mut command = K::client(self.server.place());
        let output = command.args(words).stdin(std::process::Stdio::null()).output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() {
            return Err(Error::usage(said).during("run statements through the client"));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

impl TestServer<PostgresKind> {
    /// Creates a database and returns its target.
    pub fn database(&self, name: &str) -> Result<String> {
        self.client(&format!("CREATE DATABASE {name}"))?;
        Ok(self.target().replace("/postgres?", &format!("/{name}?")))
    }

    /// Runs statements like [`Self::client`], but in the given database.
    pub fn client_on(&self, database: &str, statements: &str) -> Result<String> {
        self.client_with(&[statements, "-d", database])
    }

    /// Replaces the lines of `pg_hba.conf`. They take effect when the server is started again.
    pub fn set_access(&self, lines: &str) -> Result<()> {
        let place = self.server.place();
        place.write(&place.folder.join("pg_hba.conf"), lines)
    }
}

impl<K: Kind> Drop for TestServer<K> {
    /// Kills the server, because its folder is about to be removed. If that would leave shared memory behind, shuts it
    /// down cleanly instead.
    fn drop(&mut self) {
        if K::LEAVES_NOTHING {
            self.server.kill();
        } else {
            self.server.stop();
        }
    }
}

/// Returns a product that creates data directories by copying the one with this name. If that one does not exist yet,
/// creates it first.
fn kept_data(name: String, make: impl FnOnce() -> Result<Copied>) -> Result<&'static Copied> {
    type Slot = Arc<Mutex<Option<&'static Copied>>>;
    static ALL: Mutex<BTreeMap<String, Slot>> = Mutex::new(BTreeMap::new());
    let slot = ALL.lock().unwrap_or_else(PoisonError::into_inner).entry(name).or_default().clone();
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    match *slot {
        Some(product) => Ok(product),
        None => Ok(slot.insert(Box::leak(Box::new(make()?)))),
    }
}

/// Appends the product and its version to the file that the environment variable `TACHO_TEST_STARTS` names. This file
/// is the source for the table of tested versions.
#[expect(clippy::disallowed_methods, reason = "tests read their environment where it is used")]
fn note_start(server: &Server) -> Result<()> {
    let Ok(path) = std::env::var("TACHO_TEST_STARTS") else { return Ok(()) };
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path)?;
    let (name, version) = (server.product().title(), &server.place().installation.version);
    Ok(file.write_all(format!("{name} {version}\n").as_bytes())?)
}

/// Returns the folder that a variable such as `TACHO_TEST_POSTGRES` names. By default, the folder of `cargo xtask
/// servers`.
#[expect(clippy::disallowed_methods, reason = "tests read their environment where it is used")]
fn binaries(product: &dyn Product) -> Option<PathBuf> {
    let name = format!("TACHO_TEST_{}", product.id().to_uppercase());
    let named = std::env::var(name).ok().filter(|folder| !folder.is_empty()).map(Into::into);
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/servers");
    named.or_else(|| Some(fetched.join(product.id())).filter(|folder| folder.is_dir()))
}

fn owned((name, value): &(&str, &str)) -> (String, String) {
    ((*name).to_owned(), (*value).to_owned())
}

/// Returns a command that calls the client, with the arguments that precede the statements.
fn client(program: &str, words: &[String]) -> Command {
    let mut command = Command::new(program);
    command.args(words);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comes_and_goes<K: Kind>(socket: &str) -> Result<()> {
        let mut server = TestServer::<K>::start()?;
        let folder = server.folder().to_owned();
        let identity = server.server.identity().expect("a process").clone();
        assert!(folder.join(socket.replace("PORT", &server.port().to_string())).exists());
        server.client("CREATE TABLE kept (a INTEGER)")?;
        server.kill();
        assert!(!identity.lives());
        server.restart()?;
        server.client("SELECT * FROM kept")?;
        let identity = server.server.identity().expect("a process").clone();
        drop(server);
        assert!(!folder.exists() && !identity.lives());
        Ok(())
    }

    #[test]
    fn a_postgres_server_comes_and_goes_without_a_trace() -> Result<()> {
        comes_and_goes::<PostgresKind>(".s.PGSQL.PORT")
    }

    #[test]
    fn a_mariadb_server_comes_and_goes_without_a_trace() -> Result<()> {
        comes_and_goes::<MariaDbKind>("s.sock")
    }

    #[test]
    fn nobody_comes_to_mariadb_over_tcp_without_the_password() -> Result<()> {
        let server = MariaDb::start()?;
        let port = format!("--port={}", server.port());
        let come = |user: &str, password: &str| {
            let mut command = Command::new("mariadb");
            command.args(["--no-defaults", "-h", "127.0.0.1", &port, "-u", user, "-e", "SELECT 1"]);
            command.env("MYSQL_PWD", password).output().is_ok_and(|out| out.status.success())
        };
        assert!(come("tacho", server.password()));
        assert!(!come("tacho", "") && !come("root", "") && !come("nobody", ""));
        Ok(())
    }
}
