//! The progress of the refresh functions in each set of tables, as read before a run or check.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::State;

/// The last states read, by set number.
#[derive(Debug, Default)]
pub struct Seen(Mutex<BTreeMap<u32, State>>);

impl Seen {
    /// Stores the state of a set of tables.
    pub fn note(&self, tables: u32, state: State) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(tables, state);
    }

    /// Returns the state of a set of tables if it has been read.
    pub fn of(&self, tables: u32) -> Option<State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&tables).copied()
    }

    /// Returns true if a refresh has changed the loaded rows in any set of tables.
    pub fn refreshed(&self) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.values().any(|state| state.inserted.set > 0)
    }
}
