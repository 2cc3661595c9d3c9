//! Checks that sessions allocate no memory after warm-up, by comparing a long run with a short one.

mod common;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use common::{plan, setup};
use tacho_core::{Instant, Result};
use tacho_driver::{CommitLog, Form, Marked};
use tacho_engine::{Interrupt, LoadPlan, Observer, Stop};
use tacho_testkit::allocation::{Counting, all_allocations, all_bytes};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Held during each test, because the counters include all threads.
static ALONE: Mutex<()> = Mutex::new(());

struct Deaf;

impl Observer for Deaf {}

impl CommitLog for Deaf {
    fn key(&self) -> i64 {
        0
    }

    fn last_number(&self, _: u32) -> u64 {
        0
    }

    fn sent(&self, _: u32, _: u64) {}
    fn acknowledged(&self, _: u32, _: u64) {}
    fn refused(&self, _: u32, _: u64) {}
    fn timed(&self, _: u32, _: Instant) {}
    fn found(&self, _: u32, _: Marked) {}
}

/// Returns the number of allocations in a run of `transactions` transactions.
fn allocations(transactions: u64, form: Form, marked: bool) -> Result<u64> {
    allocations_of(plan(), transactions, form, marked)
}

fn allocations_of(plan: LoadPlan, transactions: u64, form: Form, marked: bool) -> Result<u64> {
    let plan = LoadPlan {
        sessions: 1,
        ramp_up: Duration::ZERO,
        stop: Stop::Count(transactions),
        // The controller allocates memory once per interval, so the whole run must fit into a single interval.
        interval: Duration::from_hours(1),
        ..plan
    };
    let mut setup = setup(tacho_driver_noop::driver().into(), "noop", plan)?;
    setup.form = form;
    setup.commits = marked.then(|| Arc::new(Deaf) as Arc<dyn CommitLog>);
    let before = all_allocations();
    let measurement = tacho_engine::run(&setup, &Interrupt::default(), &mut Deaf)?;
    let after = all_allocations();
    assert!(measurement.traffic.statements > transactions * 5);
    Ok(after - before)
}

#[test]
fn a_longer_run_does_not_allocate_more() -> Result<()> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for (form, marked) in [(Form::Sql, false), (Form::Pipelined, false), (Form::Sql, true)] {
        // Warm up, so that buffers and histograms reach their final sizes.
        allocations(5_000, form, marked)?;
        let (short, long) = (allocations(5_000, form, marked)?, allocations(50_000, form, marked)?);
        // The longer run has 45,000 more transactions, so even one allocation per thousand transactions would be
        // noticed. A rare long pause may enlarge a histogram once or twice.
        assert!(long.saturating_sub(short) < 20, "{form:?}: {short} then {long}");
    }
    Ok(())
}

/// Terminals that are nearly always due, so that a run of many transactions is short.
fn crowd(terminals: u32) -> LoadPlan {
    LoadPlan { terminals: Some(terminals), pacing: 1e-7, ..plan() }
}

#[test]
fn terminals_that_share_a_session_do_not_allocate_more() -> Result<()> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let of = |transactions| allocations_of(crowd(1_000), transactions, Form::Sql, false);
    of(5_000)?;
    let (short, long) = (of(5_000)?, of(50_000)?);
    assert!(long.saturating_sub(short) < 20, "{short} then {long}");
    Ok(())
}

/// The memory in use when all sessions are connected.
struct Bytes(i64);

impl Observer for Bytes {
    fn connected(&mut self, _: u32) {
        self.0 = all_bytes();
    }
}

#[test]
fn a_terminal_needs_little_memory() -> Result<()> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let of = |terminals: u32| -> Result<i64> {
        let plan = LoadPlan { sessions: 1, stop: Stop::Count(1), ..crowd(terminals) };
        let setup = setup(tacho_driver_noop::driver().into(), "noop", plan)?;
        let (before, mut bytes) = (all_bytes(), Bytes(0));
        tacho_engine::run(&setup, &Interrupt::default(), &mut bytes)?;
        Ok(bytes.0 - before)
    };
    of(1_000)?;
    let (few, many) = (of(1_000)?, of(101_000)?);
    let each = (many - few) as f64 / 100_000.0;
    assert!((1.0..=64.0).contains(&each), "{each} bytes per terminal");
    Ok(())
}
