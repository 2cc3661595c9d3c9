//! The list of runs, kept between two looks at the folder.

use tacho_report::{RunRow, run_row};
use tacho_store::{Listing, Store};

use crate::answer::Answer;

/// What is known of the saved runs.
#[derive(Default)]
pub(crate) struct Runs(Listing<RunRow>);

impl Runs {
    /// All runs, newest first.
    pub(crate) fn look(&mut self, store: &Store) -> Answer<Vec<RunRow>> {
        Ok(self.0.look(store, run_row)?)
    }
}
