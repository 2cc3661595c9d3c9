//! Brings sessions, threads and controller together: connect, go, conduct, gather.

use std::future::Future;
use std::ops::Range;
use std::pin::Pin;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tacho_core::{Clock, Error, ErrorKind, Instant, Result};
use tacho_driver::{ADMINISTRATION, Catalog, Driver, Form, Output, Scheduling, Target, Traffic};
use tacho_metrics::COUNTERS_MAX;
use tacho_workload::{Instance, Streams, Tally};

use crate::control::Control;
use crate::controller::{Controller, Seen};
use crate::dismissal::Dismissal;
use crate::lane::Lane;
use crate::link::Dial;
use crate::probe::{Probe, Sample};
use crate::seat::{Newcomer, Seat};
use crate::user::{Farewell, Rules};
use crate::{
    Arrival, BlockingClock, EventLoop, Interrupt, LoadPlan, Measurement, Observer, Routes,
    Schedule, Signal, Stop, TaskClock, VirtualClock, block_on_virtual,
};

/// How long a worker may take to drop sessions that were abandoned.
const PARTING: Duration = Duration::from_secs(2);
/// How often an observer hears of sessions that are being connected.
const TICK: Duration = Duration::from_millis(200);
/// Stack of a session's own thread. SQLite and the C clients need some hundred KiB at most.
const STACK_BYTES: usize = 1 << 20;

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
    /// Complete sets of tables; 1 for those at the place itself that the target names.
    pub sets: u32,
}

impl Setup {
    /// The databases that each session speaks to.
    pub(crate) fn targets(&self) -> &[Target] {
        self.routes.as_ref().map_or(std::slice::from_ref(&self.target), |routes| &routes.targets)
    }

    /// How many sessions log in before the load: all, or the first if there is time between two.
    pub(crate) fn first(&self) -> u32 {
        let sessions = self.plan.sessions;
        if self.plan.stagger.is_zero() { sessions } else { sessions.min(1) }
    }

    /// The set that a session works in: they are spread evenly, one after the other. Those for
    /// administration go on counting.
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
    let crew = Crew::new(setup, interrupt)?;
    match setup.driver.scheduling() {
        Scheduling::Virtual => crew.run_virtual(observer),
        Scheduling::Thread => crew.run_threads(observer, setup.plan.sessions as usize, false),
        Scheduling::Task => {
            let workers = setup.plan.workers.clamp(1, setup.plan.sessions.max(1) as usize);
            crew.run_threads(observer, workers, true)
        }
    }
}

struct Crew<'a> {
    setup: &'a Setup,
    interrupt: &'a Interrupt,
    catalog: Arc<Catalog>,
    control: Arc<Control>,
}

/// What a worker thread needs: all of it is shared or its own.
struct Worker {
    setup: Setup,
    catalog: Arc<Catalog>,
    sessions: Range<u32>,
    lane: Arc<Lane>,
    signal: Arc<Signal>,
    dismissal: Arc<Dismissal>,
    interrupt: Interrupt,
    origin: std::time::Instant,
}

impl<'a> Crew<'a> {
    fn new(setup: &'a Setup, interrupt: &'a Interrupt) -> Result<Self> {
        let permits = match setup.plan.stop {
            Stop::Count(count) => Some(count),
            Stop::After(_) | Stop::Done => None,
        };
        let control = Arc::new(Control::new(setup.plan.sessions, permits));
        interrupt.wakes(&control.idle);
        let catalog = setup.instance.catalog(setup.driver.dialect())?;
        Ok(Self { setup, interrupt, catalog, control })
    }

    fn dial(&self, clock: Arc<dyn Clock>) -> Arc<Dial> {
        Arc::new(Dial { setup: self.setup.clone(), catalog: self.catalog.clone(), clock })
    }

    fn streams(&self) -> Option<Streams> {
        self.setup.instance.streams()
    }

    fn transactions(&self) -> usize {
        self.setup.instance.transactions().len()
    }

