//! MySQL and MariaDB: statements and our own routines, both profiles, from 1, 8 and 64 sessions.
//!
//! The servers are the test's own; if there are no binaries, it fails and names the package.

mod common;

use common::crowds::{Rules, Sum, damages_are_found, enter, expect_totals, run_crowds};
use common::instance_in;
use tacho_core::Result;
use tacho_driver::Form;
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract;
use tacho_testkit::servers::{MariaDb, MySql, Options};

const WAREHOUSES: u64 = 2;
/// Some hundred of each kind, and no more deliveries than there are orders.
const WEIGHTS: (&str, &str) = ("weights", "40,30,10,10,10");

/// `InnoDB` locks gaps, so a new-order and a delivery may deadlock however lines are sorted.
const RULES: Rules<'static> = Rules { excused: &[], deadlocks: true, hidden: false };

/// The standard's profile with all twelve conditions, on a database as `prepare` makes it.
fn keeps_every_condition(target: &str) -> Result<()> {
    let _inside = enter();
    let driver = tacho_driver_mysql::driver();
    let bench = Bench::new(&*driver, &format!("{target}&database=spec"));
    contract::load(&bench, &*instance_in(Form::Sql, WAREHOUSES, "spec", &[WEIGHTS]))?;
    let (mut payments, mut deliveries) = (0, 0);
    for form in [Form::Sql, Form::Procedures] {
        let instance = instance_in(form, WAREHOUSES, "spec", &[WEIGHTS]);
        let routines = instance.routines(driver.dialect())?;
        let scripts = routines.drop.iter().chain(&routines.create);
        scripts.into_iter().try_for_each(|script| bench.script(script))?;
        let Sum { ended, .. } = run_crowds(&bench, &*instance, form, RULES)?;
        assert!(ended[0].rolled_back > 0, "{form:?} {ended:?}");
        payments += ended[1].committed;
        deliveries += ended[3].committed;
        // No delivery finds an order that another one has taken.
        assert_eq!(expect_totals(&bench, payments)?, deliveries as i64 * 10, "{form:?}");
    }
    damages_are_found(&bench, &*instance_in(Form::Sql, WAREHOUSES, "spec", &[]))
}

/// HammerDB's profile, by statements.
fn keeps_what_hammerdb_can(target: &str) -> Result<()> {
    let _inside = enter();
    let driver = tacho_driver_mysql::driver();
    let bench = Bench::new(&*driver, &format!("{target}&database=hammerdb"));
    let instance = instance_in(Form::Sql, WAREHOUSES, "hammerdb", &[]);
    contract::load(&bench, &*instance)?;
    let rules = Rules { excused: &["C10", "C11", "C12"], ..RULES };
    assert!(run_crowds(&bench, &*instance, Form::Sql, rules)?.committed() > 0);
    Ok(())
}

#[test]
fn mariadb_keeps_every_condition() -> Result<()> {
    let server = MariaDb::start()?;
    let target = server.target();
    keeps_every_condition(&target)?;
    keeps_what_hammerdb_can(&target)
}

#[test]
fn mysql_keeps_every_condition() -> Result<()> {
    let Some(server) = MySql::start_if_there(Options::default())? else { return Ok(()) };
    keeps_every_condition(&server.target())?;
    keeps_what_hammerdb_can(&server.target())
}
