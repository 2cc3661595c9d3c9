//! Tests the engine with a simulated database whose behavior is known.

use std::time::Duration;

use crate::common;
use crate::common::{measured, plan, simulate};
use tacho_core::{ErrorKind, Result};
use tacho_engine::{
    Arrival, Health, Interrupt, LoadPlan, OnDisconnect, Policy, RetryInput, RetryPolicy, Route,
    Routes, Spacing, Stop,
};
use tacho_metrics::{Connection, Phase, RunEnd};

fn open(rate: f64, spacing: Spacing) -> LoadPlan {
    LoadPlan { arrival: Arrival::open(rate, spacing), ..plan() }
}

#[test]
fn phases_and_intervals_are_where_the_plan_has_them() -> Result<()> {
    let plan = LoadPlan { ramp_down: Duration::from_millis(1500), ..plan() };
    let (measurement, seen) = simulate("sim", plan)?;
    assert_eq!(measurement.ended_by, RunEnd::Time);
    assert_eq!(measurement.measured, Duration::from_secs(10));
    assert_eq!(measurement.throughput.len(), 10);
    let count = |phase| seen.intervals.iter().filter(|interval| interval.2 == phase).count();
    assert_eq!((count(Phase::RampUp), count(Phase::Measure), count(Phase::RampDown)), (2, 10, 2));
    assert_eq!(seen.intervals.last().map(|last| (last.0, last.1)), Some((13.0, 13.5)));
    assert!(measurement.imbalance.is_none() && measurement.abandoned == 0);
    let all = measured(&measurement);
    assert_eq!(all.ledger.balance(0), Ok(()));
    let in_intervals: u64 =
        seen.intervals.iter().filter(|i| i.2 == Phase::Measure).map(|i| i.3).sum();
    assert_eq!(in_intervals, all.ended.all(), "every transaction is in one interval");
    let carried = all.ended.all() - all.ledger.ended();
    assert!(
        (1..=10).contains(&carried),
        "at most one of each session straddles the border: {carried}"
    );
    assert!(seen.backlog.iter().all(Option::is_none) && measurement.backlog.is_none());
    Ok(())
}

#[test]
fn a_known_latency_is_measured() -> Result<()> {
    // Only round trips take time. Each takes 10 ms, so every measured time is a multiple of 10 ms.
    let (measurement, _) = simulate("sim:?latency=10ms&spread=fixed&statement=0s", plan())?;
    let payment = &measurement.total.series(Phase::Measure)[1];
    for quantile in [0.0, 0.5, 1.0] {
        let round_trips = payment.latency.quantile(quantile).as_secs_f64() / 0.010;
        assert!((round_trips - round_trips.round()).abs() < 0.01, "{round_trips}");
    }
    assert_eq!(payment.latency.count(), payment.ended.good());
    Ok(())
}

#[test]
fn latency_counts_from_the_due_time_and_service_time_from_the_send() -> Result<()> {
    // The database stalls for 2 s every 5 s. If latencies were measured from the time of sending, only ten transactions
    // would seem slow. The hundreds of others that became due during a stall would be missed.
    let target = "sim:?latency=1ms&spread=fixed&stall_every=5s&stall=2s";
    let (measurement, _) = simulate(target, open(200.0, Spacing::Uniform))?;
    let all = measured(&measurement);
    let second = Duration::from_secs(1);
    // The first stall ends within the measured 10 s. A tenth of all arrivals occur in the first second of this stall
    // and wait for more than a second.
    assert!(all.latency.quantile(0.95) > second, "{:?}", all.latency.quantile(0.95));
    assert!(all.service.quantile(0.98) < second, "{:?}", all.service.quantile(0.98));
    assert!(all.service.max() > second);
    Ok(())
}

#[test]
fn open_arrivals_keep_their_rate() -> Result<()> {
    for spacing in [Spacing::Uniform, Spacing::Poisson] {
        let (measurement, _) = simulate("sim", open(500.0, spacing))?;
        let due = measured(&measurement).ledger.due;
        assert!((4_700..5_300).contains(&due), "{spacing:?}: {due}");
    }
    Ok(())
}

