//! Looks up the tables in the database file, and anything that prevents Tacho from dropping them.
//!
//! This module must not change anything.
//!
//! A table is identified by its columns alone, because its object ID changes each time the file is opened.

use tacho_core::Result;
use tacho_driver::{Object, ObjectKind, TablePart};

use crate::facts::texts;
use crate::handles::Connection;

const OBJECTS: &str = include_str!("../sql/objects.sql");
const PARTS: &str = include_str!("../sql/table_parts.sql");
const VIEWS: &str = include_str!("../sql/views.sql");
const REFERENCES: &str = include_str!("../sql/references.sql");

/// Returns all tables, views and indexes of the session's schema.
pub fn objects(connection: &Connection) -> Result<Vec<Object>> {
    let found = texts(connection, OBJECTS, 4)?;
    let object = |row: &[String]| Object {
        kind: if row[0] == "table" { ObjectKind::Table } else { ObjectKind::Other },
        name: row[1].clone(),
        schema: String::new(),
        identity: String::new(),
        shape: row[2].lines().map(str::to_owned).collect(),
        drop: row[3].clone(),
    };
    Ok(found.chunks_exact(4).map(object).collect())
}

/// Returns the columns, indexes and constraints of all tables in the session's schema.
pub fn table_parts(connection: &Connection) -> Result<Vec<TablePart>> {
    let found = texts(connection, PARTS, 4)?;
    let part = |row: &[String]| TablePart {
        table: row[0].clone(),
        kind: row[1].clone(),
        name: row[2].clone(),
        definition: row[3].clone(),
        identity: String::new(),
    };
    Ok(found.chunks_exact(4).map(part).collect())
}

/// Returns everything that prevents Tacho from dropping the tables: views and foreign keys that refer to them.
pub fn obstacles(connection: &Connection, tables: &[&Object]) -> Result<Vec<String>> {
    let named = |text: &str| tables.iter().find(|table| has_word(text, &table.name));
    let views = texts(connection, VIEWS, 2)?;
    let views = views.chunks_exact(2).filter_map(|view| {
        let query = view[1].split_once(" as ").map_or("", |(_, query)| query);
        Some(format!("view {} needs table {}", view[0], named(query)?.name))
    });
    let keys = texts(connection, REFERENCES, 2)?;
    let keys = keys.chunks_exact(2).filter_map(|key| {
        let is_ours = tables.iter().any(|table| table.name == key[0]);
        let other = key[1].split_once("references").map_or("", |(_, other)| other);
        let table = named(other).filter(|_| !is_ours)?;
        Some(format!("a foreign key in table {} references table {}", key[0], table.name))
    });
    Ok(views.chain(keys).collect())
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word)
}

#[cfg(test)]
mod tests {
    use super::has_word;

    #[test]
    fn a_name_is_a_whole_word() {
        assert!(has_word("select * from main.orders;", "orders"));
        assert!(!has_word("select * from my_orders", "orders"));
    }
}
