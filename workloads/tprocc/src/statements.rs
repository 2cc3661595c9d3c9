//! The names of the statements, and the SQL files that contain them.
//!
//! This file must never contain SQL itself. Start reading at [`Statement`]; the SQL text is in `sql/`.

use tacho_core::Result;
use tacho_driver::{Catalog, Dialect, Section, StatementId, parse_sections};
use tacho_workload::SqlFiles;

use crate::lists;
use crate::names::Names;

/// File that contains the separate statements.
const APART: &str = "apart.sql";
/// Statements sent at the start of a session to imitate HammerDB's mode without stored procedures.
const STALE_WRITES: &str = "hammerdb/session.sql";

/// The common subset of SQL.
const FILES: [&str; 2] = ["default.sql", "checks.sql"];

/// All SQL files, including dialect-specific overrides.
pub const SQL: SqlFiles = tacho_workload::sql_files!();

/// Defines all statements and the names of their sections, group by group.
macro_rules! statements {
    ($({ $($variant:ident = $name:literal,)* })*) => {
        /// A statement.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Statement {
            $($(#[doc = concat!("Section `", $name, "`.")] $variant,)*)*
        }

        /// Section names by group. The first group is part of every catalog, and the others follow
        /// in the order of [`Group`].
        const GROUPS: &[&[&str]] = &[$(&[$($name,)*],)*];
    };
}

statements! {
    {
        OrderTerms = "order_terms",
        DistrictTakeOrder = "district_take_order",
        StockTake = "stock_take",
        StockTakeFrozen = "stock_take_frozen",
        OrderInsert = "order_insert",
        NewOrderInsert = "new_order_insert",
        OrderLineInsert = "order_line_insert",
        WarehousePay = "warehouse_pay",
        DistrictPay = "district_pay",
        CustomersByName = "customers_by_name",
        CustomerPay = "customer_pay",
        CustomerPayFrozen = "customer_pay_frozen",
        CustomerDataUpdate = "customer_data_update",
        HistoryInsert = "history_insert",
        CustomerStatus = "customer_status",
        LastOrder = "last_order",
        OrderLines = "order_lines",
        NewOrderTake = "new_order_take",
        OldestNewOrder = "oldest_new_order",
        NewOrderDelete = "new_order_delete",
        OrderDeliver = "order_deliver",
        OrderLinesDeliver = "order_lines_deliver",
        CustomerDeliver = "customer_deliver",
        CustomerDeliverFrozen = "customer_deliver_frozen",
        DistrictNext = "district_next",
        LowStock = "low_stock",
        NewOrdersTotal = "new_orders_total",
        CommitsTotal = "commits_total",
        OrderedTotal = "ordered_total",
        CheckC1 = "check_c1",
        CheckRows = "check_rows",
        CheckC2 = "check_c2",
        CheckC3 = "check_c3",
        CheckC8 = "check_c8",
        CheckC9 = "check_c9",
        CheckC11 = "check_c11",
        CheckOrders = "check_orders",
        CheckCustomers = "check_customers",
        CheckStock = "check_stock",
        CheckStockRows = "check_stock_rows",
        SampleWarehouses = "sample_warehouses",
        SampleDistricts = "sample_districts",
        SampleHistory = "sample_history",
        SampleItems = "sample_items",
        SampleStock = "sample_stock",
        SampleCustomers = "sample_customers",
        SampleOrders = "sample_orders",
        SampleLines = "sample_lines",
        SampleAmounts = "sample_amounts",
        SampleDistInfo = "sample_dist_info",
    }
    {
        DistrictAdvance = "district_advance",
        OrderShown = "order_shown",
        StockTakeLines = "stock_take_lines",
        StockLines = "stock_lines",
        OrderLinesInsert = "order_lines_insert",
        PlacesPay = "places_pay",
        CustomerPayRow = "customer_pay_row",
        PaymentShown = "payment_shown",
        OldestNewOrders = "oldest_new_orders",
        NewOrdersDelete = "new_orders_delete",
        OrdersDeliver = "orders_deliver",
        LinesDeliver = "lines_deliver",
        OrdersDelivered = "orders_delivered",
        CustomersDeliver = "customers_deliver",
    }
    {
        Ping = "ping",
        CustomerTerms = "customer_terms",
        WarehouseTerms = "warehouse_terms",
        DistrictLock = "district_lock",
        DistrictCountUp = "district_count_up",
        DistrictWrite = "district_write",
        ItemRead = "item_read",
        StockRead = "stock_read",
        StockReadOne = "stock_read_one",
        StockLock = "stock_lock",
        StockLockOne = "stock_lock_one",
        StockWrite = "stock_write",
        StockWriteCounted = "stock_write_counted",
        StockReduce = "stock_reduce",
        StockReduceCounted = "stock_reduce_counted",
        LineInsert = "line_insert",
        LineInsertExact = "line_insert_exact",
        WarehouseAdd = "warehouse_add",
        WarehouseRead = "warehouse_read",
        WarehouseReadLocked = "warehouse_read_locked",
        DistrictAdd = "district_add",
        DistrictRead = "district_read",
        DistrictReadLocked = "district_read_locked",
        NamesakesCount = "namesakes_count",
        NamesakesRead = "namesakes_read",
        CustomerRead = "customer_read",
        CustomerLock = "customer_lock",
        CustomerDataRead = "customer_data_read",
        CustomerWrite = "customer_write",
        CustomerWriteData = "customer_write_data",
        CustomerWriteCounted = "customer_write_counted",
        CustomerWriteCountedData = "customer_write_counted_data",
        CustomerAdd = "customer_add",
        CustomerAddData = "customer_add_data",
        CustomerAddCounted = "customer_add_counted",
        CustomerAddCountedData = "customer_add_counted_data",
        NamesakesStatus = "namesakes_status",
        LastOrderMaximum = "last_order_maximum",
        OrdersOfCustomer = "orders_of_customer",
        NewOrderFirst = "new_order_first",
        NewOrderOldest = "new_order_oldest",
        NewOrderOldestLocked = "new_order_oldest_locked",
        NewOrderMinimum = "new_order_minimum",
        OrderCustomer = "order_customer",
        OrderCarrier = "order_carrier",
        LinesDate = "lines_date",
        LinesSum = "lines_sum",
        LinesSumQuantities = "lines_sum_quantities",
        LowStockLines = "low_stock_lines",
        RecentItems = "recent_items",
        StockBelow = "stock_below",
    }
    {
        CallNewOrder = "call_new_order",
        CallPayment = "call_payment",
        CallOrderStatus = "call_order_status",
        CallDelivery = "call_delivery",
        CallStockLevel = "call_stock_level",
    }
    {
        ItemsRead5 = "items_read_5",
        ItemsRead6 = "items_read_6",
        ItemsRead7 = "items_read_7",
        ItemsRead8 = "items_read_8",
        ItemsRead9 = "items_read_9",
        ItemsRead10 = "items_read_10",
        ItemsRead11 = "items_read_11",
        ItemsRead12 = "items_read_12",
        ItemsRead13 = "items_read_13",
        ItemsRead14 = "items_read_14",
        ItemsRead15 = "items_read_15",
        StockLock5 = "stock_lock_5",
        StockLock6 = "stock_lock_6",
        StockLock7 = "stock_lock_7",
        StockLock8 = "stock_lock_8",
        StockLock9 = "stock_lock_9",
        StockLock10 = "stock_lock_10",
        StockLock11 = "stock_lock_11",
        StockLock12 = "stock_lock_12",
        StockLock13 = "stock_lock_13",
        StockLock14 = "stock_lock_14",
        StockLock15 = "stock_lock_15",
        LinesInsert5 = "lines_insert_5",
        LinesInsert6 = "lines_insert_6",
        LinesInsert7 = "lines_insert_7",
        LinesInsert8 = "lines_insert_8",
        LinesInsert9 = "lines_insert_9",
        LinesInsert10 = "lines_insert_10",
        LinesInsert11 = "lines_insert_11",
        LinesInsert12 = "lines_insert_12",
        LinesInsert13 = "lines_insert_13",
        LinesInsert14 = "lines_insert_14",
        LinesInsert15 = "lines_insert_15",
        OpenOrdersDelete = "open_orders_delete",
        OpenOrdersCarry = "open_orders_carry",
        OpenOrdersRead = "open_orders_read",
        OpenLinesDate = "open_lines_date",
        OpenLinesSum = "open_lines_sum",
    }
}

/// A group of statements. A catalog contains the common statements, followed by at most one such group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Statements that process all lines of an order at once.
    Orders = 1,
    /// A separate statement for each read and each write.
    Apart,
    /// Calls of stored routines.
    Calls,
    /// The statements of [`Group::Apart`], followed by statements for several rows.
    Batches,
}

