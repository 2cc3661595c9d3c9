//! Loads rows with INSERT and parameter arrays, one batch per round trip.

use oracledb::{Connection, ToDbValue};
use tacho_core::{Result, Table};
use tacho_driver::{RowSource, ValueKind, Values, next_rows};

use crate::binds::Bind;
use crate::errors::of_client;

/// Inserts all rows in the transaction that is already open.
pub fn insert(connection: &Connection, table: &Table, rows: &mut dyn RowSource) -> Result<u64> {
    let (sql, width) = (statement(table), table.columns.len());
    let (mut batch, mut loaded) = (Values::default(), 0);
    loop {
        if next_rows(rows, &mut batch, table)? == 0 {
            return Ok(loaded);
        }
        let value =
            |at: usize| Bind::of(batch.get(at), ValueKind::of(table.columns[at % width].ty));
        let binds = (0..batch.len()).map(value).collect::<Result<Vec<Bind<'_>>>>()?;
        let references: Vec<&dyn ToDbValue> = binds.iter().map(Bind::as_value).collect();
        let references: Vec<&[&dyn ToDbValue]> = references.chunks(width).collect();
        let outcome =
            connection.execute_batch(&sql, &references[..]).map_err(|error| of_client(&error))?;
        loaded += outcome.rows_affected();
    }
}

fn statement(table: &Table) -> String {
    let places: Vec<String> = (1..=table.columns.len()).map(|at| format!(":p{at}")).collect();
    format!("INSERT INTO {} ({}) VALUES ({})", table.name, table.column_names(), places.join(", "))
}

#[cfg(test)]
mod tests {
    use tacho_core::{Column, Type};

    use super::*;

    #[test]
    fn a_row_has_a_variable_for_each_column() {
        let column = |name| Column { name, ty: Type::Int, nullable: false, declared: None };
        let table =
            Table { name: "t", columns: vec![column("a"), column("b")], ..Table::default() };
        assert_eq!(statement(&table), "INSERT INTO t (a, b) VALUES (:p1, :p2)");
    }
}
