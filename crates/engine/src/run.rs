//! Performs a run: connects sessions, starts and controls the load, and collects results.
//!
//! Start reading at [`Run::perform`].

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tacho_core::{Clock, Error, ErrorKind, Instant, Result};
use tacho_driver::{Cancels, Catalog, Dialect, Scheduling, StatementId};
use tacho_metrics::{COUNTERS_MAX, Recorder};
use tacho_workload::{Instance, mark_statements};

use crate::connector::Connector;
use crate::control::Control;
use crate::controller::{Controller, Source};
use crate::executor::{Executor, Time};
use crate::lane::Lane;
use crate::pace::Pace;
use crate::probe::{self, Probe, Sample};
use crate::rules::{Logins, Reconnect, Rules};
use crate::session_log;
use crate::statement_times::StatementTimes;
use crate::steps::{StepTable, Warp};
use crate::user_builder::UserBuilder;
use crate::worker::{Worker, all_reports, now};
use crate::{
    Arrival, BlockingClock, Gathered, Hosts, Interrupt, Measurement, Observer, Presence, Schedule,
    Setup, Signal, Stop, TaskClock, VirtualClock, block_on_virtual,
};

/// The maximum error with which a host that replaces a lost one estimates when the load started.
const BEGUN_ERROR_MAX: Duration = Duration::from_mins(1);