    /// Sets phases and arrivals for a load that begins at `origin`.
    fn rules(&self, origin: Instant) -> Rules {
        let plan = &self.setup.plan;
        let from = origin.plus(plan.ramp_up);
        let (until, load_until) = match plan.stop {
            Stop::After(span) => (from.plus(span), from.plus(span).plus(plan.ramp_down)),
            Stop::Count(_) | Stop::Done => (Instant::FAR, Instant::FAR),
        };
        self.control.schedule(from, until, load_until);
        self.control.expect(plan.sessions - self.setup.first());
        let (schedule, backlog) = match plan.arrival {
            Arrival::Closed => (None, Duration::MAX),
            Arrival::Open { rate, spacing, backlog } => {
                let schedule = Schedule::new(origin, rate, spacing, plan.seed);
                let backlog = schedule.span_of(backlog);
                (Some(Arc::new(schedule)), backlog)
            }
        };
        Rules {
            control: self.control.clone(),
            schedule,
            backlog,
            pacing: plan.pacing,
            retry: plan.retry,
            on_disconnect: plan.on_disconnect,
            reconnect_within: plan.reconnect_within,
            first_stream: plan.sessions.saturating_sub(self.streams().map_or(0, |own| own.count)),
            audited: self.setup.instance.audit_rules().len(),
            counters: self.setup.instance.counters().len().min(COUNTERS_MAX),
            listed: plan.stop == Stop::Done,
            beside: false,
            alone: plan.sessions == 1 && !plan.shared,
            begin: origin,
            stagger: plan.stagger,
            session_times: plan.session_times,
        }
    }

