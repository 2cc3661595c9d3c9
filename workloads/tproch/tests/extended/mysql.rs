//! Checks every query result on MySQL and MariaDB.
//!
//! The tests start their own servers. If MariaDB is missing, they fail with a message that names the package to
//! install.

use crate::common::{has_plans, is_kept, is_limited, is_refreshed, is_right};
use tacho_core::{ErrorKind, Result};
use tacho_testkit::conformance::Bench;
use tacho_testkit::servers::{MariaDb, MySql};
use tokio::runtime::Builder;

fn every_answer(target: &str) -> Result<()> {
    let event_loop = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let _inside = event_loop.enter();
    let driver = tacho_driver_mysql::driver();
    let place = format!("{target}&database=tproch");
    let bench = Bench::new(&*driver, &place);
    is_right(&bench)?;
    has_plans(&bench)?;
    is_refreshed(&bench)?;
    is_limited(&bench)?;
    let place = format!("{target}&database=keyed");
    let keyed = Bench::new(&*driver, &place);
    is_kept(&keyed, &[("foreign_keys", "true")])?;
    let lost = keyed.script("UPDATE orders SET o_custkey = -1 WHERE o_orderkey = 7");
    assert_eq!(lost.expect_err("a reference to nothing").kind(), ErrorKind::Constraint);
    let place = format!("{target}&database=parted");
    is_kept(&Bench::new(&*driver, &place), &[("partitions", "3")])
}

#[test]
fn every_answer_is_right_on_mariadb() -> Result<()> {
    every_answer(&MariaDb::shared().target())
}

#[test]
fn every_answer_is_right_on_mysql() -> Result<()> {
    MySql::shared_if_there().map_or(Ok(()), |server| every_answer(&server.target()))
}
