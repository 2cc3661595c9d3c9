//! The eight tables of clause 1.4, their fixed row counts, and a table for the progress of refresh functions.
//!
//! This file must not contain anything that is specific to a database, because the dialects convert the tables to
//! statements.
//!
//! Start reading at [`schema`].

use tacho_core::{Column, Index, Schema, Table, Type};

// Indexes of the tables in the schema.
pub const REGION: usize = 0;
pub const NATION: usize = 1;
pub const SUPPLIER: usize = 2;
pub const CUSTOMER: usize = 3;
pub const PART: usize = 4;
pub const PARTSUPP: usize = 5;
pub const ORDERS: usize = 6;
pub const LINEITEM: usize = 7;

pub const REFRESHES: usize = 8;

/// Returns the number of rows that each scale step of a hundredth of a gigabyte adds to a table, or
/// the total number of rows if the table does not grow.
///
/// For `lineitem`, the number is a mean, because an order has 1 to 7 lines.
pub const fn rows_per_step(table: usize) -> u64 {
    match table {
        REGION => 5,
        NATION => 25,
        REFRESHES => 2,
        SUPPLIER => 100,
        CUSTOMER => 1_500,
        PART => 2_000,
        PARTSUPP => 8_000,
        ORDERS => 15_000,
        _ => 60_000,
    }
}

/// Returns true if a table has the same rows at every scale.
pub const fn is_fixed(table: usize) -> bool {
    matches!(table, REGION | NATION | REFRESHES)
}

/// Type of all numbers with a fraction, clause 1.3.1.
const DECIMAL: Type = Type::Decimal { precision: 15, scale: 2 };

/// Returns the tables in index order. If `indexed` is true, each foreign key has an index, unless
/// the primary key starts with its columns.
///
/// `phones` is the type of phone numbers.
pub fn schema(indexed: bool, phones: Type) -> Schema {
    let mut tables = vec![
        region(),
        nation(),
        supplier(phones),
        customer(phones),
        part(),
        partsupp(),
        orders(),
        lineitem(),
        refreshes(),
    ];
    for table in &mut tables {
        table.searched = searched(table.name).to_vec();
        if !indexed {
            table.indexes.clear();
        }
    }
    Schema { tables }
}

/// Returns the columns that queries compare with a parameter although they have no index, clause 1.4.3.
fn searched(table: &str) -> &'static [&'static str] {
    match table {
        "part" => &["p_brand", "p_type", "p_size", "p_container"],
        "customer" => &["c_mktsegment", "c_acctbal"],
        "orders" => &["o_orderstatus", "o_orderdate"],
        "lineitem" => &[
            "l_quantity",
            "l_discount",
            "l_returnflag",
            "l_shipdate",
            "l_receiptdate",
            "l_shipinstruct",
            "l_shipmode",
        ],
        _ => &[],
    }
}

fn column(name: &'static str, ty: Type) -> Column {
    Column { name, ty, nullable: false, declared: None }
}

fn index(name: &'static str, columns: &[&'static str]) -> Index {
    Index { name, columns: columns.to_vec(), unique: false }
}

