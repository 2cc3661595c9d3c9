//! Tests varying loads. The results of each step must agree with a separate run of the same load.

use std::time::Duration;

use crate::common::{measured, plan, simulate, simulate_steps};
use tacho_core::Result;
use tacho_engine::{Arrival, LoadPlan, Measurement, Spacing, Step, Stop};
use tacho_metrics::{Estimate, Phase, batch_means};

/// A database that processes up to four requests at a time, so more than four sessions do not increase the throughput.
const BUSY: &str = "sim:?latency=2ms&capacity=4";
const LENGTH: Duration = Duration::from_secs(20);

fn step(sessions: u32) -> Step {
    Step { sessions: Some(sessions), rate_per_s: None, length: LENGTH }
}

fn rate(rate: f64) -> Step {
    Step { sessions: None, rate_per_s: Some(rate), length: LENGTH }
}

fn of(steps: &[Step], sessions: u32, arrival: Arrival) -> LoadPlan {
    let stop = Stop::After(steps.iter().map(|step| step.length).sum());
    LoadPlan { sessions, arrival, stop, ..plan() }
}

fn overlap(a: &Estimate, b: &Estimate) -> bool {
    // Returns true if two 95 % confidence intervals overlap. Intervals for the same value almost always do.
    a.low <= b.high && b.low <= a.high
}

/// Asserts that each step satisfies the accounting identities and that the steps add up to the measured phase.
fn accounts_hold(measurement: &Measurement) {
    assert_eq!(measurement.imbalance, None);
    let all = measured(measurement);
    let mut due = 0;
    let mut ended = 0;
    for (step, records) in measurement.total.steps.iter() {
        let mut ledger = records.ledger.clone();
        let never_taken = measurement.steps[step as usize].never_taken;
        ledger.due += never_taken;
        ledger.skipped += never_taken;
        assert_eq!(ledger.balance(0), Ok(()), "step {step}");
        assert_eq!(records.latency.count(), records.all().good());
        due += ledger.due;
        ended += records.all().all();
    }
    assert_eq!((due, ended), (all.ledger.due + measurement.never_taken, all.ended.all()));
}

#[test]
fn sessions_of_each_step_agree_with_a_run_of_that_step_alone() -> Result<()> {
    let levels = [2, 12, 5];
    let steps = levels.map(step);
    let (measurement, seen) = simulate_steps(BUSY, of(&steps, 12, Arrival::default()), &steps)?;
    accounts_hold(&measurement);
    assert_eq!(measurement.steps.len(), 3);
    assert_eq!(
        (seen.sessions[0], seen.sessions[2], seen.sessions[22], seen.sessions[42]),
        (2, 2, 12, 5)
    );
    for (place, sessions) in levels.into_iter().enumerate() {
        let found = &measurement.steps[place];
        assert_eq!((found.length, found.throughput.len()), (LENGTH, 20));
        let (alone, _) = simulate(BUSY, of(&steps[..1], sessions, Arrival::default()))?;
        let [a, b] =
            [&found.throughput, &alone.throughput].map(|values| batch_means(values).expect("20"));
        assert!(overlap(&a, &b), "{sessions} sessions: {a:?} {b:?}");
        let records = measurement.total.steps.get(place as u32).expect("the step");
        let p50 = |latency: &tacho_metrics::Latencies| latency.quantile(0.5).as_secs_f64();
        let (here, there) = (p50(&records.latency), p50(&measured(&alone).latency));
        assert!((here / there - 1.0).abs() < 0.1, "{sessions} sessions: {here} {there}");
    }
    Ok(())
}

#[test]
fn sessions_that_are_not_active_do_nothing() -> Result<()> {
    let steps = [step(1), step(3)];
    let mut plan = of(&steps, 3, Arrival::default());
    plan.session_times = true;
    let (measurement, _) = simulate_steps("sim:?latency=1ms&spread=fixed", plan, &steps)?;
    let counts = measurement
        .session_times
        .iter()
        .map(|times| times.service.iter().map(tacho_metrics::Latencies::count).sum::<u64>() as f64);
    let counts: Vec<f64> = counts.collect();
    assert!(
        (counts[1] / counts[0] - 0.5).abs() < 0.05 && (counts[2] / counts[0] - 0.5).abs() < 0.05
    );
    Ok(())
}

#[test]
fn paced_sessions_return_when_their_step_begins() -> Result<()> {
    let length = Duration::from_mins(20);
    let steps = [10, 40].map(|sessions| Step { length, ..step(sessions) });
    let plan = LoadPlan { pacing: 1.0, ..of(&steps, 40, Arrival::default()) };
    let (measurement, _) = simulate_steps("sim:?latency=1ms", plan, &steps)?;
    accounts_hold(&measurement);
    let good = |step| measurement.total.steps.get(step).expect("a step").all().good() as f64;
    assert!((good(1) / good(0) - 4.0).abs() < 0.4, "{} {}", good(0), good(1));
    Ok(())
}

#[test]
fn rates_of_each_step_are_reached_and_accounted_for() -> Result<()> {
    let steps = [rate(100.0), rate(0.0), rate(400.0)];
    let arrival = Arrival::open(400.0, Spacing::Uniform);
    let (measurement, _) = simulate_steps("sim:?latency=1ms", of(&steps, 50, arrival), &steps)?;
    accounts_hold(&measurement);
    let due = |step| measurement.total.steps.get(step).map_or(0, |records| records.ledger.due);
    assert!(due(0).abs_diff(2_000) <= 1 && due(1) <= 1 && due(2).abs_diff(8_000) <= 1);
    assert_eq!(
        measurement.total.series(Phase::Measure).iter().map(|one| one.ledger.skipped).sum::<u64>(),
        0
    );
    Ok(())
}

#[test]
fn arrivals_beyond_what_is_possible_are_counted_in_the_step_that_they_were_due_in() -> Result<()> {
    let steps = [rate(50.0), rate(5_000.0)];
    let arrival = Arrival { backlog: 1_000, ..Arrival::open(5_000.0, Spacing::Poisson) };
    let (measurement, _) = simulate_steps("sim:?latency=5ms", of(&steps, 4, arrival), &steps)?;
    accounts_hold(&measurement);
    let ledger = |step| &measurement.total.steps.get(step).expect("a step").ledger;
    assert_eq!(ledger(0).skipped, 0);
    assert!(ledger(1).skipped > 50_000, "{:?}", ledger(1));
    Ok(())
}
