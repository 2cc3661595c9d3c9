//! PostgreSQL: every profile in both forms, from 1, 8 and 64 sessions.
//!
//! The server is the test's own; if there are no binaries, it fails and names the package.

use crate::common::{PROFILES, instance};
use tacho_core::Result;
use tacho_driver::{Exchange, Form};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{find, load};
use tacho_testkit::servers::{Options, Postgres};
use tacho_workload::{Client, Instance, Outcome, Verdict};
use tokio::runtime::Builder;

/// Numbers of sessions, and transactions of each.
const CROWDS: [(u32, u64); 3] = [(1, 300), (8, 50), (64, 10)];
/// Data with `balanced=accounts` serves every profile.
const SHARED: [(&str, &str); 1] = [("balanced", "accounts")];

fn open(bench: &Bench<'_>, instance: &dyn Instance, form: Form) -> Result<Exchange> {
    let catalog = instance.catalog(bench.driver.dialect())?;
    bench.wait(Exchange::new(bench.session()?, catalog, form))
}

async fn work(mut exchange: Exchange, mut user: Box<dyn Client>, each: u64) -> Result<()> {
    for _ in 0..each {
        user.next();
        assert_eq!(user.run(&mut exchange).await?, Outcome::Committed);
    }
    exchange.into_session().close().await
}

fn crowd(
    bench: &Bench<'_>,
    instance: &dyn Instance,
    form: Form,
    (sessions, each): (u32, u64),
) -> Result<()> {
    let mut users = Vec::new();
    for session in 0..sessions {
        let exchange = open(bench, instance, form)?;
        users.push(tokio::spawn(work(exchange, instance.client(session), each)));
    }
    users.into_iter().try_for_each(|user| bench.wait(user).expect("no panic"))
}

/// The rows of the history.
fn commits(exchange: &mut Exchange, instance: &dyn Instance) -> Result<i64> {
    let headline = instance.headline().expect("a headline");
    exchange.execute(headline.counter);
    pollster::block_on(exchange.send())?.one(0)?.number(0)
}

/// Ids of the conditions that are violated.
fn violated(
    bench: &Bench<'_>,
    exchange: &mut Exchange,
    instance: &dyn Instance,
) -> Result<Vec<&'static str>> {
    let found = find(bench, exchange, instance)?.into_iter();
    let broken = found.filter(|finding| matches!(finding.verdict, Verdict::Violated { .. }));
    Ok(broken.map(|finding| finding.check.id).collect())
}

#[test]
fn every_profile_keeps_its_conditions_in_every_form() -> Result<()> {
    let event_loop = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let _inside = event_loop.enter();
    let settings = &[("max_connections", "200")];
    let server = Postgres::start_with(Options { settings, ..Options::default() });
    let server = server.unwrap_or_else(|error| panic!("{error}; {}", error.hints().join("; ")));
    let (driver, target) = (tacho_driver_postgres::driver(), server.target());
    let bench = Bench::new(&*driver, &target);
    let strict = instance(1, "tpcb-like", &[]);
    load(&bench, &*instance(1, "tpcb-like", &SHARED))?;
    let mut exchange = open(&bench, &*strict, Form::Sql)?;
    for profile in PROFILES {
        let instance = instance(1, profile, &SHARED);
        for form in [Form::Sql, Form::Pipelined, Form::Simple] {
            let before = commits(&mut exchange, &*strict)?;
            for size in CROWDS {
                crowd(&bench, &*instance, form, size)?;
            }
            let all: u64 = CROWDS.iter().map(|(sessions, each)| u64::from(*sessions) * each).sum();
            let wanted = if profile == "select-only" { 0 } else { all as i64 };
            let grown = commits(&mut exchange, &*strict)? - before;
            assert_eq!(grown, wanted, "{profile} {form:?}");
            assert!(violated(&bench, &mut exchange, &*instance)?.is_empty(), "{profile} {form:?}");
        }
        // Simple-update leaves tellers and branches alone, and nothing later mends that.
        let broken: &[&str] = if profile == "tpcb-like" { &[] } else { &["C2", "C3"] };
        assert_eq!(violated(&bench, &mut exchange, &*strict)?, broken, "{profile}");
    }
    bench.wait(exchange.into_session().close())
}
