//! Uses SQLite to verify the tables in the documentation that list which changes each check detects.

use crate::common::{instance, open};
use tacho_core::Result;
use tacho_driver::{Form, Value};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{Changes, changes_are_noticed, drive, load, rows_are_counted};

const DOCS: &str = include_str!("../docs.md");
const TABLES: [&str; 1] = ["sbtest1"];
/// Changes the text by moving its first digit group to the end.
const VALUES: &str = include_str!("changes.txt");

#[test]
fn changes_are_noticed_after_a_run() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let driver = tacho_driver_sqlite::driver();
    let options = "synchronous=off&journal_mode=memory";
    let target = format!("sqlite:{}?{options}", folder.path().join("x.db").display());
    let bench = Bench::new(&*driver, &target);
    let instance = instance(1, "read-write", 1, &[("table_size", "5000")]);
    load(&bench, &*instance)?;
    // The events change only a few of the 5,000 rows, so the sample still contains unchanged rows.
    let mut exchange = open(&bench, &*instance, Form::Sql)?;
    drive(&bench, &mut exchange, &mut [instance.client(0)], 50);
    bench.wait(exchange.into_session().close())?;
    let checks = instance.checks();
    let sampled = checks.iter().find(|check| check.id == "R1").expect("a sample");
    let Value::Int(id) = sampled.samples[0].bound.get(0) else { panic!("a number") };
    let one = [("sbtest1", format!("id = {id}"))];
    let changes = Changes { docs: DOCS, values: VALUES, of_run: &[], one: &one };
    changes_are_noticed(&bench, &*instance, &TABLES, &changes)?;
    rows_are_counted(&bench, &*instance, &TABLES, DOCS)
}
