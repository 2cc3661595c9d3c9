//! The statements by name, and the SQL files that hold them.
//!
//! It must never hold SQL itself. Start reading at [`Statement`]; the texts are in `sql/`.

use tacho_core::Result;
use tacho_driver::{Catalog, Dialect, Section, StatementId, parse_sections};

/// The common subset of SQL.
const FILES: [&str; 2] = [include_str!("../sql/default.sql"), include_str!("../sql/checks.sql")];

/// Sections that a dialect writes in its own way: its id and its file.
const OVERRIDES: [(&str, &str); 2] = [
    ("mysql", include_str!("../sql/mysql.sql")),
    ("postgres", include_str!("../sql/postgres.sql")),
];

/// Names the statements once: a variant, and the section of the same meaning.
macro_rules! statements {
    ($($variant:ident = $name:literal,)*) => {
        /// A statement; its number is its place in the catalog.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Statement {
            $(#[doc = concat!("Section `", $name, "`.")] $variant,)*
        }

        const NAMES: &[&str] = &[$($name,)*];
    };
}

statements! {
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
    OldestNewOrder = "oldest_new_order",
    NewOrderDelete = "new_order_delete",
    OrderDeliver = "order_deliver",
    OrderLinesDeliver = "order_lines_deliver",
    CustomerDeliver = "customer_deliver",
    CustomerDeliverFrozen = "customer_deliver_frozen",
    DistrictNext = "district_next",
    LowStock = "low_stock",
    NewOrdersTotal = "new_orders_total",
    CheckC1 = "check_c1",
    CheckC2 = "check_c2",
    CheckC3 = "check_c3",
    CheckC8 = "check_c8",
    CheckC9 = "check_c9",
    CheckC11 = "check_c11",
    CheckOrders = "check_orders",
    CheckCustomers = "check_customers",
    CallNewOrder = "call_new_order",
    CallPayment = "call_payment",
    CallOrderStatus = "call_order_status",
    CallDelivery = "call_delivery",
    CallStockLevel = "call_stock_level",
}

/// How many of the names, at their end, are calls of stored routines.
const CALLS: usize = 5;

impl From<Statement> for StatementId {
    #[inline]
    fn from(statement: Statement) -> Self {
        Self(statement as u16)
    }
}

impl Statement {
    /// The name of its section.
    pub fn name(self) -> &'static str {
        NAMES[self as usize]
    }
}

/// All statements as written for `dialect`; those that call routines are there if `calls` has
/// them.
pub fn catalog(dialect: &dyn Dialect, calls: Option<Vec<Section>>) -> Result<Catalog> {
    let own = OVERRIDES.iter().filter(|(id, _)| *id == dialect.id()).map(|(_, file)| *file);
    let mut files = FILES.into_iter().chain(own).map(parse_sections).collect::<Result<Vec<_>>>()?;
    let known = if calls.is_some() { NAMES.len() } else { NAMES.len() - CALLS };
    files.extend(calls);
    Catalog::build(dialect, &NAMES[..known], &files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_is_named_and_no_other() -> Result<()> {
        let mut found = Vec::new();
        for file in FILES {
            found.extend(parse_sections(file)?.into_iter().map(|section| section.name));
        }
        assert_eq!(found, NAMES[..NAMES.len() - CALLS]);
        Ok(())
    }
}
