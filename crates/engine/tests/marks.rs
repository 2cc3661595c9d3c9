//! Verifies that marks add a statement to each writing transaction, but no round trip.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tacho_core::{Instant, Result};
use tacho_driver::{CommitLog, Form, Marked};
use tacho_engine::{Interrupt, LoadPlan, Measurement, Stop};
use tacho_metrics::Phase;

use crate::common::{Seen, plan, setup};

/// Counts the entries in the commit log.
#[derive(Default)]
struct Counts {
    sent: AtomicU64,
    acknowledged: AtomicU64,
    refused: AtomicU64,
}

impl CommitLog for Counts {
    fn key(&self) -> i64 {
        0
    }

    fn last_number(&self, _: u32) -> u64 {
        self.sent.load(Ordering::Relaxed) - self.refused.load(Ordering::Relaxed)
    }

    fn sent(&self, _: u32, marks: u64) {
        self.sent.fetch_add(marks, Ordering::Relaxed);
    }

    fn acknowledged(&self, _: u32, marks: u64) {
        self.acknowledged.fetch_add(marks, Ordering::Relaxed);
    }

    fn refused(&self, _: u32, marks: u64) {
        self.refused.fetch_add(marks, Ordering::Relaxed);
    }

    fn timed(&self, _: u32, _: Instant) {}

    fn found(&self, _: u32, _: Marked) {}
}

fn run(target: &str, form: Form, log: Option<Arc<Counts>>) -> Result<Measurement> {
    let plan = LoadPlan { stop: Stop::Count(2_000), ..plan() };
    let mut setup = setup(tacho_driver_sim::driver().into(), target, plan)?;
    setup.form = form;
    setup.commits = log.map(|log| log as Arc<dyn CommitLog>);
    tacho_engine::run(&setup, &Interrupt::default(), &mut Seen::default())
}

#[test]
fn marks_add_a_statement_but_no_round_trip() -> Result<()> {
    for form in [Form::Sql, Form::Pipelined] {
        // Nothing in this configuration depends on time, so both runs must execute the same transactions.
        let target = "sim:?latency=1ms&spread=fixed&statement=0s";
        let log = Arc::new(Counts::default());
        let (plain, marked) = (run(target, form, None)?, run(target, form, Some(log.clone()))?);
        let marks = log.acknowledged.load(Ordering::Relaxed);
        assert!(marks > 1_000, "{form:?}: {marks}");
        assert_eq!(log.sent.load(Ordering::Relaxed), marks);
        assert_eq!(plain.traffic.round_trips, marked.traffic.round_trips, "{form:?}");
        assert_eq!(plain.traffic.statements + marks, marked.traffic.statements, "{form:?}");
        let series = |phase| marked.total.series(phase).iter().map(|kind| kind.marked).sum::<u64>();
        assert_eq!(series(Phase::Measure) + series(Phase::RampUp), marks);
        let reading = [2, 4].map(|kind: usize| marked.total.series(Phase::Measure)[kind].marked);
        assert_eq!(reading, [0, 0], "order-status and stock-level only read");
    }
    Ok(())
}

#[test]
fn does_not_acknowledge_rejected_commits() -> Result<()> {
    let log = Arc::new(Counts::default());
    run("sim:?deadlocks=1%", Form::Pipelined, Some(log.clone()))?;
    let [sent, acknowledged, refused] =
        [&log.sent, &log.acknowledged, &log.refused].map(|count| count.load(Ordering::Relaxed));
    assert!(refused > 0);
    assert_eq!(sent, acknowledged + refused);
    Ok(())
}
