//! Batches of rows, which both ways of loading rows use.

use tacho_core::{Result, Table};
use tacho_driver::{RowSource, Values, next_rows};

/// The batches of a row source.
pub struct Rows<'a> {
    source: &'a mut dyn RowSource,
    /// The current batch.
    pub batch: Values,
    table: &'a Table,
}

impl<'a> Rows<'a> {
    /// Creates a reader that has not yet read any rows of the table.
    pub fn of(table: &'a Table, source: &'a mut dyn RowSource) -> Self {
        Self { source, batch: Values::default(), table }
    }

    /// Reads the next batch of rows. Returns false if there are no more rows.
    pub fn next(&mut self) -> Result<bool> {
        Ok(next_rows(self.source, &mut self.batch, self.table)? > 0)
    }

    /// Returns the number of rows in the current batch.
    pub fn count(&self) -> usize {
        self.batch.len() / self.table.columns.len().max(1)
    }
}
