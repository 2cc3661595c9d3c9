//! The parameter values as plain fields, so that no hot path looks up a setting by name.
//!
//! This file must not draw random numbers or store changing values. Start reading at [`Settings`].

use tacho_core::{Error, ErrorKind, Result};
use tacho_workload::Options;

use crate::mix::Mix;
use crate::peers::needs_apart;
use crate::routines::Set;
use crate::statements::{self, Group};
use crate::style::Style;

/// The order of the statements in a transaction, and the number of rows that each statement processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequence {
    /// One statement for each order line.
    Lines,
    /// One statement for all lines in an order.
    Orders,
    /// A separate statement for each read and each write, as specified by [`Style`].
    Apart,
    /// A separate statement for each read and write, in HammerDB's order.
    HammerDb,
}

/// Settings that affect the initial rows in the database.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, read by name")]
pub struct Population {
    /// Half of the customers have bad credit.
    pub credit_half_bad: bool,
    /// Tax rates are whole percentages between 10 and 20.
    pub tax_coarse: bool,
    /// Discounts are whole percentages.
    pub discount_coarse: bool,
    /// Zip codes are overwritten from the left.
    pub zip_left: bool,
    /// Phone numbers consist of zeros. A random number overwrites the first of these zeros.
    pub phone_left: bool,
    /// States consist of letters and digits.
    pub state_alphanumeric: bool,
    /// The mark is generated as in HammerDB.
    pub original_lowercase: bool,
    /// Only delivered lines have amounts.
    pub amounts_reversed: bool,
    /// The customer of each initial order is drawn independently of other orders, instead of from a permutation of all
    /// customers.
    pub independent_customers: bool,
    /// Long strings repeat a single letter.
    pub one_letter: bool,
    /// Text that marks some items and stock rows, or `None` if no rows are marked.
    pub mark: Option<&'static [u8]>,
    /// Maximum number of lines in an initial order.
    pub lines_max: i64,
    /// Amounts of undelivered lines are at most 100.
    pub small_open_amounts: bool,
    /// Last names are uniformly distributed.
    pub uniform_name: bool,
}

/// Warehouses where a session works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warehouses {
    /// One warehouse.
    Home,
    /// All warehouses.
    All,
    /// The warehouses assigned to the session.
    Owned,
    /// The session's range of consecutive warehouses.
    Range,
}

/// Position of the unused item among the lines of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unused {
    /// The last line.
    Last,
    /// The position that the unused item gets when the lines are sorted.
    Sorted,
    /// The last line but one.
    LastButOne,
}

/// Position of the selected customer among the customers with the same last name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// The customer at position n/2, rounded up. Here, n is the number of customers with the same name, and positions
    /// start at 1.
    Ceil,
    /// The customer at position n/2 + 1, if n/2 is rounded down. Here, n is the number of customers with the same name.
    Floor,
    /// The first customer.
    First,
    /// The customer at position n/2 + 1, if n/2 is rounded up, or the last customer if this position does not exist.
    /// Here, n is the number of customers with the same name.
    PastMiddle,
}

impl Position {
    fn named(word: &str) -> Self {
        match word {
            "floor" => Self::Floor,
            "first" => Self::First,
            "past_middle" => Self::PastMiddle,
            _ => Self::Ceil,
        }
    }

    /// Returns the zero-based position among `found` customers.
    pub fn of(self, found: usize) -> usize {
        match self {
            Self::Ceil => found.div_ceil(2).saturating_sub(1),
            // HammerDB's mode without stored procedures uses n/2, rounded down, as a zero-based index.
            Self::Floor => found / 2,
            Self::First => 0,
            Self::PastMiddle => found.div_ceil(2).min(found.saturating_sub(1)),
        }
    }
}

/// Meaning of remote inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remote {
    /// Another warehouse.
    Warehouse,
    /// The same warehouse. A remote payment uses another district of this warehouse, and a remote order line only marks
    /// its order as remote.
    Near,
    /// No input is remote.
    Nothing,
}