#[test]
fn an_overload_is_skipped_and_counted_not_hidden() -> Result<()> {
    let arrival = Arrival { backlog: 100, ..Arrival::open(5_000.0, Spacing::Uniform) };
    let plan = LoadPlan { arrival, ..plan() };
    let (measurement, _) = simulate("sim:?latency=10ms", plan)?;
    let all = measured(&measurement);
    assert_eq!(all.ledger.balance(0), Ok(()));
    let due = all.ledger.due + measurement.never_taken;
    assert!(due.abs_diff(50_000) < 200, "{due}");
    assert!(all.ledger.skipped > 30_000);
    // A backlog of 100 arrivals covers 20 ms, so an arrival that had waited longer must not be started.
    let waited = measurement.total.session_wait(Phase::Measure);
    assert!(waited.max() < Duration::from_millis(21) && waited.max() > Duration::from_millis(15));
    assert!(measurement.total.lateness(Phase::Measure).max() < Duration::from_millis(1));
    Ok(())
}

#[test]
fn counts_transactions_in_the_phase_in_which_they_end() -> Result<()> {
    // 4,000 transactions become due per second, but ten sessions can complete only a few hundred. The ramp-up therefore
    // leaves a long backlog.
    let arrival = Arrival::open(4_000.0, Spacing::Poisson);
    let plan = LoadPlan { arrival, ..plan() };
    let (measurement, seen) = simulate("sim:?latency=10ms", plan)?;
    let all = measured(&measurement);
    assert_eq!(all.ledger.started, 0, "nothing that was due in the measured phase has begun");
    let due = all.ledger.due + measurement.never_taken;
    assert!((39_000..41_000).contains(&due), "arrivals of the measured phase alone: {due}");
    assert!(all.ended.good() > 500 && measurement.throughput.iter().all(|rate| *rate > 50.0));
    let in_intervals: u64 =
        seen.intervals.iter().filter(|i| i.2 == Phase::Measure).map(|i| i.3).sum();
    assert_eq!(in_intervals, all.ended.all());
    assert_eq!(all.latency.count(), all.ended.good());
    assert!(all.latency.quantile(0.5) > Duration::from_secs(4));
    let backlog = measurement.backlog.expect("an open run");
    assert!(backlog.start > 2_000 && backlog.end > backlog.start + 10_000, "{backlog:?}");
    assert_eq!(backlog.max, backlog.end);
    assert!(seen.backlog.windows(2).all(|two| two[0] < two[1]), "{:?}", seen.backlog);
    // Arrivals had to wait for a session because the database was slow. This must not be counted as lateness of Tacho's
    // timers.
    assert!(measurement.total.session_wait(Phase::Measure).quantile(0.5) > Duration::from_secs(4));
    assert!(measurement.total.lateness(Phase::Measure).max() < Duration::from_millis(1));
    assert_eq!(measurement.saturated, measurement.throughput);
    Ok(())
}

#[test]
fn no_arrival_waits_below_capacity() -> Result<()> {
    let (measurement, seen) = simulate("sim", open(500.0, Spacing::Poisson))?;
    assert!(seen.backlog.iter().all(|waiting| waiting.is_some_and(|count| count <= 10)));
    assert!(measurement.saturated.is_empty());
    Ok(())
}

#[test]
fn a_count_is_kept_exactly() -> Result<()> {
    let plan = LoadPlan { stop: Stop::Count(1_234), ..plan() };
    let (measurement, _) = simulate("sim", plan)?;
    let all = measured(&measurement);
    assert_eq!(measurement.ended_by, RunEnd::Count);
    assert_eq!((all.ledger.started, all.ledger.ended()), (1_234, 1_234));
    assert!(measurement.measured > Duration::ZERO && measurement.measured < Duration::from_secs(9));
    Ok(())
}

