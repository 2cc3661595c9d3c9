//! Lists tables and columns with the library's catalog functions, for databases whose own system tables are unknown.
//!
//! Start reading at [`tables`] and [`objects`].

use tacho_core::Result;
use tacho_driver::{Dialect, NameCase, Object, ObjectKind};

use crate::handles::Connection;
use crate::library::Length;
use crate::rows::read;

/// Numbers of columns in the driver's list of tables and in its list of columns.
const TABLE_NAME: usize = 2;
const COLUMN_NAME: usize = 3;
const TYPE_NAME: usize = 5;
const COLUMN_SIZE: usize = 6;

/// Returns the sorted table names in a catalog and schema. An empty name matches every catalog or schema.
///
/// # Errors
/// Returns an error if the library cannot list the tables.
pub fn tables<L: Length>(
    connection: &Connection<L>,
    (dialect, case): (&dyn Dialect, NameCase),
    catalog: &str,
    schema: &str,
) -> Result<Vec<String>> {
    let statement = connection.statement()?;
    statement.list_tables(catalog, schema)?;
    let found = read(&statement)?.rows;
    let names = found.into_iter().filter_map(|mut row| row.swap_remove(TABLE_NAME));
    let names = names.map(|name| case.shown(&name));
    let mut names: Vec<String> = names.filter(|name| !dialect.is_system_table(name)).collect();
    names.sort();
    Ok(names)
}

/// Returns the tables in a catalog and schema, with their columns. The tables do not have identifiers, because the
/// library does not report any.
///
/// # Errors
/// Returns an error if the library cannot list the columns.
pub fn objects<L: Length>(
    connection: &Connection<L>,
    (dialect, case): (&dyn Dialect, NameCase),
    catalog: &str,
    schema: &str,
) -> Result<Vec<Object>> {
    let statement = connection.statement()?;
    statement.list_columns(catalog, schema)?;
    let columns = read(&statement)?.rows;
    let text = |row: &[Option<String>], at: usize| row[at].clone().unwrap_or_default();
    Ok(tables(connection, (dialect, case), catalog, schema)?
        .into_iter()
        .map(|name| {
            let of_table = |row: &&Vec<Option<String>>| case.shown(&text(row, TABLE_NAME)) == name;
            let shape = columns.iter().filter(of_table).map(|row| {
                let name = text(row, COLUMN_NAME).to_lowercase();
                format!("{name} {}({})", text(row, TYPE_NAME), text(row, COLUMN_SIZE))
            });
            Object {
                kind: ObjectKind::Table,
                shape: shape.collect(),
                schema: String::new(),
                identity: String::new(),
                drop: format!("DROP TABLE {name}"),
                name,
            }
        })
        .collect())
}
