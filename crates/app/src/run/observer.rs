//! Receives every interval, adds it to the record, and reports it to the front end.

use std::time::Duration;

use tacho_collect::{ClockPair, HiccupMeter, Hiccups};
use tacho_config::OnDisconnect;
use tacho_core::WaitKind;
use tacho_core::units::{counted, exact_span, grouped};
use tacho_driver::{Scheduling, Wait};
use tacho_engine::{Collected, Interval, LoadPlan, Observer, Stop};
use tacho_metrics::{Latencies, Phase, QUANTILES, Recorder, sample_floor};
use tacho_store::event::HostLoad;
use tacho_store::record::WaitRecord;
use tacho_store::{
    EventKind, IntervalRecord, IntervalTransaction, Listener, Measured, RunWriter,
    ServerIntervalRecord,
};
use tacho_workload::Headline;

use super::addresses::Addresses;
use super::course::Course;
use super::faults::Faults;
use super::idle::Idle;
use super::marks::Marks;
use super::moments::Moments;
use super::observed::HostsWatch;
use super::opened::Opened;
use super::series::{own_kinds, stated, sum};
use super::standing::SoFar;
use super::streams::execution;
use super::tails::Tails;
use super::transaction_log::TransactionLog;
use super::watch::Watch;
use crate::Request;
use crate::lock_watch::LockWatch;

/// The number of parts into which the measured phase is divided. The histograms of each part show how percentiles
/// vary over time.
const HISTOGRAM_PARTS: u32 = 30;
/// Maximum length of a part. Histograms of such long parts need only a tenth of the space that histograms of each
/// interval would need.
const HISTOGRAM_PART_MAX: Duration = Duration::from_secs(10);

/// The observers of a load, other than the engine itself.
#[derive(Default)]
pub(super) struct Watching {
    pub(super) server: Watch,
    pub(super) hosts: HostsWatch,
    /// The faults, which start together with the load.
    pub(super) faults: Option<Faults>,
    /// The addresses in routes, which are being watched.
    pub(super) addresses: Addresses,
    /// The log of transactions, if requested.
    pub(super) log: Option<TransactionLog>,
    /// True if the load was recorded earlier and is only imported. In this case, the CPU usage and the clocks of this
    /// machine have nothing to do with the run.
    pub(super) of_past: bool,
}

/// The results of observing a run, and the observers that have not been stopped yet.
pub(super) struct Observed {
    /// The CPU time of this process during the measured phase.
    pub(super) cpu: Option<Duration>,
    /// The length of the measured phase by the wall clock and by a steady clock, both read at the same time.
    pub(super) clocks: Option<[Duration; 2]>,
    /// Pauses of this process during the measured phase, or `None` if they were not measured.
    pub(super) hiccups: Option<Hiccups>,
    /// The periods in the measured phase in which no transactions ended.
    pub(super) idle: Idle,
    /// Latencies over time, which are recorded only if faults or outages are possible.
    pub(super) tails: Tails,
    /// Throughput and activity over time.
    pub(super) moments: Moments,
    pub(super) watching: Watching,
}

/// The run's observer.
pub(super) struct RunObserver<'a> {
    opened: &'a Opened,
    writer: &'a mut RunWriter,
    listener: &'a mut dyn Listener,
    plan: LoadPlan,
    watching: Watching,
    /// Reports locks that keep the sessions from connecting or from finishing any work.
    locks: LockWatch<'a>,
    names: Vec<&'static str>,
    /// The number of the workload's transaction types, without the queries of query streams.
    own_kinds: usize,
    course: Course,
    virtual_time: bool,
    headline: Option<Headline>,
    part: Recorder,
    part_from: Option<Duration>,
    /// Records of the measured phase that arrived late, for example those of a session's last transaction.
    outside: Recorder,
    measure_from: Duration,
    part_to: Duration,
    marks: Marks,
    /// The CPU time of this process at the start and end of the measured phase.
    cpu: [Option<Duration>; 2],
    /// Readings of the wall clock and the steady clock at both ends of the measured phase. They reveal clock jumps.
    clocks: Option<[ClockPair; 2]>,
    /// Measures the pauses of this process; absent if time is virtual.
    meter: Option<HiccupMeter>,
    /// The pauses during the measured phase.
    hiccups: Hiccups,
    /// The longest period in the measured phase in which no transactions ended.
    idle: Idle,
    tails: Tails,
    moments: Moments,
    /// True until Tacho has checked that the interval chosen by the user is long enough. A p99 needs a certain number
    /// of transactions in each interval.
    checks_length: bool,
}

