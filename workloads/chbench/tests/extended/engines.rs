//! MariaDB and MySQL give the answers of the reference.

use crate::engines::agrees;
use tacho_core::Result;
use tacho_testkit::live;
use tacho_testkit::servers::{MariaDb, MySql, Options};

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
