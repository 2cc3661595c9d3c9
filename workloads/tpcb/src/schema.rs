//! Definitions of the four tables, with the names and row counts that pgbench uses.
//!
//! This file must not contain anything that is specific to a database, because the dialects convert the tables to
//! statements.
//!
//! Start reading at [`schema`].

use tacho_core::{Column, Schema, Table, Type};

/// Number of tellers in a branch.
pub const TELLERS: i64 = 10;
/// Number of accounts in a branch.
pub const ACCOUNTS: i64 = 100_000;
/// Length of an account's filler in characters.
pub const ACCOUNT_FILLER: u16 = 84;

/// Index of the branch table in the schema.
pub const BRANCH: usize = 0;
/// Index of the teller table in the schema.
pub const TELLER: usize = 1;
/// Index of the account table in the schema.
pub const ACCOUNT: usize = 2;

/// Smallest scale at which pgbench uses 64-bit account numbers.
const WIDE_FROM: u64 = 20_000;

/// Returns the number of slots per branch in a table. Each slot is one row.
pub const fn slots_per_branch(table: usize) -> u64 {
    (match table {
        BRANCH => 1,
        TELLER => TELLERS,
        ACCOUNT => ACCOUNTS,
        _ => 0,
    }) as u64
}

/// Returns the tables in index order.
pub fn schema(scale: u64) -> Schema {
    let aid = if scale < WIDE_FROM { Type::Int } else { Type::BigInt };
    let branches = vec![
        column("bid", Type::Int),
        nullable("bbalance", Type::Int),
        nullable("filler", Type::Char(88)),
    ];
    let tellers = vec![
        column("tid", Type::Int),
        nullable("bid", Type::Int),
        nullable("tbalance", Type::Int),
        nullable("filler", Type::Char(84)),
    ];
    let accounts = vec![
        column("aid", aid),
        nullable("bid", Type::Int),
        nullable("abalance", Type::Int),
        nullable("filler", Type::Char(ACCOUNT_FILLER)),
    ];
    let history = vec![
        nullable("tid", Type::Int),
        nullable("bid", Type::Int),
        nullable("aid", aid),
        nullable("delta", Type::Int),
        nullable("mtime", Type::Timestamp),
        nullable("filler", Type::Char(22)),
    ];
    Schema {
        tables: vec![
            table("pgbench_branches", branches, &["bid"]),
            table("pgbench_tellers", tellers, &["tid"]),
            table("pgbench_accounts", accounts, &["aid"]),
            table("pgbench_history", history, &[]),
        ],
    }
}

fn table(name: &'static str, columns: Vec<Column>, key: &'static [&'static str]) -> Table {
    Table { name, columns, key: key.to_vec(), ..Table::default() }
}

fn column(name: &'static str, ty: Type) -> Column {
    Column { name, ty, nullable: false, declared: None }
}

fn nullable(name: &'static str, ty: Type) -> Column {
    Column { name, ty, nullable: true, declared: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_numbers_fit_their_type() {
        for (scale, ty) in [(1, Type::Int), (19_999, Type::Int), (20_000, Type::BigInt)] {
            let columns = schema(scale).tables.into_iter().flat_map(|table| table.columns);
            let found: Vec<Type> = columns.filter(|c| c.name == "aid").map(|c| c.ty).collect();
            assert_eq!(found, [ty, ty], "{scale}");
        }
        assert!(i32::try_from((WIDE_FROM as i64 - 1) * ACCOUNTS).is_ok());
    }
}