/// Settings that affect the inputs and the execution of transactions.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, read by name")]
pub struct Behaviour {
    /// Warehouses where a session works.
    pub warehouses: Warehouses,
    /// The home warehouse is random.
    pub random_home: bool,
    /// The district for stock-level is drawn at random instead of being assigned to each terminal.
    pub random_district: bool,
    /// The stock-level district is drawn for each transaction.
    pub each_district: bool,
    /// Minimum number of lines in a new order.
    pub lines_min: i64,
    /// Meaning of remote lines.
    pub remote_lines: Remote,
    /// Meaning of remote payments.
    pub remote_payments: Remote,
    /// Position of the unused item among an order's lines.
    pub unused: Unused,
    /// No order contains the same item twice.
    pub distinct_items: bool,
    /// Last names are uniformly distributed.
    pub uniform_name: bool,
    /// Customer IDs are uniformly distributed.
    pub uniform_customer: bool,
    /// Item IDs are uniformly distributed.
    pub uniform_item: bool,
    /// Payments have no cents.
    pub payment_whole_amounts: bool,
    /// If this is n, one of n new orders contains the unused item.
    pub rollback_one_in: u64,
    /// Lines are sorted by supplying warehouse and item.
    pub sort_lines: bool,
    /// Think times are whole seconds.
    pub think_rounded: bool,
    /// Think times are not capped.
    pub think_uncapped: bool,
    /// The mean think times of order-status and delivery are exchanged.
    pub think_means_swapped: bool,
    /// Transactions leave year-to-date totals and counters unchanged.
    pub counters_frozen: bool,
    /// Minimum quantity that must remain in stock after an order. If less would remain, the stock is refilled.
    pub stock_reserve: i64,
    /// Line amounts include taxes and the discount.
    pub line_amount_taxed: bool,
    /// The customer that a payment selects if several customers have the same last name.
    pub by_name: Position,
    /// The customer that an order-status transaction selects if several customers have the same last name.
    pub status_name: Position,
    /// Order-status by name displays a random customer's order, not that of the customer whom it has found.
    pub order_status_random_customer: bool,
    /// Payment adds to the balance instead of subtracting from it.
    pub payment_adds: bool,
    /// A delivery ends at the first district without an undelivered order.
    pub delivery_stops_at_empty: bool,
    /// A session can write rows that other sessions have changed since it read them.
    pub stale_writes: bool,
    /// HammerDB's functions search for a string that is not the name of any customer, so they never find one.
    pub by_name_never_matches: bool,
}

/// All settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Settings for the generator.
    pub population: Population,
    /// Settings for the clients.
    pub behaviour: Behaviour,
    /// Rule for selecting the next transaction.
    pub mix: Mix,
    /// The load and the run use the same constant for last names.
    pub same_name_constant: bool,
    /// Stored routines.
    pub routines: Set,
    /// Sequence of the statements.
    pub sequence: Sequence,
    /// Style of separate statements.
    pub style: Style,
    /// NURand's run constants C are zero.
    pub zero_constants: bool,
    /// A parameter that does not work with the selected statements. The data can still be checked
    /// and removed, but a run would fail.
    pub misfit: Option<&'static str>,
}

impl Settings {
    /// Reads the settings from the parameter values, for dialect `dialect`. Fails if weights are
    /// missing or values conflict.
    pub fn new(options: &Options, dialect: &str) -> Result<Self> {
        let sequence = sequence(options, dialect);
        require_sense(options, sequence, dialect)?;
        let style = match sequence {
            Sequence::HammerDb => Style::hammerdb(options),
            _ => Style::new(options),
        };
        Ok(Self {
            style,
            sequence,
            zero_constants: options.on("nurand_constant_zero"),
            misfit: match sequence {
                Sequence::Apart | Sequence::HammerDb => None,
                _ => needs_apart(options),
            },
            population: population(options),
            behaviour: behaviour(options),
            mix: Mix::new(options.text("mix"), options.text("weights"))?,
            same_name_constant: options.on("last_name_constant_same"),
            routines: Set::new(options, dialect),
        })
    }
}

fn population(options: &Options) -> Population {
    Population {
        credit_half_bad: options.on("credit_half_bad"),
        tax_coarse: options.on("tax_coarse"),
        discount_coarse: options.on("discount_coarse"),
        zip_left: options.on("zip_left"),
        phone_left: options.on("phone_left"),
        state_alphanumeric: options.on("state_alphanumeric"),
        original_lowercase: options.on("original_lowercase"),
        amounts_reversed: options.on("amounts_reversed"),
        independent_customers: options.text("customer_of_order") == "independent",
        one_letter: options.text("strings") == "one_letter",
        mark: match options.text("marks") {
            "lower" => Some(b"original"),
            "none" => None,
            _ => Some(b"ORIGINAL"),
        },
        lines_max: if options.text("loaded_lines") == "5_to_14" { 14 } else { 15 },
        small_open_amounts: options.text("open_amounts") == "to_100",
        uniform_name: options.on("uniform_name"),
    }
}

/// Returns the order of statements that the parameters select, as far as the dialect supports it.
fn sequence(options: &Options, dialect: &str) -> Sequence {
    if options.on("hammerdb_statements") && statements::has_client_mode(dialect) {
        Sequence::HammerDb
    } else if matches!(options.text("statements"), "apart" | "batches") {
        Sequence::Apart
    } else if options.text("statements") == "orders" && Group::Orders.is_known(dialect) {
        Sequence::Orders
    } else {
        Sequence::Lines
    }
}

