//! Runs every profile in every form on PostgreSQL, with sessions that compete for the branches.
//!
//! The tests start their own server. If PostgreSQL is missing, they fail with a message that names the package to
//! install.

use crate::common::{PROFILES, instance, open};
use tacho_core::Result;
use tacho_driver::{Driver, Exchange, Form};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{find, load};
use tacho_testkit::servers::{Options, Postgres};
use tacho_workload::{Client, Instance, Outcome, Verdict};
use tokio::runtime::Builder;

/// Number of sessions, and number of transactions in each. In the last entry, many sessions contend for one row.
pub const CROWDS: [(u32, u64); 3] = [(1, 200), (8, 50), (64, 10)];
/// Parameters for data that every profile can use.
const SHARED: [(&str, &str); 1] = [("balanced", "accounts")];

async fn work(mut exchange: Exchange, mut user: Box<dyn Client>, each: u64) -> Result<()> {
    for _ in 0..each {
        user.next();
        assert_eq!(user.run(&mut exchange).await?, Outcome::Committed);
    }
    exchange.into_session().close().await
}

fn crowd(bench: &Bench<'_>, instance: &dyn Instance, form: Form, size: (u32, u64)) -> Result<()> {
    let mut users = Vec::new();
    for session in 0..size.0 {
        let exchange = open(bench, instance, form)?;
        users.push(tokio::spawn(work(exchange, instance.client(session), size.1)));
    }
    users.into_iter().try_for_each(|user| bench.wait(user).expect("no panic"))
}

fn commits(bench: &Bench<'_>, exchange: &mut Exchange, instance: &dyn Instance) -> Result<i64> {
    exchange.execute(instance.headline().expect("a headline").counter);
    bench.wait(exchange.send())?.one(0)?.number(0)
}

/// Returns the IDs of the violated conditions.
fn violated(
    bench: &Bench<'_>,
    exchange: &mut Exchange,
    instance: &dyn Instance,
) -> Result<Vec<&'static str>> {
    let found = find(bench, exchange, instance)?.into_iter();
    let broken = found.filter(|finding| matches!(finding.verdict, Verdict::Violated { .. }));
    Ok(broken.map(|finding| finding.check.id).collect())
}

/// Checks that the history grows by one row per commit, and that each profile's conditions hold.
pub fn keeps_its_conditions(driver: &dyn Driver, place: &str, crowds: &[(u32, u64)]) -> Result<()> {
    let event_loop = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let _inside = event_loop.enter();
    let bench = Bench::new(driver, place);
    let strict = instance(1, "tpcb-like", &[]);
    load(&bench, &*instance(1, "tpcb-like", &SHARED))?;
    let mut exchange = open(&bench, &*strict, Form::Sql)?;
    for profile in PROFILES {
        let instance = instance(1, profile, &SHARED);
        for form in [Form::Sql, Form::Pipelined, Form::Simple] {
            let before = commits(&bench, &mut exchange, &*strict)?;
            for size in crowds {
                crowd(&bench, &*instance, form, *size)?;
            }
            let all: u64 = crowds.iter().map(|(sessions, each)| u64::from(*sessions) * each).sum();
            let wanted = if profile == "select-only" { 0 } else { all as i64 };
            let grown = commits(&bench, &mut exchange, &*strict)? - before;
            assert_eq!(grown, wanted, "{profile} {form:?}");
            let broken = violated(&bench, &mut exchange, &*instance)?;
            assert_eq!(broken, [""; 0], "{profile} {form:?}");
        }
        // simple-update does not update the balances of tellers and branches, so these never match the history again.
        let broken: &[&str] = if profile == "tpcb-like" { &[] } else { &["C2", "C3"] };
        assert_eq!(violated(&bench, &mut exchange, &*strict)?, broken, "{profile}");
    }
    bench.wait(exchange.into_session().close())
}

#[test]
fn every_profile_keeps_its_conditions_on_postgres() -> Result<()> {
    let settings = &[("max_connections", "200")];
    let server = Postgres::start_with(Options { settings, ..Options::default() })?;
    keeps_its_conditions(&*tacho_driver_postgres::driver(), &server.target(), &CROWDS)
}
