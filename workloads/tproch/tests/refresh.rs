//! Tests refreshes on a real database. Refreshes insert and delete rows, can be resumed, and end
//! when all update sets have been used.

use std::sync::Arc;

use crate::common::{open, violated};
use tacho_core::{ErrorKind, Result};
use tacho_driver::Exchange;
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{self, load};
use tacho_workload::{Client, Instance, Purpose, Verdict};

fn instance(sessions: u32) -> Arc<dyn Instance> {
    let mut choices = contract::choices(1, "spec");
    choices.sessions = sessions;
    choices.set.insert("refresh".into(), "true".into());
    contract::instance(&*tacho_workload_tproch::workload(), &choices)
}

/// Runs a test on a separate database that contains the smallest data set.
fn with_data(
    test: impl Fn(&Bench<'_>, &mut Exchange, &dyn Instance) -> Result<()>,
    sessions: u32,
) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let driver = tacho_driver_sqlite::driver();
    let target = format!("sqlite:{}?synchronous=off", folder.path().join("suite.db").display());
    let bench = Bench::new(&*driver, &target);
    let instance = instance(sessions);
    load(&bench, &*instance)?;
    let mut exchange = open(&bench, &*instance)?;
    test(&bench, &mut exchange, &*instance)
}

/// Inspects the data and returns the message for the user.
fn look(
    bench: &Bench<'_>,
    exchange: &mut Exchange,
    instance: &dyn Instance,
    purpose: Purpose,
) -> Result<String> {
    bench.wait(instance.inspect_data(exchange, 0, purpose)).map(Option::unwrap_or_default)
}

/// Runs the next transaction of a client. Returns the transaction's name and the number of rows that it wrote.
fn step(
    bench: &Bench<'_>,
    exchange: &mut Exchange,
    instance: &dyn Instance,
    client: &mut dyn Client,
) -> Result<(&'static str, u64)> {
    let kind = client.next().transaction;
    bench.wait(client.run(exchange))?;
    client.verify(exchange)?;
    Ok((instance.transactions()[kind].name, client.rows().unwrap_or_default()))
}

#[test]
fn a_power_run_inserts_asks_and_deletes() -> Result<()> {
    with_data(
        |bench, exchange, instance| {
            for set in 1..=2 {
                look(bench, exchange, instance, Purpose::Run)?;
                let mut client = instance.client(0);
                let mut names = Vec::new();
                while !client.ended() {
                    let (name, rows) = step(bench, exchange, instance, &mut *client)?;
                    assert!(!name.starts_with("rf") || rows > 30, "{name}: {rows} rows");
                    names.push(name);
                }
                assert_eq!((names.len(), names[0], names[1], names[23]), (24, "rf1", "q14", "rf2"));
                let words = look(bench, exchange, instance, Purpose::Check)?;
                let begin = format!("refreshed by update sets 1 to {set}: {} orders", 15 * set);
                assert!(words.starts_with(&begin), "{words}");
                for finding in contract::find(bench, exchange, instance)? {
                    let is_unknown = finding.check.id.starts_with('Q');
                    let excused = matches!(finding.verdict, Verdict::Excused(_));
                    assert!(excused == is_unknown, "{finding:?}");
                    assert!(excused || finding.verdict == Verdict::Holds, "{finding:?}");
                }
            }
            Ok(())
        },
        1,
    )
}