/// Fails if values conflict or are not supported by the dialect.
fn require_sense(options: &Options, sequence: Sequence, dialect: &str) -> Result<()> {
    let foreign_keys = options.text("foreign_keys") != "none";
    if foreign_keys && matches!(options.text("tables"), "own" | "dbt2") {
        let text = "foreign_keys applies only to another tool's tables, and the selected tables have no foreign keys";
        return Err(Error::usage(text)
            .hint("use --profile with a tool that has foreign keys, or --set foreign_keys=none"));
    }
    if options.text("tables") != "own" && options.on("hammerdb_tables") {
        let text = "hammerdb_tables and tables select the tables of two different tools";
        return Err(Error::usage(text).hint("omit one of them"));
    }
    if options.text("statements") == "batches" {
        require_lists(options)?;
    }
    if sequence == Sequence::Apart {
        let Some(reason) = statements::not_apart(dialect) else { return Ok(()) };
        let text = format!("statements=apart is not supported by {dialect}: {reason}");
        return Err(Error::new(ErrorKind::Unsupported, text).hint("--set statements=lines"));
    }
    Ok(())
}

/// Fails if statements for several rows are combined with a parameter value that they do not support.
fn require_lists(options: &Options) -> Result<()> {
    let wanted = [
        ("distinct_items", options.on("distinct_items"), "true"),
        ("rollback_at", options.text("rollback_at") == "items", "items"),
        ("remote_lines", options.text("remote_lines") != "stock", "recorded"),
        ("stock_read", options.text("stock_read") == "locked", "locked"),
        ("delivery_commit", options.text("delivery_commit") == "once", "once"),
        ("delivery_pick", options.text("delivery_pick") == "locked", "locked"),
        ("delivery_credit", options.text("delivery_credit") == "amount", "amount"),
        ("counters_frozen", !options.on("counters_frozen"), "false"),
    ];
    let Some((key, _, value)) = wanted.into_iter().find(|(_, fits, _)| !fits) else {
        return Ok(());
    };
    Err(Error::usage(format!("statements=batches requires {key}={value}"))
        .hint(format!("use --set {key}={value}, or --set statements=apart")))
}

fn behaviour(options: &Options) -> Behaviour {
    Behaviour {
        warehouses: match options.text("warehouses") {
            "all" => Warehouses::All,
            "owned" => Warehouses::Owned,
            "range" => Warehouses::Range,
            _ => Warehouses::Home,
        },
        random_home: options.text("home") == "random",
        random_district: options.text("stock_level_district") == "session",
        each_district: options.text("stock_level_district") == "each",
        lines_min: if options.text("order_lines") == "6_to_15" { 6 } else { 5 },
        remote_lines: match options.text("remote_lines") {
            "flagged" => Remote::Near,
            "none" => Remote::Nothing,
            _ => Remote::Warehouse,
        },
        remote_payments: match options.text("remote_payments") {
            "district" => Remote::Near,
            "none" => Remote::Nothing,
            _ => Remote::Warehouse,
        },
        unused: match options.text("unused_item") {
            "sorted" => Unused::Sorted,
            "last_but_one" => Unused::LastButOne,
            _ => Unused::Last,
        },
        distinct_items: options.on("distinct_items"),
        uniform_name: options.on("uniform_name"),
        uniform_customer: options.on("uniform_customer"),
        uniform_item: options.on("uniform_item"),
        payment_whole_amounts: options.on("payment_whole_amounts"),
        rollback_one_in: if options.on("rollback_1_in_99") { 99 } else { 100 },
        sort_lines: options.on("sort_lines"),
        think_rounded: options.on("think_rounded"),
        think_uncapped: options.on("think_uncapped"),
        think_means_swapped: options.on("think_means_swapped"),
        counters_frozen: options.on("counters_frozen"),
        stock_reserve: match options.text("stock_refill") {
            "q" => 1,
            "q_plus_11" => 11,
            _ => 10,
        },
        line_amount_taxed: options.on("line_amount_taxed"),
        by_name: Position::named(options.text("by_name_position")),
        status_name: Position::named(options.text("status_position")),
        order_status_random_customer: options.on("order_status_random_customer"),
        payment_adds: options.on("payment_adds"),
        delivery_stops_at_empty: options.on("delivery_stops_at_empty"),
        stale_writes: options.on("stale_writes"),
        by_name_never_matches: options.on("by_name_never_matches"),
    }
}

#[cfg(test)]
mod tests {
    use super::Position;

    #[test]
    fn positions_among_customers_of_one_name() {
        let table = [("ceil", [0, 0, 1, 1]), ("floor", [0, 1, 1, 2]), ("first", [0; 4])];
        for (word, places) in table.into_iter().chain([("past_middle", [0, 1, 2, 2])]) {
            let found = [1, 2, 3, 4].map(|count| Position::named(word).of(count));
            assert_eq!(found, places, "{word}");
        }
        assert_eq!(Position::named("past_middle").of(0), 0);
    }
}
