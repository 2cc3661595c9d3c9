//! Brings sessions, threads and controller together: connect, go, conduct, gather.

use std::future::Future;
use std::ops::Range;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tacho_core::{Clock, Error, ErrorKind, Instant, Result, Timer};
use tacho_driver::{
    ADMINISTRATION, Cancels, Catalog, CommitLog, Driver, Form, Output, Scheduling, StatementId,
    Target, Traffic,
};
use tacho_metrics::COUNTERS_MAX;
use tacho_workload::{Instance, Tally, mark_statements};

use crate::control::Control;
use crate::controller::{Controller, Seen, Source};
use crate::lane::Lane;
use crate::link::Dial;
use crate::pace::Pace;
use crate::probe::{self, Probe, Sample};
use crate::rules::{Logins, Reconnect, Rules};
use crate::session_slot::SessionSlot;
use crate::steps::{StepTable, Warp};
use crate::user::SessionReport;
use crate::worker::{Worker, WorkerSetup, all_reports, connect_all, now};
use crate::{
    Arrival, BlockingClock, EventLoop, Gate, Hosts, Interrupt, LoadPlan, Measurement, Observer,
    Presence, Routes, Schedule, Share, Signal, Step, Stop, VirtualClock, block_on_virtual,
};

/// The zero of the clocks lies before the begin of a load for certain if it lies so much before what is known of it.
const BEGUN_ERROR_MAX: Duration = Duration::from_mins(1);

/// Everything a run needs.
#[derive(Clone)]
pub struct Setup {
    /// The database's driver.
    pub driver: Arc<dyn Driver>,
    /// The database.
    pub target: Target,
    /// The workload.
    pub instance: Arc<dyn Instance>,
    /// How transactions reach the server.
    pub form: Form,
    /// The load.
    pub plan: LoadPlan,
    /// Where drivers that write text write it.
    pub output: Output,
    /// Where the transactions go, if not all to the target.
    pub routes: Option<Arc<Routes>>,
    /// Steps of a load that changes; none of one that stays the same.
    pub steps: Arc<[Step]>,
    /// Complete sets of tables; 1 for those at the place itself that the target names.
    pub sets: u32,
    /// Where acknowledged commits are noted, if transactions are to be marked.
    pub commits: Option<Arc<dyn CommitLog>>,
    /// The part of the sessions and of the arrivals that runs here.
    pub share: Share,
    /// Says when the load begins, if others begin at the same moment; on virtual time it begins at once.
    pub gate: Option<Arc<dyn Gate>>,
}

impl Setup {
    /// The databases that each session speaks to.
    pub(crate) fn targets(&self) -> &[Target] {
        self.routes.as_ref().map_or(std::slice::from_ref(&self.target), |routes| &routes.targets)
    }

    /// How many sessions run here.
    pub(crate) fn own(&self) -> u32 {
        self.share.count(self.plan.sessions)
    }

    /// Whether a session logs in before the load: all do, or the first if there is time between two.
    pub(crate) fn logs_in_first(&self, session: u32) -> bool {
        self.plan.stagger.is_zero() || session == 0
    }

    /// How many sessions log in here before the load.
    pub(crate) fn first(&self) -> u32 {
        let sessions = if self.plan.stagger.is_zero() { self.plan.sessions } else { 1 };
        self.share.count(sessions.min(self.plan.sessions))
    }

    /// The set that a session works in: they are spread evenly, one after the other. Those for
    /// administration continue counting.
    pub(crate) fn set_of(&self, session: u32) -> u32 {
        if self.sets > 1 { session % ADMINISTRATION % self.sets + 1 } else { 0 }
    }
}

