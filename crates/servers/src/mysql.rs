//! MySQL: `root` without a password on the Unix socket, `tacho` with one over TCP.

use std::path::PathBuf;
use std::process::Command;

use rustix::process::Signal;
use tacho_core::Result;

use crate::binaries::Search;
use crate::product::program;
use crate::{Installation, Options, Place, Product, family};

/// The product.
pub const MYSQL: MySql = MySql;

/// See [`MYSQL`].
#[derive(Clone, Copy, Debug)]
pub struct MySql;

/// The packaged default of the second names a folder that only a usual installation has.
const SETTINGS: [(&str, &str); 2] = [("mysqlx", "OFF"), ("secure-file-priv", "NULL")];

impl Product for MySql {
    fn id(&self) -> &'static str {
        "mysql"
    }

    fn short(&self) -> &'static str {
        "my"
    }

    fn title(&self) -> &'static str {
        "MySQL"
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
            programs: &["mysqld"],
            folders: family::FOLDERS,
            is_ours: |line| !line.contains("MariaDB"),
            hint: "where your system has it, install the package mysql-server".into(),
        };
        let found = search.find(options)?;
        let root = family::root(&found.server);
        let (server, loader, version) = (found.server, found.loader, found.version);
        Ok(Installation { setup: server.clone(), server, root, loader, version })
    }

    fn creation(&self, place: &Place) -> Vec<Command> {
        let mut command = program(&place.installation, &place.installation.setup);
        command.arg(format!("--defaults-file={}", family::settings_file(place).display()));
        command.arg("--initialize-insecure");
        vec![command]
    }

    fn configure(&self, place: &Place, options: &Options) -> Result<()> {
        family::configure(place, options, &SETTINGS)
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
        family::target("mysql", place)
    }

    fn tcp_target(&self, place: &Place) -> String {
        family::tcp_target("mysql", place)
    }
}