/// Performs a run and returns its measurement, or an error if the run could not start.
pub fn run(
    setup: &Setup,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> Result<Measurement> {
    let on_loop = setup.driver.scheduling() == Scheduling::Task || probe::blocks(&*setup.driver);
    Run::new(setup, interrupt, on_loop)?.perform(None, observer)
}

/// Performs a run on other hosts and returns their combined measurement. Returns an error if the run could not start.
pub fn conduct(
    setup: &Setup,
    hosts: &mut dyn Hosts,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> Result<Measurement> {
    Run::new(setup, interrupt, true)?.perform(Some(hosts), observer)
}

struct Run<'a> {
    setup: &'a Setup,
    interrupt: &'a Interrupt,
    catalog: Arc<Catalog>,
    /// The ID of the first commit mark statement. There are three of these statements, with consecutive IDs. Absent if
    /// transactions are not marked.
    marks: Option<StatementId>,
    control: Arc<Control>,
    /// The zero of all real clocks.
    zero: std::time::Instant,
    /// The executor that runs the controller. Its event loop is used for the whole run, because the probe's connection
    /// is bound to it.
    executor: Executor,
}

/// The sessions that run on this host. Empty if they all run on other hosts.
#[derive(Default)]
struct Sessions {
    /// Workers, whose sessions run on separate threads.
    workers: Vec<Worker>,
    /// Virtual users that run in virtual time, on the controller's thread.
    users: Vec<UserBuilder>,
    /// The recorders of all sessions.
    lanes: Vec<Arc<Lane>>,
}

/// The controller, with the counter readings taken before the load.
struct OpenedProbe {
    probe: Probe,
    first: Option<Sample>,
}

impl<'a> Run<'a> {
    fn new(setup: &'a Setup, interrupt: &'a Interrupt, on_loop: bool) -> Result<Self> {
        let permits = match setup.plan.stop {
            Stop::Count(count) => Some(setup.share.part(count)),
            Stop::After(_) | Stop::Done => None,
        };
        let control = Arc::new(Control::new(setup.sessions_here(), permits));
        interrupt.wakes(&control.idle);
        let dialect = setup.driver.dialect();
        let (catalog, marks) = catalog(&*setup.instance, dialect, setup.commits.is_some())?;
        let is_virtual = setup.driver.scheduling() == Scheduling::Virtual;
        let zero = if is_virtual { now() } else { zero(setup)? };
        let time = if is_virtual {
            Time::Virtual(VirtualClock::default())
        } else {
            Time::Thread(BlockingClock::new(zero, Arc::default()))
        };
        let executor = Executor::new(time, on_loop && !is_virtual)?;
        Ok(Self { setup, interrupt, catalog, marks, control, zero, executor })
    }

    /// Connects the sessions on this host or on `hosts`, controls the load, and collects the results.
    fn perform(
        self,
        mut hosts: Option<&mut dyn Hosts>,
        observer: &mut dyn Observer,
    ) -> Result<Measurement> {
        let mut sessions = Sessions::default();
        let connected = if let Some(hosts) = &mut hosts {
            hosts.ready(self.interrupt, observer)?
        } else {
            self.connect(&mut sessions, observer)?;
            self.setup.first()
        };
        observer.connected(connected);
        let clock = self.executor.time.clock(self.control.idle.clone());
        let probe = self.executor.block_while(self.probe(clock.clone()), || {
            observer.connecting();
            self.interrupt.interrupt_count() == 0
        })?;
        if let Some(text) = probe.as_ref().and_then(|opened| opened.probe.missing()) {
            observer.note(&text);
        }
        let start = self.start(hosts.as_deref_mut(), &*clock)?;
        let log = observer
            .logged_share()
            .map(|share| session_log::Sample::new(self.setup.plan.seed, share));
        let rules = Arc::new(Rules { log, ..self.rules(start) });
        let source = match hosts {
            Some(hosts) => Source::Hosts(hosts),
            None => Source::Lanes(std::mem::take(&mut sessions.lanes)),
        };
        let mut controller = self.controller(source, clock, probe, start, observer);
        controller.follow(&rules);
        for report in self.conduct(sessions, &mut controller, &rules) {
            // This cannot fail, because all clients use the same workload. Only tallies with different rules are
            // rejected.
            let _ = controller.measurement.gathered.add(report);
        }
        Ok(controller.into_measurement())
    }

    /// Connects the sessions that run on this host.
    fn connect(&self, sessions: &mut Sessions, observer: &mut dyn Observer) -> Result<()> {
        let count = self.setup.sessions_here();
        if let time @ Time::Virtual(_) = &self.executor.time {
            let (lane, clock) = (self.lane(sessions), time.clock(self.signal()));
            let connector = self.connector(time, &lane);
            let connecting = UserBuilder::connect_all(connector, 0..count, clock, lane);
            sessions.users = self.executor.block_while(connecting, || true)?;
            return Ok(());
        }
        let tasks = self.setup.driver.scheduling() == Scheduling::Task;
        let workers = self.setup.plan.workers.unwrap_or(1).clamp(1, count.max(1));
        let workers = if tasks { workers } else { count };
        let border = |index: u32| (u64::from(count) * u64::from(index) / u64::from(workers)) as u32;
        for index in 0..workers {
            let time = if tasks {
                Time::Tasks(TaskClock::new(self.zero, Arc::default()))
            } else {
                Time::Thread(BlockingClock::new(self.zero, Arc::default()))
            };
            let lane = self.lane(sessions);
            let connector = self.connector(&time, &lane);
            let numbers = border(index)..border(index + 1);
            let (signal, interrupt) = (self.signal(), self.interrupt);
            let worker = Worker::start(numbers, connector, time, signal, lane, interrupt)?;
            sessions.workers.push(worker);
        }
        self.all_ready(&sessions.workers, observer)
    }

    /// Adds a lane, which records the transactions of a group of sessions, and returns it.
    fn lane(&self, sessions: &mut Sessions) -> Arc<Lane> {
        let lane = Arc::new(Lane::new(self.setup.instance.transactions().len()));
        sessions.lanes.push(lane.clone());
        lane
    }

    fn connector(&self, time: &Time, lane: &Arc<Lane>) -> Connector {
        let clock = time.clock(Arc::default());
        let times = StatementTimes {
            lane: lane.clone(),
            control: self.control.clone(),
            clock: clock.clone(),
            statements: self.catalog.statements().len(),
        };
        Connector {
            setup: self.setup.clone(),
            catalog: self.catalog.clone(),
            marks: self.marks,
            clock,
            cancels: Cancels::default(),
            statement_times: self.setup.plan.statement_times.then_some(times),
        }
    }

    /// Returns a signal that is raised at the end of the load and by interrupts.
    fn signal(&self) -> Arc<Signal> {
        let signal = Arc::new(Signal::default());
        self.control.over.lock().unwrap_or_else(PoisonError::into_inner).push(signal.clone());
        self.interrupt.wakes(&signal);
        signal
    }

    /// Waits until all sessions are connected. If the user stops the run, waits until no session is connecting any
    /// more.
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

    /// Opens the controller's session and takes the first reading, if there are counters to read.
    async fn probe(&self, clock: Arc<dyn Clock>) -> Result<Option<OpenedProbe>> {
        let Some(mut probe) = Probe::new(self.setup, self.catalog.clone(), clock) else {
            return Ok(None);
        };
        let first = probe.first(self.interrupt).await?;
        probe.set_outside(false);
        Ok(Some(OpenedProbe { probe, first }))
    }

    /// Waits for the start of the load, on which all hosts have agreed, and returns its time. If this host joins a
    /// running load, also returns the time at which it joins; otherwise, the second time is zero.
    fn start(
        &self,
        hosts: Option<&mut (dyn Hosts + '_)>,
        clock: &dyn Clock,
    ) -> Result<[Instant; 2]> {
        let is_virtual = matches!(self.executor.time, Time::Virtual(_));
        let gate = self.setup.gate.as_ref().filter(|_| !is_virtual);
        let start = match (hosts, gate) {
            (Some(hosts), _) => hosts.start(Presence::of(&self.control), self.interrupt)?,
            (None, Some(gate)) => gate.pass()?,
            (None, None) => return Ok([clock.now(), Instant(0)]),
        };
        if is_virtual {
            return Ok([clock.now(), Instant(0)]);
        }
        let origin = Instant(start.saturating_duration_since(self.zero).as_nanos() as u64);
        let enters = gate.is_some_and(|gate| gate.begun().is_some());
        Ok([origin, if enters { clock.now() } else { Instant(0) }])
    }

    /// Sets the phases and arrivals of a load that starts at `origin`. If this host replaces a lost one, `entered` is
    /// the time at which it joins the load.
    fn rules(&self, [origin, entered]: [Instant; 2]) -> Rules {
        let plan = &self.setup.plan;
        let from = origin.plus(plan.ramp_up);
        let (until, load_until) = match plan.stop {
            Stop::After(span) => (from.plus(span), from.plus(span).plus(plan.ramp_down)),
            Stop::Count(_) | Stop::Done => (Instant::FAR, Instant::FAR),
        };
        self.control.schedule(from, until, load_until);
        self.control.expect(self.setup.sessions_here() - self.setup.first());
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
            history: self.setup.history.clone(),
            audited: instance.audit_rules().len(),
            counters: if stores_data { instance.counters().len().min(COUNTERS_MAX) } else { 0 },
            exclusive: plan.sessions == 1 && !plan.shared,
            session_times: plan.session_times,
            latency_limit: Some(plan.latency_limit)
                .filter(|limit| !limit.is_zero())
                .unwrap_or(Duration::MAX),
            reconnects: plan.reconnect,
            log: None,
        }
    }

    fn controller<'b>(
        &self,
        source: Source<'b>,
        clock: Arc<dyn Clock>,
        probe: Option<OpenedProbe>,
        [origin, entered]: [Instant; 2],
        observer: &'b mut dyn Observer,
    ) -> Controller<'b> {
        let instance = &self.setup.instance;
        let transactions = instance.transactions().len();
        let (probe, first) = probe.map(|opened| (opened.probe, opened.first)).unzip();
        let virtual_time = matches!(self.executor.time, Time::Virtual(_));
        Controller {
            plan: self.setup.plan,
            share: self.setup.share,
            planned: self.setup.steps.clone(),
            kinds: instance.streams().map_or(usize::MAX, |streams| streams.first_kind),
            control: self.control.clone(),
            interrupt: self.interrupt.clone(),
            source,
            timer: clock.timer(),
            patience: self.executor.time.clock(Arc::default()).timer(),
            clock,
            probe,
            observer,
            schedule: None,
            due: None,
            steps: None,
            entered,
            measurement: Measurement {
                origin,
                virtual_time,
                catalog: self.catalog.clone(),
                ..Measurement::new(transactions)
            },
            spare: Box::new(Recorder::new(transactions)),
            waiting: 0,
            samples: first.into_iter().collect(),
        }
    }

    /// Controls the load from start to end. Returns the results of this host's sessions.
    fn conduct(
        &self,
        sessions: Sessions,
        controller: &mut Controller<'_>,
        rules: &Arc<Rules>,
    ) -> Vec<Gathered> {
        let Time::Virtual(clock) = &self.executor.time else {
            sessions.workers.iter().for_each(|worker| worker.go(rules.clone()));
            self.executor.block_on(controller.conduct());
            return all_reports(&sessions.workers, controller.measurement.abandoned > 0);
        };
        let reports = Mutex::new(Vec::new());
        let keep = |report| {
            reports.lock().unwrap_or_else(PoisonError::into_inner).push(report);
        };
        let mut tasks: Vec<Pin<Box<dyn Future<Output = ()> + '_>>> = Vec::new();
        tasks.push(Box::pin(controller.conduct()));
        for user in sessions.users {
            let user = Box::new(user);
            tasks.push(Box::pin(async { keep(user.run(rules.clone()).await) }));
        }
        block_on_virtual(clock, tasks);
        reports.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the statements of a run, and the first of the commit mark statements if transactions are marked.
///
/// # Errors
/// Returns an error if the workload does not support the dialect.
pub fn catalog(
    instance: &dyn Instance,
    dialect: &dyn Dialect,
    marked: bool,
) -> Result<(Arc<Catalog>, Option<StatementId>)> {
    let of_workload = instance.catalog(dialect)?;
    if !marked {
        return Ok((of_workload, None));
    }
    let first = StatementId(of_workload.named() as u16);
    Ok((Arc::new(of_workload.and(&mark_statements(dialect)?)), Some(first)))
}

/// Returns the zero point of the clocks, which is usually the current time. If this host joins a running load, it is a
/// time shortly before that load started.
fn zero(setup: &Setup) -> Result<std::time::Instant> {
    let begun = setup.gate.as_ref().and_then(|gate| gate.begun());
    let Some(begun) = begun else { return Ok(now()) };
    now().checked_sub(begun + BEGUN_ERROR_MAX).ok_or_else(|| {
        Error::new(ErrorKind::Unsupported, "this machine was started after the load began")
            .hint("run the agent on a machine that was already running when the load started")
    })
}
