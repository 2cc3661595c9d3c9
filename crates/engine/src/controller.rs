//! The timeline of a run: its phases, intervals, counter readings and end.

use std::sync::Arc;
use std::time::Duration;

use tacho_core::{Clock, Instant, Timer};
use tacho_metrics::{COUNTERS_MAX, Ledger, Phase, Recorder, RunEnd, Series};

use crate::arrival::DueCount;
use crate::control::{Control, Interrupt};
use crate::lane::Lane;
use crate::probe::{Probe, Sample};
use crate::rules::Rules;
use crate::steps::{StepTable, Warp};
use crate::{
    Backlog, Border, Closing, Collected, Hosts, Interval, LoadPlan, LostShare, Measurement,
    Observer, Readings, Schedule, Share, Step, StepSeen, Stop,
};

/// Maximum time for which a second Ctrl-C can remain unnoticed.
const PATIENCE: Duration = Duration::from_millis(20);
/// Time limit for transactions in flight after the user asks to stop.
const DRAIN_WHEN_STOPPED: Duration = Duration::from_secs(5);
/// Time limit for reconnecting to a lost server between two phases. The limit is short, because the next phase waits
/// for the reconnection.
const FOUND_AT_BORDER: Duration = Duration::from_secs(2);
/// Time limit for reconnecting to a lost server after the load.
const FOUND_AFTER_LOAD: Duration = Duration::from_secs(15);

/// The controller of a run. It has its own thread or, in virtual time, its own task.
pub(crate) struct Controller<'a> {
    pub(crate) plan: LoadPlan,
    /// The share of the run's sessions for which this controller is responsible. It collects the records of these
    /// sessions.
    pub(crate) share: Share,
    /// The planned steps of a varying load.
    pub(crate) planned: Arc<[Step]>,
    /// Number of transaction types that count towards throughput. Higher indexes belong to the queries of streams,
    /// which run alongside the transactions.
    pub(crate) kinds: usize,
    pub(crate) control: Arc<Control>,
    pub(crate) interrupt: Interrupt,
    pub(crate) source: Source<'a>,
    pub(crate) clock: Arc<dyn Clock>,
    /// A timer whose waits end early when all sessions have ended or the user interrupts the run.
    pub(crate) timer: Box<dyn Timer>,
    /// A timer whose waits never end early.
    pub(crate) patience: Box<dyn Timer>,
    pub(crate) probe: Option<Probe>,
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) schedule: Option<Arc<Schedule>>,
    pub(crate) due: Option<DueCount>,
    pub(crate) steps: Option<Arc<StepTable>>,
    /// The time at which this host joined the load, if it took over from a lost host. Otherwise, this is zero.
    pub(crate) entered: Instant,
    /// The results so far.
    pub(crate) measurement: Measurement,
    pub(crate) spare: Box<Recorder>,
    /// The backlog at the end of the last interval.
    pub(crate) waiting: u64,
    /// The counter readings at the start and end of the load and of its measured phase.
    pub(crate) samples: Vec<Option<Sample>>,
}

/// The source of the records.
pub(crate) enum Source<'a> {
    /// The threads of this process.
    Lanes(Vec<Arc<Lane>>),
    /// Other hosts.
    Hosts(&'a mut dyn Hosts),
}

