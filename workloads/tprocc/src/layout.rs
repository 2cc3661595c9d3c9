//! The tables as a database gets them: HammerDB's own where they are known, and how each is kept.
//!
//! What differs between databases stands in `sql/<dialect>/hammerdb/tables.sql`, as the statements
//! that HammerDB's manual users would recognise; this file must never hold such a difference itself.
//! Start reading at [`layout`].

use tacho_core::{Result, Schema};
use tacho_driver::Dialect;
use tacho_workload::written;

use crate::physical::Physical;
use crate::statements::SQL;

/// HammerDB's tables, in the folder of a dialect.
const TABLES: &str = "hammerdb/tables.sql";

/// The tables for a dialect: those of `logical`, changed as the parameters ask.
pub fn layout(logical: &Schema, physical: &Physical, dialect: &dyn Dialect) -> Result<Schema> {
    let known = SQL.of(dialect.id(), TABLES);
    let mut schema = match known.filter(|_| physical.hammerdb_tables) {
        Some(text) => written(logical, text)?,
        None => logical.clone(),
    };
    for table in &mut schema.tables {
        table.storage = physical.storage(table.name);
    }
    Ok(schema)
}
