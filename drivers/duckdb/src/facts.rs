//! Version and settings, read back from DuckDB as they really are.

use tacho_core::Result;
use tacho_driver::{ServerFacts, Setting, ValueKind, Values};

use crate::handles::Connection;

/// The settings that matter for speed, by their names.
const SETTINGS: [&str; 7] = [
    "access_mode",
    "checkpoint_threshold",
    "max_memory",
    "preserve_insertion_order",
    "temp_directory",
    "threads",
    "storage_compatibility_version",
];
/// All settings; a list of names would be one more text to keep in step.
const ALL: &str = "SELECT name, value FROM duckdb_settings() ORDER BY name";

/// What is in force.
pub fn facts(connection: &Connection) -> Result<ServerFacts> {
    let rows = texts(connection, ALL, 2)?;
    let known = rows.chunks_exact(2).filter(|row| SETTINGS.contains(&row[0].as_str()));
    let settings = known
        .filter(|row| !row[1].is_empty())
        .map(|row| Setting { name: row[0].clone(), value: row[1].clone(), durability_risk: None })
        .collect();
    let version = connection.library.version();
    let version = format!("DuckDB {}", version.trim_start_matches('v'));
    Ok(ServerFacts { version, settings, advice: Vec::new() })
}

/// All values of a query of texts, row by row; NULL is empty.
pub fn texts(connection: &Connection, sql: &str, columns: usize) -> Result<Vec<String>> {
    let (mut answer, mut values) = (connection.query(sql)?, Values::default());
    while let Some(mut chunk) = answer.chunk() {
        chunk.look(columns);
        for row in 0..chunk.rows() {
            for column in 0..columns {
                chunk.read(row, column, ValueKind::Text, &mut values)?;
            }
        }
    }
    Ok((0..values.len())
        .map(|at| match values.get(at) {
            tacho_driver::Value::Text(text) => String::from_utf8_lossy(text).into_owned(),
            _ => String::new(),
        })
        .collect())
}
