//! A worker: a thread with its sessions, which it connects and runs.
//!
//! It must never wait for another worker. Start reading at [`Worker::start`].

use std::future::Future;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tacho_core::{Clock, Error, ErrorKind, Result};
use tacho_driver::{Cancels, Catalog, StatementId};

use crate::batch::keep_from_preempting;
use crate::lane::Lane;
use crate::link::Dial;
use crate::rules::Rules;
use crate::session_slot::{PendingSession, SessionSlot};
use crate::shutdown::Shutdown;
use crate::user::SessionReport;
use crate::{BlockingClock, EventLoop, Interrupt, Observer, Setup, Signal, TaskClock};

/// How long a worker may take to drop sessions that were abandoned.
const PARTING: Duration = Duration::from_secs(2);
/// How often statements of sessions that were abandoned are cancelled.
const CANCEL_EACH: Duration = Duration::from_millis(50);
/// How often an observer hears of sessions that are being connected.
const TICK: Duration = Duration::from_millis(200);
/// Stack of a session's own thread. SQLite and the C clients need some hundred KiB at most.
const STACK_BYTES: usize = 1 << 20;

/// A worker thread as the pool sees it.
pub(crate) struct Worker {
    pub(crate) lane: Arc<Lane>,
    shutdown: Arc<Shutdown>,
    cancels: Cancels,
    /// Whether its sessions never block it.
    tasks: bool,
    ready: Receiver<Result<()>>,
    go: Sender<Rules>,
    reports: Receiver<SessionReport>,
}

impl Worker {
    pub(crate) fn start(worker: WorkerSetup, tasks: bool) -> Result<Self> {
        let lane = worker.lane.clone();
        let (shutdown, cancels) = (worker.shutdown.clone(), worker.cancels.clone());
        let (say_ready, ready) = channel();
        let (go, wait_go) = channel();
        let (say_report, reports) = channel();
        let name = format!("sessions {}", worker.sessions.start);
        let work = move || worker.run(tasks, &say_ready, &wait_go, &say_report);
        let thread = std::thread::Builder::new().name(name).stack_size(STACK_BYTES);
        thread.spawn(work).map_err(|error| {
            Error::from(error)
                .during("start a session's thread")
                .hint("use fewer sessions, or raise the limit of processes (ulimit -u)")
        })?;
        Ok(Self { lane, shutdown, cancels, tasks, ready, go, reports })
    }

    pub(crate) fn ready(&self, observer: &mut dyn Observer) -> Result<()> {
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

    pub(crate) fn go(&self, rules: Rules) {
        // A thread that is gone has said so through `live`.
        let _ = self.go.send(rules);
    }
}

/// All reports. Sessions that were abandoned send none: they are dropped, so that a driver can cancel what
/// the server does for them. A blocked thread is not waited for, and all workers together have one time to
/// part.
pub(crate) fn all_reports(workers: &[Worker], abandoned: bool) -> Vec<SessionReport> {
    if !abandoned {
        return workers.iter().flat_map(|worker| worker.reports.iter()).collect();
    }
    for worker in workers.iter().filter(|worker| worker.tasks) {
        worker.shutdown.request();
    }
    let end = now() + PARTING;
    let mut reports = Vec::new();
    for worker in workers {
        let next = || {
            let left =
                if worker.tasks { end.saturating_duration_since(now()) } else { Duration::ZERO };
            worker.reports.recv_timeout(left).ok()
        };
        reports.extend(std::iter::from_fn(next));
    }
    interrupt_blocked(workers, end);
    reports
}

/// Cancels what the server does for sessions that block their threads, as often as they send something more,
/// until the threads have ended or it is late. What those report is too late to count.
fn interrupt_blocked(workers: &[Worker], end: std::time::Instant) {
    let blocks = |worker: &&Worker| !worker.tasks && !worker.cancels.is_empty();
    let mut left: Vec<(&Worker, Option<JoinHandle<()>>)> =
        workers.iter().filter(blocks).map(|worker| (worker, None)).collect();
    while !left.is_empty() && now() < end {
        for (worker, thread) in &mut left {
            // A server that does not answer must not hold up the others: each has a thread of its own.
            let is_free = thread.as_ref().is_none_or(JoinHandle::is_finished);
            let running = worker.cancels.running();
            if is_free && !running.is_empty() {
                let name = std::thread::Builder::new().name("cancel".into());
                *thread = name.spawn(move || running.cancel()).ok();
            }
        }
        let over = |worker: &Worker, wait| {
            worker
                .reports
                .recv_timeout(wait)
                .is_err_and(|error| error == RecvTimeoutError::Disconnected)
        };
        let mut wait = CANCEL_EACH;
        left.retain(|(worker, _)| !over(worker, std::mem::take(&mut wait)));
    }
}

/// What a worker thread needs: all of it is shared or its own.
pub(crate) struct WorkerSetup {
    pub(crate) setup: Setup,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) marks: Option<StatementId>,
    pub(crate) sessions: Range<u32>,
    pub(crate) lane: Arc<Lane>,
    pub(crate) signal: Arc<Signal>,
    pub(crate) shutdown: Arc<Shutdown>,
    pub(crate) cancels: Cancels,
    pub(crate) interrupt: Interrupt,
    pub(crate) origin: std::time::Instant,
}

