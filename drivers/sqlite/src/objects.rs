//! Queries the tables in a database file, and whatever prevents Tacho from dropping them.
//!
//! This module must never change anything.

use rusqlite::{Connection, Result};
use tacho_core::Seed;
use tacho_driver::{Object, ObjectKind, TablePart};

const OBJECTS: &str = include_str!("../sql/objects.sql");
const PARTS: &str = include_str!("../sql/table_parts.sql");
const REFERENCES: &str = include_str!("../sql/references.sql");
const VIEWS: &str = "SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name";
/// Query for the root pages of all tables and indexes, each with the name of its table.
const ROOTS: &str = "SELECT rootpage, lower(tbl_name) FROM sqlite_master WHERE rootpage > 0";

/// Returns all tables, views and indexes. They are identified by their SQL text, because SQLite stores no other ID.
pub fn objects(connection: &Connection) -> Result<Vec<Object>> {
    let mut statement = connection.prepare(OBJECTS)?;
    let found = statement.query_map([], |row| {
        let text = |at| row.get::<_, Option<String>>(at).map(Option::unwrap_or_default);
        let (kind, sql, shape) = (text(0)?, text(2)?, text(3)?);
        Ok(Object {
            kind: if kind == "table" { ObjectKind::Table } else { ObjectKind::Other },
            name: text(1)?,
            schema: String::new(),
            identity: format!("{:016x}", Seed(0).child(&sql).0),
            shape: shape.lines().map(str::to_owned).collect(),
            drop: text(4)?,
        })
    })?;
    found.collect()
}

/// Returns the columns, indexes and triggers of all tables. The SQL text of a table is included, because it contains
/// the constraints.
///
/// This does not show that an index was dropped and created again with the same text.
pub fn table_parts(connection: &Connection) -> Result<Vec<TablePart>> {
    let mut statement = connection.prepare(PARTS)?;
    let found = statement.query_map([], |row| {
        Ok(TablePart {
            table: row.get(0)?,
            kind: row.get(1)?,
            name: row.get(2)?,
            definition: row.get(3)?,
            identity: String::new(),
        })
    })?;
    found.collect()
}

/// Returns the views and foreign keys that prevent these tables from being dropped.
pub fn obstacles(connection: &Connection, tables: &[&Object]) -> Result<Vec<String>> {
    let is_ours = |name: &str| tables.iter().any(|table| table.name == name);
    let mut found = Vec::new();
    let roots = pairs(connection, ROOTS)?;
    for view in names(connection, VIEWS)? {
        let sql = format!("EXPLAIN SELECT * FROM \"{}\"", view.replace('"', "\"\""));
        // A broken view depends on nothing.
        let Ok(mut plan) = connection.prepare(&sql) else { continue };
        let opened = plan.query_map([], |row| {
            let opens = row.get::<_, String>(1)?.starts_with("OpenRead");
            Ok(if opens { row.get::<_, i64>(3)? } else { 0 })
        })?;
        let mut opened = opened.collect::<Result<Vec<i64>>>()?.into_iter();
        let table = opened.find_map(|page| {
            let (_, table) = roots.iter().find(|(root, _)| *root == page.to_string())?;
            is_ours(table).then_some(table)
        });
        found.extend(table.map(|table| format!("view {view} needs table {table}")));
    }
    for (from, to) in pairs(connection, REFERENCES)? {
        if is_ours(&to) && !is_ours(&from) {
            found.push(format!("a foreign key in table {from} references table {to}"));
        }
    }
    Ok(found)
}

fn names(connection: &Connection, sql: &str) -> Result<Vec<String>> {
    connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}

fn pairs(connection: &Connection, sql: &str) -> Result<Vec<(String, String)>> {
    let text = |value: rusqlite::types::Value| match value {
        rusqlite::types::Value::Integer(number) => number.to_string(),
        rusqlite::types::Value::Text(text) => text,
        _ => String::new(),
    };
    let mut statement = connection.prepare(sql)?;
    let found = statement.query_map([], |row| Ok((text(row.get(0)?), text(row.get(1)?))))?;
    found.collect()
}
