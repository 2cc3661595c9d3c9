//! A lane. It records the transactions of those virtual users that share a thread.
//!
//! The controller locks a lane once per interval, only to swap two pointers. Sessions therefore never wait noticeably.

use std::sync::{Mutex, PoisonError};

use tacho_metrics::Recorder;

/// The recorder of one thread.
#[derive(Debug)]
pub(crate) struct Lane {
    recorder: Mutex<Box<Recorder>>,
    transactions: usize,
}

impl Lane {
    pub(crate) fn new(transactions: usize) -> Self {
        Self { recorder: Mutex::new(Box::new(Recorder::new(transactions))), transactions }
    }

    /// Returns the number of transaction types.
    pub(crate) fn transactions(&self) -> usize {
        self.transactions
    }

    /// Gives `record` access to the recorder.
    #[inline]
    pub(crate) fn record(&self, record: impl FnOnce(&mut Recorder)) {
        // A panic in this function may leave an incomplete recorder, but it also makes the run INVALID.
        record(&mut self.recorder.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns the lane's records in `spare`, and uses the cleared recorder from `spare` from now on.
    pub(crate) fn swap(&self, spare: &mut Box<Recorder>) {
        std::mem::swap(&mut *self.recorder.lock().unwrap_or_else(PoisonError::into_inner), spare);
    }
}
