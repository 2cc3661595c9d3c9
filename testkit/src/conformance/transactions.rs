//! Checks of BEGIN, COMMIT and ROLLBACK.

use tacho_core::{ErrorKind, Result};
use tacho_driver::{Access, Exchange, Form};

use super::Bench;
use super::statement::{INSERT, TOTALS};
use crate::live::eventually;

fn insert(exchange: &mut Exchange, id: i64) {
    exchange.execute(INSERT).int(id).int(id).decimal(100).null().null();
}

pub fn a_rollback_needs_no_transaction(bench: &Bench<'_>) -> Result<()> {
    let mut exchange = bench.exchange(Form::Sql)?;
    exchange.rollback();
    exchange.begin(Access::Read);
    exchange.rollback();
    exchange.rollback();
    bench.send(&mut exchange)?;
    bench.wait(exchange.reset())
}

pub fn counters_follow(bench: &Bench<'_>) -> Result<()> {
    let mut exchange = bench.exchange(Form::Sql)?;
    let before = bench.wait(exchange.inspector().counters())?;
    let has = bench.driver.capabilities().counters;
    assert!(before.is_some() == has || (has && bench.relative));
    for id in 0..5 {
        exchange.begin(Access::Write);
        insert(&mut exchange, id);
        if id < 3 {
            exchange.commit();
        } else {
            exchange.rollback();
        }
        bench.send(&mut exchange)?;
    }
    let Some(before) = before else { return Ok(()) };
    // The counts may also include the work of other clients, and some servers report them late.
    eventually("the counts", || {
        let after = bench.wait(exchange.inspector().counters()).expect("counters").expect("some");
        // Some databases do not count commits and rollbacks separately. They report a rollback as a commit.
        let both = after.rollbacks == 0 && after.commits >= before.commits + 5;
        both || (after.commits >= before.commits + 3 && after.rollbacks >= before.rollbacks + 2)
    });
    Ok(())
}

pub fn only_a_commit_stays(bench: &Bench<'_>) -> Result<()> {
    let mut exchange = bench.exchange(Form::Sql)?;
    exchange.begin(Access::Write);
    insert(&mut exchange, 1);
    exchange.rollback();
    exchange.begin(Access::Write);
    insert(&mut exchange, 2);
    exchange.commit();
    exchange.begin(Access::Read);
    exchange.execute(TOTALS);
    exchange.commit();
    assert_eq!(bench.send(&mut exchange)?[2].0, ["1 100e"]);
    assert_eq!(bench.totals()?, ["1 100e"]);
    Ok(())
}

pub fn others_see_only_commits(bench: &Bench<'_>) -> Result<()> {
    let mut exchange = bench.exchange(Form::Sql)?;
    exchange.begin(Access::Write);
    insert(&mut exchange, 1);
    bench.send(&mut exchange)?;
    match bench.totals() {
        // If the database keeps no older versions of a row, the reader may have to wait for the writer.
        Err(error) if bench.relative && error.kind() == ErrorKind::LockTimeout => {}
        totals => assert_eq!(totals?, ["0 NULL"]),
    }
    exchange.commit();
    bench.send(&mut exchange)?;
    assert_eq!(bench.totals()?, ["1 100e"]);
    bench.wait(exchange.into_session().close())
}

pub fn a_dropped_session_leaves_nothing(bench: &Bench<'_>) -> Result<()> {
    let mut exchange = bench.exchange(Form::Sql)?;
    exchange.begin(Access::Write);
    insert(&mut exchange, 1);
    bench.send(&mut exchange)?;
    drop(exchange);
    let mut exchange = bench.exchange(Form::Sql)?;
    exchange.begin(Access::Write);
    insert(&mut exchange, 1);
    exchange.commit();
    bench.send(&mut exchange)?;
    assert_eq!(bench.totals()?, ["1 100e"]);
    Ok(())
}
