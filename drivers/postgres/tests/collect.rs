//! Tests of the server observer.

#![expect(clippy::disallowed_methods, reason = "CPU time is compared with real time")]

use std::thread;
use std::time::{Duration, Instant};

use tacho_core::{Result, WaitKind};
use tacho_driver::{Access, Collector, Driver, Form, StatementId, Target};
use tacho_testkit::conformance::{Bench, statement};
use tacho_testkit::servers::{Options, Postgres};

use crate::common::{database, driver, enter, eventually, exchange, rows};

fn collector(bench: &Bench<'_>, driver: &dyn Driver) -> Result<Box<dyn Collector>> {
    let target = Target::parse(&bench.place)?;
    let opened = bench.wait(driver.collector(&target, bench.environment()))?;
    Ok(opened.expect("an observer"))
}

#[test]
fn counters_grow_with_the_work() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let bench = Bench::new(&*driver, &database("counted"));
    bench.reset()?;
    let mut collector = collector(&bench, &*driver)?;
    assert!(collector.missing().is_empty(), "{:?}", collector.missing());
    let before = bench.wait(collector.read())?.counters;
    let mut exchange = bench.exchange(Form::Sql)?;
    for id in 0..100 {
        exchange.execute(statement::INSERT).int(id).null().null().text(&[b'x'; 90]).null();
    }
    bench.send(&mut exchange)?;
    bench.script("CHECKPOINT")?;
    drop(exchange);
    let grown = |name: &str, by: u64, after: &[(&str, u64)]| {
        let value = |all: &[(&str, u64)]| all.iter().find(|(known, _)| *known == name).map(|c| c.1);
        value(after) >= value(&before).map(|value| value + by)
    };
    // Wait for the statistics, because a session may not report them until it ends.
    eventually("the growth of the counters", || {
        let after = bench.wait(collector.read()).expect("counters").counters;
        let least =
            [("commits", 100), ("wal_bytes", 9_000), ("blocks_hit", 100), ("checkpoints", 1)];
        after.len() == 8 && least.iter().all(|(name, by)| grown(name, *by, &after))
    });
    Ok(())
}

/// Before version 15, it can take a second until the server reports the counts of a session. This
/// test skips these versions.
#[test]
fn a_sessions_own_counts_are_seen_at_once() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let bench = Bench::new(&*driver, &database("at_once"));
    let mut session = bench.session()?;
    let version = bench.wait(session.inspector().facts())?.version;
    let old = ["PostgreSQL 13", "PostgreSQL 14"];
    if old.iter().any(|old| version.starts_with(old)) {
        return Ok(());
    }
    for _ in 0..20 {
        let before = bench.wait(session.inspector().counters())?.expect("counters");
        bench.wait(session.script("BEGIN; SELECT 1; ROLLBACK"))?;
        let after = bench.wait(session.inspector().counters())?.expect("counters");
        assert!(after.rollbacks > before.rollbacks, "{before:?} {after:?}");
    }
    Ok(())
}

#[test]
fn the_oldest_snapshot_grows_old() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let bench = Bench::new(&*driver, &database("aged"));
    bench.reset()?;
    let mut collector = collector(&bench, &*driver)?;
    let strict = format!("{}&isolation=repeatable-read", bench.place);
    let mut reader = Bench::new(&*driver, &strict).exchange(Form::Sql)?;
    reader.begin(Access::Read);
    reader.execute(statement::TOTALS);
    bench.send(&mut reader)?;
    let mut exchange = bench.exchange(Form::Sql)?;
    for id in 0..100 {
        exchange.execute(statement::INSERT).int(id).null().null().null().null();
    }
    bench.send(&mut exchange)?;
    let gauges = bench.wait(collector.read())?.gauges;
    let [("oldest_snapshot_age_xids", age)] = gauges[..] else { panic!("{gauges:?}") };
    assert!(age >= 100, "{age}");
    Ok(())
}

#[test]
fn waits_of_our_sessions_are_seen() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let bench = Bench::new(&*driver, &database("waiting"));
    let mut collector = collector(&bench, &*driver)?;
    let _idle = bench.session()?;
    assert!(bench.wait(collector.waits())?.is_empty(), "an idle session does not wait");
    let mut napper = exchange(&bench, "-- name: nap()\nSELECT pg_sleep(3)", Form::Sql)?;
    napper.execute(StatementId(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            let _inside = enter();
            bench.send(&mut napper).expect("a nap");
        });
        eventually("a nap", || {
            let waits = bench.wait(collector.waits()).expect("waits");
            let naps = |wait: &&tacho_driver::Wait| wait.event == "PgSleep" && wait.sessions == 1;
            waits.iter().any(|wait| naps(&wait) && wait.class == "Timeout")
        });
    });
    Ok(())
}