/// Runs a plan and returns what it measured. Fails only if the run could not begin.
pub fn run(
    setup: &Setup,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> Result<Measurement> {
    let pool = SessionPool::new(setup, interrupt)?;
    match setup.driver.scheduling() {
        Scheduling::Virtual => pool.run_virtual(observer),
        Scheduling::Thread => pool.run_threads(observer, setup.own() as usize, false),
        Scheduling::Task => {
            let workers = setup.plan.workers.unwrap_or(1).clamp(1, setup.own().max(1));
            pool.run_threads(observer, workers as usize, true)
        }
    }
}

/// Conducts a plan whose sessions run on other hosts, and returns what all of them measured. Fails only if the
/// run could not begin.
pub fn conduct(
    setup: &Setup,
    hosts: &mut dyn Hosts,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> Result<Measurement> {
    let pool = SessionPool::new(setup, interrupt)?;
    match setup.driver.scheduling() {
        Scheduling::Virtual => pool.conduct_virtual(hosts, observer),
        Scheduling::Thread | Scheduling::Task => pool.run_elsewhere(hosts, observer),
    }
}

struct SessionPool<'a> {
    setup: &'a Setup,
    interrupt: &'a Interrupt,
    catalog: Arc<Catalog>,
    /// The first of the statements that mark, if there are such.
    marks: Option<StatementId>,
    control: Arc<Control>,
}

/// What a controller works with, in addition to what the pool has.
struct Stage<'a> {
    clock: Arc<dyn Clock>,
    /// A timer whose waits nothing ends early.
    patience: Box<dyn Timer>,
    source: Source<'a>,
    probe: Option<OpenedProbe>,
    observer: &'a mut dyn Observer,
}

/// The controller's own session, and its reading before the load.
struct OpenedProbe {
    probe: Probe,
    first: Option<Sample>,
}

impl<'a> SessionPool<'a> {
    fn new(setup: &'a Setup, interrupt: &'a Interrupt) -> Result<Self> {
        let permits = match setup.plan.stop {
            Stop::Count(count) => Some(setup.share.part(count)),
            Stop::After(_) | Stop::Done => None,
        };
        let control = Arc::new(Control::new(setup.own(), permits));
        interrupt.wakes(&control.idle);
        let dialect = setup.driver.dialect();
        let own = setup.instance.catalog(dialect)?;
        let (catalog, marks) = if setup.commits.is_some() {
            let first = StatementId(own.named() as u16);
            (Arc::new(own.and(&mark_statements(dialect)?)), Some(first))
        } else {
            (own, None)
        };
        Ok(Self { setup, interrupt, catalog, marks, control })
    }

    fn dial(&self, clock: Arc<dyn Clock>) -> Arc<Dial> {
        let (setup, catalog) = (self.setup.clone(), self.catalog.clone());
        Arc::new(Dial { setup, catalog, marks: self.marks, clock, cancels: Cancels::default() })
    }

    fn transactions(&self) -> usize {
        self.setup.instance.transactions().len()
    }

    /// The zero of the clocks: now, and before the begin of a load that this host enters later.
    fn zero(&self) -> Result<std::time::Instant> {
        let begun = self.setup.gate.as_ref().and_then(|gate| gate.begun());
        let Some(begun) = begun else { return Ok(now()) };
        now().checked_sub(begun + BEGUN_ERROR_MAX).ok_or_else(|| {
            Error::new(ErrorKind::Unsupported, "the clock of this machine is younger than the load")
                .hint("start the agent on a machine that was up when the load began")
        })
    }

    /// Sets phases and arrivals for a load that begins at `origin`, and that this host enters at `entered`.
    fn rules(&self, origin: Instant, entered: Instant) -> Rules {
        let plan = &self.setup.plan;
        let from = origin.plus(plan.ramp_up);
        let (until, load_until) = match plan.stop {
            Stop::After(span) => (from.plus(span), from.plus(span).plus(plan.ramp_down)),
            Stop::Count(_) | Stop::Done => (Instant::FAR, Instant::FAR),
        };
        self.control.schedule(from, until, load_until);
        self.control.expect(self.setup.own() - self.setup.first());
        let Arrival { rate, spacing, backlog } = plan.arrival;
        let pace = match rate {
            None => Pace::closed(plan.pacing),
            Some(rate) => {
                let schedule = Schedule::new(origin, rate, spacing, plan.seed);
                let schedule = schedule.warped(Warp::new(&self.setup.steps, plan.ramp_up));
                let schedule = schedule.of_share(self.setup.share);
                let schedule = schedule.entered(entered);
                let backlog = schedule.span_of(backlog);
                Pace::Scheduled { schedule: Arc::new(schedule), backlog }
            }
        };
        let instance = &self.setup.instance;
        let pace = match instance.recorded() {
            Some(recorded) if recorded.paced => Pace::Recorded(origin),
            Some(_) => Pace::Unpaced,
            None => pace,
        };
        let stores_data = self.setup.driver.capabilities().stores_data;
        Rules {
            control: self.control.clone(),
            pace,
            steps: StepTable::new(&self.setup.steps, from).map(Arc::new),
            retry: plan.retry,
            reconnect: Reconnect { policy: plan.on_disconnect, within: plan.reconnect_within },
            logins: Logins { begin: origin, stagger: plan.stagger },
            audited: instance.audit_rules().len(),
            counters: if stores_data { instance.counters().len().min(COUNTERS_MAX) } else { 0 },
            exclusive: plan.sessions == 1 && !plan.shared,
            session_times: plan.session_times,
        }
    }

