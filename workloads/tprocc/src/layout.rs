//! The tables as a database gets them: those of another tool where they are known, and how each is kept.
//!
//! What differs between databases stands in `sql/<dialect>/<tool>/tables.sql`, as the statements
//! that the users of that tool would recognise; this file must never hold such a difference itself.
//! Start reading at [`layout`].

use tacho_core::{Result, Schema};
use tacho_driver::Dialect;
use tacho_workload::{written, written_as_is};

use crate::physical::Physical;
use crate::statements::SQL;

/// The tables for a dialect: those of `logical`, changed as the parameters ask.
pub fn layout(logical: &Schema, physical: &Physical, dialect: &dyn Dialect) -> Result<Schema> {
    let mut named = logical.clone();
    for (table, own) in named.tables.iter_mut().enumerate() {
        own.name = physical.names.table(table);
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
