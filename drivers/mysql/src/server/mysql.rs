//! Private MySQL servers. The server creates its own data directory.

use std::process::Command;

use tacho_servers::ServerPlace;

use super::Relative;

/// The product.
pub static MYSQL: Relative = Relative {
    id: "mysql",
    short: "my",
    title: "MySQL",
    programs: &["mysqld"],
    is_ours: |line| !line.contains("MariaDB"),
    usual_target: "mysql://root@localhost/test",
    hint: "install the mysql-server package, if your system provides it",
    // In distribution packages, the default of `secure-file-priv` is a folder that exists only if the package is
    // installed in the usual place.
    settings: &[("mysqlx", "OFF"), ("secure-file-priv", "NULL")],
    steady: &[("innodb_buffer_pool_size", "1G"), ("innodb_redo_log_capacity", "2G")],
    setup: |found| Ok(found.server.clone()),
    creation,
    has_replicas: false,
};

fn creation(place: &ServerPlace) -> Command {
    let mut command = place.installation.program(&place.installation.setup);
    command.args([super::defaults(place), "--initialize-insecure".into()]);
    command
}
