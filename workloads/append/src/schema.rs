//! Definition of the table.
//!
//! This file must not contain anything that is specific to a database, because the dialects convert the table to
//! statements.
//!
//! Start reading at [`schema`].

use tacho_core::{Column, Schema, Table, Type};

/// Number of keys in a block.
pub const KEYS: u64 = 100_000;
/// Maximum length of a list: 32 numbers of up to 20 digits, each followed by a comma.
const LIST_CHARS: u16 = 700;

/// Returns the table.
pub fn schema() -> Schema {
    let key = Column { name: "k", ty: Type::Int, nullable: false, declared: None };
    // Some databases store an empty string as NULL.
    let list =
        Column { name: "vals", ty: Type::Varchar(LIST_CHARS), nullable: true, declared: None };
    let table = Table {
        name: "append_lists",
        columns: vec![key, list],
        key: vec!["k"],
        ..Table::default()
    };
    Schema { tables: vec![table] }
}
