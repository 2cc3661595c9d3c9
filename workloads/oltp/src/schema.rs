//! Table definitions with the same names as in sysbench.
//!
//! This file must not contain anything that is specific to a database, because the dialects convert the tables to
//! statements.
//!
//! Start reading at [`schema`] and [`bulk`].

use tacho_core::{Column, Index, Schema, Table, Type};

/// Length of column c in characters.
pub const C: u16 = 120;
/// Length of column pad in characters.
pub const PAD: u16 = 60;

/// Returns a schema with tables `sbtest1`, `sbtest2` and so on. If `secondary_index` is true, `k` has an index.
pub fn schema(tables: u64, secondary_index: bool) -> Schema {
    Schema { tables: (1..=tables).map(|number| table(number, secondary_index)).collect() }
}

/// Returns a schema for `bulk_insert`, with two-column tables `sbtest1`, `sbtest2` and so on.
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

/// Returns a table name. Its memory is never freed, because the schema requires names that live as long as the process.
fn name(base: &str, number: u64) -> &'static str {
    format!("{base}{number}").leak()
}
