//! Loading rows: INSERT with arrays of parameters, a batch in a round trip.

use oracledb::{Connection, ToDbValue};
use tacho_core::{Error, ErrorKind, Result, Table, Type};
use tacho_driver::{RowSource, ValueKind, Values};

use crate::binds::Bind;
use crate::errors::of_client;

/// Inserts all rows within the open transaction.
pub fn insert(connection: &Connection, table: &Table, rows: &mut dyn RowSource) -> Result<u64> {
    let (sql, width) = (statement(table), table.columns.len());
    let (mut batch, mut loaded) = (Values::default(), 0);
    loop {
        batch.clear();
        let count = rows.next_batch(&mut batch);
        if batch.len() != count * width {
            return Err(Error::new(ErrorKind::Protocol, "a batch of rows has wrong columns"));
        }
        if count == 0 {
            return Ok(loaded);
        }
        let value = |at: usize| Bind::of(batch.get(at), kind(table.columns[at % width].ty));
        let binds = (0..batch.len()).map(value).collect::<Result<Vec<Bind<'_>>>>()?;
        let references: Vec<&dyn ToDbValue> = binds.iter().map(Bind::as_value).collect();
        let references: Vec<&[&dyn ToDbValue]> = references.chunks(width).collect();
        let outcome =
            connection.execute_batch(&sql, &references[..]).map_err(|error| of_client(&error))?;
        loaded += outcome.rows_affected();
    }
}

fn statement(table: &Table) -> String {
    let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    let places: Vec<String> = (1..=names.len()).map(|at| format!(":p{at}")).collect();
    format!("INSERT INTO {} ({}) VALUES ({})", table.name, names.join(", "), places.join(", "))
}

/// What the values of a column are.
fn kind(ty: Type) -> ValueKind {
    match ty {
        Type::SmallInt | Type::Int | Type::BigInt => ValueKind::Int,
        Type::Decimal { scale, .. } => ValueKind::Decimal(scale),
        Type::Char(_) | Type::Varchar(_) => ValueKind::Text,
        Type::Timestamp | Type::Date => ValueKind::Time,
    }
}

#[cfg(test)]
mod tests {
    use tacho_core::Column;

    use super::*;

    #[test]
    fn a_row_has_a_variable_for_each_column() {
        let column = |name| Column { name, ty: Type::Int, nullable: false, declared: None };
        let table =
            Table { name: "t", columns: vec![column("a"), column("b")], ..Table::default() };
        assert_eq!(statement(&table), "INSERT INTO t (a, b) VALUES (:p1, :p2)");
    }
}