impl WorkerSetup {
    /// Connects its sessions, waits for the start, and runs them to the end.
    fn run(
        self,
        tasks: bool,
        say_ready: &Sender<Result<()>>,
        wait_go: &Receiver<Rules>,
        say_report: &Sender<SessionReport>,
    ) {
        let executor = match Executor::new(tasks, self.origin, self.signal.clone()) {
            Ok(executor) => executor,
            Err(error) => return drop(say_ready.send(Err(error))),
        };
        let Self { setup, catalog, marks, sessions, lane, shutdown, cancels, interrupt, .. } = self;
        let clock = executor.driver_clock();
        let dial = Arc::new(Dial { setup, catalog, marks, clock, cancels });
        let connecting = connect_all(dial, sessions, executor.clock(), lane);
        let slots = match executor.block_unless(&interrupt, connecting) {
            Ok(slots) => slots,
            Err(error) => return drop(say_ready.send(Err(error))),
        };
        let _ = say_ready.send(Ok(()));
        let Ok(rules) = wait_go.recv() else { return };
        let running = run_all(slots, rules, say_report.clone(), tasks);
        executor.block_on(shutdown.or_end(running));
    }
}

/// Where the sessions of a worker run: on its event loop, or on the bare thread.
enum Executor {
    Loop(EventLoop, TaskClock),
    Thread(BlockingClock),
}

impl Executor {
    fn new(tasks: bool, origin: std::time::Instant, signal: Arc<Signal>) -> Result<Self> {
        if tasks {
            keep_from_preempting();
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
                .block_while(clock.drive(future), || interrupt.interrupt_count() == 0)
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
async fn run_all(slots: Vec<SessionSlot>, rules: Rules, say: Sender<SessionReport>, tasks: bool) {
    let mut handles = Vec::with_capacity(slots.len());
    for slot in slots {
        let (say, rules) = (say.clone(), rules.clone());
        let life = async move {
            let _ = say.send(slot.run(rules).await);
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

pub(crate) async fn connect_all(
    dial: Arc<Dial>,
    sessions: Range<u32>,
    clock: Arc<dyn Clock>,
    lane: Arc<Lane>,
) -> Result<Vec<SessionSlot>> {
    let mut slots = Vec::with_capacity(sessions.len());
    for own in sessions {
        let session = dial.setup.share.session(own);
        let first = dial.setup.logs_in_first(session);
        let (dial, clock, lane) = (dial.clone(), clock.clone(), lane.clone());
        let pending = PendingSession { dial, session, clock, lane };
        slots.push(if first {
            SessionSlot::Connected(Box::new(pending.connect().await?))
        } else {
            SessionSlot::Pending(pending)
        });
    }
    Ok(slots)
}

#[expect(clippy::disallowed_methods, reason = "the origin of all real clocks of a run")]
pub(crate) fn now() -> std::time::Instant {
    std::time::Instant::now()
}
