//! The list of runs, which is cached between requests.

use tacho_report::{RunRow, run_row};
use tacho_store::{Listing, Store};

use crate::answer::Answer;

/// The cached rows for the saved runs.
#[derive(Default)]
pub(crate) struct Runs(Listing<RunRow>);

impl Runs {
    /// Returns all runs, newest first.
    pub(crate) fn look(&mut self, store: &Store) -> Answer<Vec<RunRow>> {
        Ok(self.0.look(store, run_row)?)
    }
}
