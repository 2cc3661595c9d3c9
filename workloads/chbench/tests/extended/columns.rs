//! Uses SQLite to verify the tables in the documentation that list which changes each check detects.

use crate::common::{instance, loaded};
use tacho_core::Result;
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{Changes, changes_are_noticed, rows_are_counted};

const DOCS: &str = include_str!("../../docs.md");
const TABLES: [&str; 3] = ["region", "nation", "supplier"];

#[test]
fn changes_of_the_additional_tables_are_noticed() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let driver = tacho_driver_sqlite::driver();
    let options = "synchronous=off&journal_mode=memory";
    let target = format!("sqlite:{}?{options}", folder.path().join("x.db").display());
    let (bench, instance) = (Bench::new(&*driver, &target), instance("sqlite"));
    loaded(&bench, &*instance)?;
    let one = [
        ("region", "r_regionkey = 2".to_owned()),
        ("nation", "n_nationkey = (SELECT MAX(n_nationkey) FROM nation)".to_owned()),
        ("supplier", "su_suppkey = 7777".to_owned()),
    ];
    let changes = Changes { docs: DOCS, values: "", of_run: &[], one: &one };
    changes_are_noticed(&bench, &*instance, &TABLES, &changes)?;
    rows_are_counted(&bench, &*instance, &TABLES, DOCS)
}
