//! The statements by name, and the SQL files that hold them.
//!
//! It must never hold SQL itself. Start reading at [`Statement`]; the texts are in `sql/`.

use tacho_core::Result;
use tacho_driver::{Catalog, Dialect, Section, StatementId, parse_sections};
use tacho_workload::SqlFiles;

/// The common subset of SQL.
const FILES: [&str; 2] = ["default.sql", "checks.sql"];

/// All files, with what a dialect writes in its own way.
pub const SQL: SqlFiles = tacho_workload::sql_files!();

/// Names the statements once, in groups: a variant, and the section of the same meaning.
macro_rules! statements {
    ($({ $($variant:ident = $name:literal,)* })*) => {
        /// A statement.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Statement {
            $($(#[doc = concat!("Section `", $name, "`.")] $variant,)*)*
        }

        /// The names by group: those that every catalog has, then those of each [`Group`].
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
        CheckC2 = "check_c2",
        CheckC3 = "check_c3",
        CheckC8 = "check_c8",
        CheckC9 = "check_c9",
        CheckC11 = "check_c11",
        CheckOrders = "check_orders",
        CheckCustomers = "check_customers",
        SampleItems = "sample_items",
        SampleStock = "sample_stock",
        SampleCustomers = "sample_customers",
        SampleOrders = "sample_orders",
        SampleLines = "sample_lines",
        SampleAmounts = "sample_amounts",
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
        DistrictLock = "district_lock",
        DistrictCountUp = "district_count_up",
        ItemRead = "item_read",
        StockRead = "stock_read",
        StockWrite = "stock_write",
        LineInsert = "line_insert",
        NamesakesCount = "namesakes_count",
        NamesakesRead = "namesakes_read",
        CustomerRead = "customer_read",
        CustomerDataRead = "customer_data_read",
        CustomerWrite = "customer_write",
        CustomerWriteData = "customer_write_data",
        NamesakesStatus = "namesakes_status",
        NewOrderFirst = "new_order_first",
        OrderCustomer = "order_customer",
        OrderCarrier = "order_carrier",
    }
    {
        CallNewOrder = "call_new_order",
        CallPayment = "call_payment",
        CallOrderStatus = "call_order_status",
        CallDelivery = "call_delivery",
        CallStockLevel = "call_stock_level",
    }
}

/// Statements of which a catalog has one group at most, after those that every catalog has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// For all lines of an order at once.
    Orders = 1,
    /// HammerDB's, for what it does in another way.
    HammerDb,
    /// Calls of stored routines.
    Calls,
}

impl Group {
    /// Whether the dialect of this id has a file of the group.
    pub fn is_known(self, dialect: &str) -> bool {
        SQL.of(dialect, self.path()).is_some()
    }

    /// Where a dialect keeps it. HammerDB has a mode without stored procedures for some of them.
    const fn path(self) -> &'static str {
        match self {
            Self::Orders => "orders.sql",
            Self::HammerDb => "hammerdb/statements.sql",
            Self::Calls => "",
        }
    }

    /// The group with the sections of its file.
    pub fn sections(self, dialect: &dyn Dialect) -> Result<(Self, Vec<Section>)> {
        let file = SQL.of(dialect.id(), self.path()).unwrap_or_default();
        Ok((self, parse_sections(file)?))
    }
}

impl From<Statement> for StatementId {
    #[inline]
    fn from(statement: Statement) -> Self {
        let (group, at) = statement.place();
        Self((at + if group == 0 { 0 } else { GROUPS[0].len() }) as u16)
    }
}

impl Statement {
    /// The name of its section.
    pub fn name(self) -> &'static str {
        let (group, at) = self.place();
        GROUPS[group][at]
    }

    /// Its group, and its place in it.
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

/// What lets a session write rows that others have changed since it read, for a dialect that may refuse it.
pub fn stale_writes(dialect: &dyn Dialect) -> Option<&'static str> {
    SQL.of(dialect.id(), "hammerdb/session.sql")
}

/// How many statements a catalog with this group names.
pub fn count(more: Option<Group>) -> u16 {
    (GROUPS[0].len() + more.map_or(0, |group| GROUPS[group as usize].len())) as u16
}

/// All statements as written for `dialect`, with those of one group after the others.
pub fn catalog(dialect: &dyn Dialect, more: Option<(Group, Vec<Section>)>) -> Result<Catalog> {
    let mut files = SQL.written(&FILES, dialect)?;
    let mut names = GROUPS[0].to_vec();
    if let Some((group, sections)) = more {
        names.extend(GROUPS[group as usize]);
        files.push(sections);
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
        for group in [Group::Orders, Group::HammerDb] {
            for (_, file) in SQL.0.iter().filter(|(path, _)| path.ends_with(group.path())) {
                let names: Vec<String> = parse_sections(file)?.into_iter().map(name).collect();
                assert_eq!(names, GROUPS[group as usize]);
            }
        }
        Ok(())
    }

    #[test]
    fn groups_take_the_same_places() {
        let id = |statement: Statement| StatementId::from(statement).0;
        let base = GROUPS[0].len() as u16;
        assert_eq!(id(Statement::OrderTerms), 0);
        assert_eq!((id(Statement::DistrictAdvance), id(Statement::DistrictLock)), (base, base));
        assert_eq!(id(Statement::CallNewOrder), base);
        assert_eq!(id(Statement::CallStockLevel), base + 4);
        assert_eq!(Statement::CallStockLevel.name(), "call_stock_level");
    }
}
