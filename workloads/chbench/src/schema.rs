//! The three tables that only the queries need.
//!
//! This file must not contain anything that is specific to a database, because the dialects convert the tables to
//! statements.
//!
//! Start reading at [`tables`].

use tacho_core::{Column, Table, Type};

use crate::nations::{NATIONS, REGIONS};

// Indexes of the additional tables.
pub const REGION: usize = 0;
pub const NATION: usize = 1;
pub const SUPPLIER: usize = 2;

/// Number of suppliers at every scale. Stock rows refer to suppliers modulo this number, so the first supplier is 0.
pub const SUPPLIERS: u64 = 10_000;

/// Returns the number of rows in an additional table, which has one row per slot.
pub const fn rows(table: usize) -> u64 {
    match table {
        REGION => REGIONS.len() as u64,
        NATION => NATIONS.len() as u64,
        _ => SUPPLIERS,
    }
}

/// Returns the additional tables in index order.
pub fn tables() -> Vec<Table> {
    vec![region(), nation(), supplier()]
}

fn column(name: &'static str, ty: Type) -> Column {
    Column { name, ty, nullable: false, declared: None }
}

fn table(name: &'static str, key: &'static str, columns: Vec<Column>) -> Table {
    Table { name, columns, key: vec![key], ..Table::default() }
}

fn region() -> Table {
    let columns = vec![
        column("r_regionkey", Type::Int),
        column("r_name", Type::Varchar(55)),
        column("r_comment", Type::Varchar(152)),
    ];
    Table { searched: vec!["r_name"], ..table("region", "r_regionkey", columns) }
}

fn nation() -> Table {
    let columns = vec![
        column("n_nationkey", Type::Int),
        column("n_name", Type::Varchar(25)),
        column("n_regionkey", Type::Int),
        column("n_comment", Type::Varchar(152)),
    ];
    let searched = vec!["n_name", "n_regionkey"];
    Table { searched, ..table("nation", "n_nationkey", columns) }
}

fn supplier() -> Table {
    let columns = vec![
        column("su_suppkey", Type::Int),
        column("su_name", Type::Varchar(25)),
        column("su_address", Type::Varchar(40)),
        column("su_nationkey", Type::Int),
        column("su_phone", Type::Char(15)),
        column("su_acctbal", Type::Decimal { precision: 12, scale: 2 }),
        column("su_comment", Type::Varchar(101)),
    ];
    Table { searched: vec!["su_nationkey"], ..table("supplier", "su_suppkey", columns) }
}
