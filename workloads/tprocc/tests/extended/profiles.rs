//! The profiles of other tools on MariaDB.

use crate::common::crowds::enter;
use crate::profiles::every_profile_runs;
use tacho_core::Result;
use tacho_testkit::servers::MariaDb;

#[test]
fn every_profile_runs_on_mariadb() -> Result<()> {
    let _inside = enter();
    let driver = tacho_driver_mysql::driver();
    let server = MariaDb::start().expect("a MariaDB server");
    every_profile_runs(&*driver, |name| format!("{}&database={name}", server.target()))
}
