//! Several table sets on MariaDB and MySQL.

use crate::sets::{DATABASES, FAMILY, two_sets_work};
use tacho_testkit::servers::{MariaDb, MySql, Options};

#[test]
fn mariadb_has_sets_as_databases() {
    two_sets_work(&MariaDb::start().expect("a MariaDB server"), FAMILY, DATABASES);
}

#[test]
fn mysql_has_sets_as_databases() {
    let server = MySql::start_if_there(Options::default()).expect("a MySQL server or none");
    if let Some(server) = server {
        two_sets_work(&server, FAMILY, DATABASES);
    }
}
