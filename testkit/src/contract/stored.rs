//! Runs a workload on a database: loads the data, checks it, runs transactions, and checks it again.

use tacho_core::{ErrorKind, Result};
use tacho_driver::{Access, Driver, Exchange, Form};
use tacho_workload::{Client, Finding, Instance, Purpose, Verdict, run_checks};

use super::clients::{Ended, drive};
use crate::conformance::Bench;

/// Number of transactions that are run in each form.
const TRANSACTIONS: usize = 400;
/// Number of virtual users.
const CLIENTS: u32 = 4;

/// Checks that transactions complete in both forms, even on a database that stores no data.
pub fn transactions_run_through(instance: &dyn Instance, driver: &dyn Driver, target: &str) {
    let bench = Bench::new(driver, target);
    for form in [Form::Sql, Form::Pipelined] {
        let mut exchange = exchange(&bench, instance, form).expect("a session with the catalog");
        let mut clients = clients(instance);
        let ended = total(&drive(&bench, &mut exchange, &mut clients, TRANSACTIONS));
        let all = clients.iter().all(|client| client.ended());
        assert!(ended == TRANSACTIONS as u64 || (all && ended > 0), "{ended} transactions");
    }
}

/// Checks the data before and after transactions. It must have the promised number of rows, and satisfy the workload's
/// consistency conditions.
///
/// The headline must count their commits.
pub fn the_data_stays_consistent(instance: &dyn Instance, driver: &dyn Driver, target: &str) {
    let bench = Bench::new(driver, target);
    load(&bench, instance).expect("the data is loaded");
    let mut loaded = exchange(&bench, instance, Form::Sql).expect("a session with the catalog");
    expect_consistent(&bench, &mut loaded, instance);
    for form in [Form::Sql, Form::Pipelined] {
        let mut exchange = exchange(&bench, instance, form).expect("a session with the catalog");
        if instance.needs_inspection() {
            let looked = bench.wait(instance.inspect_data(&mut exchange, 0, Purpose::Run));
            looked.expect("a look at what is there");
        }
        let before = headline(&bench, &mut exchange, instance);
        let ended = drive(&bench, &mut exchange, &mut clients(instance), TRANSACTIONS);
        let after = headline(&bench, &mut exchange, instance);
        if let Some(headline) = instance.headline() {
            let committed = ended.get(headline.transaction).map_or(0, |ended| ended.committed);
            assert_eq!(after - before, committed as i64, "{} in form {form:?}", headline.name);
        }
        expect_consistent(&bench, &mut exchange, instance);
    }
}

/// Creates the tables, loads all units and creates the indexes.
///
/// # Panics
/// Panics if the number of rows is far from the expected number.
pub fn load(bench: &Bench<'_>, instance: &dyn Instance) -> Result<()> {
    let dialect = bench.driver.dialect();
    let tables = &instance.layout(dialect)?.tables;
    let ddl: Vec<String> = tables.iter().map(|table| dialect.create_table(table)).collect();
    bench.script(&ddl.join(";\n"))?;
    let mut loaded = vec![0; tables.len()];
    let mut exchange = exchange(bench, instance, Form::Sql)?;
    for index in 0..instance.units() {
        exchange.begin(Access::Write);
        bench.wait(exchange.send())?;
        for slice in instance.unit(index).slices {
            let mut rows = instance.rows(&slice);
            let table = &tables[slice.table];
            loaded[slice.table] += bench.wait(exchange.session().load(table, &mut *rows))?;
        }
        exchange.commit();
        bench.wait(exchange.send())?;
    }
    for (table, rows) in loaded.into_iter().enumerate() {
        let expected = instance.expected_rows(table) as f64;
        let off = (rows as f64 - expected).abs();
        assert!(off <= 0.005 * expected, "{} has {rows} rows, not {expected}", tables[table].name);
    }
    let indexes = tables.iter().flat_map(|table| table.indexes.iter().map(move |i| (table, i)));
    let ddl: Vec<String> = indexes.map(|(table, i)| dialect.create_index(table, i)).collect();
    bench.script(&ddl.join(";\n"))?;
    for table in tables {
        for reference in &table.references {
            bench.script(&dialect.add_reference(table, reference))?;
        }
    }
    match bench.script(&dialect.analyze(tables)) {
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(()),
        outcome => outcome,
    }
}

/// Runs all checks.
pub fn find(
    bench: &Bench<'_>,
    exchange: &mut Exchange,
    instance: &dyn Instance,
) -> Result<Vec<Finding>> {
    let catalog = instance.catalog(bench.driver.dialect())?;
    bench.wait(run_checks(exchange, &catalog, &instance.checks()))
}

fn expect_consistent(bench: &Bench<'_>, exchange: &mut Exchange, instance: &dyn Instance) {
    for finding in find(bench, exchange, instance).expect("the checks run") {
        let violated = matches!(finding.verdict, Verdict::Violated { .. });
        assert!(!violated, "{}: {:?}", finding.check.id, finding.verdict);
    }
}

fn exchange(bench: &Bench<'_>, instance: &dyn Instance, form: Form) -> Result<Exchange> {
    let catalog = instance.catalog(bench.driver.dialect())?;
    bench.wait(Exchange::new(bench.session()?, catalog, form))
}

fn clients(instance: &dyn Instance) -> Vec<Box<dyn Client>> {
    (0..CLIENTS).map(|session| instance.client(session)).collect()
}

fn headline(bench: &Bench<'_>, exchange: &mut Exchange, instance: &dyn Instance) -> i64 {
    let Some(headline) = instance.headline() else { return 0 };
    exchange.execute(headline.counter);
    let reply = bench.wait(exchange.send()).expect("the headline's counter");
    reply.one(0).and_then(|row| row.number(0)).expect("one whole number")
}

fn total(ended: &[Ended]) -> u64 {
    ended.iter().map(|ended| ended.committed + ended.rolled_back).sum()
}
