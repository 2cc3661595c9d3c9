//! DuckDB's version and its settings currently in effect.

use std::collections::BTreeMap;

use tacho_core::Result;
use tacho_driver::{DataSizes, ServerFacts, ServerMachine, Setting, TableSize, ValueKind, Values};

use crate::handles::{Connection, Database};

/// Names of the settings that affect performance.
const SETTINGS: [&str; 7] = [
    "access_mode",
    "checkpoint_threshold",
    "max_memory",
    "preserve_insertion_order",
    "temp_directory",
    "threads",
    "storage_compatibility_version",
];
/// Query for all settings of the session.
const ALL: &str = "SELECT name, value FROM duckdb_settings() ORDER BY name";

/// Name suffix of settings that contain a folder. Only the folder for temporary data affects performance.
const PLACES: &str = "_directory";
const SIZE: &str = "SELECT (block_size * total_blocks)::VARCHAR FROM pragma_database_size()";
const ROWS: &str =
    "SELECT table_name, estimated_size::VARCHAR FROM duckdb_tables() WHERE NOT internal ORDER BY 1";

/// Returns the settings that affect performance, and all settings that differ from the defaults of a new database.
pub fn facts(connection: &Connection) -> Result<ServerFacts> {
    let fresh = Database::in_memory(connection.library)?.connect()?;
    let defaults: BTreeMap<String, String> = pairs(texts(&fresh, ALL, 2)?).collect();
    let is_told = |name: &str, value: &str| {
        let is_known = SETTINGS.contains(&name);
        let is_changed = defaults.get(name).is_some_and(|default| default != value);
        !value.is_empty() && (is_known || (is_changed && !name.ends_with(PLACES)))
    };
    let settings = pairs(texts(connection, ALL, 2)?)
        .filter(|(name, value)| is_told(name, value))
        .map(|(name, value)| {
            let default = defaults.get(&name).filter(|default| !default.is_empty()).cloned();
            Setting { name, value, default, durability_risk: None }
        })
        .collect();
    let version = connection.library.version();
    let version = format!("DuckDB {}", version.trim_start_matches('v'));
    Ok(ServerFacts { version, settings, ..ServerFacts::default() })
}

fn pairs(texts: Vec<String>) -> impl Iterator<Item = (String, String)> {
    let mut texts = texts.into_iter();
    std::iter::from_fn(move || Some((texts.next()?, texts.next()?)))
}

/// Returns the size of the file and the number of rows in each table.
pub fn sizes(connection: &Connection) -> Result<DataSizes> {
    let all = texts(connection, SIZE, 1)?;
    let table = |(name, rows): (String, String)| TableSize {
        name,
        rows: rows.parse().ok(),
        ..TableSize::default()
    };
    Ok(DataSizes {
        database_bytes: all.first().and_then(|bytes| bytes.parse().ok()),
        tables: pairs(texts(connection, ROWS, 2)?).map(table).collect(),
    })
}

/// Returns the path of the database file.
pub fn machine(connection: &Connection) -> ServerMachine {
    ServerMachine { data_path: connection.path().into(), ..ServerMachine::default() }
}

/// Runs a query that returns strings. Returns all values row by row, with NULL as an empty string.
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
