//! Definitions of the nine tables, and the quantities that the standard fixes.
//!
//! This file must not contain anything that is specific to a database, because the dialects convert the tables to
//! statements.
//!
//! Start reading at [`schema`].

use tacho_core::{Column, Index, Schema, Table, Type};

/// Number of items, and also of stock rows per warehouse, clause 1.2.1.
pub const ITEMS: i64 = 100_000;
/// Number of districts in a warehouse.
pub const DISTRICTS: i64 = 10;
/// Number of customers in a district, which is also the number of initial orders.
pub const CUSTOMERS: i64 = 3_000;
/// First initial order that has not been delivered, clause 4.3.3.1.
pub const FIRST_OPEN_ORDER: i64 = 2_101;
/// Number of initial orders in a district that have not been delivered.
pub const OPEN_ORDERS: i64 = CUSTOMERS - FIRST_OPEN_ORDER + 1;

// Indexes of the tables in the schema.
pub const WAREHOUSE: usize = 0;
pub const DISTRICT: usize = 1;
pub const CUSTOMER: usize = 2;
pub const HISTORY: usize = 3;
pub const ITEM: usize = 4;
pub const STOCK: usize = 5;
pub const ORDERS: usize = 6;
pub const NEW_ORDER: usize = 7;
pub const ORDER_LINE: usize = 8;
/// Number of tables.
pub const TABLES: usize = 9;

/// Returns the number of a table's slots per warehouse. For `item`, whose rows belong to no warehouse, returns the
/// number of all slots.
///
/// A slot is a single row. In `order_line`, it consists of the 5 to 15 lines of an order.
pub const fn slots_per_warehouse(table: usize) -> u64 {
    (match table {
        WAREHOUSE => 1,
        DISTRICT => DISTRICTS,
        ITEM | STOCK => ITEMS,
        NEW_ORDER => DISTRICTS * OPEN_ORDERS,
        _ => DISTRICTS * CUSTOMERS,
    }) as u64
}

/// Properties that affect column types.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// True if the counters in `customer` and `stock` never change, so that narrow types are sufficient for them.
    pub narrow_counts: bool,
    /// True if HammerDB's routines write the order lines.
    pub hammerdb_routines: bool,
}

/// Returns the tables in index order.
pub fn schema(variant: Variant) -> Schema {
    // If the counters never change, a narrow type is sufficient.
    let count = if variant.narrow_counts { Type::SmallInt } else { Type::Int };
    let tables = vec![
        warehouse(),
        district(),
        customer(count),
        history(),
        item(),
        stock(count),
        orders(),
        new_order(),
        order_line(variant.hammerdb_routines),
    ];
    Schema { tables }
}

const MONEY: Type = Type::Decimal { precision: 12, scale: 2 };
const AMOUNT: Type = Type::Decimal { precision: 6, scale: 2 };
const RATE: Type = Type::Decimal { precision: 4, scale: 4 };

type Columns = Vec<Column>;

fn column(name: &'static str, ty: Type) -> Column {
    Column { name, ty, nullable: false, declared: None }
}

fn nullable(name: &'static str, ty: Type) -> Column {
    Column { name, ty, nullable: true, declared: None }
}

