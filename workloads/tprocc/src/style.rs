//! The style of separate statements: which rows they lock, and which values the client computes
//! instead of the server.
//!
//! Every field is an independent switch. This code must not depend on which tool the statements imitate.
//!
//! Start reading at [`Style`].

use tacho_workload::Options;

/// The change that a payment makes to the customer's counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counters {
    /// Adds the amount to the total, and one to the number of payments.
    Both,
    /// Adds only the amount.
    Sum,
    /// Adds one to the total amount.
    SumPlusOne,
    /// Changes nothing.
    Neither,
}

/// The point at which an order with the unused item is rolled back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rollback {
    /// After all other lines of the order.
    End,
    /// At the unused item's line.
    Item,
    /// Before any stock is read.
    Items,
}

/// Query for a customer's last order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastOrder {
    /// Uses LIMIT.
    Limit,
    /// Uses the highest order number.
    Maximum,
    /// Reads all orders and uses the first one.
    All,
}

/// Query for a district's oldest order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// Locks the order.
    Locked,
    /// Does not lock the order.
    Plain,
    /// Reads the minimum without a lock.
    Minimum,
    /// Sorts the orders by their key and reads the first one, without locking it.
    First,
}

/// The method by which a stock-level transaction counts the items with low stock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Distinct items.
    Distinct,
    /// Order lines.
    All,
    /// One statement for each item.
    Items,
}

/// Switches that have an effect only on separate statements.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, read by name")]
pub struct Style {
    /// A single statement reads all items of an order, and another one writes all lines.
    pub batches: bool,
    /// The transaction starts with a statement that does nothing.
    pub ping: bool,
    /// The customer and the warehouse are read before the database transaction starts.
    pub terms_before_begin: bool,
    /// The customer and the warehouse are read by separate statements.
    pub terms_separate: bool,
    /// The order is inserted after its lines.
    pub order_last: bool,
    /// The client computes the district's next order number, instead of the server.
    pub district_absolute: bool,
    /// Point at which an unused item rolls back the order.
    pub rollback: Rollback,
    /// Lines are written at the end.
    pub lines_at_end: bool,
    /// Stock is read without a lock.
    pub stock_plain: bool,
    /// The client computes the stock quantity.
    pub stock_absolute: bool,
    /// All ten district strings are read.
    pub ten_districts: bool,
    /// The totals and counters in `stock` never change.
    pub stock_frozen: bool,
    /// Stock always comes from the home warehouse, even if the line names another one.
    pub stock_at_home: bool,
    /// Line amounts are whole numbers.
    pub whole_amounts: bool,
    /// The client sends line amounts without rounding, so that only the server rounds them.
    pub exact_amounts: bool,
    /// The district is written before the warehouse.
    pub district_first: bool,
    /// The warehouse and the district are locked before they are written.
    pub places_locked: bool,
    /// The search for customers by name returns all columns that a payment needs.
    pub names_whole: bool,
    /// Customers with the same name are counted first.
    pub names_counted: bool,
    /// The customer is read without a lock.
    pub customer_plain: bool,
    /// The client computes the balance.
    pub balance_absolute: bool,
    /// Changes to the customer's counters.
    pub counters: Counters,
    /// A payment writes the customer's data back without changing it.
    pub data_unchanged: bool,
    /// The note contains labels.
    pub data_labelled: bool,
    /// Query for the last order.
    pub last_order: LastOrder,
    /// Order-status uses the district number in place of the order number when it reads an order's
    /// lines, as some tools do by mistake.
    pub district_lines: bool,
    /// Query for the oldest order.
    pub pick: Pick,
    /// A delivery commits after each district.
    pub commit_each: bool,
    /// A delivery credits the sum of each line's amount times its quantity.
    pub credit_quantities: bool,
    /// Deliveries are not counted.
    pub deliveries_uncounted: bool,
    /// A delivery ends after the district that belongs to the session.
    pub own_districts: bool,
    /// The objects that a stock-level transaction counts.
    pub level: Level,
}

impl Style {
    /// Reads resolved options.
    pub fn new(options: &Options) -> Self {
        let is = |key, word| options.text(key) == word;
        Self {
            batches: is("statements", "batches"),
            ping: options.on("ping"),
            terms_before_begin: false,
            terms_separate: is("terms", "separate"),
            order_last: false,
            district_absolute: is("district_write", "absolute"),
            rollback: match options.text("rollback_at") {
                "item" => Rollback::Item,
                "items" => Rollback::Items,
                _ => Rollback::End,
            },
            lines_at_end: is("line_writes", "at_end"),
            stock_plain: is("stock_read", "plain"),
            stock_absolute: is("stock_write", "absolute"),
            ten_districts: is("stock_districts", "ten"),
            stock_frozen: options.on("stock_counters_frozen") || options.on("counters_frozen"),
            stock_at_home: is("remote_lines", "recorded"),
            whole_amounts: is("line_rounding", "whole"),
            exact_amounts: false,
            district_first: is("payment_order", "district_first"),
            places_locked: is("places", "lock_write"),
            names_whole: false,
            names_counted: options.on("names_counted"),
            customer_plain: is("customer_read", "plain"),
            balance_absolute: is("balance_write", "absolute"),
            counters: counters(options),
            data_unchanged: is("customer_data", "unchanged"),
            data_labelled: false,
            last_order: match options.text("last_order") {
                "maximum" => LastOrder::Maximum,
                "all" => LastOrder::All,
                _ => LastOrder::Limit,
            },
            district_lines: is("status_lines", "district"),
            pick: match options.text("delivery_pick") {
                "plain" => Pick::Plain,
                "minimum" => Pick::Minimum,
                _ => Pick::Locked,
            },
            commit_each: is("delivery_commit", "districts"),
            credit_quantities: is("delivery_credit", "amount_times_quantity"),
            deliveries_uncounted: options.on("counters_frozen"),
            own_districts: is("delivery_districts", "terminal"),
            level: match options.text("stock_level_count") {
                "all" => Level::All,
                "items" => Level::Items,
                _ => Level::Distinct,
            },
        }
    }

    /// Returns the style of HammerDB's mode without stored procedures.
    pub fn hammerdb(options: &Options) -> Self {
        Self {
            terms_before_begin: true,
            order_last: true,
            rollback: Rollback::Item,
            stock_plain: true,
            stock_absolute: true,
            ten_districts: true,
            stock_frozen: true,
            exact_amounts: true,
            names_whole: true,
            names_counted: true,
            customer_plain: true,
            balance_absolute: true,
            counters: Counters::Neither,
            data_labelled: true,
            pick: Pick::First,
            deliveries_uncounted: true,
            ..Self::new(options)
        }
    }
}

fn counters(options: &Options) -> Counters {
    if options.on("counters_frozen") {
        return Counters::Neither;
    }
    match options.text("payment_counters") {
        "sum" => Counters::Sum,
        "sum_plus_1" => Counters::SumPlusOne,
        "none" => Counters::Neither,
        _ => Counters::Both,
    }
}