#[test]
fn completes_an_interrupted_refresh() -> Result<()> {
    with_data(
        |bench, exchange, instance| {
            look(bench, exchange, instance, Purpose::Run)?;
            let mut client = instance.client(0);
            assert_eq!(step(bench, exchange, instance, &mut *client)?.0, "rf1");
            // Here the run is interrupted: RF1 has inserted the orders, but RF2 has not started.
            let words = look(bench, exchange, instance, Purpose::Check)?;
            assert!(words.ends_with("; set 1 is incomplete"), "{words}");
            let found: Vec<_> = contract::find(bench, exchange, instance)?
                .into_iter()
                .filter(|finding| matches!(finding.verdict, Verdict::Violated { .. }))
                .map(|finding| finding.check.id)
                .collect();
            assert_eq!(found, ["H6"]);
            let words = look(bench, exchange, instance, Purpose::Run)?;
            assert_eq!(
                words,
                "update set 1, which an earlier run left incomplete, is now complete"
            );
            let mut next = instance.client(0);
            assert_eq!(step(bench, exchange, instance, &mut *next)?.0, "rf1");
            let words = look(bench, exchange, instance, Purpose::Check)?;
            assert!(words.starts_with("refreshed by update sets 1 to 2: 30 orders"), "{words}");
            Ok(())
        },
        1,
    )
}

#[test]
fn a_function_that_failed_half_way_leaves_nothing_of_its_transaction() -> Result<()> {
    with_data(
        |bench, exchange, instance| {
            look(bench, exchange, instance, Purpose::Run)?;
            // Insert an order that has the key of the eighth order in the first set, so that RF1 fails.
            bench.script(
                "INSERT INTO orders SELECT 32 * (7000 / 8) + 8 + 1, o_custkey, o_orderstatus, \
                 o_totalprice, o_orderdate, o_orderpriority, o_clerk, o_shippriority, o_comment \
                 FROM orders WHERE o_orderkey = 1",
            )?;
            let mut client = instance.client(0);
            let error = step(bench, exchange, instance, &mut *client).expect_err("a duplicate");
            assert_eq!(error.kind(), ErrorKind::UniqueViolation, "{error}");
            bench.wait(exchange.reset())?;
            let words = look(bench, exchange, instance, Purpose::Check)?;
            assert_eq!(words, "", "nothing is refreshed");
            bench.script(&format!("DELETE FROM orders WHERE o_orderkey = {}", 32 * 875 + 9))?;
            assert_eq!(violated_ids(bench, exchange, instance)?, [""; 0]);
            // Run the same transaction again, as a client does after a failed attempt.
            bench.wait(client.run(exchange))?;
            let words = look(bench, exchange, instance, Purpose::Check)?;
            assert!(words.contains("15 orders"), "{words}");
            Ok(())
        },
        1,
    )
}

fn violated_ids(
    bench: &Bench<'_>,
    exchange: &mut Exchange,
    instance: &dyn Instance,
) -> Result<Vec<&'static str>> {
    Ok(violated(bench, exchange, instance)?.into_iter().map(|(id, _)| id).collect())
}

#[test]
fn rejects_exhausted_refresh_sets_before_the_run() -> Result<()> {
    with_data(
        |bench, exchange, instance| {
            bench.script("UPDATE refreshes SET f_set = 2999, f_done = 15")?;
            // The run has two streams and therefore needs two update sets, but only one is left.
            let error = look(bench, exchange, instance, Purpose::Run).expect_err("no sets");
            let text = "2 update sets are requested, but only 1 of 3000 remain";
            assert!(error.to_string().contains(text), "{error}");
            assert!(error.hints().iter().any(|hint| hint.contains("tacho clean")), "{error}");
            bench.script("UPDATE refreshes SET f_set = 2998, f_done = 15")?;
            look(bench, exchange, instance, Purpose::Run).map(drop)
        },
        3,
    )
}

#[test]
fn two_runs_do_not_refresh_the_same_tables() -> Result<()> {
    with_data(
        |bench, exchange, instance| {
            look(bench, exchange, instance, Purpose::Run)?;
            let (mut first, mut second) = (instance.client(0), instance.client(0));
            for _ in 0..2 {
                step(bench, exchange, instance, &mut *first)?;
            }
            for _ in 0..2 {
                step(bench, exchange, instance, &mut *first)?;
            }
            second.next();
            let error = bench.wait(second.run(exchange)).err();
            let error = error.unwrap_or_else(|| panic!("a set is inserted twice"));
            assert!(error.to_string().contains("update set 1 is out of order"), "{error}");
            Ok(())
        },
        3,
    )
}
