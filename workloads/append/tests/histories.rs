//! Checks that the operations that clients report are the same as those that the database executed.

use std::sync::Arc;

use tacho_core::{AttemptOutcome, ErrorKind, Result};
use tacho_driver::{Exchange, Form, Operation, Operations};
use tacho_isolation::{Class, FINAL_READ, History, check};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{self, drive, find, load};
use tacho_workload::{Client, Instance, Outcome, Purpose, Verdict};

const TRANSACTIONS: u64 = 500;

fn instance(profile: &str, set: &[(&str, &str)]) -> Arc<dyn Instance> {
    let mut choices = contract::choices(1, profile);
    choices.set = set.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    contract::instance(&*tacho_workload_append::workload(), &choices)
}

struct Database {
    _folder: tempfile::TempDir,
    driver: Box<dyn tacho_driver::Driver>,
    target: String,
}

impl Database {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let target = format!("sqlite:{}?synchronous=off", folder.path().join("x.db").display());
        let database = Self { _folder: folder, driver: tacho_driver_sqlite::driver(), target };
        load(&database.bench(), &*instance("append", &[])).expect("loaded");
        database
    }

    fn bench(&self) -> Bench<'_> {
        Bench::new(&*self.driver, &self.target)
    }
}

fn open(bench: &Bench<'_>, instance: &dyn Instance) -> Result<Exchange> {
    let catalog = instance.catalog(bench.driver.dialect())?;
    let mut exchange = bench.wait(Exchange::new(bench.session()?, catalog, Form::Sql))?;
    bench.wait(instance.inspect_data(&mut exchange, 0, Purpose::Run))?;
    Ok(exchange)
}

fn add(history: &mut History, operations: &Operations) -> Result<()> {
    Operations::decode(operations.bytes(), |operation| match operation {
        Operation::Append { key, value } => history.append(key, value),
        Operation::Replace { key, value } => history.replace(key, value),
        Operation::Read { key, list } => history.read(key, list.iter().copied()),
    })
}

/// Runs the transactions of two clients alternately in one session, and returns their history.
fn serial(bench: &Bench<'_>, instance: &dyn Instance, exchange: &mut Exchange) -> Result<History> {
    let mut history = History::default();
    let mut clients: Vec<Box<dyn Client>> =
        (0..2).map(|session| instance.client(session)).collect();
    for number in 0..TRANSACTIONS {
        let client = &mut clients[(number % 2) as usize];
        client.next();
        assert_eq!(bench.wait(client.run(exchange))?, Outcome::Committed);
        let times = (number * 10, number * 10 + 9);
        history.begin((number % 2) as u32, AttemptOutcome::Committed, times.0, times.1)?;
        add(&mut history, client.operations().expect("operations"))?;
    }
    Ok(history)
}

#[test]
fn serial_clients_report_a_history_without_anomalies() -> Result<()> {
    let database = Database::new();
    let bench = database.bench();
    for profile in ["append", "read-write"] {
        // A few keys, so that they are replaced often.
        let instance = instance(profile, &[("cold_keys", "3"), ("operations", "8")]);
        let mut exchange = open(&bench, &*instance)?;
        let mut history = serial(&bench, &*instance, &mut exchange)?;
        for operations in bench.wait(instance.final_reads(&mut exchange))? {
            let end = TRANSACTIONS * 10;
            history.begin(FINAL_READ, AttemptOutcome::Committed, end, end)?;
            add(&mut history, &operations)?;
        }
        let findings = check(&history)?;
        assert_eq!(findings.classes(), [], "{profile}: {:#?}", findings.anomalies);
        assert!(findings.keys > 20, "{profile}: {} keys", findings.keys);
        assert!(findings.operations > 2 * TRANSACTIONS, "{profile}");
        bench.wait(exchange.into_session().close())?;
    }
    Ok(())
}

/// A value disappears from a list although no client has removed it. This is a lost write. If a client had read the
/// value before, the two reads also contradict each other.
#[test]
fn a_value_that_is_removed_is_found() -> Result<()> {
    let database = Database::new();
    let bench = database.bench();
    let instance = instance("append", &[("cold_keys", "3"), ("hot_share", "0")]);
    let mut exchange = open(&bench, &*instance)?;
    let mut history = serial(&bench, &*instance, &mut exchange)?;
    bench.wait(exchange.session().script(
        "UPDATE append_lists SET vals = substr(vals, instr(vals, ',') + 1) WHERE length(vals) > 0",
    ))?;
    for operations in bench.wait(instance.final_reads(&mut exchange))? {
        history.begin(FINAL_READ, AttemptOutcome::Committed, u64::MAX, u64::MAX)?;
        add(&mut history, &operations)?;
    }
    let classes = check(&history)?.classes();
    assert!(classes.contains(&Class::IncompatibleOrder), "{classes:?}");
    Ok(())
}

#[test]
fn every_condition_holds_after_a_run_and_notices_its_damage() -> Result<()> {
    let database = Database::new();
    let bench = database.bench();
    let instance = instance("append", &[]);
    let mut exchange = open(&bench, &*instance)?;
    drive(&bench, &mut exchange, &mut [instance.client(0)], 100);
    for (damage, expected) in [
        ("SELECT 1", &[][..]),
        ("DELETE FROM append_lists WHERE k = 7", &["C1"]),
        ("UPDATE append_lists SET k = 100001 WHERE k = 100000", &["C1"]),
        ("UPDATE append_lists SET vals = '17' WHERE k = 7", &["C2"]),
    ] {
        bench.wait(exchange.session().script(&format!("BEGIN;\n{damage}")))?;
        let found = find(&bench, &mut exchange, &*instance)?.into_iter();
        let broken = found.filter(|finding| matches!(finding.verdict, Verdict::Violated { .. }));
        let broken: Vec<&str> = broken.map(|finding| finding.check.id).collect();
        bench.wait(exchange.session().script("ROLLBACK"))?;
        assert_eq!(broken, expected, "{damage}");
    }
    Ok(())
}

/// Each run starts with unused keys, and a run without enough of them is rejected.
#[test]
fn used_keys_are_not_used_again() -> Result<()> {
    let database = Database::new();
    let bench = database.bench();
    let instance = instance("append", &[]);
    let mut exchange = open(&bench, &*instance)?;
    drive(&bench, &mut exchange, &mut [instance.client(0)], 100);
    let first = bench.wait(instance.final_reads(&mut exchange))?;
    bench.wait(instance.inspect_data(&mut exchange, 0, Purpose::Run))?;
    let second = bench.wait(instance.final_reads(&mut exchange))?;
    let keys = |all: &[Operations]| {
        let mut keys = Vec::new();
        for operations in all {
            let add = |operation: Operation<'_>| {
                if let Operation::Read { key, list } = operation {
                    keys.push((key, list.len()));
                }
                Ok(())
            };
            Operations::decode(operations.bytes(), add).expect("decoded");
        }
        keys
    };
    assert!(keys(&first).iter().any(|(_, length)| *length > 0));
    assert!(keys(&second).iter().all(|(_, length)| *length == 0));
    bench.wait(exchange.session().script("UPDATE append_lists SET vals = '1,' WHERE k = 99999"))?;
    let error = bench.wait(instance.inspect_data(&mut exchange, 0, Purpose::Run)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Resource);
    assert!(error.message().starts_with("99999 of 100000 keys have been used"), "{error}");
    Ok(())
}