fn table(name: &'static str, key: &'static [&'static str], columns: Columns) -> Table {
    Table { name, columns, key: key.to_vec(), ..Table::default() }
}

fn warehouse() -> Table {
    let columns = vec![
        column("w_id", Type::Int),
        // The column has more digits than clause 1.3.1 requires, because a fast database needs more
        // than ten digits within hours.
        column("w_ytd", Type::Decimal { precision: 16, scale: 2 }),
        column("w_tax", RATE),
        column("w_name", Type::Varchar(10)),
        column("w_street_1", Type::Varchar(20)),
        column("w_street_2", Type::Varchar(20)),
        column("w_city", Type::Varchar(20)),
        column("w_state", Type::Char(2)),
        column("w_zip", Type::Char(9)),
    ];
    table("warehouse", &["w_id"], columns)
}

fn district() -> Table {
    let columns = vec![
        column("d_w_id", Type::Int),
        column("d_id", Type::SmallInt),
        column("d_ytd", MONEY),
        column("d_tax", RATE),
        column("d_next_o_id", Type::Int),
        column("d_name", Type::Varchar(10)),
        column("d_street_1", Type::Varchar(20)),
        column("d_street_2", Type::Varchar(20)),
        column("d_city", Type::Varchar(20)),
        column("d_state", Type::Char(2)),
        column("d_zip", Type::Char(9)),
    ];
    table("district", &["d_w_id", "d_id"], columns)
}

fn customer(count: Type) -> Table {
    let columns = vec![
        column("c_w_id", Type::Int),
        column("c_d_id", Type::SmallInt),
        column("c_id", Type::Int),
        column("c_first", Type::Varchar(16)),
        column("c_middle", Type::Char(2)),
        column("c_last", Type::Varchar(16)),
        column("c_street_1", Type::Varchar(20)),
        column("c_street_2", Type::Varchar(20)),
        column("c_city", Type::Varchar(20)),
        column("c_state", Type::Char(2)),
        column("c_zip", Type::Char(9)),
        column("c_phone", Type::Char(16)),
        column("c_since", Type::Timestamp),
        column("c_credit", Type::Char(2)),
        column("c_credit_lim", MONEY),
        column("c_discount", RATE),
        column("c_balance", MONEY),
        column("c_ytd_payment", MONEY),
        column("c_payment_cnt", count),
        column("c_delivery_cnt", count),
        column("c_data", Type::Varchar(500)),
    ];
    let by_name = Index {
        name: "customer_by_name",
        columns: vec!["c_w_id", "c_d_id", "c_last", "c_first", "c_id"],
        unique: true,
    };
    Table { indexes: vec![by_name], ..table("customer", &["c_w_id", "c_d_id", "c_id"], columns) }
}

fn history() -> Table {
    let columns = vec![
        column("h_c_id", Type::Int),
        column("h_c_d_id", Type::SmallInt),
        column("h_c_w_id", Type::Int),
        column("h_d_id", Type::SmallInt),
        column("h_w_id", Type::Int),
        column("h_date", Type::Timestamp),
        column("h_amount", AMOUNT),
        column("h_data", Type::Varchar(24)),
    ];
    table("history", &[], columns)
}

fn item() -> Table {
    let columns = vec![
        column("i_id", Type::Int),
        column("i_im_id", Type::Int),
        column("i_name", Type::Varchar(24)),
        column("i_price", Type::Decimal { precision: 5, scale: 2 }),
        column("i_data", Type::Varchar(50)),
    ];
    table("item", &["i_id"], columns)
}

fn stock(count: Type) -> Table {
    let mut columns = vec![
        column("s_w_id", Type::Int),
        column("s_i_id", Type::Int),
        column("s_quantity", Type::SmallInt),
    ];
    columns.extend(DIST_COLUMNS.iter().map(|name| column(name, Type::Char(24))));
    columns.extend([
        column("s_ytd", Type::Int),
        column("s_order_cnt", count),
        column("s_remote_cnt", count),
        column("s_data", Type::Varchar(50)),
    ]);
    table("stock", &["s_w_id", "s_i_id"], columns)
}

const DIST_COLUMNS: [&str; DISTRICTS as usize] = [
    "s_dist_01",
    "s_dist_02",
    "s_dist_03",
    "s_dist_04",
    "s_dist_05",
    "s_dist_06",
    "s_dist_07",
    "s_dist_08",
    "s_dist_09",
    "s_dist_10",
];

fn orders() -> Table {
    let columns = vec![
        column("o_w_id", Type::Int),
        column("o_d_id", Type::SmallInt),
        column("o_id", Type::Int),
        column("o_c_id", Type::Int),
        nullable("o_carrier_id", Type::SmallInt),
        column("o_ol_cnt", Type::SmallInt),
        column("o_all_local", Type::SmallInt),
        column("o_entry_d", Type::Timestamp),
    ];
    let by_customer = Index {
        name: "orders_by_customer",
        columns: vec!["o_w_id", "o_d_id", "o_c_id", "o_id"],
        unique: true,
    };
    Table { indexes: vec![by_customer], ..table("orders", &["o_w_id", "o_d_id", "o_id"], columns) }
}

fn new_order() -> Table {
    let columns = vec![
        column("no_w_id", Type::Int),
        column("no_d_id", Type::SmallInt),
        column("no_o_id", Type::Int),
    ];
    table("new_order", &["no_w_id", "no_d_id", "no_o_id"], columns)
}

/// Returns the `order_line` table. If `incomplete` is true, the columns are nullable, because
/// HammerDB's routines write some lines without an amount.
fn order_line(incomplete: bool) -> Table {
    let known = if incomplete { nullable } else { column };
    let columns = vec![
        column("ol_w_id", Type::Int),
        column("ol_d_id", Type::SmallInt),
        column("ol_o_id", Type::Int),
        column("ol_number", Type::SmallInt),
        column("ol_i_id", Type::Int),
        nullable("ol_delivery_d", Type::Timestamp),
        known("ol_amount", AMOUNT),
        column("ol_supply_w_id", Type::Int),
        column("ol_quantity", Type::SmallInt),
        known("ol_dist_info", Type::Char(24)),
    ];
    table("order_line", &["ol_w_id", "ol_d_id", "ol_o_id", "ol_number"], columns)
}