impl Controller<'_> {
    /// Copies the planned steps and the schedule of arrivals from the rules that all sessions share.
    pub(crate) fn follow(&mut self, rules: &Rules) {
        let schedule = rules.pace.schedule();
        self.steps.clone_from(&rules.steps);
        self.schedule = schedule.cloned();
        self.due = schedule.map(Schedule::count_due);
    }

    /// Returns the measurement, with the counter readings added.
    pub(crate) fn into_measurement(self) -> Measurement {
        let (samples, mut measurement) = (self.samples.as_slice(), self.measurement);
        measurement.counter = readings(samples, |sample| sample.counter);
        measurement.sums = sums(samples);
        let server = readings(samples, |sample| sample.server);
        measurement.server = server.filter(|_| is_one_connection(samples));
        measurement.unanswered = matches!(samples, [.., None]);
        measurement.probe_error = self.probe.and_then(Probe::into_failure);
        measurement.session_times.sort_by_key(|times| times.session);
        measurement
    }

    /// Controls the run, from before the first transaction to after the last one.
    pub(crate) async fn conduct(&mut self) {
        let from = self.measurement.origin.plus(self.plan.ramp_up);
        let until = match self.plan.stop {
            Stop::After(span) => from.plus(span),
            Stop::Count(_) | Stop::Done => Instant::FAR,
        };
        let mut now = self.measurement.origin;
        if !self.plan.ramp_up.is_zero() {
            now = self.phase(Phase::RampUp, now, from).await;
        }
        self.sample(FOUND_AT_BORDER).await;
        let end = self.phase(Phase::Measure, now, until).await;
        self.measurement.gathered.measured = end.since(now.max(self.entered));
        self.sample(FOUND_AT_BORDER).await;
        self.observer.measured();
        let load_until = self.control.load_until();
        if !self.over() && end < load_until {
            self.phase(Phase::RampDown, end, load_until).await;
        }
        self.drain().await;
        if let Some(probe) = &mut self.probe {
            probe.set_outside(true);
        }
        self.sample(FOUND_AFTER_LOAD).await;
        if self.interrupt.interrupt_count() > 0 {
            self.measurement.ended_by = self.stopped_by();
        }
    }

    fn stopped_by(&self) -> RunEnd {
        if self.interrupt.is_terminated() { RunEnd::Terminate } else { RunEnd::Interrupt }
    }

    /// Controls one phase, interval by interval, and returns the time at which the phase ended.
    async fn phase(&mut self, phase: Phase, from: Instant, until: Instant) -> Instant {
        self.observer.phase(phase, from.since(self.measurement.origin));
        let mut begin = from;
        loop {
            let planned =
                begin.plus(self.plan.interval).min(until).min(self.step_end(phase, begin));
            if planned < self.entered {
                // This interval ended before this host joined the load. The lost host that it replaces has already
                // measured the interval.
                begin = planned;
                if begin >= until {
                    return begin;
                }
                continue;
            }
            self.timer.until(planned).await;
            // Even if this thread wakes up late, the interval ends at its planned end. It ends earlier only if the load
            // is stopped.
            let stopped = self.clock.now() < planned && self.over();
            let end = if stopped { self.clock.now().min(until).max(begin) } else { planned };
            if stopped && phase != Phase::RampDown {
                self.end_early(phase, end);
            }
            if stopped {
                self.stop_hosts();
            }
            self.interval(phase, [begin, end], stopped);
            begin = end;
            if stopped || begin >= until {
                return begin;
            }
        }
    }

    /// Returns the step that applies at the start of an interval.
    fn step(&self, phase: Phase, begin: Instant) -> Option<u32> {
        let steps = self.steps.as_ref().filter(|_| phase == Phase::Measure)?;
        Some(steps.at(begin))
    }

    /// Returns the end of the step in which an interval starts.
    fn step_end(&self, phase: Phase, begin: Instant) -> Instant {
        let end = |step| self.steps.as_ref().map(|steps| steps.end(step));
        let end = self.step(phase, begin).and_then(end);
        // The last step ends with the phase.
        end.filter(|end| *end > begin).unwrap_or(Instant::FAR)
    }

    /// Records an interval of a step.
    fn keep_step(&mut self, step: u32, [from, to]: [Duration; 2], per_second: Option<f64>) {
        let place = step as usize;
        while self.measurement.steps.len() <= place {
            self.measurement.steps.push(StepSeen { from, ..StepSeen::default() });
        }
        let step = &mut self.measurement.steps[place];
        step.length = to.saturating_sub(step.from);
        step.throughput.extend(per_second);
    }

    /// Returns the number of active sessions. Sessions that only later steps need are connected but idle. Terminals
    /// share all sessions in every step.
    fn active(&self, phase: Phase, begin: Instant) -> u32 {
        let present = self.control.present();
        match &self.steps {
            Some(steps) if self.plan.terminals.is_none() => {
                let step = if phase == Phase::RampDown { steps.len() - 1 } else { steps.at(begin) };
                steps.active_in(step, present, self.share)
            }
            _ => present,
        }
    }

    /// Returns true if the load is over, because the user has interrupted it or all sessions have ended.
    fn over(&self) -> bool {
        self.interrupt.interrupt_count() > 0 || self.control.live() == 0
    }

    /// Ends the load before its planned end and records the reason.
    fn end_early(&mut self, phase: Phase, now: Instant) {
        let by_count = matches!(self.plan.stop, Stop::Count(_)) && phase == Phase::Measure;
        if self.interrupt.interrupt_count() > 0 {
            self.measurement.ended_by = self.stopped_by();
            self.control.finish(now);
        } else if by_count && self.control.load_until() < Instant::FAR {
            self.measurement.ended_by = RunEnd::Count;
        } else if by_count && matches!(self.source, Source::Hosts(_)) {
            // Each host knows only its own transactions. Only the final counts of all hosts will show whether all
            // transactions were completed.
            self.measurement.ended_by = RunEnd::Count;
            self.control.stop_starting(now);
        } else if self.control.done() == self.session_count() {
            self.measurement.ended_by = RunEnd::Done;
            self.control.finish(now);
        } else {
            self.measurement.ended_by = RunEnd::SessionsLost;
            self.control.finish(now);
        }
    }

    /// Returns the number of sessions whose records this controller collects.
    fn session_count(&self) -> u32 {
        self.share.count(self.plan.sessions)
    }

    /// Ends the load on other hosts if the user has asked to stop.
    fn stop_hosts(&mut self) {
        let presses = self.interrupt.interrupt_count();
        if presses > 0
            && let Source::Hosts(hosts) = &mut self.source
        {
            hosts.stop(presses);
        }
    }

    /// Collects the new records of the sessions. If other hosts run the sessions, also returns the number of arrivals
    /// that are waiting there.
    fn take(&mut self, border: Border) -> (Recorder, Option<u64>) {
        let mut delta = Recorder::new(self.measurement.total.series(border.phase).len());
        match &mut self.source {
            Source::Lanes(lanes) => {
                for lane in lanes {
                    self.spare.clear();
                    lane.swap(&mut self.spare);
                    delta.merge(&self.spare);
                    delta.log.take(&mut self.spare.log);
                }
                (delta, None)
            }
            Source::Hosts(hosts) => {
                let waiting = hosts.collect(border, &mut delta, self.observer);
                delta.move_times(Instant(0), self.measurement.origin);
                (delta, waiting)
            }
        }
    }

    /// Passes the sessions' new records to the observer.
    fn interval(&mut self, phase: Phase, [from, to]: [Instant; 2], ended: bool) {
        let (delta, waiting) =
            self.take(Border { phase, to: to.since(self.measurement.origin), ended });
        self.add(phase, [from, to], &delta, waiting);
    }

    /// Adds records to the totals and passes them to the observer.
    fn add(
        &mut self,
        phase: Phase,
        [from, to]: [Instant; 2],
        delta: &Recorder,
        waiting: Option<u64>,
    ) {
        self.measurement.total.merge(delta);
        self.check_balance();
        let length = to.since(from);
        let before = self.waiting;
        let backlog = if matches!(self.source, Source::Hosts(_)) {
            self.waiting = waiting.unwrap_or_default();
            waiting
        } else {
            self.count_backlog()
        };
        self.observer.collected(&Collected {
            origin: self.measurement.origin,
            span: [from, to].map(|at| at.since(self.measurement.origin)),
            phase,
            sessions: self.control.sessions(),
            backlog,
            recorder: delta,
        });
        if phase == Phase::Measure {
            self.keep_backlog(before, backlog);
        }
        let step = self.step(phase, from);
        let mut full = None;
        if phase == Phase::Measure && length == self.plan.interval {
            let ended: u64 = delta.series(phase).iter().take(self.kinds).map(good).sum();
            let per_second = ended as f64 / length.as_secs_f64();
            self.measurement.throughput.push(per_second);
            full = Some(per_second);
            let many = u64::from(self.session_count());
            if before > many && self.waiting > many {
                self.measurement.saturated.push(per_second);
            }
        }
        if !length.is_zero() {
            let sessions = self.active(phase, from);
            let (from, to) =
                (from.since(self.measurement.origin), to.since(self.measurement.origin));
            if let Some(step) = step {
                self.keep_step(step, [from, to], full);
            }
            let (origin, recorder) = (self.measurement.origin, delta);
            let total = &self.measurement.total;
            self.observer.interval(&Interval {
                origin,
                from,
                to,
                phase,
                sessions,
                step,
                backlog,
                recorder,
                total,
            });
        }
    }

    /// Returns the number of arrivals that are due but have been neither started nor skipped.
    fn count_backlog(&mut self) -> Option<u64> {
        let now = self.clock.now().min(self.control.load_until());
        let due = self.due.as_mut()?.at(now);
        let phases = [Phase::RampUp, Phase::Measure].into_iter();
        let total = &self.measurement.total;
        let series = phases.flat_map(|phase| total.series(phase).iter().take(self.kinds));
        let taken: u64 = series.map(|series| series.ledger.due).sum();
        // This may be slightly too high, because arrivals may have been started since the records were collected.
        self.waiting = due.saturating_sub(taken);
        Some(self.waiting)
    }

    /// Records the backlog before and after an interval of the measured phase.
    fn keep_backlog(&mut self, before: u64, at_end: Option<u64>) {
        let Some(end) = at_end else { return };
        let start = self.measurement.backlog.map_or(before, |backlog| backlog.start);
        let max = self.measurement.backlog.map_or(start, |backlog| backlog.max).max(end);
        self.measurement.backlog = Some(Backlog { start, end, max });
    }

    /// Verifies that the counts so far add up: all due transactions were started or skipped, and all started
    /// transactions have ended or are still in flight.
    fn check_balance(&mut self) {
        let sessions = self.in_flight_max();
        for phase in [Phase::RampUp, Phase::Measure] {
            let mut sum = Ledger::default();
            self.measurement
                .total
                .series(phase)
                .iter()
                .for_each(|series| sum.merge(&series.ledger));
            if let Err(imbalance) = sum.balance(sessions) {
                self.measurement.gathered.imbalance.get_or_insert(imbalance.0);
            }
            if phase == Phase::Measure && self.steps.is_some() {
                self.check_steps(&sum, sessions);
            }
        }
    }

    /// Returns the maximum number of transactions that can be in flight, including those of replaced hosts.
    fn in_flight_max(&self) -> u64 {
        let replaced = match &self.source {
            Source::Lanes(_) => 0,
            Source::Hosts(hosts) => hosts.replaced(),
        };
        u64::from(self.session_count()) + replaced
    }

    /// Verifies that the counts of each step add up, and that the counts of all steps together match those of the
    /// measured phase.
    fn check_steps(&mut self, whole: &Ledger, sessions: u64) {
        let mut sum = Ledger::default();
        for (step, records) in self.measurement.total.steps.iter() {
            sum.merge(&records.ledger);
            if let Err(imbalance) = records.ledger.balance(sessions) {
                let text = format!("step {}: {}", step + 1, imbalance.0);
                self.measurement.gathered.imbalance.get_or_insert(text);
            }
        }
        if (sum.due, sum.started) != (whole.due, whole.started) {
            let text = format!(
                "the steps together have {} due and {} started transactions, but the measured phase has {} and {}",
                sum.due, sum.started, whole.due, whole.started
            );
            self.measurement.gathered.imbalance.get_or_insert(text);
        }
    }

    /// Waits until transactions in flight have ended, and then finalizes the counts.
    async fn drain(&mut self) {
        self.control.stop_starting(self.clock.now());
        let mut limit = self.clock.now().plus(self.plan.drain);
        let mut stopped = false;
        while self.control.live() > 0
            && self.interrupt.interrupt_count() < 2
            && self.clock.now() < limit
        {
            if self.interrupt.interrupt_count() > 0 && !stopped {
                stopped = true;
                limit = limit.min(self.clock.now().plus(DRAIN_WHEN_STOPPED));
            }
            // Wait in short steps, so that a second interrupt is noticed soon.
            let slice = self.clock.now().plus(PATIENCE).min(limit);
            self.patience.until(slice).await;
        }
        let now = self.clock.now();
        if self.close_hosts(now) {
            return;
        }
        self.interval(Phase::RampDown, [now, now], true);
        self.measurement.gathered.abandoned = self.control.live();
        if let Some(schedule) = &self.schedule {
            let end = self.control.measure_until().min(now);
            // Discard the arrivals of the ramp-up first, because they must not be counted.
            schedule.take_until(self.control.phase_end(Phase::RampUp).min(end));
            for (number, step) in self.measurement.steps.iter_mut().enumerate() {
                let steps = self.steps.as_ref();
                let until = steps.map_or(end, |steps| steps.end(number as u32)).min(end);
                step.never_taken = schedule.take_until(until);
                self.measurement.gathered.never_taken += step.never_taken;
            }
            self.measurement.gathered.never_taken += schedule.take_until(end);
        }
        let of_steps = self.measurement.steps.iter().map(|step| step.never_taken);
        self.measurement.gathered.never_taken_in_steps = of_steps.collect();
        self.count_abandoned();
    }

    /// Collects the final results of other hosts. Returns false if there are no other hosts.
    fn close_hosts(&mut self, now: Instant) -> bool {
        self.stop_hosts();
        let mut delta = Recorder::new(self.measurement.total.series(Phase::Measure).len());
        let Source::Hosts(hosts) = &mut self.source else { return false };
        let Closing { mut gathered, lost_shares } = hosts.close(&mut delta, self.observer);
        delta.move_times(Instant(0), self.measurement.origin);
        self.add(Phase::RampDown, [now, now], &delta, None);
        gathered.never_taken += self.never_reported(&lost_shares);
        for (step, count) in self.measurement.steps.iter_mut().zip(&gathered.never_taken_in_steps) {
            step.never_taken = *count;
        }
        self.close_count(std::mem::take(&mut gathered.measured));
        // This cannot fail, because only a tally with different rules is rejected, and the tally here is still empty.
        let _ = self.measurement.gathered.add(gathered);
        self.count_abandoned();
        true
    }

    /// Sets the end of a load with a fixed number of transactions to the end of its last transaction.
    fn close_count(&mut self, measured: Duration) {
        let Stop::Count(count) = self.plan.stop else { return };
        if self.measurement.ended_by != RunEnd::Count {
            return;
        }
        let series = self.measurement.total.series(Phase::Measure).iter().take(self.kinds);
        if series.map(|series| series.ledger.started).sum::<u64>() < count {
            self.measurement.ended_by = RunEnd::SessionsLost;
        } else if !measured.is_zero() {
            self.measurement.gathered.measured = self.measurement.gathered.measured.min(measured);
        }
    }

    /// Returns the number of arrivals in the measured phase that are missing from the reports of lost hosts.
    fn never_reported(&self, lost_shares: &[LostShare]) -> u64 {
        let Some(rate) = self.plan.arrival.rate else { return 0 };
        let until = self.control.measure_until().min(self.clock.now());
        let of_share = |lost: &LostShare| {
            let all = Schedule::new(
                self.measurement.origin,
                rate,
                self.plan.arrival.spacing,
                self.plan.seed,
            );
            let warped =
                all.warped(Warp::new(&self.planned, self.plan.ramp_up)).of_share(lost.share);
            warped.take_until(self.control.phase_end(Phase::RampUp).min(until));
            let reported: u64 = lost.reported.iter().take(self.kinds).sum();
            warped.take_until(until).saturating_sub(reported + lost.never_taken)
        };
        lost_shares.iter().map(of_share).sum()
    }

    /// Counts a transaction as unfinished if it was started but never ended.
    fn count_abandoned(&mut self) {
        for (_, records) in self.measurement.total.steps.iter_mut() {
            let ledger = &mut records.ledger;
            let known = ledger.ended() + ledger.unfinished;
            ledger.unfinished += ledger.started.saturating_sub(known);
        }
        for phase in [Phase::RampUp, Phase::Measure] {
            for transaction in 0..self.measurement.total.series(phase).len() {
                let ledger = &mut self.measurement.total.at(phase, transaction).ledger;
                let known = ledger.ended() + ledger.unfinished;
                ledger.unfinished += ledger.started.saturating_sub(known);
            }
        }
    }

    /// Reads the counters. If the connection to the server is lost, tries to reconnect until the time `patience` has
    /// passed.
    async fn sample(&mut self, patience: Duration) {
        if let Some(probe) = &mut self.probe {
            let sample = probe.read(&self.interrupt, patience).await;
            self.samples.push(sample);
        }
    }
}