    fn controller<'b>(&self, stage: Stage<'b>) -> Controller<'b> {
        let Stage { clock, patience, source, probe, observer } = stage;
        let (probe, first) = probe.map(|opened| (opened.probe, opened.first)).unzip();
        let mut seen = Seen::new(self.transactions());
        seen.samples.extend(first);
        let streams = self.setup.instance.streams();
        Controller {
            plan: self.setup.plan,
            share: self.setup.share,
            planned: self.setup.steps.clone(),
            kinds: streams.map_or(usize::MAX, |streams| streams.first_kind),
            control: self.control.clone(),
            interrupt: self.interrupt.clone(),
            source,
            timer: clock.timer(),
            patience,
            origin: clock.now(),
            entered: Instant(0),
            clock,
            probe,
            observer,
            schedule: None,
            due: None,
            steps: None,
            seen,
            closing: None,
        }
    }

    /// All sessions and the controller on this thread, on virtual time.
    fn run_virtual(self, observer: &mut dyn Observer) -> Result<Measurement> {
        let over = Arc::new(Signal::default());
        let clock = VirtualClock::new(over.clone());
        self.watch(&over);
        let lane = Arc::new(Lane::new(self.transactions()));
        let range = 0..self.setup.own();
        let slots = connect_virtual(&self, &clock, range, &lane)?;
        observer.connected(self.setup.first());
        let controller_clock: Arc<dyn Clock> = Arc::new(clock.with(self.control.idle.clone()));
        let probe = on_virtual(&clock, self.probe(controller_clock.clone()))?;
        let mut controller = self.controller(Stage {
            clock: controller_clock,
            patience: clock.with(Arc::default()).timer(),
            source: Source::Lanes(vec![lane]),
            probe,
            observer,
        });
        let rules = self.rules(controller.origin, controller.entered);
        controller.follow(&rules);
        let reports = Mutex::new(Vec::new());
        let keep = |report| {
            reports.lock().unwrap_or_else(PoisonError::into_inner).push(report);
        };
        let mut tasks: Vec<Pin<Box<dyn Future<Output = ()> + '_>>> = Vec::new();
        tasks.push(Box::pin(controller.conduct()));
        for slot in slots {
            let rules = rules.clone();
            tasks.push(Box::pin(async { keep(slot.run(rules).await) }));
        }
        block_on_virtual(&clock, tasks);
        let reports = reports.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(gather(controller, reports, rules.audited, true))
    }

    /// Sessions on worker threads of their own, the controller on this one.
    fn run_threads(
        self,
        observer: &mut dyn Observer,
        workers: usize,
        tasks: bool,
    ) -> Result<Measurement> {
        let origin = self.zero()?;
        let mut started = Vec::new();
        for index in 0..workers {
            let worker = self.worker(index, workers, origin);
            started.push(Worker::start(worker, tasks)?);
        }
        self.all_ready(&started, observer)?;
        observer.connected(self.setup.first());
        let clock: Arc<dyn Clock> = Arc::new(BlockingClock::new(origin, self.control.idle.clone()));
        // One event loop for all of it: the probe's connection lives on the loop that opened it. A probe that
        // blocks is on a thread of its own, and waited for on the loop.
        let on_loop = tasks || probe::blocks(&*self.setup.driver);
        let event_loop = on_loop.then(EventLoop::new).transpose()?;
        let event_loop = event_loop.as_ref();
        let probe = match event_loop {
            Some(event_loop) => event_loop.block_while(self.probe(clock.clone()), || {
                observer.connecting();
                self.interrupt.interrupt_count() == 0
            }),
            None => Some(pollster::block_on(self.probe(clock.clone()))),
        };
        let probe = probe.unwrap_or_else(|| Err(Interrupt::error()))?;
        let lanes = started.iter().map(|worker| worker.lane.clone()).collect();
        let source = Source::Lanes(lanes);
        let patience = BlockingClock::new(origin, Arc::default()).timer();
        let mut controller = self.controller(Stage { clock, patience, source, probe, observer });
        if let Some(gate) = &self.setup.gate {
            let begin = gate.pass()?;
            controller.origin = Instant(begin.saturating_duration_since(origin).as_nanos() as u64);
            if gate.begun().is_some() {
                controller.entered = controller.clock.now();
            }
        }
        let rules = self.rules(controller.origin, controller.entered);
        controller.follow(&rules);
        for worker in &started {
            worker.go(rules.clone());
        }
        block_on(event_loop, controller.conduct());
        let abandoned = controller.seen.abandoned > 0;
        let reports = all_reports(&started, abandoned);
        Ok(gather(controller, reports, rules.audited, false))
    }

    /// The same on virtual time, which begins everywhere at once.
    fn conduct_virtual(
        self,
        hosts: &mut dyn Hosts,
        observer: &mut dyn Observer,
    ) -> Result<Measurement> {
        let sessions = hosts.ready(self.interrupt, observer)?;
        observer.connected(sessions);
        let clock = VirtualClock::new(Arc::default());
        let own: Arc<dyn Clock> = Arc::new(clock.with(self.control.idle.clone()));
        let probe = on_virtual(&clock, self.probe(own.clone()))?;
        hosts.start(Presence::of(&self.control), self.interrupt)?;
        let (patience, source) = (clock.with(Arc::default()).timer(), Source::Hosts(hosts));
        let mut controller =
            self.controller(Stage { clock: own, patience, source, probe, observer });
        let rules = self.rules(controller.origin, controller.entered);
        controller.follow(&rules);
        block_on_virtual(&clock, vec![Box::pin(controller.conduct())]);
        gather_elsewhere(controller, rules.audited, true)
    }

    /// Sessions on other hosts, the controller on this thread.
    fn run_elsewhere(
        self,
        hosts: &mut dyn Hosts,
        observer: &mut dyn Observer,
    ) -> Result<Measurement> {
        let origin = now();
        let sessions = hosts.ready(self.interrupt, observer)?;
        observer.connected(sessions);
        let clock: Arc<dyn Clock> = Arc::new(BlockingClock::new(origin, self.control.idle.clone()));
        let event_loop = EventLoop::new()?;
        let probe = event_loop.block_while(self.probe(clock.clone()), || {
            observer.connecting();
            self.interrupt.interrupt_count() == 0
        });
        let probe = probe.unwrap_or_else(|| Err(Interrupt::error()))?;
        let patience = BlockingClock::new(origin, Arc::default()).timer();
        let begin = hosts.start(Presence::of(&self.control), self.interrupt)?;
        let source = Source::Hosts(hosts);
        let mut controller = self.controller(Stage { clock, patience, source, probe, observer });
        controller.origin = Instant(begin.saturating_duration_since(origin).as_nanos() as u64);
        let rules = self.rules(controller.origin, controller.entered);
        controller.follow(&rules);
        event_loop.block_on(controller.conduct());
        gather_elsewhere(controller, rules.audited, false)
    }

    /// Waits until all sessions are connected. If the user stops that, until none is being connected.
    fn all_ready(&self, started: &[Worker], observer: &mut dyn Observer) -> Result<()> {
        let mut outcome = Ok(());
        for worker in started {
            outcome = outcome.and(worker.ready(observer));
            if outcome.is_err() && self.interrupt.interrupt_count() == 0 {
                break;
            }
        }
        outcome
    }

    fn worker(&self, index: usize, workers: usize, origin: std::time::Instant) -> WorkerSetup {
        let sessions = u64::from(self.setup.own());
        let border = |index: usize| (sessions * index as u64 / workers as u64) as u32;
        let signal = Arc::new(Signal::default());
        self.watch(&signal);
        WorkerSetup {
            setup: self.setup.clone(),
            catalog: self.catalog.clone(),
            marks: self.marks,
            sessions: border(index)..border(index + 1),
            lane: Arc::new(Lane::new(self.transactions())),
            signal,
            shutdown: Arc::default(),
            cancels: Cancels::default(),
            interrupt: self.interrupt.clone(),
            origin,
        }
    }

    /// Makes the end of the load, and an interrupt, end the waits of a worker's sessions.
    fn watch(&self, signal: &Arc<Signal>) {
        self.control.over.lock().unwrap_or_else(PoisonError::into_inner).push(signal.clone());
        self.interrupt.wakes(signal);
    }

    /// Opens the controller's own session and takes the first reading, if there is anything to read.
    async fn probe(&self, clock: Arc<dyn Clock>) -> Result<Option<OpenedProbe>> {
        let Some(mut probe) = Probe::open(self.setup, self.catalog.clone(), clock).await? else {
            return Ok(None);
        };
        let first = probe.read(self.interrupt, Duration::ZERO).await;
        probe.set_outside(false);
        Ok(Some(OpenedProbe { probe, first }))
    }
}

