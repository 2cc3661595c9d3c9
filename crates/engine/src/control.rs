//! What controller and sessions tell each other: the phases, permits, and the wish to stop.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tacho_core::{Error, ErrorKind, Instant};
use tacho_driver::Cancels;
use tacho_metrics::Phase;

use crate::Signal;

/// The user's wish to stop: the first press drains and summarises, the second aborts.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    presses: Arc<AtomicU8>,
    terminated: Arc<AtomicBool>,
    wakes: Arc<Mutex<Vec<Arc<Signal>>>>,
    /// Sessions of commands whose calls block: nothing else ends one that waits for a lock.
    pub commands: Cancels,
}

/// How long a statement of a command may still take when the user wants to stop.
const STOPPING: Duration = Duration::from_secs(1);

impl Interrupt {
    /// Presses once more. Callable from any thread.
    pub fn press(&self) {
        self.presses.fetch_add(1, Ordering::SeqCst);
        for signal in self.wakes.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            signal.raise();
        }
        self.cancel_soon();
    }

    /// Cancels the statements of commands that run now and have not ended soon.
    #[expect(clippy::disallowed_methods, reason = "it waits on a thread of its own")]
    fn cancel_soon(&self) {
        let running = self.commands.running();
        if running.is_empty() {
            return;
        }
        let name = std::thread::Builder::new().name("cancel".into());
        let cancel = move || {
            std::thread::sleep(STOPPING);
            running.cancel();
        };
        // Without a thread the statement comes to its own end.
        drop(name.spawn(cancel));
    }

    /// Presses on behalf of the system, which wants the process to end.
    pub fn terminate(&self) {
        self.terminated.store(true, Ordering::SeqCst);
        self.press();
    }

    /// Whether the system wants the process to end.
    pub fn is_terminated(&self) -> bool {
        self.terminated.load(Ordering::SeqCst)
    }

    /// How often it was pressed.
    pub fn interrupt_count(&self) -> u8 {
        self.presses.load(Ordering::SeqCst)
    }

    /// The error of work that ends because it was pressed.
    pub fn error() -> Error {
        Error::new(ErrorKind::Cancelled, "stopped by the user")
            .hint("the same command can be given again")
    }

    /// Forgets the presses: what they were meant for is over, and something else is running.
    pub fn forget(&self) {
        self.presses.store(0, Ordering::SeqCst);
    }

    /// Makes a press raise this signal too.
    pub fn wakes(&self, signal: &Arc<Signal>) {
        self.wakes.lock().unwrap_or_else(PoisonError::into_inner).push(signal.clone());
        if self.interrupt_count() > 0 {
            signal.raise();
        }
    }
}

/// Shared between the controller and all sessions of a run.
#[derive(Debug)]
pub(crate) struct Control {
    measure_from: AtomicU64,
    measure_until: AtomicU64,
    load_until: AtomicU64,
    permits: Option<AtomicI64>,
    live: AtomicU32,
    done: AtomicU32,
    /// Sessions that have not logged in yet.
    absent: AtomicU32,
    /// Raised when no session is left, and on interrupts.
    pub(crate) idle: Arc<Signal>,
    /// Raised when the load is over.
    pub(crate) over: Mutex<Vec<Arc<Signal>>>,
}

impl Control {
    /// For so many sessions; `permits` limits the transactions of the measured phase.
    pub(crate) fn new(sessions: u32, permits: Option<u64>) -> Self {
        Self {
            measure_from: AtomicU64::new(u64::MAX),
            measure_until: AtomicU64::new(u64::MAX),
            load_until: AtomicU64::new(u64::MAX),
            permits: permits.map(|count| AtomicI64::new(count as i64)),
            live: AtomicU32::new(sessions),
            done: AtomicU32::new(0),
            absent: AtomicU32::new(0),
            idle: Arc::default(),
            over: Mutex::default(),
        }
    }

    /// Sets the borders of the phases.
    pub(crate) fn schedule(&self, from: Instant, until: Instant, load_until: Instant) {
        self.measure_from.store(from.0, Ordering::SeqCst);
        self.measure_until.store(until.0, Ordering::SeqCst);
        self.load_until.store(load_until.0, Ordering::SeqCst);
    }