impl Group {
    /// Returns true if the dialect called `dialect` has a file for the group.
    pub fn is_known(self, dialect: &str) -> bool {
        SQL.of(dialect, self.path()).is_some()
    }

    /// Returns the path of the group's file. If a dialect has its own file with this path, its
    /// sections override those of the common file.
    const fn path(self) -> &'static str {
        match self {
            Self::Orders => "orders.sql",
            Self::Apart => APART,
            Self::Batches => "batches.sql",
            Self::Calls => "",
        }
    }

    /// Returns the group, and the sections of each of its files. Sections in later files override
    /// those in earlier ones.
    pub fn sections(self, dialect: &dyn Dialect) -> Result<(Self, Vec<Vec<Section>>)> {
        let mut all = match self {
            Self::Batches => Self::Apart.sections(dialect)?.1,
            _ => Vec::new(),
        };
        let files = [SQL.file(self.path()), SQL.of(dialect.id(), self.path())];
        for file in files.into_iter().flatten() {
            all.push(parse_sections(&lists::expanded(file))?);
        }
        Ok((self, all))
    }

    fn names(self) -> impl Iterator<Item = &'static str> {
        let first: &[&str] = if self == Self::Batches { GROUPS[Self::Apart as usize] } else { &[] };
        first.iter().chain(GROUPS[self as usize]).copied()
    }
}

