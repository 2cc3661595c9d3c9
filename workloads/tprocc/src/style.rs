//! How statements go that are sent apart: which rows they lock, and which values the client computes.
//!
//! Every field is a switch of its own; this file must never know whose statements they are. Start
//! reading at [`Style`].

use tacho_workload::Options;

/// What payment adds to the counts of a customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counters {
    /// The amount, and one payment.
    Both,
    /// The amount.
    Sum,
    /// One to the sum of amounts.
    SumPlusOne,
    /// Nothing.
    Neither,
}

/// When an unused item rolls an order back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rollback {
    /// After all other lines.
    End,
    /// At its line.
    Item,
    /// Before any stock is read.
    Items,
}

/// How the last order of a customer is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastOrder {
    /// By LIMIT.
    Limit,
    /// By the highest number.
    Maximum,
    /// As the first of all.
    All,
}

/// How the oldest order of a district is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// With a lock.
    Locked,
    /// Without one.
    Plain,
    /// As a minimum without a lock.
    Minimum,
    /// The first that the key gives, without a lock.
    First,
}

/// What stock-level counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Distinct items.
    Distinct,
    /// Lines.
    All,
    /// Each item with a statement.
    Items,
}

/// The switches.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, read by name")]
pub struct Style {
    /// Lists of items and rows of lines.
    pub batches: bool,
    /// A statement without work comes first.
    pub ping: bool,
    /// Customer and warehouse are read before the transaction begins.
    pub terms_before_begin: bool,
    /// Customer and warehouse are read by two statements.
    pub terms_separate: bool,
    /// The order is inserted after its lines.
    pub order_last: bool,
    /// The client counts the district up.
    pub district_absolute: bool,
    /// When an unused item rolls back.
    pub rollback: Rollback,
    /// Lines are written at the end.
    pub lines_at_end: bool,
    /// Stock is read without a lock.
    pub stock_plain: bool,
    /// The client computes the quantity.
    pub stock_absolute: bool,
    /// All ten texts of the districts are fetched.
    pub ten_districts: bool,
    /// The sums and counts of stock stay.
    pub stock_frozen: bool,
    /// The stock of the home warehouse is used whatever the line says.
    pub stock_at_home: bool,
    /// Whole amounts of lines.
    pub whole_amounts: bool,
    /// Amounts of lines are rounded by the server alone.
    pub exact_amounts: bool,
    /// District before warehouse.
    pub district_first: bool,
    /// Warehouse and district are locked before they are written.
    pub places_locked: bool,
    /// Namesakes are listed with all that a payment needs.
    pub names_whole: bool,
    /// Namesakes are counted first.
    pub names_counted: bool,
    /// The customer is read without a lock.
    pub customer_plain: bool,
    /// The client computes the balance.
    pub balance_absolute: bool,
    /// Counts of the customer.
    pub counters: Counters,
    /// Data is written as it was.
    pub data_unchanged: bool,
    /// The note has labels.
    pub data_labelled: bool,
    /// How the last order is found.
    pub last_order: LastOrder,
    /// The lines of the order with the number of the district are read.
    pub district_lines: bool,
    /// How the oldest order is found.
    pub pick: Pick,
    /// A commit after each district.
    pub commit_each: bool,
    /// Amounts times quantities.
    pub credit_quantities: bool,
    /// Deliveries are not counted.
    pub deliveries_uncounted: bool,
    /// Only districts up to that of the session.
    pub own_districts: bool,
    /// What stock-level counts.
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

    /// The statements of HammerDB's mode without stored procedures.
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