impl<'a> RunObserver<'a> {
    pub(super) fn new(
        request: Request<'a>,
        opened: &'a Opened,
        writer: &'a mut RunWriter,
        watching: Watching,
        listener: &'a mut dyn Listener,
    ) -> Self {
        let (plan, instance) = (opened.plan, opened.instance.as_ref());
        let names: Vec<&str> = instance.transactions().iter().map(|kind| kind.name).collect();
        let (part, outside) = (Recorder::new(names.len()), Recorder::new(names.len()));
        let is_virtual = request.job.driver.scheduling() == Scheduling::Virtual;
        let virtual_time = is_virtual || watching.of_past;
        Self {
            opened,
            writer,
            listener,
            plan,
            watching,
            locks: LockWatch::new(request, request.job.first_set()),
            course: Course::new(names.clone()),
            names,
            own_kinds: own_kinds(instance).len(),
            headline: stated(instance),
            virtual_time,
            part,
            part_from: None,
            outside,
            measure_from: Duration::ZERO,
            part_to: Duration::ZERO,
            marks: Marks::default(),
            cpu: [None; 2],
            clocks: None,
            // If the meter cannot be started, pauses are not measured.
            meter: if virtual_time { None } else { HiccupMeter::start().ok() },
            hiccups: Hiccups::default(),
            idle: Idle::default(),
            tails: Tails::default(),
            moments: Moments::default(),
            checks_length: request.job.resolved.is_given("interval"),
        }
    }

    /// Reports once, early in the run, that the intervals have too few transactions for a p99.
    fn check_length(&mut self, interval: &Interval<'_>) {
        let length = interval.to.saturating_sub(interval.from);
        let all = sum(&interval.recorder.series(interval.phase)[..self.own_kinds]);
        let (count, needed) = (all.latency.count(), sample_floor(QUANTILES[3].share));
        if !self.checks_length || count == 0 || length < self.plan.interval {
            return;
        }
        self.checks_length = false;
        if count < needed {
            let text = format!(
                "intervals of {} are too short for a p99: they contain about {}, but {} are needed",
                exact_span(self.plan.interval),
                counted(count, "transaction"),
                grouped(needed)
            );
            self.listener.note(&text);
        }
    }

    /// Writes the remaining histograms and returns the results.
    pub(super) fn finish(mut self) -> Observed {
        merge_measured(&mut self.part, &self.outside);
        self.write_part();
        let [begin, end] = self.cpu;
        Observed {
            cpu: end.zip(begin).map(|(end, begin)| end.saturating_sub(begin)),
            clocks: self.clocks.map(|[begin, end]| end.since(begin)),
            hiccups: self.meter.as_ref().map(|_| self.hiccups),
            idle: self.idle,
            tails: self.tails,
            moments: self.moments,
            watching: self.watching,
        }
    }

    /// Reads the CPU time and the clocks at the end of an interval. Keeps only the last readings of the measured phase.
    fn read_clocks(&mut self, phase: Phase) -> Hiccups {
        let stops = self.meter.as_mut().map(HiccupMeter::take).unwrap_or_default();
        if phase == Phase::Measure {
            self.cpu[1] = tacho_collect::cpu_time();
            if let Some([_, end]) = &mut self.clocks {
                *end = ClockPair::now();
            }
            self.hiccups.merge(&stops);
        }
        stops
    }

    /// Sends the individually recorded transactions of an interval to the front end.
    fn tell_executions(&mut self, interval: &Interval<'_>) {
        let all = &interval.recorder.executions;
        if all.is_empty() || !self.listener.wants(EventKind::Executions) {
            return;
        }
        let records = all.iter().map(|one| execution(one, &self.names, interval.origin)).collect();
        self.listener.executions(records);
    }

