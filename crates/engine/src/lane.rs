//! Records the transactions of the virtual users that share a thread. Such a group of users is called a lane.
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
        // If `record` panics, the recorder may be incomplete. It can still be used, because the panic makes the run
        // INVALID.
        record(&mut self.recorder.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Swaps the lane's recorder and `spare`, which must be cleared. Afterwards, `spare` contains the lane's records.
    pub(crate) fn swap(&self, spare: &mut Box<Recorder>) {
        std::mem::swap(&mut *self.recorder.lock().unwrap_or_else(PoisonError::into_inner), spare);
    }
}
