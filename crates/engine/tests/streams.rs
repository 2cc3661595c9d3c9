//! Tests sessions that end on their own, in virtual time.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common;
use crate::common::plan;
use tacho_core::{Result, Seed};
use tacho_driver::{Form, Target};
use tacho_engine::{Arrival, Interrupt, LoadPlan, Measurement, Setup, Share, Spacing, Stop};
use tacho_metrics::{Ending, Phase, RunEnd, Series};
use tacho_workload::{Choices, Workload};

const SESSIONS: u32 = 3;
const QUERIES: usize = 22;

/// Runs query streams, each of which runs two query sets.
fn streams(target: &str) -> Result<Measurement> {
    let plan = LoadPlan { sessions: SESSIONS, stop: Stop::Done, ramp_up: Duration::ZERO, ..plan() };
    run(&*tacho_workload_tproch::workload(), ("query_sets", "2"), plan, target)
}

/// Runs a workload with one parameter set.
fn run(
    workload: &dyn Workload,
    (key, value): (&str, &str),
    plan: LoadPlan,
    target: &str,
) -> Result<Measurement> {
    let choices = Choices {
        scale: 1,
        data_seed: Seed(1),
        seed: plan.seed,
        loaded_at: 0,
        profile: "spec".into(),
        set: [(key.to_owned(), value.to_owned())].into(),
        form: Form::Sql,
        sessions: SESSIONS,
        dialect: String::new(),
        sets: 1,
        turn: 0,
    };
    let setup = Setup {
        steps: Arc::new([]),
        driver: tacho_driver_sim::driver().into(),
        target: Target::parse(target)?,
        instance: workload.instance(&choices)?,
        form: Form::Sql,
        plan,
        routes: None,
        commits: None,
        history: None,
        share: Share::WHOLE,
        gate: None,
        sets: 1,
        output: Arc::new(Mutex::new(std::io::sink())),
    };
    tacho_engine::run(&setup, &Interrupt::default(), &mut common::Seen::default())
}

#[test]
fn a_run_is_over_with_the_last_stream_and_keeps_every_query() -> Result<()> {
    let measurement = streams("sim:?latency=5ms")?;
    assert_eq!(measurement.ended_by, RunEnd::Done);
    assert!(measurement.lost.is_empty() && measurement.imbalance.is_none());
    let executions = &measurement.total.executions;
    assert_eq!(executions.len(), SESSIONS as usize * 2 * QUERIES);
    let series = measurement.total.series(Phase::Measure);
    assert!(series.iter().all(|one| one.ledger.committed == u64::from(SESSIONS) * 2));
    for session in 0..SESSIONS {
        let of_session: Vec<_> = executions.iter().filter(|one| one.session == session).collect();
        for set in of_session.chunks(QUERIES) {
            let mut asked: Vec<usize> = set.iter().map(|one| one.transaction).collect();
            asked.sort_unstable();
            assert_eq!(asked, (0..QUERIES).collect::<Vec<_>>(), "session {session}");
        }
        let follows = |pair: &[&tacho_metrics::Execution]| {
            pair[0].sent.plus(pair[0].took) <= pair[1].sent && !pair[1].took.is_zero()
        };
        assert!(of_session.windows(2).all(follows), "one after the other");
        assert!(of_session.iter().all(|one| one.rows.is_some() && one.ending == Ending::Committed));
    }
    let first = |session| executions.iter().find(|one| one.session == session);
    let first = [0, 1, 2].map(|session| first(session).map(|one| one.transaction + 1));
    assert_eq!(first, [Some(21), Some(6), Some(8)], "orders 1 to 3 of appendix A");
    Ok(())
}

#[test]
fn a_failed_query_is_kept_and_the_stream_goes_on() -> Result<()> {
    let measurement = streams("sim:?errors=20%")?;
    assert_eq!(measurement.ended_by, RunEnd::Done);
    let executions = &measurement.total.executions;
    assert_eq!(executions.len(), SESSIONS as usize * 2 * QUERIES);
    let failed = |ending| matches!(ending, Ending::Failed(_));
    let failures = executions.iter().filter(|one| failed(one.ending)).count() as u64;
    let series = measurement.total.series(Phase::Measure);
    assert_eq!(failures, series.iter().map(|one| one.ledger.failures()).sum::<u64>());
    assert!(failures > 5, "{failures}");
    assert!(executions.iter().all(|one| failed(one.ending) != one.rows.is_some()));
    Ok(())
}

/// Runs three sessions with scheduled transactions alongside two query streams.
fn mixed() -> Result<Measurement> {
    let arrival = Arrival { backlog: 10, ..Arrival::open(100.0, Spacing::Uniform) };
    let plan = LoadPlan { sessions: SESSIONS + 2, arrival, ..plan() };
    run(&*tacho_workload_chbench::workload(), ("streams", "2"), plan, "sim:?latency=5ms")
}

#[test]
fn streams_go_on_beside_the_transactions_and_are_counted_by_themselves() -> Result<()> {
    let measurement = mixed()?;
    assert_eq!(measurement.ended_by, RunEnd::Time);
    assert!(measurement.lost.is_empty() && measurement.imbalance.is_none());
    let (transactions, queries) = measurement.total.series(Phase::Measure).split_at(5);
    let good = |series: &[Series]| -> u64 {
        series.iter().map(|one| one.ledger.committed + one.ledger.rolled_back).sum()
    };
    let executions = &measurement.total.executions;
    assert_eq!(executions.len() as u64, good(queries), "each query of the measured phase is kept");
    // Each of the two streams runs queries for 10 s, and each query takes 5 ms. Streams are independent of arrivals:
    // they neither wait for them nor take any.
    assert!(good(queries) > 3_000, "{}", good(queries));
    assert!(executions.iter().all(|one| one.session >= 3 && one.transaction >= 5));
    let begin = measurement.origin.plus(Duration::from_secs(2));
    assert!(executions.iter().all(|one| one.sent >= begin), "none of the ramp-up");
    // Throughput includes only the transactions, whose number is limited by the rate.
    let mean = measurement.throughput.iter().sum::<f64>() / measurement.throughput.len() as f64;
    assert!(good(transactions) > 0 && mean <= 101.0, "{mean} of {}", good(transactions));
    assert!((mean - good(transactions) as f64 / 10.0).abs() < 1.0, "{mean}");
    Ok(())
}
