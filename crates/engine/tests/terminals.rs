//! Tests terminals that share sessions: their requests, the order in which they are served, and their accounts.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tacho_core::{Result, Rng, Seed};
use tacho_driver::Exchange;
use tacho_engine::{
    Interrupt, Interval, LoadPlan, Measurement, Observer, OnDisconnect, Setup, Share, Step, Stop,
};
use tacho_metrics::{Phase, RunEnd};
use tacho_workload::{Client, Instance, InstanceLayer, Run, Tally, Ticket};

use crate::common::{Seen, measured, setup, simulate, simulate_steps};

const SECOND: Duration = Duration::from_secs(1);

/// A plan in which terminals with a tenth of the specified keying and think times share `sessions` sessions.
fn plan(terminals: u32, sessions: u32, seconds: u32) -> LoadPlan {
    LoadPlan {
        terminals: Some(terminals),
        pacing: 0.1,
        seed: Seed(7),
        ramp_up: Duration::ZERO,
        ..LoadPlan::closed(sessions, Stop::After(SECOND * seconds))
    }
}

/// Returns the mean keying and think time of a terminal in these plans.
fn cycle() -> Duration {
    let setup = setup(tacho_driver_sim::driver().into(), "sim", plan(1, 1, 1));
    let model = setup.expect("a setup").instance.terminals().expect("terminals");
    model.cycle.mul_f64(0.1)
}

fn offered_per_s(terminals: u32) -> f64 {
    f64::from(terminals) / cycle().as_secs_f64()
}

/// The requests of each terminal in the order in which they were sent, with their sequence numbers.
type Requests = BTreeMap<u32, Vec<(u64, Ticket)>>;

/// An instance whose clients note the requests that they send.
struct Noting {
    inner: Arc<dyn Instance>,
    requests: Arc<Mutex<Requests>>,
}

impl InstanceLayer for Noting {
    fn inner(&self) -> &dyn Instance {
        &*self.inner
    }

    fn client(&self, session: u32) -> Box<dyn Client> {
        let inner = self.inner.client(session);
        Box::new(NotingClient { inner, requests: self.requests.clone(), seat: (0, 0), last: None })
    }
}

struct NotingClient {
    inner: Box<dyn Client>,
    requests: Arc<Mutex<Requests>>,
    seat: (u32, u64),
    last: Option<Ticket>,
}

impl Client for NotingClient {
    fn seat(&mut self, terminal: u32, sequence: u64) {
        self.seat = (terminal, sequence);
        self.inner.seat(terminal, sequence);
    }

    fn next(&mut self) -> Ticket {
        let ticket = self.inner.next();
        self.last = Some(ticket);
        ticket
    }

    fn redraw(&mut self) {
        self.inner.redraw();
    }

    fn run<'a>(&'a mut self, exchange: &'a mut Exchange) -> Run<'a> {
        let (terminal, sequence) = self.seat;
        let mut requests = self.requests.lock().expect("no panic");
        requests.entry(terminal).or_default().push((sequence, self.last.expect("a ticket")));
        drop(requests);
        self.inner.run(exchange)
    }

    fn audit(&self, tally: &mut Tally) {
        self.inner.audit(tally);
    }
}

/// Runs a plan and returns the requests of all terminals.
fn requests(target: &str, plan: LoadPlan, share: Share) -> Result<Requests> {
    let setup = setup(tacho_driver_sim::driver().into(), target, plan)?;
    let requests = Arc::new(Mutex::new(Requests::new()));
    let noting = Noting { inner: setup.instance.clone(), requests: requests.clone() };
    let setup = Setup { instance: Arc::new(noting), share, ..setup };
    tacho_engine::run(&setup, &Interrupt::default(), &mut Seen::default())?;
    let requests = requests.lock().expect("no panic").clone();
    Ok(requests)
}

/// Asserts that no request is lost or repeated, and returns the number of requests.
fn complete(requests: &Requests) -> usize {
    for (terminal, sent) in requests {
        let consecutive = sent.windows(2).all(|two| two[1].0 == two[0].0 + 1);
        assert!(consecutive, "terminal {terminal}: {sent:?}");
    }
    requests.values().map(Vec::len).sum()
}

