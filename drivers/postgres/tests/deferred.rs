//! Tests of deferred work: requests that are rejected, and work that is stopped.

use tacho_core::{ErrorKind, Result};
use tacho_driver::{DeferredWork, Form, Pace, Target};
use tacho_testkit::conformance::Bench;

use crate::common::{database, driver, enter, eventually, exchange, rows};

fn open(bench: &Bench<'_>, target: &str) -> Result<Box<dyn DeferredWork>> {
    let target = Target::parse(target)?;
    let opened = bench.wait(bench.driver.deferred_work(&target, bench.environment()))?;
    Ok(opened.expect("there always is one"))
}

/// Statements that create dead rows. Autovacuum is off for the table, so that it does not remove them.
const DEAD: &str = "CREATE TABLE dead (id int) WITH (autovacuum_enabled = off);
                    INSERT INTO dead SELECT generate_series(1, 1000); UPDATE dead SET id = -id";

#[test]
fn rejects_roles_that_own_no_table_before_the_work_begins() -> Result<()> {
    let _inside = enter();
    let (driver, target) = (driver(), database("strangers"));
    let bench = Bench::new(&*driver, &target);
    bench.script(DEAD)?;
    bench.script("CREATE ROLE stranger LOGIN")?;
    let mut deferred = open(&bench, &format!("{target}&user=stranger"))?;
    assert_eq!(deferred.kinds().len(), 2);
    let mut refusal = None;
    // Some servers report the counts of a session only after it has ended.
    eventually("the refusal", || {
        refusal = bench.wait(deferred.begin(0)).err();
        bench.wait(deferred.end()).expect("it ends");
        refusal.is_some()
    });
    let refusal = refusal.expect("an error");
    assert_eq!(refusal.kind(), ErrorKind::Auth);
    assert!(refusal.to_string().contains("not allowed to vacuum dead"), "{refusal}");
    assert!(refusal.hints().join(" ").contains("pg_maintain"), "{refusal:?}");
    bench.wait(async {
        deferred.begin(1).await?;
        let error = loop {
            match deferred.left().await {
                Ok(left) => assert_eq!(left.pace, Pace::Working),
                Err(error) => break error,
            }
        };
        assert_eq!((error.kind(), error.native_code()), (ErrorKind::Auth, Some("42501")));
        assert!(error.hints().join(" ").contains("pg_checkpoint"), "{error:?}");
        deferred.end().await
    })
}

/// A vacuum that waits for another client's lock must stop at once when this is requested.
#[test]
fn stops_running_work() -> Result<()> {
    let _inside = enter();
    let (driver, target) = (driver(), database("stopped"));
    let bench = Bench::new(&*driver, &target);
    bench.script(DEAD)?;
    let question =
        format!("-- name: dead() -> (rows int)\n{}", include_str!("../sql/dead_rows.sql"));
    let mut counter = exchange(&bench, &question, Form::Sql)?;
    // Wait until the dead rows have been counted, because counts that arrive after the vacuum would remain.
    eventually("a count", || rows(&bench, &mut counter, 0).expect("a count") == ["1000"]);
    let mut holder = bench.session()?;
    bench.wait(holder.script("BEGIN; LOCK TABLE dead"))?;
    let mut deferred = open(&bench, &target)?;
    bench.wait(deferred.begin(0))?;
    let running = "-- name: running() -> (n int)
SELECT count(*) FROM pg_stat_activity WHERE query = 'VACUUM' AND state = 'active'
AND datname = current_database()";
    let mut watcher = exchange(&bench, running, Form::Sql)?;
    let mut vacuums = || rows(&bench, &mut watcher, 0).expect("a count")[0].clone();
    eventually("the vacuum", || vacuums() == "1");
    assert_eq!(bench.wait(deferred.left())?.pace, Pace::Working);
    bench.wait(deferred.end())?;
    eventually("the end", || vacuums() == "0");
    // The vacuum can be started again, and completes after the lock has been released.
    bench.wait(holder.script("ROLLBACK"))?;
    bench.wait(deferred.begin(0))?;
    eventually("no dead row", || {
        let left = bench.wait(deferred.left()).expect("an answer");
        left.pace == Pace::Over && left.amount == 0
    });
    bench.wait(deferred.end())
}