    /// Sends the metrics of the current phase to the front end if it has requested them. Does nothing during ramp-down,
    /// because its transactions are recorded together with those of ramp-up.
    fn tell_standing(&mut self, interval: &Interval<'_>, host: Option<HostLoad>) {
        if !self.listener.wants(EventKind::Standing) || interval.phase == Phase::RampDown {
            return;
        }
        let begin =
            if interval.phase == Phase::Measure { self.measure_from } else { Duration::ZERO };
        let cpu = self.cpu[0].zip(tacho_collect::cpu_time());
        let so_far = SoFar {
            instance: self.opened.instance.as_ref(),
            thresholds: &self.opened.thresholds,
            total: interval.total,
            phase: interval.phase,
            elapsed: interval.to.saturating_sub(begin),
            cpu: cpu.filter(|_| !self.virtual_time).map(|(from, to)| to.saturating_sub(from)),
            host,
        };
        self.listener.standing(so_far.standing());
    }

    /// Reports faults, steps, outages and checkpoints since the last interval.
    fn tell_marks(&mut self, interval: &Interval<'_>, server: Option<&ServerIntervalRecord>) {
        let faults = self.watching.faults.as_ref().map(Faults::marks).unwrap_or_default();
        let steps = self.opened.record.plan.steps.as_ref();
        let marks = self.marks.after(interval, steps, server);
        for (at_s, kind, text) in faults.into_iter().chain(marks) {
            self.listener.mark(at_s, kind, text);
        }
    }

    /// Adds an interval to the current part. If that part is long enough, begins a new one.
    fn keep_histograms(&mut self, interval: &Interval<'_>) {
        if interval.phase != Phase::Measure {
            return;
        }
        let length = self.part_from.map(|from| self.part_to.saturating_sub(from));
        if length.is_some_and(|length| length >= part_length(self.plan.stop)) {
            self.write_part();
        }
        self.part_from.get_or_insert(interval.from);
        self.part.merge(interval.recorder);
        self.part_to = interval.to;
    }

    fn write_part(&mut self) {
        let Some(from) = self.part_from.take() else { return };
        let measured: Vec<Measured<'_>> = self
            .names
            .iter()
            .zip(self.part.series(Phase::Measure))
            .map(|(transaction, series)| Measured {
                transaction,
                latency: &series.latency,
                service: &series.service,
            })
            .collect();
        // If writing fails, the writer keeps the first error, and the run continues.
        let _ = self.writer.histograms(from, self.part_to.saturating_sub(from), &measured);
        self.part.clear();
    }

    /// Returns two flags: true if no transactions ended in the interval, and true if no stream queries ended.
    fn idle(&self, interval: &Interval<'_>) -> [bool; 2] {
        let (transactions, streams) =
            interval.recorder.series(interval.phase).split_at(self.own_kinds);
        [transactions, streams].map(|kinds| kinds.iter().all(|kind| kind.ended.all() == 0))
    }

    fn record(&self, interval: &Interval<'_>, stops: Hiccups) -> IntervalRecord {
        let series = interval.recorder.series(interval.phase);
        let all = sum(&series[..self.own_kinds]);
        let length = interval.to.saturating_sub(interval.from).as_secs_f64();
        let per_second = |count: u64| count as f64 / length;
        let transactions = self.names.iter().zip(series);
        let lateness = interval.recorder.lateness(interval.phase);
        let waits = interval.recorder.session_wait(interval.phase);
        let longest = |times: &Latencies| (times.count() > 0).then(|| micros(times.max()));
        let phases = [Phase::RampUp, Phase::Measure].into_iter();
        let every = phases.flat_map(|phase| &interval.recorder.series(phase)[..self.own_kinds]);
        IntervalRecord {
            at_s: interval.to.as_secs_f64(),
            length_s: length,
            phase: interval.phase.name().into(),
            sessions: interval.sessions,
            sessions_planned: self.planned_sessions(interval),
            merged: None,
            step: interval.step.map(|step| step + 1),
            throughput_per_s: per_second(all.ended.good()),
            headline_per_minute: self
                .headline
                .map(|headline| per_second(series[headline.transaction].ended.committed) * 60.0),
            queries_per_hour: (self.own_kinds < series.len()).then(|| {
                let good = series[self.own_kinds..].iter().map(|one| one.ended.committed);
                per_second(good.sum()) * 3_600.0
            }),
            transactions: transactions
                .map(|(name, one)| IntervalTransaction::of(name, one))
                .collect(),
            totals: IntervalTransaction::of("all", &all),
            skipped: every.map(|one| one.ledger.skipped).sum(),
            backlog: interval.backlog,
            session_wait_max_us: longest(waits),
            late_p99_us: lateness.at(QUANTILES[3]).map(micros),
            late_max_us: longest(lateness),
            tool_stopped_us: (stops.count > 0).then(|| micros(stops.longest)),
        }
    }
}