fn table(
    name: &'static str,
    key: &[&'static str],
    columns: Vec<Column>,
    indexes: Vec<Index>,
) -> Table {
    Table { name, columns, key: key.to_vec(), indexes, ..Table::default() }
}

fn region() -> Table {
    let columns = vec![
        column("r_regionkey", Type::BigInt),
        column("r_name", Type::Varchar(25)),
        column("r_comment", Type::Varchar(152)),
    ];
    table("region", &["r_regionkey"], columns, vec![])
}

fn nation() -> Table {
    let columns = vec![
        column("n_nationkey", Type::BigInt),
        column("n_name", Type::Varchar(25)),
        column("n_regionkey", Type::BigInt),
        column("n_comment", Type::Varchar(152)),
    ];
    let indexes = vec![index("nation_region", &["n_regionkey"])];
    table("nation", &["n_nationkey"], columns, indexes)
}

fn supplier(phones: Type) -> Table {
    let columns = vec![
        column("s_suppkey", Type::BigInt),
        column("s_name", Type::Varchar(25)),
        column("s_address", Type::Varchar(40)),
        column("s_nationkey", Type::BigInt),
        column("s_phone", phones),
        column("s_acctbal", DECIMAL),
        column("s_comment", Type::Varchar(101)),
    ];
    let indexes = vec![index("supplier_nation", &["s_nationkey"])];
    table("supplier", &["s_suppkey"], columns, indexes)
}

fn customer(phones: Type) -> Table {
    let columns = vec![
        column("c_custkey", Type::BigInt),
        column("c_name", Type::Varchar(25)),
        column("c_address", Type::Varchar(40)),
        column("c_nationkey", Type::BigInt),
        column("c_phone", phones),
        column("c_acctbal", DECIMAL),
        column("c_mktsegment", Type::Varchar(10)),
        column("c_comment", Type::Varchar(117)),
    ];
    let indexes = vec![index("customer_nation", &["c_nationkey"])];
    table("customer", &["c_custkey"], columns, indexes)
}

fn part() -> Table {
    let columns = vec![
        column("p_partkey", Type::BigInt),
        column("p_name", Type::Varchar(55)),
        column("p_mfgr", Type::Varchar(25)),
        column("p_brand", Type::Varchar(10)),
        column("p_type", Type::Varchar(25)),
        column("p_size", Type::Int),
        column("p_container", Type::Varchar(10)),
        column("p_retailprice", DECIMAL),
        column("p_comment", Type::Varchar(23)),
    ];
    table("part", &["p_partkey"], columns, vec![])
}

fn partsupp() -> Table {
    let columns = vec![
        column("ps_partkey", Type::BigInt),
        column("ps_suppkey", Type::BigInt),
        column("ps_availqty", Type::Int),
        column("ps_supplycost", DECIMAL),
        column("ps_comment", Type::Varchar(199)),
    ];
    let indexes = vec![index("partsupp_supplier", &["ps_suppkey"])];
    table("partsupp", &["ps_partkey", "ps_suppkey"], columns, indexes)
}

fn orders() -> Table {
    let columns = vec![
        column("o_orderkey", Type::BigInt),
        column("o_custkey", Type::BigInt),
        column("o_orderstatus", Type::Char(1)),
        column("o_totalprice", DECIMAL),
        column("o_orderdate", Type::Date),
        column("o_orderpriority", Type::Varchar(15)),
        column("o_clerk", Type::Char(15)),
        column("o_shippriority", Type::Int),
        column("o_comment", Type::Varchar(79)),
    ];
    let indexes = vec![index("orders_customer", &["o_custkey"])];
    table("orders", &["o_orderkey"], columns, indexes)
}

fn lineitem() -> Table {
    let columns = vec![
        column("l_orderkey", Type::BigInt),
        column("l_partkey", Type::BigInt),
        column("l_suppkey", Type::BigInt),
        column("l_linenumber", Type::Int),
        column("l_quantity", DECIMAL),
        column("l_extendedprice", DECIMAL),
        column("l_discount", DECIMAL),
        column("l_tax", DECIMAL),
        column("l_returnflag", Type::Char(1)),
        column("l_linestatus", Type::Char(1)),
        column("l_shipdate", Type::Date),
        column("l_commitdate", Type::Date),
        column("l_receiptdate", Type::Date),
        column("l_shipinstruct", Type::Varchar(25)),
        column("l_shipmode", Type::Varchar(10)),
        column("l_comment", Type::Varchar(44)),
    ];
    let indexes = vec![index("lineitem_partsupp", &["l_partkey", "l_suppkey"])];
    table("lineitem", &["l_orderkey", "l_linenumber"], columns, indexes)
}

/// Returns the table with one row per refresh function; see `refresh/mod.rs`.
fn refreshes() -> Table {
    let columns = vec![
        column("f_function", Type::Int),
        column("f_set", Type::BigInt),
        column("f_done", Type::BigInt),
        column("f_orders", Type::BigInt),
        column("f_lines", Type::BigInt),
    ];
    table("refreshes", &["f_function"], columns, vec![])
}
