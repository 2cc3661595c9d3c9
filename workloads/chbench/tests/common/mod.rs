//! Shared test code: instances, loaded databases, and check results.

#![allow(dead_code, reason = "each test binary uses some of it")]

use std::sync::Arc;

use tacho_core::Result;
use tacho_driver::{Exchange, Form};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{self, drive, load};
use tacho_workload::{Check, Choices, Instance, Purpose, Verdict, run_checks};

/// Number of sessions that run transactions. The next session runs the query stream.
pub const SESSIONS: u32 = 4;

/// Creates an instance with one warehouse and one stream for a dialect.
pub fn instance(dialect: &str) -> Arc<dyn Instance> {
    let dialect = dialect.to_owned();
    let choices = Choices { dialect, sessions: SESSIONS, ..contract::choices(1, "spec") };
    contract::instance(&*tacho_workload_chbench::workload(), &choices)
}

/// Loads an instance.
pub fn loaded(bench: &Bench<'_>, instance: &dyn Instance) -> Result<()> {
    load(bench, instance)
}

/// Opens a session, prepares the instance's statements in it, and inspects the data.
pub fn opened(bench: &Bench<'_>, instance: &dyn Instance) -> Result<Exchange> {
    let catalog = instance.catalog(bench.driver.dialect())?;
    let mut exchange = bench.wait(Exchange::new(bench.session()?, catalog, Form::Sql))?;
    bench.wait(instance.inspect_data(&mut exchange, 0, Purpose::Run))?;
    Ok(exchange)
}

/// Runs `transactions` transactions in the first session.
pub fn transacted(
    bench: &Bench<'_>,
    exchange: &mut Exchange,
    instance: &dyn Instance,
    transactions: usize,
) {
    drive(bench, exchange, &mut [instance.client(0)], transactions);
}

/// Returns each violated condition with a description of its first violation.
pub fn violated(
    bench: &Bench<'_>,
    exchange: &mut Exchange,
    instance: &dyn Instance,
) -> Result<Vec<(&'static str, String)>> {
    violated_among(bench, exchange, instance, &instance.checks())
}

/// Returns the violated conditions in `checks`.
pub fn violated_among(
    bench: &Bench<'_>,
    exchange: &mut Exchange,
    instance: &dyn Instance,
    checks: &[Check],
) -> Result<Vec<(&'static str, String)>> {
    let catalog = instance.catalog(bench.driver.dialect())?;
    let found = bench.wait(run_checks(exchange, &catalog, checks))?.into_iter();
    Ok(found
        .filter_map(|finding| match finding.verdict {
            Verdict::Violated { first, .. } => Some((finding.check.id, first)),
            Verdict::Holds => None,
            Verdict::Excused(reason) => panic!("{} is excused: {reason}", finding.check.id),
        })
        .collect())
}