#[test]
fn failures_are_classified_and_retried_as_the_policy_says() -> Result<()> {
    let target = "sim:?deadlocks=0.5%";
    let (none, _) = simulate(target, plan())?;
    let none = measured(&none);
    let deadlock = ErrorKind::Deadlock as usize;
    assert!(none.ledger.failed[deadlock] > 100);
    assert_eq!((none.ledger.failures(), none.ledger.retried), (none.ledger.failed[deadlock], 0));
    for input in [RetryInput::Same, RetryInput::New] {
        let retry = RetryPolicy { input, attempts: 5, backoff: Duration::from_millis(1) };
        let (measurement, _) = simulate(target, LoadPlan { retry, ..plan() })?;
        let all = measured(&measurement);
        assert!(all.ledger.retried > 100);
        assert!(all.ledger.failures() * 20 < none.ledger.failures());
        let attempts: u64 = measurement.total.faults.iter().map(|fault| fault.count).sum();
        assert!(attempts >= all.ledger.retried + all.ledger.failures());
        assert!(measurement.imbalance.is_none());
    }
    Ok(())
}

#[test]
fn a_database_that_only_fails_ends_the_run() -> Result<()> {
    let (measurement, _) = simulate("sim:?errors=100%", plan())?;
    assert_eq!(measurement.ended_by, RunEnd::SessionsLost);
    assert_eq!(measurement.lost.len(), 10);
    assert!(measurement.imbalance.is_none());
    Ok(())
}

#[test]
fn transactions_that_do_not_end_are_unfinished() -> Result<()> {
    // From 11 s on, the database does not respond until long after the drain time.
    let target = "sim:?latency=1ms&stall_every=11s&stall=10s";
    let plan = LoadPlan { drain: Duration::from_secs(3), ..plan() };
    let (measurement, _) = simulate(target, plan)?;
    let all = measured(&measurement);
    assert_eq!(measurement.abandoned, 10);
    assert_eq!((all.ledger.unfinished, all.ledger.balance(0)), (10, Ok(())));
    Ok(())
}

