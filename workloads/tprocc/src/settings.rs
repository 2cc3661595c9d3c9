//! The parameters' values as plain fields, read once so that no hot path looks a name up.
//!
//! It must never draw or keep anything that changes. Start reading at [`Settings`].

use tacho_core::{Error, ErrorKind, Result};
use tacho_workload::Options;

use crate::mix::Mix;
use crate::peers::needs_apart;
use crate::routines::Set;
use crate::statements::{self, Group};
use crate::style::Style;

/// How the statements of a transaction follow each other, and over how many rows each goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequence {
    /// One for each line of an order.
    Lines,
    /// One for all lines of an order.
    Orders,
    /// Each read and each write, as [`Style`] says.
    Apart,
    /// The same as HammerDB does it.
    HammerDb,
}

/// What the population of the database depends on.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, read by name")]
pub struct Population {
    /// Half of the customers have bad credit.
    pub credit_half_bad: bool,
    /// Taxes in whole percents, 10 to 20.
    pub tax_coarse: bool,
    /// Discounts in whole percents.
    pub discount_coarse: bool,
    /// Zip codes overwritten from the left.
    pub zip_left: bool,
    /// Phones overwritten from the left.
    pub phone_left: bool,
    /// States of letters and digits.
    pub state_alphanumeric: bool,
    /// The mark as HammerDB makes it.
    pub original_lowercase: bool,
    /// Amounts on delivered lines only.
    pub amounts_reversed: bool,
    /// Customers of initial orders are not permuted.
    pub independent_customers: bool,
    /// Long strings are one letter.
    pub one_letter: bool,
    /// The mark of items and stock, if there is one.
    pub mark: Option<&'static [u8]>,
    /// Most lines of an initial order.
    pub lines_max: i64,
    /// Amounts of open lines are at most 100.
    pub small_open_amounts: bool,
    /// Last names are uniform.
    pub uniform_name: bool,
}

/// Where a session works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warehouses {
    /// At one warehouse.
    Home,
    /// At all of them.
    All,
    /// At its share.
    Owned,
    /// At its consecutive ones.
    Range,
}

/// The line of an unused item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unused {
    /// The last.
    Last,
    /// Where sorting puts it.
    Sorted,
    /// The last but one.
    LastButOne,
}

/// Where the customer is among those of one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// At n/2 rounded up.
    Ceil,
    /// After n/2 rounded down.
    Floor,
    /// The first.
    First,
    /// After n/2 rounded up, or the last.
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

    /// The place from zero among so many.
    pub fn of(self, found: usize) -> usize {
        match self {
            Self::Ceil => found.div_ceil(2).saturating_sub(1),
            // HammerDB's client-SQL mode: index n/2 from zero, rounded down.
            Self::Floor => found / 2,
            Self::First => 0,
            Self::PastMiddle => found.div_ceil(2).min(found.saturating_sub(1)),
        }
    }
}

/// What is remote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remote {
    /// Another warehouse.
    Warehouse,
    /// A mark, or another district.
    Near,
    /// Nothing.
    Nothing,
}

/// What inputs and transactions depend on.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, read by name")]
pub struct Behaviour {
    /// Where a session works.
    pub warehouses: Warehouses,
    /// The home is random.
    pub random_home: bool,
    /// The stock-level district is drawn and not the terminal's.
    pub random_district: bool,
    /// It is drawn each time.
    pub each_district: bool,
    /// Fewest lines of a new-order.
    pub lines_min: i64,
    /// Lines from elsewhere.
    pub remote_lines: Remote,
    /// Payments from elsewhere.
    pub remote_payments: Remote,
    /// The line of an unused item.
    pub unused: Unused,
    /// No item twice in an order.
    pub distinct_items: bool,
    /// Last names are uniform.
    pub uniform_name: bool,
    /// Customer ids are uniform.
    pub uniform_customer: bool,
    /// Item ids are uniform.
    pub uniform_item: bool,
    /// Payments have no cents.
    pub payment_whole_amounts: bool,
    /// One new-order in so many has an unused item.
    pub rollback_one_in: u64,
    /// Lines are sorted by supplying warehouse and item.
    pub sort_lines: bool,
    /// Think times are whole seconds.
    pub think_rounded: bool,
    /// Think times are not capped.
    pub think_uncapped: bool,
    /// Order-status and delivery change their mean think times.
    pub think_means_swapped: bool,
    /// Yearly sums and counts stay as loaded.
    pub counters_frozen: bool,
    /// Stock is not refilled if at least the quantity and so many more are there.
    pub stock_reserve: i64,
    /// Line amounts include taxes and discount.
    pub line_amount_taxed: bool,
    /// The customer that a payment picks.
    pub by_name: Position,
    /// The customer that an order-status picks.
    pub status_name: Position,
    /// Order-status by name looks at a random customer's order.
    pub order_status_random_customer: bool,
    /// Payment adds to the balance.
    pub payment_adds: bool,
    /// Delivery ends at the first empty district.
    pub delivery_stops_at_empty: bool,
    /// Sessions may write rows that others have changed since they read.
    pub stale_writes: bool,
    /// HammerDB's functions search for a text that is no name.
    pub by_name_never_matches: bool,
}

/// All of it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// For the generator.
    pub population: Population,
    /// For the clients.
    pub behaviour: Behaviour,
    /// Which transaction comes next.
    pub mix: Mix,
    /// Last names have the same constant at load and run.
    pub same_name_constant: bool,
    /// The stored routines.
    pub routines: Set,
    /// How statements follow each other.
    pub sequence: Sequence,
    /// How they go where they are sent apart.
    pub style: Style,
    /// The constants C of a run are zero.
    pub zero_constants: bool,
    /// A switch with a value that only statements apart have, where they are not. Data keeps such values, so it
    /// can be checked and removed; a run is refused.
    pub misfit: Option<&'static str>,
}

impl Settings {
    /// Reads resolved options for the dialect of this id. Fails if `weights` are no five weights, or if values
    /// do not go together.
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

/// What is asked for, if the dialect has it.
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

/// Fails if values do not go together, or a dialect cannot have them.
fn require_sense(options: &Options, sequence: Sequence, dialect: &str) -> Result<()> {
    let foreign_keys = options.text("foreign_keys") != "none";
    if foreign_keys && matches!(options.text("tables"), "own" | "dbt2") {
        let text = "foreign_keys are those of the tables of another tool, and these have none";
        return Err(Error::usage(text)
            .hint("--profile names a tool with foreign keys, or --set foreign_keys=none"));
    }
    if options.text("tables") != "own" && options.on("hammerdb_tables") {
        let text = "hammerdb_tables and tables ask for the tables of two tools";
        return Err(Error::usage(text).hint("leave one of them out"));
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

/// Fails if lists are asked for with what they cannot have.
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
    Err(Error::usage(format!("statements=batches needs {key}={value}"))
        .hint(format!("--set {key}={value}, or --set statements=apart")))
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
