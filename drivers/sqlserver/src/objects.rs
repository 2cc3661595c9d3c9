//! Queries the tables and routines on the server, and whatever prevents Tacho from dropping the tables.
//!
//! This module must never change anything.

use tacho_core::Result;
use tacho_driver::{Object, ObjectKind, TablePart};
use tacho_net::table_part;

use crate::admin::{TextRow, asked, bracketed, rows};
use crate::facts;
use crate::link::Link;

const COLUMNS: &str = include_str!("../sql/columns.sql");
const PARTS: &str = include_str!("../sql/table_parts.sql");
const ROUTINES: &str = include_str!("../sql/routines.sql");
const REFERENCES: &str = include_str!("../sql/references.sql");
const VIEWS: &str = include_str!("../sql/views.sql");

/// Returns the tables and routines of the session's schema.
pub async fn objects(link: &mut Link) -> Result<Vec<Object>> {
    let mut found: Vec<Object> = Vec::new();
    for row in rows(link, COLUMNS).await? {
        let [name, identity, column, ty] = texts(row);
        let shape = format!("{} {ty}", column.to_lowercase());
        match found.last_mut() {
            Some(last) if last.identity == identity => last.shape.push(shape),
            _ => found.push(Object {
                kind: ObjectKind::Table,
                drop: format!("DROP TABLE {}", bracketed(&name)),
                name: name.to_lowercase(),
                schema: String::new(),
                identity,
                shape: vec![shape],
            }),
        }
    }
    for row in asked(link, ROUTINES).await?.unwrap_or_default() {
        let [name, identity, definition, kind] = texts(row);
        found.push(Object {
            kind: ObjectKind::Routine,
            drop: format!("DROP {kind} {}", bracketed(&name)),
            name: name.to_lowercase(),
            schema: String::new(),
            identity,
            shape: definition.lines().map(str::to_owned).collect(),
        });
    }
    Ok(found)
}

/// Returns the columns, indexes, constraints and triggers of the schema's tables. Returns nothing if the server lacks a
/// system view.
pub async fn table_parts(link: &mut Link) -> Result<Vec<TablePart>> {
    let found = asked(link, PARTS).await?.unwrap_or_default().into_iter().map(table_part);
    Ok(found.map(|part| TablePart { table: part.table.to_lowercase(), ..part }).collect())
}

fn texts<const N: usize>(row: TextRow) -> [String; N] {
    let mut row = row.into_iter();
    std::array::from_fn(|_| row.next().flatten().unwrap_or_default())
}

/// Returns what prevents Tacho from dropping the tables: views and foreign keys that depend on them, and missing
/// privileges.
pub async fn obstacles(link: &mut Link, tables: &[&Object]) -> Result<Vec<String>> {
    if tables.is_empty() {
        return Ok(Vec::new());
    }
    let is_one = |name: &str| tables.iter().any(|table| table.name == name.to_lowercase());
    let mut found = Vec::new();
    for row in asked(link, VIEWS).await?.unwrap_or_default() {
        let [view, table] = texts(row);
        if is_one(&table) {
            found.push(format!("view {view} needs table {table}"));
        }
    }
    for row in asked(link, REFERENCES).await?.unwrap_or_default() {
        let [key, owner, table] = texts(row);
        if is_one(&table) && !is_one(&owner) {
            found.push(format!("foreign key {key} of table {owner} references table {table}"));
        }
    }
    let missing = facts::privileges(link).await?.unwrap_or_default().missing;
    found.extend(missing.into_iter().map(|advice| advice.text));
    Ok(found)
}
