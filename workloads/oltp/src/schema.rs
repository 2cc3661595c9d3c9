//! The tables as data, with sysbench's names.
//!
//! This file must not depend on a database: a dialect turns the tables into statements. Start reading at [`schema`] and
//! [`bulk`].

use tacho_core::{Column, Index, Schema, Table, Type};

/// Length of the column c in characters.
pub const C: u16 = 120;
/// Length of the column pad in characters.
pub const PAD: u16 = 60;

/// Returns this number of tables, named `sbtest1` and so on, with or without an index on k.
pub fn schema(tables: u64, secondary_index: bool) -> Schema {
    Schema { tables: (1..=tables).map(|number| table(number, secondary_index)).collect() }
}

/// Returns this number of tables, named `sbtest1` and so on, for rows of two numbers, as `bulk_insert` uses them.
pub fn bulk(tables: u64) -> Schema {
    let table = |number| Table {
        name: name("sbtest", number),
        columns: vec![column("id", Type::Int), column("k", Type::Int)],
        key: vec!["id"],
        ..Table::default()
    };
    Schema { tables: (1..=tables).map(table).collect() }
}

const fn column(name: &'static str, ty: Type) -> Column {
    Column { name, ty, nullable: false, declared: None }
}

fn table(number: u64, secondary_index: bool) -> Table {
    let index = Index { name: name("k_", number), columns: vec!["k"], unique: false };
    Table {
        name: name("sbtest", number),
        columns: vec![
            column("id", Type::Int),
            column("k", Type::Int),
            column("c", Type::Char(C)),
            column("pad", Type::Char(PAD)),
        ],
        key: vec!["id"],
        indexes: if secondary_index { vec![index] } else { Vec::new() },
        ..Table::default()
    }
}

/// Returns a name that lives as long as the process, like the names in other workloads.
fn name(base: &str, number: u64) -> &'static str {
    format!("{base}{number}").leak()
}