#[test]
fn each_terminal_sends_the_same_requests_over_any_number_of_sessions() -> Result<()> {
    // Each of the 500 terminals sends about nine requests. A single session cannot keep up with them.
    let all: Vec<Requests> = [1, 8, 64]
        .into_iter()
        .map(|sessions| requests("sim:?latency=4ms", plan(500, sessions, 20), Share::WHOLE))
        .collect::<Result<_>>()?;
    let [one, eight, many] = [0, 1, 2].map(|place| complete(&all[place]));
    assert!(one < eight * 2 / 3 && eight > 4_000 && many > 4_000, "{one} {eight} {many}");
    for fewer in &all[..2] {
        for (terminal, sent) in fewer {
            let more = &all[2][terminal];
            let both = sent.len().min(more.len());
            assert_eq!(sent[..both], more[..both], "terminal {terminal}");
        }
    }
    Ok(())
}

#[test]
fn hosts_share_the_terminals() -> Result<()> {
    let target = "sim:?latency=0s&statement=0s";
    let whole = requests(target, plan(101, 4, 20), Share::WHOLE)?;
    let mut sum = Requests::new();
    for place in 0..3 {
        let part = requests(target, plan(101, 4, 20), Share { place, of: 3 })?;
        assert!(part.keys().all(|terminal| terminal % 3 == place), "{place}");
        sum.extend(part);
    }
    assert_eq!(sum, whole);
    Ok(())
}

#[test]
fn terminals_do_not_start_together() -> Result<()> {
    // Without queueing, the rate must be the offered rate from the first second on.
    let target = "sim:?latency=0s&statement=0s";
    let (measurement, _) = simulate(target, plan(20_000, 50, 20))?;
    let offered = offered_per_s(20_000);
    for (second, rate) in measurement.throughput.iter().enumerate() {
        assert!((rate / offered - 1.0).abs() < 0.06, "second {second}: {rate} of {offered}");
    }
    assert_eq!(measured(&measurement).ledger.skipped, 0);
    assert_eq!(measurement.total.session_wait(Phase::Measure).count_above_zero(), 0);
    Ok(())
}

#[test]
fn a_session_without_work_waits_for_the_terminal_that_is_due_first() -> Result<()> {
    // More sessions than could ever be busy: a terminal that waited would have been overtaken.
    let target = "sim:?latency=5ms&spread=fixed";
    let (measurement, _) = simulate(target, plan(300, 300, 60))?;
    let waits = measurement.total.session_wait(Phase::Measure);
    assert!(waits.count() > 7_000, "{}", waits.count());
    assert_eq!(waits.count_above_zero(), 0);
    assert_eq!(measurement.total.lateness(Phase::Measure).count_above_zero(), 0);
    Ok(())
}

#[test]
fn steps_are_numbers_of_terminals() -> Result<()> {
    let step = |terminals| Step {
        sessions: Some(terminals),
        rate_per_s: None,
        length: Duration::from_secs(20),
    };
    let steps = [step(500), step(4_000), step(0), step(1_000)];
    let target = "sim:?latency=0s&statement=0s";
    let (measurement, seen) = simulate_steps(target, plan(4_000, 20, 80), &steps)?;
    assert_eq!(measurement.imbalance, None);
    assert!(seen.sessions.iter().all(|sessions| *sessions == 20), "{:?}", seen.sessions);
    for (step, terminals) in measurement.steps.iter().zip([500, 4_000, 0, 1_000]) {
        let offered = offered_per_s(terminals);
        for (second, rate) in step.throughput.iter().enumerate() {
            let error = (rate - offered).abs() / offered.max(1.0).sqrt();
            assert!(error < 5.0, "{terminals} terminals, second {second}: {rate} of {offered}");
        }
    }
    Ok(())
}

/// Asserts that all transactions are accounted for, and that the load is complete again at the end of a run.
fn accounts_hold(measurement: &Measurement, terminals: u32) {
    assert_eq!(measurement.imbalance, None);
    assert_eq!((measurement.panics, measurement.abandoned), (0, 0));
    for phase in [Phase::RampUp, Phase::Measure] {
        for series in measurement.total.series(phase) {
            assert_eq!(series.ledger.balance(0), Ok(()));
        }
    }
    let last: Vec<f64> = measurement.throughput.iter().rev().take(10).copied().collect();
    let (mean, offered) = (last.iter().sum::<f64>() / 10.0, offered_per_s(terminals));
    assert!((mean / offered - 1.0).abs() < 0.1, "{mean} of {offered}: terminals were lost");
}

