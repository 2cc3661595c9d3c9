//! Table definitions with the same names as in sysbench.
//!
//! This file must not depend on a database: a dialect converts the tables to statements. Start reading at [`schema`]
//! and [`bulk`].

use tacho_core::{Column, Index, Schema, Table, Type};

/// Length of column c in characters.
pub const C: u16 = 120;
/// Length of column pad in characters.
pub const PAD: u16 = 60;

/// Returns a schema of `tables` tables, named `sbtest1` and so on. Column k has an index if `secondary_index` is true.
pub fn schema(tables: u64, secondary_index: bool) -> Schema {
    Schema { tables: (1..=tables).map(|number| table(number, secondary_index)).collect() }
}

/// Returns a schema of `tables` two-column tables for `bulk_insert`, named `sbtest1` and so on.
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

/// Returns a name that lives as long as the process, as table names do in the other workloads.
fn name(base: &str, number: u64) -> &'static str {
    format!("{base}{number}").leak()
}
