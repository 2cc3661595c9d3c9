//! Private MariaDB servers. A script creates the data directory.

use std::path::PathBuf;
use std::process::Command;

use tacho_core::{Error, ErrorKind, Result};
use tacho_servers::ServerPlace;
use tacho_servers::binaries::{Found, in_path, next_to};

use super::Relative;

/// The product.
pub static MARIADB: Relative = Relative {
    id: "mariadb",
    short: "maria",
    title: "MariaDB",
    programs: &["mariadbd", "mysqld"],
    is_ours: |line| line.contains("MariaDB"),
    usual_target: "mariadb://root@localhost/test",
    hint: "on Debian, install the mariadb-server package: apt-get install mariadb-server",
    settings: &[],
    steady: &[],
    setup,
    creation,
    has_replicas: true,
};

const SETUP: [&str; 2] = ["mariadb-install-db", "mysql_install_db"];

fn setup(found: &Found) -> Result<PathBuf> {
    let next_to = next_to(&found.server, &SETUP);
    let setup = next_to.or_else(|| SETUP.iter().find_map(|name| in_path(name)));
    setup.ok_or_else(|| {
        let server = found.server.display();
        Error::new(ErrorKind::Missing, format!("there is no {} for {server}", SETUP[0]))
            .hint("on Debian, install the mariadb-server package")
    })
}

fn creation(place: &ServerPlace) -> Command {
    // The setup program is a shell script, so unlike the server it cannot be started through the dynamic loader.
    let mut command = Command::new(&place.installation.setup);
    command.arg(super::defaults(place));
    if let Some(root) = &place.installation.root {
        command.arg(format!("--basedir={}", root.display()));
    }
    command.arg(format!("--datadir={}", place.data().display()));
    command.args(["--auth-root-authentication-method=normal", "--skip-test-db"]);
    command
}
