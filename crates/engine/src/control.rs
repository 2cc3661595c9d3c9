//! State that the controller and the sessions share: the phases, the number of transactions that may still start, and
//! the user's request to stop.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tacho_core::{Error, ErrorKind, Instant};
use tacho_driver::Cancels;
use tacho_metrics::Phase;

use crate::Signal;

/// The user's requests to stop. The first interrupt ends the run early but still reports it. The second interrupt
/// aborts the run.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    presses: Arc<AtomicU8>,
    terminated: Arc<AtomicBool>,
    wakes: Arc<Mutex<Vec<Arc<Signal>>>>,
    /// Handles for cancelling the statements of commands. A blocking call that waits for a lock can be ended only in
    /// this way.
    pub commands: Cancels,
}

/// Time after an interrupt until a command's statement is cancelled.
const STOPPING: Duration = Duration::from_secs(1);

impl Interrupt {
    /// Registers an interrupt. This can be called from any thread.
    pub fn press(&self) {
        self.presses.fetch_add(1, Ordering::SeqCst);
        for signal in self.wakes.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            signal.raise();
        }
        self.cancel_soon();
    }

    /// Cancels the statements that commands are running now, unless they end by themselves after a short delay.
    #[expect(clippy::disallowed_methods, reason = "waits on a separate thread")]
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
        // If the thread cannot be started, the statement is simply not cancelled.
        drop(name.spawn(cancel));
    }

    /// Registers an interrupt because the system has asked the process to terminate.
    pub fn terminate(&self) {
        self.terminated.store(true, Ordering::SeqCst);
        self.press();
    }

    /// Returns true if the system has asked the process to terminate.
    pub fn is_terminated(&self) -> bool {
        self.terminated.load(Ordering::SeqCst)
    }

    /// Returns the number of interrupts.
    pub fn interrupt_count(&self) -> u8 {
        self.presses.load(Ordering::SeqCst)
    }

    /// Returns the error for interrupted work.
    pub fn error() -> Error {
        Error::new(ErrorKind::Cancelled, "stopped by the user").hint("run the same command again")
    }

    /// Resets the number of interrupts after the interrupted work has ended.
    pub fn forget(&self) {
        self.presses.store(0, Ordering::SeqCst);
    }

    /// Registers a signal that is raised at every interrupt. If there has already been an interrupt, the signal is
    /// raised immediately.
    pub fn wakes(&self, signal: &Arc<Signal>) {
        self.wakes.lock().unwrap_or_else(PoisonError::into_inner).push(signal.clone());
        if self.interrupt_count() > 0 {
            signal.raise();
        }
    }
}

/// State that the controller shares with all of a run's sessions.
#[derive(Debug)]
pub(crate) struct Control {
    measure_from: AtomicU64,
    measure_until: AtomicU64,
    load_until: AtomicU64,
    permits: Option<AtomicI64>,
    live: AtomicU32,
    done: AtomicU32,
    /// Number of sessions that have not yet logged in.
    absent: AtomicU32,
    /// A signal that is raised at every interrupt and when the last session ends.
    pub(crate) idle: Arc<Signal>,
    /// Raised when the load is over.
    pub(crate) over: Mutex<Vec<Arc<Signal>>>,
}

impl Control {
    /// Creates the state. `permits` limits the number of transactions in the measured phase.
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

    /// Sets the boundaries of the phases.
    pub(crate) fn schedule(&self, from: Instant, until: Instant, load_until: Instant) {
        self.measure_from.store(from.0, Ordering::SeqCst);
        self.measure_until.store(until.0, Ordering::SeqCst);
        self.load_until.store(load_until.0, Ordering::SeqCst);
    }

    /// Ends the load and its measured phase now. No session starts another transaction.
    pub(crate) fn finish(&self, now: Instant) {
        self.measure_until.fetch_min(now.0, Ordering::SeqCst);
        self.stop_starting(now);
    }

    /// Prevents sessions from starting further transactions. Transactions in flight can still finish and are counted.
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

    /// Returns the phase of a transaction that is due at `at`.
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

    /// Returns the time at which a phase ends.
    #[inline]
    pub(crate) fn phase_end(&self, phase: Phase) -> Instant {
        match phase {
            Phase::RampUp => Instant(self.measure_from.load(Ordering::Relaxed)),
            Phase::Measure => self.measure_until(),
            Phase::RampDown => Instant::FAR,
        }
    }

    /// Returns true if another transaction may start in this phase. If the number of transactions is limited, the
    /// transaction is counted here.
    #[inline]
    pub(crate) fn permit(&self, phase: Phase) -> bool {
        match &self.permits {
            Some(permits) if phase == Phase::Measure => permits.fetch_sub(1, Ordering::Relaxed) > 0,
            _ => true,
        }
    }

    /// Returns the number of sessions that have not ended.
    pub(crate) fn live(&self) -> u32 {
        self.live.load(Ordering::SeqCst)
    }

    /// Returns the number of sessions that have finished all their work.
    pub(crate) fn done(&self) -> u32 {
        self.done.load(Ordering::SeqCst)
    }

    /// Records that a session has finished all its work and is about to end.
    pub(crate) fn note_done(&self) {
        self.done.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns the number of sessions that have logged in and have not ended.
    pub(crate) fn present(&self) -> u32 {
        self.live().saturating_sub(self.absent.load(Ordering::SeqCst))
    }

    /// Sets the number of sessions that log in during the load.
    pub(crate) fn expect(&self, sessions: u32) {
        self.absent.store(sessions, Ordering::SeqCst);
    }

    /// Records that a session has logged in, or that it will not log in anymore.
    pub(crate) fn arrive(&self) {
        self.absent.fetch_sub(1, Ordering::SeqCst);
    }

    /// Returns three numbers of sessions: those that have not ended, those that have not logged in, and those that have
    /// finished all their work.
    pub(crate) fn sessions(&self) -> [u32; 3] {
        [self.live(), self.absent.load(Ordering::SeqCst), self.done()]
    }

    /// Sets the numbers of sessions in each state, for a run whose sessions are on other hosts.
    pub(crate) fn note_elsewhere(&self, live: u32, absent: u32, done: u32) {
        self.live.store(live, Ordering::SeqCst);
        self.absent.store(absent, Ordering::SeqCst);
        self.done.store(done, Ordering::SeqCst);
        if live == 0 {
            self.idle.raise();
        }
    }

    /// Records that a session has ended.
    pub(crate) fn leave(&self) {
        if self.live.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.idle.raise();
        }
    }
}

/// Records the end of a session when dropped, so that the end is recorded even after a panic.
pub(crate) struct Leave(Option<Arc<Control>>);

impl Leave {
    pub(crate) fn of(control: &Arc<Control>) -> Self {
        Self(Some(control.clone()))
    }

    /// Disarms this guard, because another guard will record the end of the session instead.
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
