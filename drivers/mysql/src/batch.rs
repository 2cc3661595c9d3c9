//! Batches of rows, and what both ways of loading them need.

use tacho_core::{Column, Error, ErrorKind, Result, Table, Type};
use tacho_driver::{RowSource, ValueKind, Values};
use tacho_net::unexpected;

use crate::admin::{number, rows};
use crate::link::Link;

/// Takes the next rows from a source; `None` at its end.
pub fn next_batch(
    source: &mut dyn RowSource,
    batch: &mut Values,
    columns: usize,
) -> Result<Option<usize>> {
    batch.clear();
    let count = source.next_batch(batch);
    if batch.len() != count * columns {
        return Err(Error::new(ErrorKind::Protocol, "a batch of rows has wrong columns"));
    }
    Ok((count > 0).then_some(count))
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

/// The largest packet that the server takes.
pub async fn packet_limit(link: &mut Link) -> Result<usize> {
    let found = rows(link, "SELECT @@max_allowed_packet").await?;
    let row = found.first().ok_or_else(|| unexpected("no limit of packets"))?;
    Ok(number(row, 0)? as usize)
}
