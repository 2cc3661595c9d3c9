//! Deviations that exist only in tools other than HammerDB, each with its clause.
//!
//! This file must never mention a tool. `profiles.rs` states which deviations each tool has.
//!
//! Start reading at [`PEERS`].

use tacho_core::ParameterKind;
use tacho_workload::Options;

use crate::entry::{Entry, shaping};

/// Returns a deviation with its choices, starting with the standard's choice.
const fn choice(
    key: &'static str,
    words: &'static [&'static str],
    help: &'static str,
    clause: &'static str,
) -> Entry {
    let kind = ParameterKind::Choice(words);
    Entry { key, kind, spec: words[0], hammerdb: words[0], clause, help, data: false }
}

/// Returns a deviation that can be turned on or off.
const fn switch(key: &'static str, help: &'static str, clause: &'static str) -> Entry {
    Entry {
        key,
        kind: ParameterKind::Switch,
        spec: "false",
        hammerdb: "false",
        clause,
        help,
        data: false,
    }
}

/// Number of deviations.
pub const PEER_ENTRIES: usize = 36;
/// Number of deviations that work with any statements. They are at the start of the list. All other deviations work
/// only with separate statements.
const ANY_STATEMENTS: usize = 11;

/// The deviations in data, inputs and execution, in this order.
#[rustfmt::skip]
pub const PEERS: [Entry; PEER_ENTRIES] = [
    shaping(choice("strings", &["random", "one_letter"],
        "c_data and s_dist_01 to s_dist_10 are random, or consist of one repeated letter",
        "4.3.2.2: each character of a string is random")),
    shaping(choice("marks", &["upper", "lower", "none"],
        "marker in 10 % of i_data and s_data: ORIGINAL, original, or none", "4.3.3.1: ORIGINAL in 10 % of the rows")),
    shaping(choice("loaded_lines", &["5_to_15", "5_to_14"], "number of lines in an initial order", "4.3.3.1: 5 to 15")),
    shaping(choice("open_amounts", &["to_9999_99", "to_100"],
        "amounts of undelivered initial lines: 0.01 to 9999.99, or 0.10 to 100.00",
        "4.3.3.1: 0.01 to 9999.99")),
    choice("order_lines", &["5_to_15", "6_to_15"], "number of lines in a new order", "2.4.1.3: 5 to 15"),
    choice(
        "remote_payments",
        &["warehouse", "district", "none"],
        "15 % of the payments are by customers of another warehouse, or by customers of any \
         district in the home warehouse; or no payment is remote",
        "2.5.1.2: 15 % are by customers of another warehouse",
    ),
    choice("unused_item", &["last", "sorted", "last_but_one"],
        "line that contains the unused item: the last line, its sorted position, or the second-to-last line", "2.4.1.5: the last line"),
    switch("distinct_items", "no item occurs twice in an order", "2.4.1.5: each item is drawn independently"),
    shaping(switch("uniform_name", "last names are uniformly distributed", "2.1.6, 4.3.2.3: NURand(255, 0, 999)")),
    switch("nurand_constant_zero", "the constants C for customers, items and last names are 0 during a run",
        "2.1.6.1: they are drawn at random"),
    choice(
        "remote_lines",
        &["stock", "none", "recorded", "flagged"],
        "one line in a hundred takes stock from another warehouse; or no line is remote; or the \
         line names another warehouse but takes stock from the home warehouse; or only the order \
         is marked as remote",
        "2.4.1.5: one line in a hundred comes from another warehouse",
    ),
    shaping(switch("stock_counters_frozen", "s_ytd, s_order_cnt and s_remote_cnt are not updated",
        "2.4.2.2: each is updated")),
    shaping(choice("payment_counters", &["both", "sum", "sum_plus_1", "none"],
        "payment updates both c_ytd_payment and c_payment_cnt, only c_ytd_payment, c_ytd_payment \
         by 1, or neither",
        "2.5.2.2: both are updated")),
    choice("rollback_at", &["end", "item", "items"],
        "an order with an unused item is rolled back after all other lines, at that item's line, or before stock is read",
        "2.4.2.3: after all other lines"),
    choice("line_rounding", &["cents", "whole"], "ol_amount is rounded to cents or to whole numbers",
        "2.4.2.2: ol_amount has cents"),
    choice("terms", &["together", "separate"], "new-order reads the customer and the warehouse with one statement or with two",
        "2.4.2.2: does not prescribe the statements"),
    choice("line_writes", &["at_line", "at_end"],
        "new-order writes a line before it reads the next one, or all lines at the end",
        "2.4.2.2: does not prescribe the statements"),
    choice("district_write", &["relative", "absolute"], "d_next_o_id is incremented by the server, or computed by the client",
        "2.4.2.2: does not prescribe the statements"),
    shaping(choice("stock_read", &["locked", "plain"], "new-order reads stock with or without a lock",
        "3.4.2: no row is overwritten with a value that was read without a lock")),
    shaping(choice("stock_write", &["relative", "absolute"], "s_quantity is computed by the server or by the client",
        "2.4.2.2: does not prescribe the statements")),
    choice("stock_districts", &["one", "ten"], "new-order reads s_dist for its district only, or \
                                                for all ten districts",
        "2.4.2.2: for its district"),
    choice("payment_order", &["warehouse_first", "district_first"],
        "payment updates the warehouse before or after the district", "2.5.2.2: does not prescribe the statements"),
    choice("places", &["write_read", "lock_write"],
        "payment updates the warehouse and the district before reading them, or locks them first",
        "2.5.2.2: does not prescribe the statements"),
    shaping(choice("customer_read", &["locked", "plain"], "payment reads the customer with or without a lock",
        "3.4.2: no row is overwritten with a value that was read without a lock")),
    shaping(choice("balance_write", &["relative", "absolute"], "c_balance is computed by the server or by the client",
        "2.5.2.2: does not prescribe the statements")),
    choice("customer_data", &["noted", "unchanged"],
        "for a customer with bad credit, payment adds a note to c_data or writes c_data back unchanged",
        "2.5.2.2: the note is written"),
    switch("names_counted", "customers with the same name are counted before they are listed",
        "2.5.2.2, 2.6.2.2: do not prescribe the statements"),
    choice(
        "status_position",
        &["ceil", "first", "past_middle"],
        "number of the customer that order-status selects from n customers with the same name: n/2 rounded up, 1, or n/2 rounded up plus 1",
        "2.6.2.2: position n/2 rounded up",
    ),
    choice(
        "last_order",
        &["limit", "maximum", "all"],
        "order-status finds the last order with a row limit, by the highest order number, or by \
         reading all of the customer's orders",
        "2.6.2.2: does not prescribe the statements",
    ),
    choice("status_lines", &["order", "district"],
        "order-status reads the lines of the order that it found, or of the order whose number equals the district number",
        "2.6.2.2: the lines of the order that was found"),
    shaping(choice("delivery_pick", &["locked", "plain", "minimum"],
        "delivery finds the oldest order with a lock, without a lock, or by reading the minimum order number without a lock",
        "2.7.4.2: an order is delivered once")),
    choice("delivery_commit", &["once", "districts"], "delivery commits once or after each district",
        "2.7.4.2: does not prescribe the transactions"),
    shaping(choice("delivery_credit", &["amount", "amount_times_quantity"],
        "delivery adds the line amounts, or the line amounts multiplied by the quantities, to c_balance",
        "2.7.4.2: the sum of the amounts")),
    choice("delivery_districts", &["all", "terminal"],
        "delivery processes all districts, or only those up to the session's district", "2.7.4.2: all ten districts"),
    choice("stock_level_count", &["distinct", "all", "items"],
        "stock-level counts distinct items, counts lines, or counts each item with a separate statement", "2.8.2.2: distinct items"),
    switch("ping", "each transaction is preceded by a statement that does nothing",
        "5.2.5: there is only keying and thinking between two transactions"),
];

/// Returns the first parameter whose value requires `statements=apart` or `statements=batches`, if there is one.
pub fn needs_apart(options: &Options) -> Option<&'static str> {
    let elsewhere = |entry: &&Entry| options.text(entry.key) != entry.spec;
    let switch = PEERS[ANY_STATEMENTS..].iter().find(elsewhere).map(|entry| entry.key);
    switch.or_else(|| {
        let few = [
            ("remote_lines", ["recorded", "flagged"]),
            ("by_name_position", ["first", "past_middle"]),
        ];
        let found = |(key, words): &&(&'static str, [&str; 2])| words.contains(&options.text(key));
        few.iter().find(found).map(|(key, _)| *key)
    })
}