    fn controller<'b>(
        &self,
        clocks: (Arc<dyn Clock>, &dyn Clock),
        lanes: Vec<Arc<Lane>>,
        probe: Option<(Probe, Option<Sample>)>,
        observer: &'b mut dyn Observer,
    ) -> Controller<'b> {
        let (clock, patient) = clocks;
        let (probe, first) = probe.unzip();
        let mut seen = Seen::new(self.transactions());
        seen.samples.extend(first);
        Controller {
            plan: self.setup.plan,
            kinds: self.streams().map_or(usize::MAX, |streams| streams.first_kind),
            control: self.control.clone(),
            interrupt: self.interrupt.clone(),
            lanes,
            timer: clock.timer(),
            patience: patient.timer(),
            origin: clock.now(),
            clock,
            probe,
            observer,
            schedule: None,
            due: None,
            seen,
        }
    }

    /// All sessions and the controller on this thread, on virtual time.
    fn run_virtual(self, observer: &mut dyn Observer) -> Result<Measurement> {
        let over = Arc::new(Signal::default());
        let clock = VirtualClock::new(over.clone());
        self.watch(&over);
        let lane = Arc::new(Lane::new(self.transactions()));
        let range = 0..self.setup.plan.sessions;
        let seats = connect_virtual(&self, &clock, range, &lane)?;
        observer.connected(self.setup.first());
        let controller_clock: Arc<dyn Clock> = Arc::new(clock.with(self.control.idle.clone()));
        let patient = clock.with(Arc::default());
        let probe = on_virtual(&clock, self.probe(controller_clock.clone()))?;
        let mut controller =
            self.controller((controller_clock, &patient), vec![lane], probe, observer);
        let rules = self.rules(controller.origin);
        controller.follow(rules.schedule.as_ref());
        let farewells = Mutex::new(Vec::new());
        let keep = |farewell| {
            farewells.lock().unwrap_or_else(PoisonError::into_inner).push(farewell);
        };
        let mut tasks: Vec<Pin<Box<dyn Future<Output = ()> + '_>>> = Vec::new();
        tasks.push(Box::pin(controller.conduct()));
        for seat in seats {
            let rules = rules.clone();
            tasks.push(Box::pin(async { keep(seat.run(rules).await) }));
        }
        block_on_virtual(&clock, tasks);
        let farewells = farewells.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(gather(controller, farewells, rules.audited, true))
    }

    /// Sessions on worker threads of their own, the controller on this one.
    fn run_threads(
        self,
        observer: &mut dyn Observer,
        workers: usize,
        tasks: bool,
    ) -> Result<Measurement> {
        let origin = now();
        let mut hands = Vec::new();
        for index in 0..workers {
            let worker = self.worker(index, workers, origin);
            hands.push(Hand::start(worker, tasks)?);
        }
        self.all_ready(&hands, observer)?;
        observer.connected(self.setup.first());
        let clock: Arc<dyn Clock> = Arc::new(BlockingClock::new(origin, self.control.idle.clone()));
        let patient = BlockingClock::new(origin, Arc::default());
        // One event loop for all of it: the probe's connection lives on the loop that opened it.
        let event_loop = tasks.then(EventLoop::new).transpose()?;
        let event_loop = event_loop.as_ref();
        let probe = match event_loop {
            Some(event_loop) => event_loop.block_while(self.probe(clock.clone()), || {
                observer.connecting();
                self.interrupt.presses() == 0
            }),
            None => Some(pollster::block_on(self.probe(clock.clone()))),
        };
        let probe = probe.unwrap_or_else(|| Err(Interrupt::error()))?;
        let lanes = hands.iter().map(|hand| hand.lane.clone()).collect();
        let mut controller = self.controller((clock, &patient), lanes, probe, observer);
        let rules = self.rules(controller.origin);
        controller.follow(rules.schedule.as_ref());
        for hand in &hands {
            hand.go(rules.clone());
        }
        block_on(event_loop, controller.conduct());
        let abandoned = controller.seen.abandoned > 0;
        let farewells = all_farewells(&hands, abandoned);
        Ok(gather(controller, farewells, rules.audited, false))
    }

    /// Waits until all sessions are connected. If the user stops that, until none is being connected.
    fn all_ready(&self, hands: &[Hand], observer: &mut dyn Observer) -> Result<()> {
        let mut outcome = Ok(());
        for hand in hands {
            outcome = outcome.and(hand.ready(observer));
            if outcome.is_err() && self.interrupt.presses() == 0 {
                break;
            }
        }
        outcome
    }

    fn worker(&self, index: usize, workers: usize, origin: std::time::Instant) -> Worker {
        let sessions = u64::from(self.setup.plan.sessions);
        let border = |index: usize| (sessions * index as u64 / workers as u64) as u32;
        let signal = Arc::new(Signal::default());
        self.watch(&signal);
        Worker {
            setup: self.setup.clone(),
            catalog: self.catalog.clone(),
            sessions: border(index)..border(index + 1),
            lane: Arc::new(Lane::new(self.transactions())),
            signal,
            dismissal: Arc::default(),
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
    async fn probe(&self, clock: Arc<dyn Clock>) -> Result<Option<(Probe, Option<Sample>)>> {
        let Some(mut probe) = Probe::open(self.setup, self.catalog.clone(), clock).await? else {
            return Ok(None);
        };
        let first = probe.read(self.interrupt, Duration::ZERO).await;
        probe.outside = false;
        Ok(Some((probe, first)))
    }
}

/// Runs a future on this thread, on an event loop if the driver needs one.
fn block_on<T>(event_loop: Option<&EventLoop>, future: impl Future<Output = T>) -> T {
    match event_loop {
        Some(event_loop) => event_loop.block_on(future),
        None => pollster::block_on(future),
    }
}

/// A worker thread as the crew sees it.
struct Hand {
    lane: Arc<Lane>,
    dismissal: Arc<Dismissal>,
    /// Whether its sessions never block it.
    tasks: bool,
    ready: Receiver<Result<()>>,
    go: Sender<Rules>,
    farewells: Receiver<Farewell>,
}

impl Hand {
    fn start(worker: Worker, tasks: bool) -> Result<Self> {
        let lane = worker.lane.clone();
        let dismissal = worker.dismissal.clone();
        let (say_ready, ready) = channel();
        let (go, wait_go) = channel();
        let (say_farewell, farewells) = channel();
        let name = format!("sessions {}", worker.sessions.start);
        let work = move || worker.run(tasks, &say_ready, &wait_go, &say_farewell);
        let thread = std::thread::Builder::new().name(name).stack_size(STACK_BYTES);
        thread.spawn(work).map_err(|error| {
            Error::from(error)
                .during("start a session's thread")
                .hint("use fewer sessions, or raise the limit of processes (ulimit -u)")
        })?;
        Ok(Self { lane, dismissal, tasks, ready, go, farewells })
    }

    fn ready(&self, observer: &mut dyn Observer) -> Result<()> {
        loop {
            match self.ready.recv_timeout(TICK) {
                Ok(ready) => return ready,
                Err(RecvTimeoutError::Timeout) => observer.connecting(),
                Err(RecvTimeoutError::Disconnected) => {
                    let text = "a session's thread ended before the start";
                    return Err(Error::new(ErrorKind::Other, text));
                }
            }
        }
    }

    fn go(&self, rules: Rules) {
        // A thread that is gone has said so through `live`.
        let _ = self.go.send(rules);
    }
}

/// All farewells. Sessions that were abandoned send none: they are dropped, so that a driver can cancel what
/// the server does for them. A blocked thread is not waited for, and all workers together have one time to
/// part.
fn all_farewells(hands: &[Hand], abandoned: bool) -> Vec<Farewell> {
    if !abandoned {
        return hands.iter().flat_map(|hand| hand.farewells.iter()).collect();
    }
    for hand in hands.iter().filter(|hand| hand.tasks) {
        hand.dismissal.dismiss();
    }
    let end = now() + PARTING;
    let mut farewells = Vec::new();
    for hand in hands {
        let next = || {
            let left =
                if hand.tasks { end.saturating_duration_since(now()) } else { Duration::ZERO };
            hand.farewells.recv_timeout(left).ok()
        };
        farewells.extend(std::iter::from_fn(next));
    }
    farewells
}

impl Worker {
    /// Connects its sessions, waits for the start, and runs them to the end.
    fn run(
        self,
        tasks: bool,
        say_ready: &Sender<Result<()>>,
        wait_go: &Receiver<Rules>,
        say_farewell: &Sender<Farewell>,
    ) {
        let place = match Place::new(tasks, self.origin, self.signal.clone()) {
            Ok(place) => place,
            Err(error) => return drop(say_ready.send(Err(error))),
        };
        let Self { setup, catalog, sessions, lane, dismissal, interrupt, .. } = self;
        let dial = Arc::new(Dial { setup, catalog, clock: place.driver_clock() });
        let connecting = connect_all(dial, sessions, place.clock(), lane);
        let seats = match place.block_unless(&interrupt, connecting) {
            Ok(seats) => seats,
            Err(error) => return drop(say_ready.send(Err(error))),
        };
        let _ = say_ready.send(Ok(()));
        let Ok(rules) = wait_go.recv() else { return };
        let running = run_all(seats, rules, say_farewell.clone(), tasks);
        place.block_on(dismissal.or_end(running));
    }
}

/// Where the sessions of a worker run: on its event loop, or on the bare thread.
enum Place {
    Loop(EventLoop, TaskClock),
    Thread(BlockingClock),
}

impl Place {
    fn new(tasks: bool, origin: std::time::Instant, signal: Arc<Signal>) -> Result<Self> {
        if tasks {
            return Ok(Self::Loop(EventLoop::new()?, TaskClock::new(origin, signal)));
        }
        Ok(Self::Thread(BlockingClock::new(origin, signal)))
    }

    fn clock(&self) -> Arc<dyn Clock> {
        match self {
            Self::Loop(_, clock) => Arc::new(clock.clone()),
            Self::Thread(clock) => Arc::new(clock.clone()),
        }
    }

    /// The clock of the drivers; see [`Dial`].
    fn driver_clock(&self) -> Arc<dyn Clock> {
        match self {
            Self::Loop(_, clock) => Arc::new(clock.with(Arc::default())),
            Self::Thread(clock) => Arc::new(clock.with(Arc::default())),
        }
    }

    /// Runs a future to its end, or drops it when the user wants to stop.
    fn block_unless<T>(
        &self,
        interrupt: &Interrupt,
        future: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        match self {
            Self::Loop(event_loop, clock) => event_loop
                .block_while(clock.drive(future), || interrupt.presses() == 0)
                .unwrap_or_else(|| Err(Interrupt::error())),
            Self::Thread(_) => pollster::block_on(future),
        }
    }

    fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        match self {
            Self::Loop(event_loop, clock) => event_loop.block_on(clock.drive(future)),
            Self::Thread(_) => pollster::block_on(future),
        }
    }
}

