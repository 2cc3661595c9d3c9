//! The tables as a database stores them, with the names, columns and storage that the user selects.
//!
//! Differences between databases must be written in `sql/<dialect>/<tool>/tables.sql`, never in this file.
//!
//! Start reading at [`layout`].

use tacho_core::{Result, Schema};
use tacho_driver::Dialect;
use tacho_workload::{written, written_as_is};

use crate::physical::Physical;
use crate::statements::SQL;

/// Returns the tables as a dialect stores them, with the changes that the parameters require. The tables in `logical`
/// are independent of dialects and parameters.
pub fn layout(logical: &Schema, physical: &Physical, dialect: &dyn Dialect) -> Result<Schema> {
    let mut named = logical.clone();
    for (table, definition) in named.tables.iter_mut().enumerate() {
        definition.name = physical.names.table(table);
    }
    let path = format!("{}/tables.sql", physical.tool);
    let mut schema = match SQL.of(dialect.id(), &path) {
        Some(text) if physical.hammerdb_tables => written(&named, text)?,
        Some(text) => written_as_is(&named, text)?,
        None => named,
    };
    for (table, logical) in schema.tables.iter_mut().zip(&logical.tables) {
        table.storage = physical.storage(logical.name);
        if !physical.foreign_keys {
            table.references.clear();
        }
    }
    Ok(schema)
}