/// Runs a future on this thread, on an event loop if the driver needs one.
fn block_on<T>(event_loop: Option<&EventLoop>, future: impl Future<Output = T>) -> T {
    match event_loop {
        Some(event_loop) => event_loop.block_on(future),
        None => pollster::block_on(future),
    }
}

fn connect_virtual(
    pool: &SessionPool<'_>,
    clock: &VirtualClock,
    sessions: Range<u32>,
    lane: &Arc<Lane>,
) -> Result<Vec<SessionSlot>> {
    let shared: Arc<dyn Clock> = Arc::new(clock.clone());
    let dial = pool.dial(Arc::new(clock.with(Arc::default())));
    on_virtual(clock, connect_all(dial, sessions, shared, lane.clone()))
}

/// Runs one future to its end on virtual time.
fn on_virtual<T>(clock: &VirtualClock, future: impl Future<Output = Result<T>>) -> Result<T> {
    let mut result = Err(Error::new(ErrorKind::Other, "waited for ever on virtual time"));
    block_on_virtual(clock, vec![Box::pin(async { result = future.await })]);
    result
}

/// Puts together what controller and other hosts leave behind.
fn gather_elsewhere(
    mut controller: Controller<'_>,
    audited: usize,
    virtual_time: bool,
) -> Result<Measurement> {
    let Some(closing) = controller.closing.take() else {
        return Err(Error::new(ErrorKind::Other, "the hosts were not closed"));
    };
    let mut measurement = gather(controller, Vec::new(), audited, virtual_time);
    measurement.close(closing);
    Ok(measurement)
}

