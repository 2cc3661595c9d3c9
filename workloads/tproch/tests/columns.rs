//! Verifies the tables in the documentation that list which changes each check detects. The data has been refreshed
//! before.

use crate::common::{instance, is_refreshed, open};
use tacho_core::Result;
use tacho_driver::Value;
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{Changes, changes_are_noticed, load, rows_are_counted};
use tacho_workload::{Instance, Purpose};

const DOCS: &str = include_str!("../docs.md");
const TABLES: [&str; 8] =
    ["region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"];
/// Changes to single values. In this database, decimals are stored as integers that count hundredths.
const VALUES: &str = include_str!("changes.txt");
/// Conditions for rows that refreshes have inserted. Their keys contain a sequence other than 0.
const OF_RUN: [(&str, &str); 2] =
    [("orders", "o_orderkey % 32 >= 8"), ("lineitem", "l_orderkey % 32 >= 8")];

/// Returns a condition for each table that selects the first row of its first sample.
fn one(instance: &dyn Instance) -> Vec<(&'static str, String)> {
    let checks = instance.checks();
    let first = |id: &str, number: usize| -> i64 {
        let check = checks.iter().find(|check| check.id == id).expect(id);
        match check.samples[number].bound.get(0) {
            Value::Int(key) => key,
            other => panic!("{other:?}"),
        }
    };
    // The first two samples of R1 are regions and nations, so use the third one for a supplier. At the smallest scale,
    // each of the other tables has only one part.
    let part = first("R3", 0);
    vec![
        ("region", "r_regionkey = 2".into()),
        ("nation", "n_nationkey = 2".into()),
        ("supplier", format!("s_suppkey = {}", first("R1", 2))),
        ("customer", format!("c_custkey = {}", first("R2", 0))),
        ("part", format!("p_partkey = {part}")),
        (
            "partsupp",
            format!(
                "ps_partkey = {part} AND ps_suppkey = (SELECT MIN(ps_suppkey) FROM partsupp WHERE ps_partkey = {part})"
            ),
        ),
        // The refreshes delete the first orders.
        ("orders", format!("o_orderkey = {} + 4", first("R4", 0))),
        ("lineitem", format!("l_orderkey = {} + 4 AND l_linenumber = 1", first("R4", 1))),
        ("refreshes", "f_function = 2".into()),
    ]
}

#[test]
fn changes_are_noticed_on_refreshed_data() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let driver = tacho_driver_sqlite::driver();
    let options = "synchronous=off&journal_mode=memory";
    let target = format!("sqlite:{}?{options}", folder.path().join("x.db").display());
    let bench = Bench::new(&*driver, &target);
    let instance = instance(1, &[]);
    load(&bench, &*instance)?;
    is_refreshed(&bench)?;
    // Inspecting the data shows that it has been refreshed. The correct results of the queries are therefore no longer
    // known.
    let mut exchange = open(&bench, &*instance)?;
    bench.wait(instance.inspect_data(&mut exchange, 0, Purpose::Check))?;
    let changes = Changes { docs: DOCS, values: VALUES, of_run: &OF_RUN, one: &one(&*instance) };
    let mut tables = TABLES.to_vec();
    tables.push("refreshes");
    changes_are_noticed(&bench, &*instance, &tables, &changes)?;
    rows_are_counted(&bench, &*instance, &TABLES, DOCS)
}
