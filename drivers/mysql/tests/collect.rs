//! Tests of the server observer.

#![expect(clippy::disallowed_methods, reason = "a look comes after a moment of real time")]

use std::thread;
use std::time::Duration;

use tacho_core::Result;
use tacho_driver::{Access, Collector, Driver, Form, StatementId, Target, Wait};
use tacho_testkit::conformance::{Bench, statement};

use crate::common::{Options, Place, Servers, driver, enter, eventually, exchange, places, quiet};

fn collector(bench: &Bench<'_>, driver: &dyn Driver) -> Result<Box<dyn Collector>> {
    let target = Target::parse(&bench.place)?;
    let opened = bench.wait(driver.collector(&target, bench.environment()))?;
    Ok(opened.expect("an observer"))
}

#[test]
fn counters_grow_with_the_work() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for place in places() {
        let bench = Bench::new(&*driver, &place.database("counted"));
        bench.reset()?;
        let mut collector = collector(&bench, &*driver)?;
        assert!(collector.missing().is_empty(), "{:?}", collector.missing());
        let before = bench.wait(collector.read())?.counters;
        let mut exchange = bench.exchange(Form::Sql)?;
        for id in 0..100 {
            exchange.begin(Access::Write);
            exchange.execute(statement::INSERT).int(id).null().null().text(&[b'x'; 90]).null();
            exchange.commit();
        }
        exchange.begin(Access::Write);
        exchange.rollback();
        bench.send(&mut exchange)?;
        let value = |all: &[(&str, u64)], name: &str| {
            all.iter().find(|(known, _)| *known == name).map(|c| c.1)
        };
        let least = [
            ("commits", 100),
            ("rollbacks", 1),
            ("log_bytes", 9_000),
            ("page_requests", 100),
            ("deadlocks", 0),
            ("row_lock_waits", 0),
            ("row_lock_ms", 0),
            ("pages_read", 0),
            ("pages_written", 0),
            ("temp_disk_tables", 0),
            ("selects", 0),
        ];
        eventually("the growth of the counters", || {
            let after = bench.wait(collector.read()).expect("counters").counters;
            least.iter().all(|(name, by)| {
                value(&after, name).expect(name) >= value(&before, name).expect(name) + by
            })
        });
    }
    Ok(())
}

#[test]
fn gauges_rise_with_pending_work() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for place in quiet().places() {
        let bench = Bench::new(&*driver, &place.database("gauged"));
        bench.reset()?;
        let mut collector = collector(&bench, &*driver)?;
        let mut gauge = |name: &str| -> Result<u64> {
            let gauges = bench.wait(collector.read())?.gauges;
            Ok(gauges.iter().find(|(known, _)| *known == name).expect(name).1)
        };
        // While this transaction keeps its snapshot, the server must keep old row versions, so the
        // history gets longer with each change.
        let mut reader = bench.exchange(Form::Sql)?;
        reader.begin(Access::Read);
        reader.execute(statement::TOTALS);
        bench.send(&mut reader)?;
        let before = gauge("history_length")?;
        let mut exchange = bench.exchange(Form::Sql)?;
        for id in 0..100 {
            exchange.execute(statement::INSERT).int(id).null().null().text(&[b'x'; 90]).null();
        }
        for id in 0..100 {
            exchange.execute(statement::CHANGE).int(id).int(9);
        }
        bench.send(&mut exchange)?;
        assert!(gauge("history_length")? >= before + 50, "{before}");
        assert!(gauge("dirty_bytes")? > 0 && gauge("checkpoint_age_bytes")? > 0);
        reader.rollback();
        bench.send(&mut reader)?;
    }
    Ok(())
}

const NAP: &str = "-- name: nap() -> (n int)\nSELECT sleep(3)";

/// Checks that the observer reports a sleep, which `nap` recognizes, and a wait for a row lock, which `lock`
/// recognizes.
fn sees(place: &Place, nap: impl Fn(&Wait) -> bool, lock: impl Fn(&Wait) -> bool) -> Result<()> {
    let driver = driver();
    let patience = "&init-command=SET%20innodb_lock_wait_timeout=3";
    let bench = Bench::new(&*driver, &format!("{}{patience}", place.database("waiting")));
    bench.reset()?;
    let mut collector = collector(&bench, &*driver)?;
    let mut holder = bench.exchange(Form::Sql)?;
    let mut waiter = bench.exchange(Form::Sql)?;
    eventually("idle sessions, which do not wait", || {
        bench.wait(collector.waits()).expect("waits").is_empty()
    });
    holder.execute(statement::INSERT).int(1).null().null().null().null();
    holder.begin(Access::Write);
    holder.execute(statement::CHANGE).int(1).int(9);
    bench.send(&mut holder)?;
    waiter.execute(statement::CHANGE).int(1).int(8);
    let mut napper = exchange(&bench, NAP, Form::Sql)?;
    napper.execute(StatementId(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            let _inside = enter();
            bench.send(&mut napper).expect("a nap");
        });
        scope.spawn(|| {
            let _inside = enter();
            bench.send(&mut waiter).expect_err("a lock");
        });
        eventually("a nap and a wait for a lock", || {
            let waits = bench.wait(collector.waits()).expect("waits");
            // The server updates its list of transactions only if nobody has queried it for 0.1 s.
            thread::sleep(Duration::from_millis(120));
            waits.iter().any(&nap) && waits.iter().any(&lock)
        });
    });
    Ok(())
}

#[test]
fn waits_of_our_sessions_are_seen() -> Result<()> {
    let _inside = enter();
    for place in places() {
        let nap = |wait: &Wait| wait.event == "User sleep" && wait.sessions == 1;
        sees(&place, nap, |wait| (&*wait.class, &*wait.event) == ("lock", "row"))?;
    }
    Ok(())
}

#[test]
fn recorded_waits_are_seen_by_their_own_names() -> Result<()> {
    let _inside = enter();
    let settings = [
        ("performance-schema", "ON"),
        ("performance-schema-consumer-events-waits-current", "ON"),
        ("performance-schema-instrument", "wait/%=ON"),
    ];
    let options = Options { settings: &settings, ..Options::default() };
    let servers = Servers::start_with(options)?;
    for place in servers.places() {
        let nap = |wait: &Wait| wait.event.contains("Item_func_sleep") && wait.sessions == 1;
        sees(&place, nap, |wait| wait.class.contains('/') && !wait.event.is_empty())?;
    }
    Ok(())
}

#[test]
fn reports_missing_privileges() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for place in places() {
        let admin = Bench::new(&*driver, &place.database("tacho"));
        admin.script("CREATE USER blind@'%'; GRANT ALL ON tacho.* TO blind@'%'")?;
        let bench = Bench::new(&*driver, &place.tcp_as("blind"));
        let mut collector = collector(&bench, &*driver)?;
        let missing = collector.missing();
        assert!(
            !missing.is_empty() && missing.iter().all(|what| what.contains("PROCESS")),
            "{missing:?}"
        );
        assert!(!bench.wait(collector.read())?.counters.is_empty());
        assert!(bench.wait(collector.waits())?.is_empty());
    }
    Ok(())
}
