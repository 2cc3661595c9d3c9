//! Uses SQLite to verify the tables in the documentation that list which changes each check detects.

use std::path::Path;

use tacho_core::Result;
use tacho_driver::{Exchange, Form, Value, Values};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{Changes, changes_are_noticed, drive, load, rows_are_counted};
use tacho_workload::Instance;

use crate::common::{instance, verdicts};

const DOCS: &str = include_str!("../../docs.md");
/// Changes to single values: the column, the name of the change in the documentation, and an
/// expression for the new value.
///
/// For dates, there are two changes: one within the permitted range, and one outside it.
const VALUES: &str = include_str!("../changes.txt");
/// Condition that selects loaded orders changed by deliveries.
const DELIVERED: &str = "o_id > 2100 AND o_carrier_id IS NOT NULL";
const OF_RUN: [(&str, &str); 8] = [
    ("customer", "c_payment_cnt > 1"),
    ("history", "h_data LIKE '%    %'"),
    ("stock", "s_order_cnt > 0"),
    ("orders", "o_id > 3000"),
    ("o_carrier_id", DELIVERED),
    ("new_order", "no_o_id > 3000"),
    ("order_line", "ol_o_id > 3000"),
    ("ol_delivery_d", "ol_o_id > 2100 AND ol_delivery_d IS NOT NULL"),
];

/// Creates a database with one warehouse and runs transactions on it.
fn with_run(
    path: &Path,
    check: impl FnOnce(&Bench<'_>, &dyn Instance) -> Result<()>,
) -> Result<()> {
    let driver = tacho_driver_sqlite::driver();
    let options = "synchronous=off&journal_mode=memory&cache_mb=256";
    let target = format!("sqlite:{}?{options}", path.join("x.db").display());
    let (bench, instance) = (Bench::new(&*driver, &target), instance(1, "spec", &[]));
    load(&bench, &*instance)?;
    let catalog = instance.catalog(driver.dialect())?;
    let mut exchange = bench.wait(Exchange::new(bench.session()?, catalog, Form::Sql))?;
    let mut clients: Vec<_> = (0..4).map(|session| instance.client(session)).collect();
    drive(&bench, &mut exchange, &mut clients, 2_000);
    assert_eq!(verdicts(&bench, &mut exchange, &*instance)?, (vec![], vec![]));
    bench.wait(exchange.into_session().close())?;
    check(&bench, &*instance)
}

/// Finds the first sample of a check that has the specified number of parameters. Returns the values of these
/// parameters.
fn sampled(instance: &dyn Instance, id: &str, parameters: usize) -> Vec<i64> {
    let checks = instance.checks();
    let check = checks.iter().find(|check| check.id == id).expect(id);
    let mut samples = check.samples.iter().map(|sample| &sample.bound);
    numbers(samples.find(|bound| bound.len() == parameters).expect("a sample"))
}

fn numbers(values: &Values) -> Vec<i64> {
    let number = |at| match values.get(at) {
        Value::Int(number) => number,
        other => panic!("{other:?}"),
    };
    (0..values.len()).map(number).collect()
}

/// Returns a condition for each table, which selects a single loaded row. If a check compares samples of the table,
/// this row is in a sample.
fn one(instance: &dyn Instance) -> Vec<(&'static str, String)> {
    let (stock, customer) = (sampled(instance, "R2", 3), sampled(instance, "R3", 4));
    let (order, payment) = (sampled(instance, "R4", 4), sampled(instance, "R6", 2));
    let order_line = format!("ol_d_id = {} AND ol_o_id = {}", order[1], order[2]);
    vec![
        ("warehouse", "w_id = 1".into()),
        ("district", "d_id = 10".into()),
        ("customer", format!("c_d_id = {} AND c_id = {}", customer[1], customer[2])),
        (
            "history",
            format!(
                "h_c_d_id = {0} AND h_d_id = {0} AND h_c_id = 17 AND h_data NOT LIKE '% %'",
                payment[1]
            ),
        ),
        ("item", "i_id = 100000".into()),
        ("stock", format!("s_i_id = {}", stock[1])),
        ("s_ytd", "s_i_id = (SELECT MIN(s_i_id) FROM stock WHERE s_order_cnt > 0)".into()),
        ("orders", format!("o_d_id = {} AND o_id = {}", order[1], order[2])),
        ("new_order", "no_d_id = 1 AND no_o_id = 3000".into()),
        ("order_line", format!("{order_line} AND ol_number = 5")),
    ]
}

fn are_noticed(tables: &[&str]) -> Result<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    with_run(folder.path(), |bench, instance| {
        let changes = Changes { docs: DOCS, values: VALUES, of_run: &OF_RUN, one: &one(instance) };
        changes_are_noticed(bench, instance, tables, &changes)?;
        rows_are_counted(bench, instance, tables, DOCS)
    })
}

#[test]
fn changes_of_places_are_noticed() -> Result<()> {
    are_noticed(&["warehouse", "district", "item"])
}

#[test]
fn changes_of_customers_are_noticed() -> Result<()> {
    are_noticed(&["customer", "history"])
}

#[test]
fn changes_of_stock_are_noticed() -> Result<()> {
    are_noticed(&["stock"])
}

#[test]
fn changes_of_orders_are_noticed() -> Result<()> {
    are_noticed(&["orders", "new_order"])
}

#[test]
fn changes_of_lines_are_noticed() -> Result<()> {
    are_noticed(&["order_line"])
}

/// Changes to several columns or rows at the same time, each with a check that detects it.
const COMBINED: [(&str, &str, &str); 3] = [
    (
        "two districts exchange their tax rates",
        "CREATE TEMP TABLE saved AS SELECT d_id AS id, d_tax AS tax FROM district;
         UPDATE district SET d_tax = (SELECT tax FROM saved WHERE id = 3 - d_id) WHERE d_id <= 2",
        "R5",
    ),
    (
        "all updates of stock are undone",
        "UPDATE stock SET s_quantity = (s_quantity + s_ytd - 10) % 91 + 10, s_ytd = 0,
         s_order_cnt = 0, s_remote_cnt = 0",
        "D12",
    ),
    (
        "the quantities and amounts of all new lines are doubled",
        "UPDATE order_line SET ol_quantity = 2 * ol_quantity, ol_amount = 2 * ol_amount
         WHERE ol_o_id > 3000",
        "D12",
    ),
];

#[test]
fn combined_changes_are_noticed() -> Result<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    with_run(folder.path(), |bench, instance| {
        let catalog = instance.catalog(bench.driver.dialect())?;
        for (change, sql, check) in COMBINED {
            let mut session = bench.session()?;
            bench.wait(session.script("BEGIN"))?;
            for statement in sql.split(';') {
                bench.wait(session.script(statement))?;
            }
            let mut exchange = bench.wait(Exchange::new(session, catalog.clone(), Form::Sql))?;
            let (violated, _) = verdicts(bench, &mut exchange, instance)?;
            assert!(violated.contains(&check), "{change}: {violated:?}");
            // Closing the session rolls back the changes.
            bench.wait(exchange.into_session().close())?;
        }
        Ok(())
    })
}
