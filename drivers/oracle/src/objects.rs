//! Queries the server's tables and routines, and whatever prevents Tacho from dropping the tables.
//!
//! This module must never change anything.

use oracledb::Connection;
use tacho_core::Result;
use tacho_driver::{NameCase, Object, ObjectKind, TablePart};
use tacho_net::{TextRow, table_part};

use crate::facts;
use crate::query::{asked, rows};

const TABLES: &str = include_str!("../sql/tables.sql");
const COLUMNS: &str = include_str!("../sql/columns.sql");
const PARTS: &str = include_str!("../sql/table_parts.sql");
const ROUTINES: &str = include_str!("../sql/routines.sql");
const REFERENCES: &str = include_str!("../sql/references.sql");
const VIEWS: &str = include_str!("../sql/views.sql");

/// Returns the names of the user's tables.
pub fn tables(connection: &Connection) -> Result<Vec<String>> {
    let found = rows(connection, TABLES)?;
    Ok(found.into_iter().flatten().flatten().map(|name| NameCase::Upper.shown(&name)).collect())
}

/// Returns the user's tables and routines.
pub fn objects(connection: &Connection) -> Result<Vec<Object>> {
    let mut found = Vec::new();
    for row in rows(connection, COLUMNS)? {
        let [name, identity, column, ty, cluster] = texts(row);
        let line = format!("{} {ty}", column.to_lowercase());
        add(&mut found, ObjectKind::Table, &name, identity, line);
        // A cluster that contains a single table is dropped together with that table.
        if let Some(last) = found.last_mut().filter(|_| cluster == format!("{name}_CLUSTER")) {
            last.drop = format!("DROP CLUSTER {} INCLUDING TABLES", quoted(&cluster));
        }
    }
    for row in rows(connection, ROUTINES)? {
        let [name, identity, kind, line] = texts(row);
        add(&mut found, ObjectKind::Routine, &name, identity, line);
        if let Some(last) = found.last_mut() {
            last.drop = format!("DROP {kind} {}", quoted(&name));
        }
    }
    Ok(found)
}

/// Returns the columns, indexes, constraints and triggers of the user's tables.
pub fn table_parts(connection: &Connection) -> Result<Vec<TablePart>> {
    let found = asked(connection, PARTS)?.unwrap_or_default().into_iter().map(table_part);
    Ok(found.map(|part| TablePart { table: NameCase::Upper.shown(&part.table), ..part }).collect())
}

/// Adds a line of an object's definition to the last object. If the line belongs to another object, starts a new object
/// with it.
fn add(found: &mut Vec<Object>, kind: ObjectKind, name: &str, identity: String, line: String) {
    match found.last_mut() {
        Some(last) if last.identity == identity => last.shape.push(line),
        _ => found.push(Object {
            kind,
            name: NameCase::Upper.shown(name),
            schema: String::new(),
            identity,
            shape: vec![line],
            drop: format!("DROP TABLE {} PURGE", quoted(name)),
        }),
    }
}

/// Returns a name in quotes, unless the name was created without quotes.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "_$#".contains(c);
    if name.chars().all(plain) { name.to_lowercase() } else { format!("\"{name}\"") }
}

fn texts<const N: usize>(row: TextRow) -> [String; N] {
    let mut row = row.into_iter();
    std::array::from_fn(|_| row.next().flatten().unwrap_or_default())
}

/// Returns what prevents Tacho from dropping the tables: views and foreign keys that depend on them, and missing
/// privileges.
pub fn obstacles(connection: &Connection, tables: &[&Object]) -> Result<Vec<String>> {
    if tables.is_empty() {
        return Ok(Vec::new());
    }
    let is_one = |name: &str| tables.iter().any(|table| table.name == NameCase::Upper.shown(name));
    let mut found = Vec::new();
    for row in asked(connection, VIEWS)?.unwrap_or_default() {
        let [view, kind, table] = texts(row);
        if is_one(&table) {
            found.push(format!("{} {view} needs table {table}", kind.to_lowercase()));
        }
    }
    for row in asked(connection, REFERENCES)?.unwrap_or_default() {
        let [key, shown, owner, table] = texts(row);
        if is_one(&table) && !is_one(&owner) {
            found.push(format!("foreign key {key} of table {shown} references table {table}"));
        }
    }
    let missing = facts::privileges(connection)?.missing;
    found.extend(missing.into_iter().map(|advice| advice.text));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_one_object_are_its_shape() {
        let mut found = Vec::new();
        for (name, id, line) in
            [("T_1", "7", "a NUMBER(5,0)"), ("T_1", "7", "b DATE"), ("tT", "8", "c")]
        {
            add(&mut found, ObjectKind::Table, name, id.into(), line.into());
        }
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].shape.len(), &*found[0].drop), (2, "DROP TABLE t_1 PURGE"));
        assert_eq!((&*found[1].name, &*found[1].drop), ("\"tT\"", "DROP TABLE \"tT\" PURGE"));
    }
}
