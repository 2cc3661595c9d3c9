//! A lane: the recorder of the virtual users that share one thread.
//!
//! The thread and the controller are the only two that ever hold the lock, and the controller holds
//! it for the exchange of two pointers, once per interval: no session waits for another one.

use std::sync::{Mutex, PoisonError};

use tacho_metrics::Recorder;

/// One thread's recorder.
#[derive(Debug)]
pub(crate) struct Lane {
    recorder: Mutex<Box<Recorder>>,
    transactions: usize,
}

impl Lane {
    pub(crate) fn new(transactions: usize) -> Self {
        Self { recorder: Mutex::new(Box::new(Recorder::new(transactions))), transactions }
    }

    /// How many kinds of transactions there are.
    pub(crate) fn transactions(&self) -> usize {
        self.transactions
    }

    /// Records something.
    #[inline]
    pub(crate) fn record(&self, record: impl FnOnce(&mut Recorder)) {
        // A panic between lock and unlock cannot leave a recorder half written that matters: the
        // run is INVALID then.
        record(&mut self.recorder.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Takes what was recorded, leaving the cleared `spare` in its place.
    pub(crate) fn swap(&self, spare: &mut Box<Recorder>) {
        std::mem::swap(&mut *self.recorder.lock().unwrap_or_else(PoisonError::into_inner), spare);
    }
}