/// Returns the CPU time of a process, from fields 14 and 15 of `/proc/PID/stat`.
fn cpu_time_s(process: i64) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("a process");
    let fields = stat.rsplit(')').next().expect("fields").split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Each sample must show the session as running, even if the session has to share a core.
#[test]
fn sessions_that_use_the_cpu_are_seen_running() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let bench = Bench::new(&*driver, &database("computing"));
    let mut collector = collector(&bench, &*driver)?;
    let sql = "-- name: pid() -> (pid int)\nSELECT pg_backend_pid()\n-- name: compute() -> (n int)\n\
               SELECT count(*) FROM generate_series(1, 1500000) AS s (n) WHERE md5(n::text) < '8'";
    let mut worker = exchange(&bench, sql, Form::Sql)?;
    let process: i64 = rows(&bench, &mut worker, 0)?[0].parse().expect("a process");
    worker.execute(StatementId(1));
    let (begin, mut cpu_s) = (Instant::now(), -cpu_time_s(process));
    let (mut samples, mut running) = (0_u32, 0_u32);
    thread::scope(|scope| {
        let work = scope.spawn(|| {
            let _inside = enter();
            bench.send(&mut worker).expect("a number");
        });
        // Take the first sample only after the statement has arrived at the server.
        eventually("the statement", || !bench.wait(collector.waits()).expect("waits").is_empty());
        while !work.is_finished() && begin.elapsed() < Duration::from_secs(3) {
            let waits = bench.wait(collector.waits()).expect("waits");
            let of_cpu = waits.iter().filter(|wait| wait.kind == WaitKind::Running);
            running += of_cpu.map(|wait| wait.sessions).sum::<u32>();
            samples += u32::from(!waits.is_empty());
            thread::sleep(Duration::from_millis(20));
        }
        cpu_s += cpu_time_s(process);
    });
    let cores = cpu_s / begin.elapsed().as_secs_f64();
    let share = f64::from(running) / f64::from(samples);
    assert!(samples > 5 && cores > 0.05, "{samples} samples, {cores} cores");
    assert!(share >= cores - 0.1 && share <= 1.0, "{share} sampled, {cores} cores used");
    Ok(())
}

#[test]
fn reports_disabled_statistics() -> Result<()> {
    let _inside = enter();
    let settings = [("track_activities", "off"), ("track_counts", "off")];
    let server = Postgres::start_with(Options { settings: &settings, ..Options::default() })?;
    let driver = driver();
    let bench = Bench::new(&*driver, &server.target());
    let mut collector = collector(&bench, &*driver)?;
    assert_eq!(collector.missing().len(), 2, "{:?}", collector.missing());
    bench.wait(collector.read())?;
    assert!(bench.wait(collector.waits())?.is_empty());
    Ok(())
}

#[test]
fn tightest_limit_is_the_headroom() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let place = database("roomy");
    let bench = Bench::new(&*driver, &place);
    bench.script("CREATE ROLE lodger LOGIN CONNECTION LIMIT 3")?;
    let guest = place.replacen("//postgres@", "//lodger@", 1);
    let guests = Bench::new(&*driver, &guest);
    let room = |session: &mut dyn tacho_driver::Session| {
        bench.wait(session.inspector().headroom()).map(|room| room.expect("a limit"))
    };
    let (mut first, _second) = (guests.session()?, guests.session()?);
    let found = room(first.as_mut())?;
    assert_eq!(found.sessions, 1);
    assert!(found.remedy.starts_with("raise CONNECTION LIMIT of role lodger (3 "), "{found:?}");
    bench.script("ALTER DATABASE roomy CONNECTION LIMIT 2")?;
    let found = room(first.as_mut())?;
    assert!(found.sessions == 0 && found.remedy.contains("database roomy"), "{found:?}");
    // A database's connection limit does not apply to superusers, so only the server's limit counts here.
    let found = room(bench.session()?.as_mut())?;
    assert!(found.sessions > 1, "{found:?}");
    assert!(found.remedy.starts_with("raise max_connections and restart"), "{found:?}");
    Ok(())
}