    /// Ends the load now: no session begins another transaction.
    pub(crate) fn finish(&self, now: Instant) {
        self.measure_until.fetch_min(now.0, Ordering::SeqCst);
        self.stop_starting(now);
    }

    /// No session begins another transaction; those in flight still count.
    pub(crate) fn stop_starting(&self, now: Instant) {
        self.load_until.fetch_min(now.0, Ordering::SeqCst);
        for signal in self.over.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            signal.raise();
        }
    }

    pub(crate) fn measure_until(&self) -> Instant {
        Instant(self.measure_until.load(Ordering::Relaxed))
    }

    pub(crate) fn load_until(&self) -> Instant {
        Instant(self.load_until.load(Ordering::Relaxed))
    }

    /// The phase of a transaction that is due at `at`.
    #[inline]
    pub(crate) fn phase(&self, at: Instant) -> Phase {
        if at.0 < self.measure_from.load(Ordering::Relaxed) {
            Phase::RampUp
        } else if at < self.measure_until() {
            Phase::Measure
        } else {
            Phase::RampDown
        }
    }

    /// When the phase ends that began before `at`.
    #[inline]
    pub(crate) fn phase_end(&self, phase: Phase) -> Instant {
        match phase {
            Phase::RampUp => Instant(self.measure_from.load(Ordering::Relaxed)),
            Phase::Measure => self.measure_until(),
            Phase::RampDown => Instant::FAR,
        }
    }

    /// Whether one more transaction may begin in this phase.
    #[inline]
    pub(crate) fn permit(&self, phase: Phase) -> bool {
        match &self.permits {
            Some(permits) if phase == Phase::Measure => permits.fetch_sub(1, Ordering::Relaxed) > 0,
            _ => true,
        }
    }

    /// Sessions that have not ended.
    pub(crate) fn live(&self) -> u32 {
        self.live.load(Ordering::SeqCst)
    }

    /// Sessions that have done all their work.
    pub(crate) fn done(&self) -> u32 {
        self.done.load(Ordering::SeqCst)
    }

    /// Notes that a session has done all its work; it then leaves.
    pub(crate) fn note_done(&self) {
        self.done.fetch_add(1, Ordering::SeqCst);
    }

    /// Sessions that have logged in and have not ended.
    pub(crate) fn present(&self) -> u32 {
        self.live().saturating_sub(self.absent.load(Ordering::SeqCst))
    }

    /// Says how many sessions log in during the load.
    pub(crate) fn expect(&self, sessions: u32) {
        self.absent.store(sessions, Ordering::SeqCst);
    }

    /// Notes that a session that was expected has come, or will not come any more.
    pub(crate) fn arrive(&self) {
        self.absent.fetch_sub(1, Ordering::SeqCst);
    }

    /// Sessions that have not ended, those of them that have yet to log in, and those that have done all their
    /// work.
    pub(crate) fn sessions(&self) -> [u32; 3] {
        [self.live(), self.absent.load(Ordering::SeqCst), self.done()]
    }

    /// Notes how many sessions there are where they run on other hosts.
    pub(crate) fn note_elsewhere(&self, live: u32, absent: u32, done: u32) {
        self.live.store(live, Ordering::SeqCst);
        self.absent.store(absent, Ordering::SeqCst);
        self.done.store(done, Ordering::SeqCst);
        if live == 0 {
            self.idle.raise();
        }
    }

    /// Notes that a session has ended.
    pub(crate) fn leave(&self) {
        if self.live.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.idle.raise();
        }
    }
}

/// Notes that a session has ended, also if it panics.
pub(crate) struct Leave(Option<Arc<Control>>);

impl Leave {
    pub(crate) fn of(control: &Arc<Control>) -> Self {
        Self(Some(control.clone()))
    }

    /// Leaves it to another one to note it.
    pub(crate) fn hand_over(mut self) {
        self.0 = None;
    }
}

impl Drop for Leave {
    fn drop(&mut self) {
        if let Some(control) = &self.0 {
            control.leave();
        }
    }
}
