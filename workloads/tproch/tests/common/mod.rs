//! Shared test code: instances, rows and check results.

#![allow(dead_code, reason = "each test binary uses some of it")]

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use tacho_core::{ErrorKind, Result};
use tacho_driver::{Exchange, Form, Values};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{self, find, load};
use tacho_workload::{Instance, Purpose, Slice, Verdict};

/// Statements that corrupt the data, each violating one condition. For example, section `h1` violates H1.
pub const DAMAGE: &str = include_str!("../sql/damage.sql");

/// Creates an instance with the given number of steps and the given parameters.
pub fn instance(steps: u64, set: &[(&str, &str)]) -> Arc<dyn Instance> {
    let mut choices = contract::choices(steps, "spec");
    choices.set = set.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    contract::instance(&*tacho_workload_tproch::workload(), &choices)
}

/// Returns all values in a range of a table's slots.
pub fn rows(instance: &dyn Instance, table: usize, slots: Range<u64>) -> Values {
    let mut source = instance.rows(&Slice { table, slots });
    let mut values = Values::default();
    while source.next_batch(&mut values) > 0 {}
    values
}

/// Opens a session and prepares the instance's statements in it.
pub fn open(bench: &Bench<'_>, instance: &dyn Instance) -> Result<Exchange> {
    let catalog = instance.catalog(bench.driver.dialect())?;
    bench.wait(Exchange::new(bench.session()?, catalog, Form::Sql))
}

/// Returns each violated condition with a description of its first violation.
pub fn violated(
    bench: &Bench<'_>,
    exchange: &mut Exchange,
    instance: &dyn Instance,
) -> Result<Vec<(&'static str, String)>> {
    let found = find(bench, exchange, instance)?.into_iter();
    Ok(found
        .filter_map(|finding| match finding.verdict {
            Verdict::Violated { first, .. } => Some((finding.check.id, first)),
            Verdict::Holds => None,
            Verdict::Excused(reason) => panic!("{} is excused: {reason}", finding.check.id),
        })
        .collect())
}

/// Loads the smallest data, checks it and all query results, and then runs the queries of all streams.
pub fn is_right(bench: &Bench<'_>) -> Result<()> {
    let instance = instance(1, &[]);
    load(bench, &*instance)?;
    let mut exchange = open(bench, &*instance)?;
    assert_eq!(violated(bench, &mut exchange, &*instance)?, []);
    bench.wait(instance.inspect_data(&mut exchange, 0, Purpose::Check))?;
    for stream in 0..2 {
        let mut client = instance.client(stream);
        for number in 0..22 {
            let kind = client.next().transaction + 1;
            let ended = bench.wait(client.run(&mut exchange));
            let ended = ended.and_then(|_| client.verify(&exchange));
            assert!(ended.is_ok(), "stream {stream}, place {number}, q{kind}: {:?}", ended.err());
        }
    }
    bench.wait(exchange.into_session().close())
}

/// Checks that the smallest data set remains correct with these parameters, before and after refreshes.
pub fn is_kept(bench: &Bench<'_>, set: &[(&str, &str)]) -> Result<()> {
    let instance = instance(1, set);
    load(bench, &*instance)?;
    let mut exchange = open(bench, &*instance)?;
    assert_eq!(violated(bench, &mut exchange, &*instance)?, []);
    bench.wait(exchange.into_session().close())?;
    is_refreshed(bench)
}

/// Checks that a query that exceeds the time limit fails with the right kind of error, and that the
/// session can still be used.
pub fn is_limited(bench: &Bench<'_>) -> Result<()> {
    let instance = instance(1, &[("statement_timeout", "1ms")]);
    let mut exchange = open(bench, &*instance)?;
    let script = instance.session_script(bench.driver.dialect())?;
    bench.wait(exchange.session().script(&script))?;
    let mut client = instance.client(0);
    let mut kinds = Vec::new();
    while !client.ended() {
        client.next();
        if let Err(error) = bench.wait(client.run(&mut exchange)) {
            kinds.push(error.kind());
            bench.wait(exchange.reset())?;
        }
    }
    assert!(kinds.contains(&ErrorKind::Timeout), "{kinds:?}");
    // If the server ran a query with several workers, the error may come from a worker that was told to stop.
    let ended = |kind: &ErrorKind| matches!(kind, ErrorKind::Timeout | ErrorKind::Cancelled);
    assert!(kinds.iter().all(ended), "{kinds:?}");
    bench.wait(exchange.into_session().close())
}

/// Checks that the data is correct after two pairs of refresh functions.
pub fn is_refreshed(bench: &Bench<'_>) -> Result<()> {
    let mut choices = contract::choices(1, "spec");
    (choices.sessions, choices.set) = (3, [("refresh".into(), "true".into())].into());
    let instance = contract::instance(&*tacho_workload_tproch::workload(), &choices);
    let exchange = &mut open(bench, &*instance)?;
    bench.wait(instance.inspect_data(exchange, 0, Purpose::Run))?;
    let mut client = instance.client(0);
    while !client.ended() {
        client.next();
        bench.wait(client.run(exchange))?;
    }
    let words = bench.wait(instance.inspect_data(exchange, 0, Purpose::Check))?.unwrap_or_default();
    assert!(words.starts_with("refreshed by update sets 1 to 2: 30 orders"), "{words}");
    for finding in find(bench, exchange, &*instance)? {
        let excused = matches!(finding.verdict, Verdict::Excused(_));
        assert!(excused || finding.verdict == Verdict::Holds, "{finding:?}");
    }
    Ok(())
}

/// Reads the query plans with the parameters of two streams. Checks that every query has a plan and
/// that no plan contains parameter values.
pub fn has_plans(bench: &Bench<'_>) -> Result<()> {
    let instance = instance(1, &[]);
    let catalog = instance.catalog(bench.driver.dialect())?;
    let mut session = bench.session()?;
    let mut of = |stream: u32| -> Result<BTreeMap<usize, String>> {
        let (mut client, mut plans) = (instance.client(stream), BTreeMap::new());
        for _ in 0..22 {
            let kind = client.next().transaction + 1;
            let (id, values) = client.question().expect("a query");
            let plan =
                bench.wait(session.inspector().plan(catalog.get(id), values))?.expect("a plan");
            assert!(plan.contains("lineitem") || plan.lines().count() > 1, "q{kind}: {plan}");
            plans.insert(kind, plan);
        }
        Ok(plans)
    };
    let (first, again, other) = (of(0)?, of(0)?, of(1)?);
    assert_eq!(first, again);
    // Q1 reads almost all rows for any date, so its plan does not depend on its parameter.
    assert_eq!(first[&1], other[&1]);
    let all: Vec<&String> = first.values().collect();
    assert!(all.iter().all(|plan| !plan.contains('\'') && !plan.contains("199")), "{all:?}");
    assert!(all.windows(2).any(|pair| pair[0] != pair[1]));
    Ok(())
}