/// Runs all users of one thread at the same time.
async fn run_all(seats: Vec<Seat>, rules: Rules, say: Sender<Farewell>, tasks: bool) {
    let mut handles = Vec::with_capacity(seats.len());
    for seat in seats {
        let (say, rules) = (say.clone(), rules.clone());
        let life = async move {
            let _ = say.send(seat.run(rules).await);
        };
        if tasks {
            handles.push(tokio::task::spawn(life));
        } else {
            life.await;
        }
    }
    for handle in handles {
        let _ = handle.await;
    }
}

async fn connect_all(
    dial: Arc<Dial>,
    sessions: Range<u32>,
    clock: Arc<dyn Clock>,
    lane: Arc<Lane>,
) -> Result<Vec<Seat>> {
    let first = dial.setup.first();
    let mut seats = Vec::with_capacity(sessions.len());
    for session in sessions {
        let (dial, clock, lane) = (dial.clone(), clock.clone(), lane.clone());
        let newcomer = Newcomer { dial, session, clock, lane };
        seats.push(if session < first {
            Seat::Taken(Box::new(newcomer.connect().await?))
        } else {
            Seat::Free(newcomer)
        });
    }
    Ok(seats)
}

fn connect_virtual(
    crew: &Crew<'_>,
    clock: &VirtualClock,
    sessions: Range<u32>,
    lane: &Arc<Lane>,
) -> Result<Vec<Seat>> {
    let shared: Arc<dyn Clock> = Arc::new(clock.clone());
    let dial = crew.dial(Arc::new(clock.with(Arc::default())));
    on_virtual(clock, connect_all(dial, sessions, shared, lane.clone()))
}

