//! MariaDB: `root` without a password on the Unix socket, `tacho` with one over TCP.

use std::path::PathBuf;
use std::process::Command;

use rustix::process::Signal;
use tacho_core::{Error, ErrorKind, Result};

use crate::binaries::{Search, beside, in_path};
use crate::{Installation, Options, Place, Product, family};

/// The product.
pub const MARIADB: MariaDb = MariaDb;

/// See [`MARIADB`].
#[derive(Clone, Copy, Debug)]
pub struct MariaDb;

const SETUP: [&str; 2] = ["mariadb-install-db", "mysql_install_db"];

impl Product for MariaDb {
    fn id(&self) -> &'static str {
        "mariadb"
    }

    fn short(&self) -> &'static str {
        "maria"
    }

    fn title(&self) -> &'static str {
        "MariaDB"
    }

    fn owners(&self) -> &'static [&'static str] {
        family::OWNERS
    }

    fn pid_file(&self) -> &'static str {
        family::PID_FILE
    }

    fn stop_signal(&self) -> Signal {
        Signal::TERM
    }

    fn find(&self, options: &Options) -> Result<Installation> {
        let search = Search {
            title: self.title(),
            programs: &["mariadbd", "mysqld"],
            folders: family::FOLDERS,
            is_ours: |line| line.contains("MariaDB"),
            hint: "on Debian install the package mariadb-server: apt-get install mariadb-server"
                .into(),
        };
        let found = search.find(options)?;
        let root = family::root(&found.server);
        let beside = beside(&found.server, &SETUP);
        let setup = beside.or_else(|| SETUP.iter().find_map(|name| in_path(name)));
        let setup = setup.ok_or_else(|| {
            let server = found.server.display();
            Error::new(ErrorKind::Missing, format!("there is no {} for {server}", SETUP[0]))
                .hint("on Debian it is in the package mariadb-server")
        })?;
        let (server, loader, version) = (found.server, found.loader, found.version);
        Ok(Installation { server, setup, root, loader, version })
    }

    fn creation(&self, place: &Place) -> Vec<Command> {
        // A script, which no loader can run.
        let mut command = Command::new(&place.installation.setup);
        command.arg(format!("--defaults-file={}", family::settings_file(place).display()));
        if let Some(root) = &place.installation.root {
            command.arg(format!("--basedir={}", root.display()));
        }
        command.arg(format!("--datadir={}", place.data().display()));
        command.args(["--auth-root-authentication-method=normal", "--skip-test-db"]);
        vec![command]
    }

    fn configure(&self, place: &Place, options: &Options) -> Result<()> {
        family::configure(place, options, &[])
    }

    fn command(&self, place: &Place) -> Command {
        family::command(place)
    }

    fn is_ready(&self, place: &Place, pid: u32) -> bool {
        family::is_ready(place, pid)
    }

    fn socket(&self, place: &Place) -> PathBuf {
        family::socket(place)
    }

    fn target(&self, place: &Place) -> String {
        family::target("mariadb", place)
    }

    fn tcp_target(&self, place: &Place) -> String {
        family::tcp_target("mariadb", place)
    }
}