/// Returns the reason why a dialect does not support separate statements, or `None` if it supports them.
pub fn not_apart(dialect: &str) -> Option<&'static str> {
    SQL.of(dialect, APART)?.lines().next()?.strip_prefix("-- unsupported: ")
}

/// Returns true if HammerDB has a mode without stored procedures for the dialect.
pub fn has_client_mode(dialect: &str) -> bool {
    SQL.of(dialect, STALE_WRITES).is_some()
}

impl From<Statement> for StatementId {
    #[inline]
    fn from(statement: Statement) -> Self {
        let (group, at) = statement.place();
        let before = match group {
            0 => 0,
            _ if group == Group::Batches as usize => {
                GROUPS[0].len() + GROUPS[Group::Apart as usize].len()
            }
            _ => GROUPS[0].len(),
        };
        Self((at + before) as u16)
    }
}

impl Statement {
    pub fn name(self) -> &'static str {
        let (group, at) = self.place();
        GROUPS[group][at]
    }

    /// Returns the statement's group and its index in the group.
    #[inline]
    fn place(self) -> (usize, usize) {
        let (mut group, mut at) = (0, self as usize);
        while at >= GROUPS[group].len() {
            at -= GROUPS[group].len();
            group += 1;
        }
        (group, at)
    }
}

/// Returns a statement that allows a session to overwrite rows that others have changed since it
/// read them, or `None` if the dialect needs no such statement.
pub fn stale_writes(dialect: &dyn Dialect) -> Option<&'static str> {
    SQL.of(dialect.id(), STALE_WRITES)
}

/// Returns a statement that turns off the session's foreign key checks, if the dialect has one.
pub fn unchecked(dialect: &dyn Dialect) -> Option<&'static str> {
    SQL.of(dialect.id(), "unchecked.sql")
}

/// Returns the number of statements in a catalog with this group.
pub fn count(more: Option<Group>) -> u16 {
    (GROUPS[0].len() + more.map_or(0, |group| group.names().count())) as u16
}

/// Returns the statements that every catalog contains and those of one group, as written for
/// `dialect` and with the given table names.
pub fn catalog(
    dialect: &dyn Dialect,
    more: Option<(Group, Vec<Vec<Section>>)>,
    tables: Names,
) -> Result<Catalog> {
    let mut files = SQL.written(&FILES, dialect)?;
    let mut names = GROUPS[0].to_vec();
    if let Some((group, sections)) = more {
        names.extend(group.names());
        files.extend(sections);
    }
    for sections in &mut files {
        tables.write(sections);
    }
    Catalog::build(dialect, &names, &files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_is_named_and_no_other() -> Result<()> {
        let name = |section: Section| section.name;
        let files = SQL.sections(&FILES, "")?;
        assert_eq!(files.into_iter().flatten().map(name).collect::<Vec<_>>(), GROUPS[0]);
        for group in [Group::Orders, Group::Apart, Group::Batches] {
            for (path, file) in SQL.0.iter().filter(|(path, _)| path.ends_with(group.path())) {
                let sections = parse_sections(&lists::expanded(file))?;
                let names: Vec<String> = sections.into_iter().map(name).collect();
                let known = GROUPS[group as usize];
                // A dialect's file may override only some statements, but the common file contains all of them.
                if *path == group.path() || group == Group::Orders {
                    assert_eq!(names, known, "{path}");
                }
                assert!(names.iter().all(|name| known.contains(&name.as_str())), "{path}");
            }
        }
        Ok(())
    }

    #[test]
    fn groups_take_the_same_places() {
        let id = |statement: Statement| StatementId::from(statement).0;
        let base = GROUPS[0].len() as u16;
        assert_eq!(id(Statement::OrderTerms), 0);
        assert_eq!((id(Statement::DistrictAdvance), id(Statement::Ping)), (base, base));
        let apart = GROUPS[Group::Apart as usize].len() as u16;
        assert_eq!(id(Statement::ItemsRead5), base + apart);
        assert_eq!(id(Statement::CallNewOrder), base);
        assert_eq!(id(Statement::CallStockLevel), base + 4);
        assert_eq!(Statement::CallStockLevel.name(), "call_stock_level");
    }
}
