//! Sessions that come to an end by themselves, on virtual time.

mod common;

use std::sync::{Arc, Mutex};

use common::plan;
use tacho_core::{Result, Seed};
use tacho_driver::{Form, Target};
use tacho_engine::{EndedBy, Interrupt, LoadPlan, Measurement, Setup, Stop};
use tacho_metrics::{Ending, Phase};
use tacho_workload::Choices;

const SESSIONS: u32 = 3;
const QUERIES: usize = 22;

/// So many streams of two query sets each.
fn streams(target: &str) -> Result<Measurement> {
    let ramp_up = std::time::Duration::ZERO;
    let plan = LoadPlan { sessions: SESSIONS, stop: Stop::Done, ramp_up, ..plan() };
    let choices = Choices {
        scale: 1,
        data_seed: Seed(1),
        seed: plan.seed,
        loaded_at: 0,
        profile: "spec".into(),
        set: [("query_sets".to_owned(), "2".to_owned())].into(),
        form: Form::Sql,
        sessions: SESSIONS,
        dialect: String::new(),
        sets: 1,
    };
    let setup = Setup {
        driver: tacho_driver_sim::driver().into(),
        target: Target::parse(target)?,
        instance: tacho_workload_tproch::workload().instance(&choices)?,
        form: Form::Sql,
        plan,
        routes: None,
        sets: 1,
        output: Arc::new(Mutex::new(std::io::sink())),
    };
    tacho_engine::run(&setup, &Interrupt::default(), &mut common::Seen::default())
}

#[test]
fn a_run_is_over_with_the_last_stream_and_keeps_every_query() -> Result<()> {
    let measurement = streams("sim:?latency=5ms")?;
    assert_eq!(measurement.ended_by, EndedBy::Done);
    assert!(measurement.lost.is_empty() && measurement.imbalance.is_none());
    let executions = &measurement.total.executions;
    assert_eq!(executions.len(), SESSIONS as usize * 2 * QUERIES);
    let series = measurement.total.series(Phase::Measure);
    assert!(series.iter().all(|one| one.ledger.committed == u64::from(SESSIONS) * 2));
    for session in 0..SESSIONS {
        let own: Vec<_> = executions.iter().filter(|one| one.session == session).collect();
        for set in own.chunks(QUERIES) {
            let mut asked: Vec<usize> = set.iter().map(|one| one.transaction).collect();
            asked.sort_unstable();
            assert_eq!(asked, (0..QUERIES).collect::<Vec<_>>(), "session {session}");
        }
        let follows = |pair: &[&tacho_metrics::Execution]| {
            pair[0].sent.plus(pair[0].took) <= pair[1].sent && !pair[1].took.is_zero()
        };
        assert!(own.windows(2).all(follows), "one after the other");
        assert!(own.iter().all(|one| one.rows.is_some() && one.ending == Ending::Committed));
    }
    let first = |session| executions.iter().find(|one| one.session == session);
    let first = [0, 1, 2].map(|session| first(session).map(|one| one.transaction + 1));
    assert_eq!(first, [Some(21), Some(6), Some(8)], "orders 1 to 3 of appendix A");
    Ok(())
}

#[test]
fn a_failed_query_is_kept_and_the_stream_goes_on() -> Result<()> {
    let measurement = streams("sim:?errors=20%")?;
    assert_eq!(measurement.ended_by, EndedBy::Done);
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
