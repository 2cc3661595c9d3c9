//! Reports locks held by other clients. Otherwise, a database might wait for a lock for a whole day, and nobody
//! would know why.
//!
//! Lock queries use a separate connection, which is opened only if an operation takes long. Errors are ignored.
//!
//! Start reading at [`LockWatch::during`].

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use tacho_core::{Clock, Instant, WaitKind};
use tacho_driver::{Collector, Wait};
use tacho_engine::{BlockingClock, EventLoop};
use tacho_store::{Event, EventKind, Listener};

use crate::access::environment;
use crate::clock::clock;
use crate::{Context, Job, Request};

/// The delay before the server is queried for the first time.
const PATIENCE: Duration = Duration::from_secs(2);
/// The interval between queries. A lock is reported if two consecutive queries find it.
const PERIOD: Duration = Duration::from_secs(1);
/// The minimum interval between two reports.
const NEWS: Duration = Duration::from_secs(30);
/// Time limit for a response. If a server exceeds it, it is not queried again, because the command could not react to
/// an interrupt while it waits.
const ANSWER: Duration = Duration::from_secs(2);
/// The interval at which the thread checks that the operation has not panicked.
const TICK: Duration = Duration::from_millis(200);

/// Periodically checks what the sessions that use a table set are waiting for.
pub(crate) struct LockWatch<'a> {
    job: &'a Job,
    context: &'a Context,
    set: u32,
    clock: BlockingClock,
    observer: Observer,
    next_look: Instant,
    next_news: Instant,
    /// True if the last query found a lock.
    seen: bool,
}

enum Observer {
    NotYet,
    Open(EventLoop, Box<dyn Collector>),
    /// Locks cannot be watched: the database has no collector for locks, or the collector failed.
    Never,
}

impl<'a> LockWatch<'a> {
    /// Creates a lock watch for an operation that starts now.
    pub(crate) fn new(request: Request<'a>, set: u32) -> Self {
        let Request { job, context } = request;
        Self {
            job,
            context,
            set,
            clock: clock(),
            observer: Observer::NotYet,
            next_look: Instant(0).plus(PATIENCE),
            next_news: Instant(0),
            seen: false,
        }
    }

    /// Runs an operation in a separate thread, while this thread reports any locks that block it.
    pub(crate) fn during<T: Send>(
        &mut self,
        listener: &mut dyn Listener,
        work: impl FnOnce() -> T + Send,
    ) -> T {
        std::thread::scope(|scope| {
            let (working, end) = channel::<()>();
            let worker = scope.spawn(move || {
                let _until_the_end = working;
                work()
            });
            while end.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                self.look(listener);
            }
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Returns a listener that forwards every event. Whenever a build reports its progress, the listener also checks
    /// for sessions that are waiting for locks.
    pub(crate) fn watching<'b>(&'b mut self, listener: &'b mut dyn Listener) -> impl Listener + 'b {
        Watched { watch: self, listener }
    }

    /// Queries the server if the next query is due.
    pub(crate) fn look(&mut self, listener: &mut dyn Listener) {
        if self.clock.now() < self.next_look {
            return;
        }
        let locks = self.locks();
        self.next_look = self.clock.now().plus(PERIOD);
        self.saw(&locks, listener);
    }

    /// Reports locks that two consecutive queries have found, unless locks were reported recently.
    pub(crate) fn saw(&mut self, locks: &[Wait], listener: &mut dyn Listener) {
        let waited = std::mem::replace(&mut self.seen, !locks.is_empty()) && !locks.is_empty();
        let now = self.clock.now();
        if waited && now >= self.next_news {
            self.next_news = now.plus(NEWS);
            listener.note(&in_words(locks));
        }
    }

    fn locks(&mut self) -> Vec<Wait> {
        if let Observer::NotYet = self.observer {
            self.observer = self.open().unwrap_or(Observer::Never);
        }
        let Observer::Open(event_loop, collector) = &mut self.observer else { return Vec::new() };
        let Some(Ok(waits)) = event_loop.block_within(ANSWER, collector.waits()) else {
            self.observer = Observer::Never;
            return Vec::new();
        };
        let is_lock = |wait: &Wait| matches!(wait.kind, WaitKind::Lock | WaitKind::TableLock);
        waits.into_iter().filter(is_lock).collect()
    }

    fn open(&self) -> Option<Observer> {
        let event_loop = EventLoop::new().ok()?;
        let environment = environment(self.context, false, self.set);
        let opening = self.job.driver.collector(&self.job.target, environment);
        let collector = event_loop.block_within(ANSWER, opening)?;
        Some(Observer::Open(event_loop, collector.ok().flatten()?))
    }
}

fn in_words(locks: &[Wait]) -> String {
    let name = |wait: &Wait| format!("{} {}", wait.class, wait.event);
    let names: Vec<String> = locks.iter().map(name).collect();
    format!(
        "waiting for a lock held by another session ({}); the wait ends when that session ends \
            its transaction or unlocks its tables; press Ctrl-C to stop waiting",
        names.join(", ")
    )
}

struct Watched<'a, 'b> {
    watch: &'a mut LockWatch<'b>,
    listener: &'a mut dyn Listener,
}

impl Listener for Watched<'_, '_> {
    fn on(&mut self, event: &Event) {
        self.listener.on(event);
        if let Event::Build { .. } = event {
            self.watch.look(self.listener);
        }
    }

    fn wants(&self, kind: EventKind) -> bool {
        self.listener.wants(kind)
    }
}