impl RunObserver<'_> {
    /// Returns true if the plan requires no load during this interval, because it is in a step with no sessions or a
    /// rate of zero.
    fn is_meant_to_rest(&self, interval: &Interval<'_>) -> bool {
        let steps = self.opened.record.plan.steps.as_ref();
        let step = steps.zip(interval.step).and_then(|(load, step)| load.steps.get(step as usize));
        step.is_some_and(|step| step.sessions == Some(0) || step.rate_per_s == Some(0.0))
    }

    /// Returns the number of sessions that the plan requires during an interval. During ramp-up, this is the number in
    /// the first step. During ramp-down, it is the number in the last step.
    fn planned_sessions(&self, interval: &Interval<'_>) -> u32 {
        let steps = self.opened.record.plan.steps.as_ref();
        // With terminals, the steps are numbers of terminals.
        let steps = steps.filter(|_| self.plan.terminals.is_none());
        let steps = steps.map_or(&[][..], |load| &load.steps);
        let current = match (interval.step, interval.phase) {
            (Some(step), _) => steps.get(step as usize),
            (None, Phase::RampUp) => steps.first(),
            (None, _) => steps.last(),
        };
        current.and_then(|step| step.sessions).unwrap_or(self.plan.sessions)
    }
}

fn micros(span: Duration) -> f64 {
    span.as_nanos() as f64 / 1e3
}

/// Returns the locks that sessions waited for during an interval in which no work ended. If only transactions or only
/// stream queries did not end, returns only table locks.
fn waited_for(waits: &[WaitRecord], idle: [bool; 2]) -> Vec<Wait> {
    let stands = |wait: &&WaitRecord| match (wait.kind, idle) {
        (_, [false, false]) => false,
        (Some(WaitKind::TableLock), _) | (Some(WaitKind::Lock), [true, true]) => true,
        _ => false,
    };
    let of = |wait: &WaitRecord| Wait {
        class: wait.class.clone(),
        event: wait.event.clone(),
        kind: wait.kind.unwrap_or(WaitKind::Other),
        sessions: wait.sessions as u32,
    };
    waits.iter().filter(stands).map(of).filter(|wait| wait.sessions > 0).collect()
}

fn part_length(stop: Stop) -> Duration {
    match stop {
        Stop::After(span) => (span / HISTOGRAM_PARTS).min(HISTOGRAM_PART_MAX),
        Stop::Count(_) | Stop::Done => Duration::ZERO,
    }
}

impl Observer for RunObserver<'_> {
    fn connecting(&mut self) {
        self.locks.look(self.listener);
    }

    fn note(&mut self, text: &str) {
        let _ = self.writer.log(self.part_to, text);
        self.listener.note(text);
    }

    fn connected(&mut self, sessions: u32) {
        let _ = self
            .writer
            .log(Duration::ZERO, &format!("{} connected", counted(sessions.into(), "session")));
    }

    fn phase(&mut self, phase: Phase, at: Duration) {
        if let Some(faults) = &mut self.watching.faults {
            faults.begin();
        }
        self.watching.addresses.phase(phase == Phase::Measure);
        let length = match (phase, self.plan.stop) {
            (Phase::RampUp, _) => Some(self.plan.ramp_up),
            (Phase::Measure, Stop::After(span)) => Some(span),
            (Phase::Measure, Stop::Count(_) | Stop::Done) => None,
            (Phase::RampDown, _) => Some(self.plan.ramp_down),
        };
        if phase == Phase::Measure {
            self.measure_from = at;
            if let Some(log) = &mut self.watching.log {
                log.begin(at);
            }
            self.watching.hosts.measure();
            self.cpu[0] = tacho_collect::cpu_time();
            self.clocks = Some([ClockPair::now(); 2]);
            // Discard pauses that occurred before this phase.
            self.meter.as_mut().map(HiccupMeter::take);
        }
        let _ = self.writer.log(at, &format!("{} begins", phase.name()));
        self.listener.phase(phase, length);
    }

    fn interval(&mut self, interval: &Interval<'_>) {
        self.check_length(interval);
        if interval.phase != Phase::Measure || self.part_from.is_some() {
            return self.keep(interval);
        }
        // Some records of the measured phase may have arrived before its first interval. Add them to this interval.
        let mut recorder = std::mem::replace(&mut self.outside, Recorder::new(self.names.len()));
        recorder.merge(interval.recorder);
        self.keep(&Interval { recorder: &recorder, ..*interval });
    }

    fn measured(&mut self) {
        let _ = self.writer.log(self.part_to, "measure ends");
        self.watching.addresses.phase(false);
    }

    fn logged_share(&mut self) -> Option<f64> {
        self.watching.log.as_ref().map(|log| log.share)
    }

    fn collected(&mut self, collected: &Collected<'_>) {
        if let Some(log) = &mut self.watching.log {
            log.add(collected);
        }
        if collected.phase != Phase::Measure {
            merge_measured(&mut self.outside, collected.recorder);
        }
    }
}

