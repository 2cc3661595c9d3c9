//! Runs every profile in every form on MySQL and MariaDB, with sessions that compete for the branches.

use crate::servers::{CROWDS, keeps_its_conditions};
use tacho_core::Result;
use tacho_testkit::servers::{MariaDb, MySql, Options};

/// By default, MariaDB 11.8 and later reject a write to a row that has changed since the session read it.
fn keeps_its_conditions_on(target: &str) -> Result<()> {
    let place = format!("{target}&database=tpcb&isolation=read-committed");
    keeps_its_conditions(&*tacho_driver_mysql::driver(), &place, &CROWDS[..2])
}

#[test]
fn every_profile_keeps_its_conditions_on_mariadb() -> Result<()> {
    let server = MariaDb::start()?;
    keeps_its_conditions_on(&server.target())
}

#[test]
fn every_profile_keeps_its_conditions_on_mysql() -> Result<()> {
    let server = MySql::start_if_there(Options::default())?;
    server.map_or(Ok(()), |server| keeps_its_conditions_on(&server.target()))
}