#[test]
fn pacing_keeps_users_at_their_keying_and_think_times() -> Result<()> {
    let hour = Duration::from_hours(1);
    let plan = LoadPlan { sessions: 100, pacing: 1.0, stop: Stop::After(hour), ..plan() };
    let interval = Duration::from_mins(1);
    let (measurement, _) = simulate("sim", LoadPlan { interval, ..plan })?;
    let all = measured(&measurement);
    // The transaction mix (45/43/4/4/4 %), the keying times (18/3/2/2/2 s) and the think times (12/12/10/5/5 s) result
    // in an average cycle of 20.99 s.
    let per_user_minute = all.ledger.committed as f64 / 100.0 / 60.0;
    assert!((per_user_minute - 60.0 / 20.99).abs() < 0.06, "{per_user_minute}");
    Ok(())
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_one_another() -> Result<()> {
    let print = |seed: u64| {
        let plan = LoadPlan { seed: tacho_core::Seed(seed), ..open(300.0, Spacing::Poisson) };
        let (measurement, seen) = simulate("sim:?errors=0.1%&deadlocks=0.1%", plan)?;
        Ok::<_, tacho_core::Error>(format!("{measurement:?}{seen:?}"))
    };
    let first = print(1)?;
    assert!(first == print(1)?, "two runs with one seed differ");
    assert!(first != print(2)?);
    Ok(())
}

#[test]
fn lost_servers_end_the_run_unless_sessions_reconnect() -> Result<()> {
    let target = "sim:?latency=1ms&spread=fixed&outage_at=5s&outage=2s";
    let (stopped, _) = simulate(target, plan())?;
    assert_eq!((stopped.ended_by, stopped.lost.len()), (RunEnd::SessionsLost, 10));
    let plan = LoadPlan { on_disconnect: OnDisconnect::Reconnect, ..plan() };
    let (measurement, _) = simulate(target, plan)?;
    assert_eq!((measurement.ended_by, measurement.lost.len()), (RunEnd::Time, 0));
    let all = measured(&measurement);
    assert_eq!(
        (all.ledger.failed[ErrorKind::Connect as usize], all.ledger.balance(0)),
        (10, Ok(()))
    );
    let at = |wanted: fn(&Connection) -> bool| {
        let times = measurement.total.connections.iter().filter(move |event| wanted(&event.what));
        times.map(|event| event.at.0 as f64 / 1e9).collect::<Vec<_>>()
    };
    let lost = at(|what| matches!(what, Connection::Lost { .. }));
    let (back, good) = (
        at(|what| matches!(what, Connection::Back { .. })),
        at(|what| *what == Connection::FirstGood),
    );
    assert_eq!((lost.len(), back.len(), good.len()), (10, 10, 10));
    assert!(lost.iter().all(|at| (5.0..5.02).contains(at)), "{lost:?}");
    assert!(back.iter().all(|at| (7.0..8.1).contains(at)), "{back:?}");
    assert!(good.iter().zip(&back).all(|(good, back)| good >= back));
    assert!(!at(|what| matches!(what, Connection::Back { refused: 1.. })).is_empty());
    Ok(())
}

#[test]
fn virtual_users_log_in_one_after_the_other_and_keep_their_own_times() -> Result<()> {
    let stagger = Duration::from_millis(900);
    let plan = LoadPlan { sessions: 4, stagger, session_times: true, ..plan() };
    let (measurement, seen) = simulate("sim:?latency=5ms", plan)?;
    assert!(measurement.lost.is_empty() && measurement.imbalance.is_none());
    // The number of sessions is recorded after each interval. It increases until all four sessions have logged in.
    assert_eq!((seen.connected, &seen.sessions[..3]), (1, &[2, 3, 4][..]), "{:?}", seen.sessions);
    assert!(seen.sessions[3..11].iter().all(|sessions| *sessions == 4), "{:?}", seen.sessions);
    let session_times = &measurement.session_times;
    assert_eq!(session_times.iter().map(|times| times.session).collect::<Vec<_>>(), [0, 1, 2, 3]);
    for (kind, series) in measurement.total.series(Phase::Measure).iter().enumerate() {
        let sum: u64 = session_times.iter().map(|times| times.service[kind].count()).sum();
        assert_eq!(sum, series.service.count(), "nothing is counted twice or left out");
    }
    let of = |times: &tacho_engine::SessionTimes| -> u64 {
        times.service.iter().map(tacho_metrics::Latencies::count).sum()
    };
    assert!(session_times.iter().all(|times| of(times) > 0));
    Ok(())
}

#[test]
fn sessions_not_yet_logged_in_at_the_end_are_not_lost() -> Result<()> {
    let stagger = Duration::from_hours(1);
    let (measurement, _) =
        simulate("sim:?latency=5ms", LoadPlan { sessions: 3, stagger, ..plan() })?;
    assert_eq!((measurement.ended_by, measurement.abandoned), (RunEnd::Time, 0));
    assert!(measurement.lost.is_empty() && measurement.session_times.is_empty());
    Ok(())
}

#[test]
fn each_kind_of_transaction_goes_where_its_route_leads() -> Result<()> {
    let target = |text| tacho_driver::Target::parse(text);
    let targets = vec![target("sim:?latency=1ms")?, target("sim:?latency=100ms")?];
    let mut setup = common::setup(tacho_driver_sim::driver().into(), "sim", plan())?;
    let far = [1, 3];
    let route = |kind: usize| {
        let among = if far.contains(&kind) { vec![0, 1] } else { vec![0] };
        Route { among, policy: Policy::Last }
    };
    let of = (0..setup.instance.transactions().len()).map(route).collect();
    setup.routes =
        Some(std::sync::Arc::new(Routes { health: Health::new(targets.len()), targets, of }));
    let mut seen = common::Seen::default();
    let measurement = tacho_engine::run(&setup, &Interrupt::default(), &mut seen)?;
    assert!(measurement.imbalance.is_none() && measurement.counter.is_none());
    let between = Duration::from_millis(60);
    for (kind, series) in measurement.total.series(Phase::Measure).iter().enumerate() {
        assert!(series.service.count() > 0);
        assert_eq!(series.service.quantile(0.5) >= between, far.contains(&kind), "kind {kind}");
    }
    Ok(())
}