/// Adds up the series of the measured phase.
fn merge_measured(sum: &mut Recorder, other: &Recorder) {
    for (place, series) in other.series(Phase::Measure).iter().enumerate() {
        sum.at(Phase::Measure, place).merge(series);
    }
}

impl RunObserver<'_> {
    /// Stores an interval's latency, if faults or outages are possible in this run.
    fn note_tail(&mut self, interval: &Interval<'_>) {
        let has_faults = self.watching.faults.as_ref().is_some_and(Faults::is_planned);
        if !has_faults && self.plan.on_disconnect != OnDisconnect::Reconnect {
            return;
        }
        let all = sum(&interval.recorder.series(interval.phase)[..self.own_kinds]).latency;
        let p99 = (all.count() > 0).then(|| all.quantile(QUANTILES[3].share));
        self.tails.note(interval.from, interval.to, p99);
    }

    /// Adds an interval to the record and reports it.
    fn keep(&mut self, interval: &Interval<'_>) {
        let stops = self.read_clocks(interval.phase);
        let record = self.record(interval, stops);
        let _ = self.writer.interval(&record);
        for text in self.watching.addresses.take_notes() {
            self.note(&text);
        }
        let idle = self.idle(interval);
        if interval.phase == Phase::Measure {
            let stands = idle == [true, true] && !self.is_meant_to_rest(interval);
            self.idle.note(interval.from, interval.to, stands);
        }
        self.note_tail(interval);
        self.tell_executions(interval);
        if self.plan.stop == Stop::Done {
            self.listener.streams(interval.to, self.course.follow(interval));
        }
        self.listener.interval(&record);
        let loads = self.watching.hosts.interval(interval.phase, record.at_s);
        let hosts = self.watching.hosts.states(&loads);
        let load = HostLoad::of(&hosts);
        if !hosts.is_empty() {
            self.listener.host(record.at_s, hosts);
        }
        self.tell_standing(interval, load);
        self.keep_histograms(interval);
        let server = self.watching.server.interval(interval.phase, record.at_s);
        self.tell_marks(interval, server.as_ref());
        if interval.phase == Phase::Measure {
            let times = [interval.from, interval.to].map(|time| time.as_secs_f64());
            let server = server.as_ref().map(|server| &server.load);
            self.moments.note(times, record.throughput_per_s, &loads, server);
        }
        if let Some(server) = server {
            self.idle.waited(&server.load);
            self.locks.saw(&waited_for(&server.load.waits, idle), self.listener);
            let _ = self.writer.server(&server);
            self.listener.server(&server);
        }
        for host in loads {
            let _ = self.writer.host(&host);
        }
        for fault in &interval.recorder.faults {
            let name = self.names[fault.transaction];
            let line = format!("{name}: {} × {}", fault.count, fault.example);
            let _ = self.writer.log(interval.to, &line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_are_told_only_of_what_stands_still() {
        let wait = |event: &str, sessions| {
            let is_table = event == "relation";
            let kind = Some(if is_table { WaitKind::TableLock } else { WaitKind::Lock });
            let (class, event) = ("Lock".into(), event.into());
            WaitRecord { class, event, kind, sessions, share: 0.0 }
        };
        let waits = [wait("relation", 1.0), wait("tuple", 2.0), wait("relation", 0.9)];
        let waiting = |idle| waited_for(&waits, idle).len();
        assert_eq!(
            waiting([true, true]),
            2,
            "both kinds of locks are counted if everything is idle"
        );
        assert_eq!((waiting([false, true]), waiting([true, false])), (1, 1), "tables alone");
        assert_eq!(waiting([false, false]), 0);
    }
}
