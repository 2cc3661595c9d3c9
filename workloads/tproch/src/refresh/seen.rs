//! What was seen of the refreshes in each set of tables, before a run or a check.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::State;

/// The states seen last, by the number of the set of tables.
#[derive(Debug, Default)]
pub struct Seen(Mutex<BTreeMap<u32, State>>);

impl Seen {
    /// Notes the state of a set of tables.
    pub fn note(&self, tables: u32, state: State) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(tables, state);
    }

    /// The state of a set of tables, if anybody has looked.
    pub fn of(&self, tables: u32) -> Option<State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&tables).copied()
    }

    /// Whether the rows of any set of tables are others than those of the load.
    pub fn refreshed(&self) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.values().any(|state| state.inserted.set > 0)
    }
}
