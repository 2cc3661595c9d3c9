//! Batches of rows, as both ways of loading them take them.

use tacho_core::{Result, Table};
use tacho_driver::{RowSource, Values, next_rows};

/// The batches of a source.
pub struct Rows<'a> {
    source: &'a mut dyn RowSource,
    /// The present batch.
    pub batch: Values,
    table: &'a Table,
}

impl<'a> Rows<'a> {
    /// Before the first batch of rows for this table.
    pub fn of(table: &'a Table, source: &'a mut dyn RowSource) -> Self {
        Self { source, batch: Values::default(), table }
    }

    /// Takes the next batch; whether there is one.
    pub fn next(&mut self) -> Result<bool> {
        Ok(next_rows(self.source, &mut self.batch, self.table)? > 0)
    }

    /// Rows of the present batch.
    pub fn count(&self) -> usize {
        self.batch.len() / self.table.columns.len().max(1)
    }
}
