//! Shared test code: instances, concurrent sessions, and check results.

use std::sync::Arc;

use tacho_core::{Error, Result, Retry};
use tacho_driver::{Exchange, Form};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{self, find};
use tacho_workload::{Client, Instance, Outcome, Verdict};

/// The profiles that leave the set of rows unchanged.
pub const KEEPING: [&str; 8] = [
    "read-write",
    "read-only",
    "write-only",
    "point-select",
    "update-index",
    "update-non-index",
    "random-points",
    "random-ranges",
];

/// Creates an instance with the given number of tables, profile and parameters.
pub fn instance(
    tables: u64,
    profile: &str,
    sessions: u32,
    set: &[(&str, &str)],
) -> Arc<dyn Instance> {
    let mut choices = contract::choices(tables, profile);
    choices.sessions = sessions;
    choices.set = set.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    contract::instance(&*tacho_workload_oltp::workload(), &choices)
}

/// Opens a session and prepares the statements in it.
pub fn open(bench: &Bench<'_>, instance: &dyn Instance, form: Form) -> Result<Exchange> {
    let catalog = instance.catalog(bench.driver.dialect())?;
    bench.wait(Exchange::new(bench.session()?, catalog, form))
}

/// Returns the IDs of the violated conditions.
pub fn violated(bench: &Bench<'_>, instance: &dyn Instance) -> Result<Vec<&'static str>> {
    let mut exchange = open(bench, instance, Form::Sql)?;
    let found = find(bench, &mut exchange, instance)?.into_iter();
    let broken = found.filter(|finding| matches!(finding.verdict, Verdict::Violated { .. }));
    let ids = broken.map(|finding| finding.check.id).collect();
    bench.wait(exchange.into_session().close())?;
    Ok(ids)
}

/// Runs `events` events and returns the number of conflicts. After a conflict, repeats the event with a new input.
async fn work(mut exchange: Exchange, mut user: Box<dyn Client>, events: u64) -> Result<u64> {
    let mut conflicts = 0;
    for _ in 0..events {
        user.next();
        loop {
            let error: Error = match user.run(&mut exchange).await {
                Ok(outcome) => {
                    assert_eq!(outcome, Outcome::Committed);
                    break;
                }
                Err(error) => error,
            };
            assert_eq!(error.retry_class(), Retry::SameConnection, "{error}");
            conflicts += 1;
            exchange.rollback();
            exchange.send().await?;
            user.redraw();
        }
    }
    exchange.into_session().close().await?;
    Ok(conflicts)
}

/// Runs `events` events in each of `sessions` concurrent sessions. Returns the number of conflicts.
pub fn crowd(
    bench: &Bench<'_>,
    instance: &dyn Instance,
    form: Form,
    (sessions, events): (u32, u64),
) -> Result<u64> {
    let mut users = Vec::new();
    for session in 0..sessions {
        let exchange = open(bench, instance, form)?;
        users.push(tokio::spawn(work(exchange, instance.client(session), events)));
    }
    let mut conflicts = 0;
    for user in users {
        conflicts += bench.wait(user).expect("no panic")?;
    }
    Ok(conflicts)
}
