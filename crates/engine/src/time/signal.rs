//! A flag that, when raised, ends all waits of the timers that watch it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

/// A signal that can be raised once and then stays raised.
#[derive(Debug, Default)]
pub struct Signal {
    raised: AtomicBool,
    /// One slot for each timer on an event loop. It contains the waker to call when the signal is raised.
    wakers: Mutex<Vec<Option<Waker>>>,
    changed: Condvar,
}

impl Signal {
    /// Raises the signal, which ends all current and future waits.
    pub fn raise(&self) {
        let wakers = self.lock();
        self.raised.store(true, Ordering::SeqCst);
        self.changed.notify_all();
        for waker in wakers.iter().flatten() {
            waker.wake_by_ref();
        }
    }

    /// Returns true if the signal has been raised.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// Blocks this thread until the signal is raised or `span` has elapsed.
    pub(super) fn wait(&self, span: Duration) {
        let guard = self.lock();
        if !self.raised.load(Ordering::SeqCst) {
            let _ = self.changed.wait_timeout(guard, span);
        }
    }

    /// Reserves a slot for one timer's waker and returns its index.
    pub(super) fn place(&self) -> usize {
        let mut wakers = self.lock();
        wakers.push(None);
        wakers.len() - 1
    }

    /// Registers a waker that is called when the signal is raised. It replaces the previous waker of this slot.
    pub(super) fn watch(&self, place: usize, waker: &Waker) {
        let mut wakers = self.lock();
        match &mut wakers[place] {
            Some(known) if known.will_wake(waker) => {}
            other => *other = Some(waker.clone()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Option<Waker>>> {
        self.wakers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
