//! MariaDB and MySQL give the answers of the reference.

use crate::engines::agrees;
use tacho_core::Result;
use tacho_testkit::live;
use tacho_testkit::servers::{MariaDb, MySql, Options, Postgres};

#[test]
fn mariadb_agrees() -> Result<()> {
    let _inside = live::enter();
    let server = MariaDb::start()?;
    agrees(&*tacho_driver_mysql::driver(), &format!("{}&database=chbench", server.target()))
}

#[test]
fn mysql_agrees() -> Result<()> {
    let _inside = live::enter();
    let Some(server) = MySql::start_if_there(Options::default())? else { return Ok(()) };
    agrees(&*tacho_driver_mysql::driver(), &format!("{}&database=chbench", server.target()))
}

#[test]
fn postgresql_agrees() -> Result<()> {
    let _inside = live::enter();
    let server = Postgres::start_with(Options::default());
    let server = server.unwrap_or_else(|error| panic!("{error}; {}", error.hints().join("; ")));
    agrees(&*tacho_driver_postgres::driver(), &server.target())
}
