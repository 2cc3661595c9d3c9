//! Tests two profiles on MySQL and MariaDB, with 1, 8 and 64 sessions. They use both plain
//! statements and stored routines.

use crate::mysql::{keeps_every_condition, keeps_what_hammerdb_can};
use tacho_core::Result;
use tacho_testkit::servers::{MariaDb, MySql};

#[test]
fn mariadb_keeps_every_condition() -> Result<()> {
    let target = MariaDb::shared().target();
    keeps_every_condition(&target)?;
    keeps_what_hammerdb_can(&target)
}

#[test]
fn mysql_keeps_every_condition() -> Result<()> {
    let Some(server) = MySql::shared_if_there() else { return Ok(()) };
    keeps_every_condition(&server.target())?;
    keeps_what_hammerdb_can(&server.target())
}
