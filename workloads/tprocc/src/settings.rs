//! The parameters' values as plain fields, read once so that no hot path looks a name up.
//!
//! It must never draw or keep anything that changes. Start reading at [`Settings`].

use tacho_core::Result;
use tacho_workload::Options;

use crate::mix::Mix;
use crate::routines::Set;
use crate::statements::Group;

/// How the statements of a transaction follow each other, and over how many rows each goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequence {
    /// One for each line of an order.
    Lines,
    /// One for all lines of an order.
    Orders,
    /// HammerDB's own.
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
    /// Payment rounds the middle customer down and takes the next.
    pub by_name_floor: bool,
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
}

impl Settings {
    /// Reads resolved options for the dialect of this id. Fails if `weights` are no five weights.
    pub fn new(options: &Options, dialect: &str) -> Result<Self> {
        Ok(Self {
            population: population(options),
            behaviour: behaviour(options),
            mix: Mix::new(options.text("mix"), options.text("weights"))?,
            same_name_constant: options.on("last_name_constant_same"),
            routines: Set::new(options, dialect),
            sequence: sequence(options, dialect),
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
    }
}

/// What is asked for, if the dialect has it.
fn sequence(options: &Options, dialect: &str) -> Sequence {
    if options.on("hammerdb_statements") && Group::HammerDb.is_known(dialect) {
        Sequence::HammerDb
    } else if options.text("statements") == "orders" && Group::Orders.is_known(dialect) {
        Sequence::Orders
    } else {
        Sequence::Lines
    }
}

fn behaviour(options: &Options) -> Behaviour {
    Behaviour {
        warehouses: match options.text("warehouses") {
            "all" => Warehouses::All,
            "owned" => Warehouses::Owned,
            _ => Warehouses::Home,
        },
        random_home: options.text("home") == "random",
        random_district: options.text("stock_level_district") == "session",
        uniform_customer: options.on("uniform_customer"),
        uniform_item: options.on("uniform_item"),
        payment_whole_amounts: options.on("payment_whole_amounts"),
        rollback_one_in: if options.on("rollback_1_in_99") { 99 } else { 100 },
        sort_lines: options.on("sort_lines"),
        think_rounded: options.on("think_rounded"),
        think_uncapped: options.on("think_uncapped"),
        think_means_swapped: options.on("think_means_swapped"),
        counters_frozen: options.on("counters_frozen"),
        stock_reserve: if options.text("stock_refill") == "q" { 1 } else { 10 },
        line_amount_taxed: options.on("line_amount_taxed"),
        by_name_floor: options.text("by_name_position") == "floor",
        order_status_random_customer: options.on("order_status_random_customer"),
        payment_adds: options.on("payment_adds"),
        delivery_stops_at_empty: options.on("delivery_stops_at_empty"),
        stale_writes: options.on("stale_writes"),
        by_name_never_matches: options.on("by_name_never_matches"),
    }
}
