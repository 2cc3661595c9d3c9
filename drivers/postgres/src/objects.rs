//! Looks up the tables and routines in the server's catalog, and anything that prevents Tacho from dropping the tables.
//!
//! This module must never change anything.

use tacho_core::Result;
use tacho_driver::{Object, TablePart};
use tacho_net::{object, table_part};

use crate::admin::rows;
use crate::wire::Wire;

const OBJECTS: &str = include_str!("../sql/objects.sql");
const OBSTACLES: &str = include_str!("../sql/obstacles.sql");
const PARTS: &str = include_str!("../sql/table_parts.sql");
/// Placeholder that is replaced by the object IDs of the tables in [`OBSTACLES`], and by their names in [`PARTS`].
const TABLES: &str = "{TABLES}";

/// Returns the tables that can be used without a schema name, and the routines in the schema where the server creates
/// new objects.
pub async fn objects(wire: &mut Wire) -> Result<Vec<Object>> {
    Ok(rows(wire, OBJECTS).await?.into_iter().map(object).collect())
}

/// Returns the columns, indexes, constraints, triggers and other parts of the tables.
pub async fn table_parts(wire: &mut Wire, tables: &[&str]) -> Result<Vec<TablePart>> {
    let quoted = |name: &&str| format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
    let names: Vec<String> = tables.iter().map(quoted).collect();
    let names = names.join(",").replace('\'', "''");
    let sql = PARTS.replace(TABLES, &format!("{{{names}}}"));
    Ok(rows(wire, &sql).await?.into_iter().map(table_part).collect())
}

/// Returns what prevents Tacho from dropping the tables: views, foreign keys and child tables that depend on them, and
/// tables that belong to another role.
pub async fn obstacles(wire: &mut Wire, tables: &[&Object]) -> Result<Vec<String>> {
    // The object IDs come from the server, so they need no quotes.
    let numbers: Vec<&str> = tables.iter().map(|table| table.identity.as_str()).collect();
    let sql = OBSTACLES.replace(TABLES, &format!("{{{}}}", numbers.join(",")));
    Ok(rows(wire, &sql).await?.into_iter().flatten().flatten().collect())
}
