//! Looks up the server's tables and routines, and anything that prevents Tacho from dropping the tables.
//!
//! This module must never change anything.

pub mod table_parts;

use tacho_core::Result;
use tacho_driver::{Dialect, Object, Value, ValueKind};
use tacho_net::object;

use crate::admin::rows;
use crate::dialect::MySql;
use crate::link::Link;
use crate::privileges;

const OBJECTS: &str = include_str!("../sql/objects.sql");
const OBSTACLES: &str = include_str!("../sql/obstacles.sql");
/// Error numbers returned by a read-only server.
const READ_ONLY: [&str; 3] = ["1290", "1792", "1836"];
/// Placeholder in [`OBSTACLES`] that is replaced by the table names.
const TABLES: &str = "TABLES";

/// Returns the tables and routines of the session's database.
pub async fn objects(link: &mut Link) -> Result<Vec<Object>> {
    Ok(rows(link, OBJECTS).await?.into_iter().map(object).collect())
}

/// Returns what prevents Tacho from dropping the tables: views and foreign keys that depend on them, and missing
/// privileges.
pub async fn obstacles(link: &mut Link, tables: &[&Object]) -> Result<Vec<String>> {
    if tables.is_empty() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for table in tables {
        let comma: &[u8] = if names.is_empty() { b"" } else { b", " };
        names.extend_from_slice(comma);
        MySql.literal(Value::Text(table.name.as_bytes()), ValueKind::Text, &mut names)?;
    }
    let sql = OBSTACLES.replace(TABLES, &String::from_utf8_lossy(&names));
    let mut found: Vec<String> = rows(link, &sql).await?.into_iter().flatten().flatten().collect();
    match privileges::no_drop(link).await? {
        // Report only this error. A read-only server rejects every change, so the tables are not the cause.
        Some(error) if error.native_code().is_some_and(|code| READ_ONLY.contains(&code)) => {
            Err(error)
        }
        refusal => {
            found.extend(refusal.map(|error| error.to_string()));
            Ok(found)
        }
    }
}
