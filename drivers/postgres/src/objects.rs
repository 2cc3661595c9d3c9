//! Tables and routines as the server's catalog has them, and what stands in the way of removing some.
//!
//! It must never change anything.

use tacho_core::Result;
use tacho_driver::{Object, TablePart};
use tacho_net::{object, table_part};

use crate::admin::rows;
use crate::wire::Wire;

const OBJECTS: &str = include_str!("../sql/objects.sql");
const OBSTACLES: &str = include_str!("../sql/obstacles.sql");
const PARTS: &str = include_str!("../sql/table_parts.sql");
/// The place of the tables' numbers in [`OBSTACLES`], and of their names in [`PARTS`].
const TABLES: &str = "{TABLES}";

/// Tables that are found without a schema, and routines of the schema in which things are created.
pub async fn objects(wire: &mut Wire) -> Result<Vec<Object>> {
    Ok(rows(wire, OBJECTS).await?.into_iter().map(object).collect())
}

/// Columns, indexes, constraints and triggers of the tables, and what else belongs to one.
pub async fn table_parts(wire: &mut Wire, tables: &[&str]) -> Result<Vec<TablePart>> {
    let quoted = |name: &&str| format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
    let names: Vec<String> = tables.iter().map(quoted).collect();
    let names = names.join(",").replace('\'', "''");
    let sql = PARTS.replace(TABLES, &format!("{{{names}}}"));
    Ok(rows(wire, &sql).await?.into_iter().map(table_part).collect())
}

/// Views, foreign keys and heirs of others that need the tables, and tables of other roles.
pub async fn obstacles(wire: &mut Wire, tables: &[&Object]) -> Result<Vec<String>> {
    // A bare list of numbers, as the server itself gave them.
    let numbers: Vec<&str> = tables.iter().map(|table| table.identity.as_str()).collect();
    let sql = OBSTACLES.replace(TABLES, &format!("{{{}}}", numbers.join(",")));
    Ok(rows(wire, &sql).await?.into_iter().flatten().flatten().collect())
}
