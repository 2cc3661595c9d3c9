//! A lane, which records the transactions of virtual users that share a thread.
//!
//! The controller takes the lock once per interval to swap two pointers, so no session waits for another.

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
        // A panic here can leave a half-written recorder, but the run is then INVALID anyway.
        record(&mut self.recorder.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Takes the records and replaces them with the cleared `spare`.
    pub(crate) fn swap(&self, spare: &mut Box<Recorder>) {
        std::mem::swap(&mut *self.recorder.lock().unwrap_or_else(PoisonError::into_inner), spare);
    }
}