/// Runs one future to its end on virtual time.
fn on_virtual<T>(clock: &VirtualClock, future: impl Future<Output = Result<T>>) -> Result<T> {
    let mut result = Err(Error::new(ErrorKind::Other, "waited for ever on virtual time"));
    block_on_virtual(clock, vec![Box::pin(async { result = future.await })]);
    result
}

#[expect(clippy::disallowed_methods, reason = "the origin of all real clocks of a run")]
fn now() -> std::time::Instant {
    std::time::Instant::now()
}

/// Puts together what controller and sessions leave behind.
fn gather(
    controller: Controller<'_>,
    farewells: Vec<Farewell>,
    audit_rules: usize,
    virtual_time: bool,
) -> Measurement {
    let Controller { seen, probe, origin, .. } = controller;
    let mut tally = Tally::new(audit_rules);
    let mut traffic = Traffic::default();
    let (mut lost, mut panics, mut session_times) = (Vec::new(), 0, Vec::new());
    let mut work_error = None;
    for farewell in farewells {
        // Cannot fail: all clients are of one workload.
        let _ = tally.merge(&farewell.tally);
        traffic = traffic.plus(farewell.traffic);
        panics += u32::from(farewell.panicked);
        lost.extend(farewell.lost);
        work_error = work_error.or(farewell.work_error);
        session_times.extend(farewell.times);
    }
    session_times.sort_by_key(|times| times.session);
    Measurement {
        counter: seen.readings(|sample| sample.counter),
        sums: seen.sums(),
        server: seen.readings(|sample| sample.server).filter(|_| seen.is_one_connection()),
        unanswered: matches!(seen.samples.as_slice(), [.., None]),
        probe_error: probe.and_then(Probe::into_failure),
        work_error,
        total: seen.total,
        origin,
        throughput: seen.throughput,
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
