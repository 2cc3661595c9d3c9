//! The tables as data, with sysbench's names.
//!
//! It must never know a database: a dialect turns it into statements. Start reading at [`schema`] and [`bulk`].

use tacho_core::{Column, Index, Schema, Table, Type};

/// Characters of the column c.
pub const C: u16 = 120;
/// Characters of the column pad.
pub const PAD: u16 = 60;

/// So many tables, `sbtest1` and so on, with an index on k or without.
pub fn schema(tables: u64, secondary_index: bool) -> Schema {
    Schema { tables: (1..=tables).map(|number| table(number, secondary_index)).collect() }
}

/// So many tables of the same names for rows of two numbers, as `bulk_insert` has them.
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

/// A name that lives as long as the process, as those of other workloads do.
fn name(base: &str, number: u64) -> &'static str {
    format!("{base}{number}").leak()
}
