//! A worker, which is a thread that connects its sessions and runs them.
//!
//! Workers never wait for one another. Start reading at [`Worker::start`].

use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::Cancels;

use crate::connector::Connector;
use crate::executor::{Executor, Time};
use crate::lane::Lane;
use crate::rules::Rules;
use crate::shutdown::Shutdown;
use crate::user_builder::UserBuilder;
use crate::{Gathered, Interrupt, Observer, Signal};

/// Time limit within which the workers must drop abandoned sessions.
const PARTING: Duration = Duration::from_secs(2);
/// Interval at which the statements of abandoned sessions are cancelled.
const CANCEL_EACH: Duration = Duration::from_millis(50);
/// Interval at which an observer is called while sessions are being connected.
const TICK: Duration = Duration::from_millis(200);
/// Stack size of a session's thread. SQLite and the C clients need at most a few hundred KiB.
const STACK_BYTES: usize = 1 << 20;

/// A handle for a worker thread.
pub(crate) struct Worker {
    shutdown: Arc<Shutdown>,
    cancels: Cancels,
    /// True if the worker's sessions are tasks that never block the thread.
    tasks: bool,
    ready: Receiver<Result<()>>,
    go: Sender<Arc<Rules>>,
    reports: Receiver<Gathered>,
}

impl Worker {
    /// Starts a thread that connects these sessions, waits for the start of the load, and runs them. Raising `signal`
    /// ends all their waits.
    pub(crate) fn start(
        sessions: Range<u32>,
        connector: Connector,
        time: Time,
        signal: Arc<Signal>,
        lane: Arc<Lane>,
        interrupt: &Interrupt,
    ) -> Result<Self> {
        let name = format!("sessions {}", sessions.start);
        let tasks = matches!(time, Time::Tasks(_));
        let (shutdown, cancels) = (Arc::new(Shutdown::default()), connector.cancels.clone());
        let (say_ready, ready) = channel();
        let (go, wait_go) = channel();
        let (say_report, reports) = channel();
        let (end, interrupt) = (shutdown.clone(), interrupt.clone());
        let connect = move || {
            let executor = Executor::of_sessions(time)?;
            let clock = executor.time.clock(signal);
            let connecting = UserBuilder::connect_all(connector, sessions, clock, lane);
            let users = executor.block_while(connecting, || interrupt.interrupt_count() == 0)?;
            Ok((executor, users))
        };
        let work = move || match connect() {
            Ok((executor, users)) => {
                let _ = say_ready.send(Ok(()));
                let Ok(rules) = wait_go.recv() else { return };
                let running = run_all(users, rules, say_report, tasks);
                executor.block_on(end.or_end(running));
            }
            Err(error) => drop(say_ready.send(Err(error))),
        };
        let thread = std::thread::Builder::new().name(name).stack_size(STACK_BYTES);
        thread.spawn(work).map_err(|error| {
            Error::from(error)
                .during("start a session's thread")
                .hint("use fewer sessions, or raise the process limit (ulimit -u)")
        })?;
        Ok(Self { shutdown, cancels, tasks, ready, go, reports })
    }

    pub(crate) fn ready(&self, observer: &mut dyn Observer) -> Result<()> {
        loop {
            match self.ready.recv_timeout(TICK) {
                Ok(ready) => return ready,
                Err(RecvTimeoutError::Timeout) => observer.connecting(),
                Err(RecvTimeoutError::Disconnected) => {
                    let text = "a session thread ended before the load started";
                    return Err(Error::new(ErrorKind::Other, text));
                }
            }
        }
    }

    pub(crate) fn go(&self, rules: Arc<Rules>) {
        // This fails if the thread has already ended. The error can be ignored, because the thread's sessions no longer
        // count as live.
        let _ = self.go.send(rules);
    }
}

/// Returns the reports of all workers that end before a common deadline. The reports of abandoned sessions and blocked
/// threads may be missing.
pub(crate) fn all_reports(workers: &[Worker], abandoned: bool) -> Vec<Gathered> {
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

/// Repeatedly cancels the statements of blocked sessions, until their threads have ended or the time is up. Reports
/// that arrive later are ignored.
fn interrupt_blocked(workers: &[Worker], end: std::time::Instant) {
    let blocks = |worker: &&Worker| !worker.tasks && !worker.cancels.is_empty();
    let mut left: Vec<(&Worker, Option<JoinHandle<()>>)> =
        workers.iter().filter(blocks).map(|worker| (worker, None)).collect();
    while !left.is_empty() && now() < end {
        for (worker, thread) in &mut left {
            // Cancel the statements of each worker on a separate thread, because a server may fail to respond.
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

/// Runs all users on the same thread concurrently.
async fn run_all(users: Vec<UserBuilder>, rules: Arc<Rules>, say: Sender<Gathered>, tasks: bool) {
    let mut handles = Vec::with_capacity(users.len());
    for user in users {
        let (user, say, rules) = (Box::new(user), say.clone(), rules.clone());
        let life = async move {
            let _ = say.send(user.run(rules).await);
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

#[expect(clippy::disallowed_methods, reason = "the common origin of a run's real clocks")]
pub(crate) fn now() -> std::time::Instant {
    std::time::Instant::now()
}
