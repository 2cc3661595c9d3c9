//! `doctor` findings about a MySQL server.

use crate::doctor::is_looked_at;
use tacho_testkit::servers::{MySql, Options};

#[test]
fn a_mysql_server_is_looked_at_and_nothing_remains() {
    let server = MySql::start_if_there(Options::default()).expect("a MySQL server");
    let Some(server) = server else { return };
    is_looked_at(&server, "mysql", "SET DEFAULT ROLE builders TO member@'%'");
}