/// Puts together what controller and sessions leave behind.
fn gather(
    controller: Controller<'_>,
    reports: Vec<SessionReport>,
    audited: usize,
    virtual_time: bool,
) -> Measurement {
    let Controller { seen, probe, origin, .. } = controller;
    let mut tally = Tally::new(audited);
    let mut traffic = Traffic::default();
    let (mut lost, mut panics, mut session_times) = (Vec::new(), 0, Vec::new());
    let mut query_stats_error = None;
    for report in reports {
        // Cannot fail: all clients are of one workload.
        let _ = tally.merge(&report.tally);
        traffic = traffic.plus(report.traffic);
        panics += u32::from(report.panicked);
        lost.extend(report.lost);
        query_stats_error = query_stats_error.or(report.query_stats_error);
        session_times.extend(report.times);
    }
    session_times.sort_by_key(|times| times.session);
    Measurement {
        counter: seen.readings(|sample| sample.counter),
        sums: seen.sums(),
        server: seen.readings(|sample| sample.server).filter(|_| seen.is_one_connection()),
        unanswered: matches!(seen.samples.as_slice(), [.., None]),
        probe_error: probe.and_then(Probe::into_failure),
        query_stats_error,
        total: seen.total,
        origin,
        throughput: seen.throughput,
        steps: seen.steps,
        saturated: seen.saturated,
        backlog: seen.backlog,
        measured: seen.measured,
        ended_by: seen.ended_by,
        abandoned: seen.abandoned,
        never_taken: seen.never_taken,
        imbalance: seen.imbalance,
        tally,
        traffic,
        session_times,
        lost,
        panics,
        virtual_time,
    }
}
