//! MySQL and MariaDB: every profile by statements, prepared and as text, from sessions that meet at the branches.
//!
//! The servers are the test's own; without binaries of MariaDB it fails and names the package.

use crate::common::{PROFILES, instance};
use tacho_core::Result;
use tacho_driver::{Exchange, Form};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{find, load};
use tacho_testkit::servers::{MariaDb, MySql, Options};
use tacho_workload::{Client, Instance, Outcome, Verdict};
use tokio::runtime::Builder;

/// Numbers of sessions, and transactions of each.
const CROWDS: [(u32, u64); 2] = [(1, 200), (8, 50)];
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

/// Rows of the history grow by what committed, and the conditions of each profile hold.
fn keeps_its_conditions(target: &str) -> Result<()> {
    let event_loop = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let _inside = event_loop.enter();
    let driver = tacho_driver_mysql::driver();
    // At the usual level, MariaDB from 11.8 refuses a write of a row that others have changed.
    let place = format!("{target}&database=tpcb&isolation=read-committed");
    let bench = Bench::new(&*driver, &place);
    load(&bench, &*instance(1, "tpcb-like", &SHARED))?;
    let counter = instance(1, "tpcb-like", &SHARED).headline().expect("a headline").counter;
    let forms = [Form::Sql, Form::Pipelined, Form::Simple];
    let ways = PROFILES.map(|profile| forms.map(|form| (profile, form)));
    for (profile, form) in ways.into_iter().flatten() {
        let instance = instance(1, profile, &SHARED);
        let mut exchange = open(&bench, &*instance, Form::Sql)?;
        let mut committed = 0;
        let history = |exchange: &mut Exchange| {
            exchange.execute(counter);
            bench.wait(exchange.send())?.one(0)?.number(0)
        };
        let before = history(&mut exchange)?;
        for (sessions, each) in CROWDS {
            let mut users = Vec::new();
            for session in 0..sessions {
                users.push(tokio::spawn(work(
                    open(&bench, &*instance, form)?,
                    instance.client(session),
                    each,
                )));
            }
            users.into_iter().try_for_each(|user| bench.wait(user).expect("no panic"))?;
            committed += i64::from(sessions) * each as i64;
        }
        let written = if profile == "select-only" { 0 } else { committed };
        assert_eq!(history(&mut exchange)? - before, written, "{profile} {form:?}");
        let violated = violated(&bench, &mut exchange, &*instance)?;
        assert_eq!(violated, [""; 0], "{profile} {form:?}");
    }
    Ok(())
}

#[test]
fn every_profile_keeps_its_conditions_on_mariadb() -> Result<()> {
    let server = MariaDb::start()?;
    keeps_its_conditions(&server.target())
}

#[test]
fn every_profile_keeps_its_conditions_on_mysql() -> Result<()> {
    let server = MySql::start_if_there(Options::default())?;
    server.map_or(Ok(()), |server| keeps_its_conditions(&server.target()))
}
