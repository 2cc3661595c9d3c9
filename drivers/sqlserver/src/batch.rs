//! Batches of rows, and what both ways of loading them need.

use tacho_core::{Column, Error, ErrorKind, Result, Table, Type};
use tacho_driver::{RowSource, ValueKind, Values};

/// The batches of a source.
pub struct Rows<'a> {
    source: &'a mut dyn RowSource,
    /// The present batch.
    pub batch: Values,
    width: usize,
}

impl<'a> Rows<'a> {
    /// Before the first batch of rows for this table.
    pub fn of(table: &Table, source: &'a mut dyn RowSource) -> Self {
        Self { source, batch: Values::default(), width: table.columns.len() }
    }

    /// Takes the next batch; whether there is one.
    pub fn next(&mut self) -> Result<bool> {
        self.batch.clear();
        let count = self.source.next_batch(&mut self.batch);
        if self.batch.len() != count * self.width {
            return Err(Error::new(ErrorKind::Protocol, "a batch of rows has wrong columns"));
        }
        Ok(count > 0)
    }

    /// Rows of the present batch.
    pub fn count(&self) -> usize {
        self.batch.len() / self.width.max(1)
    }
}

/// What the values of a column are.
pub fn kind(column: &Column) -> ValueKind {
    match column.ty {
        Type::SmallInt | Type::Int | Type::BigInt => ValueKind::Int,
        Type::Decimal { scale, .. } => ValueKind::Decimal(scale),
        Type::Char(_) | Type::Varchar(_) => ValueKind::Text,
        Type::Timestamp | Type::Date => ValueKind::Time,
    }
}

/// The names of a table's columns, for its statements.
pub fn names(table: &Table) -> String {
    let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    names.join(", ")
}