#[test]
fn a_stall_of_ten_seconds_shows_in_the_latency_of_all_terminals() -> Result<()> {
    let target = "sim:?latency=1ms&stall_every=40s&stall=10s";
    let (measurement, _) = simulate(target, plan(400, 8, 79))?;
    accounts_hold(&measurement, 400);
    let all = measured(&measurement);
    // Nearly all terminals become due during the stall, but only eight of them have been sent.
    let slow = |times: &tacho_metrics::Latencies| {
        times.count() as f64
            * (1.0
                - (0..1_000)
                    .filter(|permille| times.quantile(f64::from(*permille) / 1_000.0) < SECOND)
                    .count() as f64
                    / 1_000.0)
    };
    assert!(slow(&all.latency) > 350.0, "{}", slow(&all.latency));
    assert!(all.latency.max() > SECOND * 9 && all.service.max() > SECOND * 9);
    let served_slowly = all.service.quantile(0.998);
    assert!(
        served_slowly < SECOND,
        "only the sent ones have a long service time: {served_slowly:?}"
    );
    let waits = measurement.total.session_wait(Phase::Measure);
    assert!(waits.quantile(0.99) > SECOND * 5, "{:?}", waits.quantile(0.99));
    assert!(measurement.total.lateness(Phase::Measure).max() < Duration::from_millis(1));
    Ok(())
}

#[test]
fn no_terminal_is_lost_with_a_connection() -> Result<()> {
    let target = "sim:?latency=1ms&outage_at=20s&outage=7s";
    let plan = LoadPlan { on_disconnect: OnDisconnect::Reconnect, ..plan(400, 8, 60) };
    let (measurement, _) = simulate(target, plan)?;
    accounts_hold(&measurement, 400);
    let failed = measured(&measurement).ledger.failures();
    assert!((1..=16).contains(&failed), "one transaction of each session: {failed}");
    Ok(())
}

#[test]
fn the_other_sessions_serve_the_terminals_of_a_session_that_has_ended() -> Result<()> {
    // All sessions whose transaction fails during the short outage end.
    let target = "sim:?latency=4ms&outage_at=20s&outage=6ms";
    let (measurement, _) = simulate(target, plan(400, 30, 60))?;
    let lost = measurement.lost.len();
    assert!((1..30).contains(&lost), "{lost} sessions lost");
    accounts_hold(&measurement, 400);
    Ok(())
}

#[test]
fn counts_the_terminals_that_still_wait_at_the_end() -> Result<()> {
    // One session serves about 200 transactions per second, but 9,300 are due.
    let (measurement, _) = simulate("sim:?latency=2ms", plan(20_000, 1, 10))?;
    assert_eq!(measurement.imbalance, None);
    let all = measured(&measurement);
    assert_eq!(all.ledger.balance(0), Ok(()));
    let never_due = 20_000 - all.ledger.due.min(20_000);
    assert!(all.ledger.skipped > 17_000 && never_due < 1_000, "{:?}", all.ledger);
    assert!(measurement.total.session_wait(Phase::Measure).max() > SECOND * 9);
    Ok(())
}

/// Presses Ctrl-C after a number of intervals.
struct Impatient {
    interrupt: Interrupt,
    left: u32,
}

impl Observer for Impatient {
    fn interval(&mut self, _: &Interval<'_>) {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.interrupt.press();
        }
    }
}

#[test]
fn an_interrupt_neither_loses_nor_hurries_terminals() -> Result<()> {
    for (sessions, waits) in [(2, true), (100, false)] {
        let target = "sim:?latency=5ms&spread=fixed";
        let setup = setup(tacho_driver_sim::driver().into(), target, plan(400, sessions, 60))?;
        let interrupt = Interrupt::default();
        let mut observer = Impatient { interrupt: interrupt.clone(), left: 20 };
        let measurement = tacho_engine::run(&setup, &interrupt, &mut observer)?;
        assert_eq!(
            (measurement.ended_by, measurement.imbalance.clone()),
            (RunEnd::Interrupt, None)
        );
        let all = measured(&measurement);
        assert_eq!(all.ledger.balance(0), Ok(()));
        assert_eq!(all.ledger.skipped > 0, waits, "{:?}", all.ledger);
        let expected = if waits { 400.0 } else { offered_per_s(400) * 20.0 };
        assert!(all.ledger.due as f64 > expected * 0.9, "{sessions}: {:?}", all.ledger);
        assert!(
            (all.ledger.due as f64) < offered_per_s(400) * 22.0,
            "{sessions}: {:?}",
            all.ledger
        );
    }
    Ok(())
}