/// Returns the number of transactions that ended as intended by the workload.
fn good(series: &Series) -> u64 {
    series.ended.good()
}

/// Returns the database's counter sums before and after the load, or `None` if one of these readings is missing. They
/// prove how much work was committed.
fn sums(samples: &[Option<Sample>]) -> Option<[[i64; COUNTERS_MAX]; 2]> {
    let [before, _, _, after] = samples else { return None };
    Some([before.as_ref()?.sums?, after.as_ref()?.sums?])
}

/// Returns a counter's readings before and after the load, or `None` if one of them is missing.
fn readings<T: Copy>(
    samples: &[Option<Sample>],
    of: impl Fn(&Sample) -> Option<(T, Instant)>,
) -> Option<Readings<T>> {
    let [before, start, end, after] = samples else { return None };
    let of = |sample: &Option<Sample>| sample.as_ref().and_then(&of);
    let measured = of(start).zip(of(end));
    Some(Readings { before: of(before)?.0, measured, after: of(after)?.0 })
}

/// Returns true if all readings were taken on the same connection.
fn is_one_connection(samples: &[Option<Sample>]) -> bool {
    let mut connections = samples.iter().flatten().map(|sample| sample.connection);
    let first = connections.next();
    connections.all(|connection| Some(connection) == first)
}
