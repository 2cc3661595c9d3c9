//! MySQL: the server makes its own data directory.

use std::process::Command;

use crate::Place;
use crate::family::{self, Relative};
use crate::product::program;

/// The product.
pub static MYSQL: Relative = Relative {
    id: "mysql",
    short: "my",
    title: "MySQL",
    programs: &["mysqld"],
    is_ours: |line| !line.contains("MariaDB"),
    hint: "where your system has it, install the package mysql-server",
    // The packaged default of the second names a folder that only a usual installation has.
    settings: &[("mysqlx", "OFF"), ("secure-file-priv", "NULL")],
    setup: |found| Ok(found.server.clone()),
    creation,
};

fn creation(place: &Place) -> Command {
    let mut command = program(&place.installation, &place.installation.setup);
    command.args([family::defaults(place), "--initialize-insecure".into()]);
    command
}