/// A terminal's keying time, mean think time and service time for a transaction type with this share, in seconds.
struct Kind {
    share: f64,
    keying: f64,
    think: f64,
    service: f64,
}

/// Simulates customers who share `servers` servers, first come, first served. Returns the mean, the 95th and the 99th
/// percentile of the waiting times that begin in the measured time.
fn queue(
    kinds: &[Kind],
    customers: usize,
    servers: usize,
    [from, to]: [f64; 2],
    rng: &mut Rng,
) -> [f64; 3] {
    let draw = |rng: &mut Rng| {
        let (mut left, mut at) = (rng.unit(), 0);
        while at + 1 < kinds.len() && left >= kinds[at].share {
            left -= kinds[at].share;
            at += 1;
        }
        at
    };
    let nanos = |seconds: f64| (seconds * 1e9) as u64;
    let mut due = BinaryHeap::new();
    for _ in 0..customers {
        let (kind, spread) = (draw(rng), rng.unit() * 10.0);
        due.push(Reverse((nanos(spread), kind)));
    }
    let mut free: BinaryHeap<Reverse<u64>> = (0..servers).map(|_| Reverse(0)).collect();
    let mut waits = Vec::new();
    while let (Some(Reverse((at, kind))), Some(Reverse(idle))) = (due.pop(), free.pop()) {
        if at > nanos(to) {
            break;
        }
        let begin = at.max(idle);
        if begin >= nanos(from) && begin < nanos(to) {
            waits.push(begin - at);
        }
        let end = begin + nanos(kinds[kind].service);
        free.push(Reverse(end));
        let think = rng.exponential(kinds[kind].think).min(10.0 * kinds[kind].think);
        let next = draw(rng);
        due.push(Reverse((end + nanos(think + kinds[next].keying), next)));
    }
    waits.sort_unstable();
    let mean = waits.iter().sum::<u64>() as f64 / waits.len() as f64;
    let at = |share: f64| waits[(waits.len() as f64 * share) as usize] as f64;
    [mean / 1e9, at(0.95) / 1e9, at(0.99) / 1e9]
}

/// Keying and mean think times of the specification, in seconds.
const TIMES: [(f64, f64); 5] = [(18.0, 12.0), (3.0, 12.0), (2.0, 10.0), (2.0, 5.0), (2.0, 5.0)];

#[test]
fn queueing_agrees_with_a_simulated_queue() -> Result<()> {
    const TARGET: &str = "sim:?latency=20ms&spread=fixed&statement=0s";
    let share = |kind: usize| {
        let setup = setup(tacho_driver_sim::driver().into(), TARGET, plan(1, 1, 1));
        setup.expect("a setup").instance.transactions()[kind].share
    };
    for (terminals, sessions) in [(100, 2), (100, 3)] {
        let (measurement, _) = simulate(
            TARGET,
            LoadPlan { ramp_up: SECOND * 100, ..plan(terminals, sessions, 2_000) },
        )?;
        let kinds: Vec<Kind> = TIMES
            .iter()
            .zip(measurement.total.series(Phase::Measure))
            .enumerate()
            .map(|(kind, (&(keying, think), series))| {
                let service = series.service.mean().as_secs_f64();
                Kind { share: share(kind), keying: keying * 0.1, think: think * 0.1, service }
            })
            .collect();
        let waits = measurement.total.session_wait(Phase::Measure);
        let found = [waits.mean(), waits.quantile(0.95), waits.quantile(0.99)];
        let found = found.map(|span| span.as_secs_f64());
        let runs: Vec<[f64; 3]> = (0..12)
            .map(|seed| {
                let rng = &mut Seed(seed).rng(0);
                queue(&kinds, terminals as usize, sessions as usize, [100.0, 2_100.0], rng)
            })
            .collect();
        for (figure, found) in found.into_iter().enumerate() {
            let values = runs.iter().map(|run| run[figure]);
            let mean = values.clone().sum::<f64>() / 12.0;
            let spread = (values.map(|value| (value - mean).powi(2)).sum::<f64>() / 11.0).sqrt();
            let limit = 4.0 * spread + 0.001 * mean;
            assert!(
                (found - mean).abs() < limit,
                "{sessions} sessions, figure {figure}: {found} but {mean} ± {limit}"
            );
            assert!(
                spread < 0.2 * mean,
                "the interval is too wide to show anything: {mean} ± {spread}"
            );
        }
    }
    Ok(())
}
