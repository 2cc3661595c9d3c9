//! The parameters, the profiles and the table of deviations, which contains each switch with its clause.
//!
//! This file only declares parameters. `settings.rs` converts their values to plain fields.
//!
//! Start reading at `TABLE`.

use tacho_core::{Parameter, ParameterKind};
use tacho_workload::{Quirk, STORAGE, STORAGE_HELP};

use crate::entry::{Entry, shaping};
use crate::peers::{PEER_ENTRIES, PEERS};

/// Returns a deviation that the `hammerdb` profile turns on.
const fn switch(key: &'static str, help: &'static str, clause: &'static str) -> Entry {
    Entry {
        key,
        kind: ParameterKind::Switch,
        spec: "false",
        hammerdb: "true",
        clause,
        help,
        data: false,
    }
}

/// Returns a deviation with the choices `[spec, hammerdb]`.
const fn choice(
    key: &'static str,
    words: &'static [&'static str],
    help: &'static str,
    clause: &'static str,
) -> Entry {
    let kind = ParameterKind::Choice(words);
    Entry { key, kind, spec: words[0], hammerdb: words[1], clause, help, data: false }
}

/// Returns a parameter for table storage, which no standard specifies.
const fn physical(
    key: &'static str,
    kind: ParameterKind,
    value: &'static str,
    help: &'static str,
) -> Entry {
    Entry { key, kind, spec: value, hammerdb: value, clause: "", help, data: true }
}

const OWN_ENTRIES: usize = 49;
const ENTRIES: usize = OWN_ENTRIES + PEER_ENTRIES;
const QUIRK_COUNT: usize = 34 + PEER_ENTRIES;
const DATA_COUNT: usize = 40;

/// All parameters: the ones in [`OWN`], followed by the deviations found only in tools other than HammerDB.
const TABLE: [Entry; ENTRIES] = {
    let mut all = [OWN[0]; ENTRIES];
    let mut at = 0;
    while at < ENTRIES {
        all[at] = if at < OWN_ENTRIES { OWN[at] } else { PEERS[at - OWN_ENTRIES] };
        at += 1;
    }
    all
};

/// Parameters that no standard specifies, followed by those for HammerDB's deviations. The deviations are ordered by
/// what they affect: first the data, then the inputs, then the execution.
#[rustfmt::skip]
const OWN: [Entry; OWN_ENTRIES] = [
    Entry {
        key: "warehouses",
        kind: ParameterKind::Choice(&["home", "all", "owned", "range"]),
        spec: "home",
        hammerdb: "home",
        clause: "",
        help: "warehouse of a transaction: home (one per session), all (uniform), owned (uniform \
               over every S-th warehouse, for S sessions), range (uniform over the session's \
               consecutive warehouses)",
        data: false,
    },
    Entry {
        key: "weights",
        kind: ParameterKind::Text,
        spec: "45,43,4,4,4",
        hammerdb: "45,43,4,4,4",
        clause: "",
        help: "weights for mix=weights: new-order, payment, order-status, delivery, stock-level",
        data: false,
    },
    Entry {
        key: "routines",
        kind: ParameterKind::Choice(&["functions", "procedures"]),
        spec: "functions",
        hammerdb: "functions",
        clause: "",
        help: "type of the stored routines that --form procedures uses",
        data: true,
    },
    Entry {
        key: "statements",
        kind: ParameterKind::Choice(&["orders", "lines", "apart", "batches"]),
        spec: "orders",
        hammerdb: "orders",
        clause: "",
        help: "orders: one statement for all lines of an order, if the database supports it; \
               lines: one statement for each line; apart: one statement for each read and each \
               write; batches: like apart, but with lists of items and lines",
        data: false,
    },
    physical("partitions", ParameterKind::Text, "none",
        "hash partitions of order_line: none, a number, or auto (one per 100 warehouses if there are at least 200)"),
    physical("fillfactor", ParameterKind::Text, "",
        "percentage of each page to fill during the load, 10 to 100; empty for the database's default"),
    physical("unlogged", ParameterKind::Switch, "false",
        "use unlogged tables, which are fast but empty after a server crash"),
    physical("tablespace", ParameterKind::Text, "", "tablespace for tables and indexes"),
    physical("organize", ParameterKind::Text, "",
        "organisation of the tables that do not grow, in the database's terms; empty for the \
         default"),
    physical("distributed", ParameterKind::Switch, "false",
        "distribute rows over a cluster's nodes by warehouse, and store items on every node"),
    physical("engine", ParameterKind::Text, "", "storage engine for all tables; empty for the default"),
    physical(STORAGE, ParameterKind::Text, "", STORAGE_HELP),
    physical("history_pk", ParameterKind::Switch, "false", "add an auto-increment key to history, in an invisible column"),
    physical("tables", ParameterKind::Choice(&crate::names::TABLES), "own",
        "tool whose table names, types, keys and indexes to use; the value own selects the workload's own tables"),
    physical(
        "foreign_keys",
        ParameterKind::Choice(&["none", "enforced", "unchecked"]),
        "none",
        "foreign keys of another tool's tables: none, enforced, or not checked by the sessions if \
         the server has a setting for this",
    ),
    shaping(switch("hammerdb_tables",
        "tables as HammerDB creates them on the database: names, column order, types, NULL and \
         keys",
        "1.3.1: the key of stock is warehouse and item")),
    shaping(switch("credit_half_bad", "half of the customers have bad credit",
        "4.3.3.1: one customer in ten has bad credit")),
    shaping(switch("tax_coarse", "taxes are whole percentages from 10 % to 20 %",
        "4.3.3.1: taxes are 0 % to 20 % with four decimals")),
    shaping(switch("discount_coarse", "discounts are whole percentages from 0 % to 50 %",
        "4.3.3.1: discounts are 0 % to 50 % with four decimals")),
    shaping(switch("zip_left", "zip codes are 000011111 with the leftmost digits overwritten by a number",
        "4.3.2.7: four random digits, then 11111")),
    shaping(switch("phone_left", "phone numbers consist of two halves, each of which is 00000000 \
        with the leftmost digits overwritten by a number",
        "4.3.2.2: sixteen random digits")),
    shaping(switch("state_alphanumeric", "states are two letters or digits", "4.3.3.1: two letters")),
    shaping(switch("original_lowercase",
        "the marker in 9.516 % of i_data and s_data is in lower case and replaces nine characters",
        "4.3.3.1: ORIGINAL in 10 % of the rows, in upper case")),
    shaping(switch("amounts_reversed", "amounts are 0.10 to 100.00 for delivered lines and 0 for \
                                        open lines",
        "4.3.3.1: amounts are 0 for delivered lines and 0.01 to 9999.99 for open lines")),
    shaping(choice("customer_of_order", &["permuted", "independent"],
        "customers of the initial orders: a permutation, or drawn between the order number and \
         3000",
        "4.3.3.1: a permutation of the customers")),
    shaping(switch("last_name_constant_same", "the constant C for last names is 123 both at load time and at run time",
        "2.1.6.1: the constants differ by 65 to 119, but not by 96 or 112")),
    Entry {
        key: "mix",
        kind: ParameterKind::Choice(&["weights", "deck", "of23"]),
        spec: "weights",
        hammerdb: "of23",
        clause: "5.2.4: weighted draws, or a deck of 23 cards; not an unweighted draw from 23",
        help: "selection of the next transaction: by weights, from a shuffled deck of 23, or by \
               an independent draw from 1 to 23",
        data: false,
    },
    choice("home", &["terminal", "random"], "a session's home warehouse: by session number, or at \
                                             random with repetition",
        "2.4.1.1 and 4.2.2: ten terminals, each bound to one warehouse and district"),
    choice("stock_level_district", &["terminal", "session", "each"],
        "stock-level district: by session number, drawn once per session, or drawn each time",
        "2.8.1.1: each terminal has its own district"),
    switch("uniform_customer", "customer ids are uniformly distributed", "2.4.1.2, 2.5.1.2, 2.6.1.2: NURand(1023, 1, 3000)"),
    switch("uniform_item", "item ids are uniformly distributed", "2.4.1.5: NURand(8191, 1, 100000)"),
    switch("payment_whole_amounts", "payment amounts are whole numbers from 1 to 5000", "2.5.1.3: 1.00 to 5000.00"),
    switch("rollback_1_in_99", "one in 99 new-order transactions contains an unused item", "2.4.1.4: one in a hundred"),
    Entry {
        key: "sort_lines",
        kind: ParameterKind::Switch,
        spec: "true",
        hammerdb: "false",
        clause: "2.4.1.5: lines are numbered as they were entered",
        help: "order lines are sorted by warehouse and item, so that new-order transactions do not deadlock",
        data: false,
    },
    switch("think_rounded", "think times are whole seconds",
        "5.2.5.4: think times have a resolution of 0.1 s or better"),
    switch("think_uncapped", "think times have no upper limit", "5.2.5.4: at most ten times the mean"),
    switch("think_means_swapped", "mean think times of order-status and delivery are 5 s and 10 s",
        "5.2.5.7: order-status 10 s, delivery 5 s"),
    shaping(switch("counters_frozen",
        "s_ytd, s_order_cnt, s_remote_cnt, c_ytd_payment, c_payment_cnt and c_delivery_cnt are not updated",
        "2.4.2.2, 2.5.2.2, 2.7.4.2: each is updated")),
    choice(
        "stock_refill",
        &["q_plus_10", "q", "q_plus_11"],
        "stock is refilled when it is below quantity + 10, when it is at most the quantity, or when \
         it is at most quantity + 10",
        "2.4.2.2: refilled unless the stock exceeds the quantity by ten or more",
    ),
    switch("line_amount_taxed", "ol_amount includes taxes and discount", "2.4.2.2: ol_amount is quantity times price"),
    choice(
        "by_name_position",
        &["ceil", "floor", "first", "past_middle"],
        "number of the customer that payment selects from n customers with the same name: n/2 rounded up, n/2 rounded down plus 1, 1, or n/2 rounded up plus 1",
        "2.5.2.2: position n/2 rounded up",
    ),
    switch("order_status_random_customer", "order-status by name shows a random customer's order",
        "2.6.2.2: the order of the customer who was found by name"),
    shaping(switch("payment_adds", "payment adds the amount to c_balance", "2.5.2.2: c_balance is decreased")),
    switch("delivery_stops_at_empty", "delivery ends at the first district without an open order",
        "2.7.4.2: that district is skipped"),
    shaping(switch("hammerdb_routines",
        "HammerDB's stored routines: new-order generates its lines on the server and commits even if an item is unused",
        "2.4.1.4, 2.4.1.5: the input comes from outside; 2.4.2.3: an unused item is rolled back")),
    Entry {
        key: "call_values",
        kind: ParameterKind::Choice(&crate::routines::VALUES),
        spec: "direct",
        hammerdb: "results",
        clause: "2.4.3: defines what is displayed, not how it is transferred",
        help: "how values are passed to HammerDB's procedures on databases where HammerDB needs \
               several round trips: direct (one round trip), results (results in session \
               variables), variables (input and results in session variables)",
        data: false,
    },
    shaping(switch("hammerdb_statements",
        "the statements of HammerDB's mode without stored procedures, on databases for which this \
         mode exists",
        "3.4.2: balance and stock are not overwritten with values read without a lock")),
    switch(
        "stale_writes",
        "sessions may write rows that another session has changed since they were read, which the \
         server would otherwise reject",
        "3.4.2: no transaction overwrites a change that it has not read",
    ),
    switch("by_name_never_matches",
        "HammerDB's functions search for a string that is not a customer's name, so they find no customer",
        "2.5.2.2, 2.6.2.2: the customer is found by last name"),
];

/// The parameters in table order.
pub static PARAMETERS: [Parameter; ENTRIES] = {
    let empty = Parameter { key: "", kind: ParameterKind::Switch, default: "", help: "" };
    let mut all = [empty; ENTRIES];
    let mut at = 0;
    while at < ENTRIES {
        let Entry { key, kind, spec, help, .. } = TABLE[at];
        all[at] = Parameter { key, kind, default: spec, help };
        at += 1;
    }
    all
};

/// The deviations.
pub static QUIRKS: [Quirk; QUIRK_COUNT] = {
    let mut all = [Quirk { key: "", clause: "" }; QUIRK_COUNT];
    let mut at = 0;
    while at < QUIRK_COUNT {
        // Skip the first parameters in the table, because they are not deviations.
        let Entry { key, clause, .. } = TABLE[at + ENTRIES - QUIRK_COUNT];
        all[at] = Quirk { key, clause };
        at += 1;
    }
    all
};

/// The deviations with their values in HammerDB.
pub(crate) static HAMMERDB: [(&str, &str); QUIRK_COUNT] = {
    let mut all = [("", ""); QUIRK_COUNT];
    let mut at = 0;
    while at < QUIRK_COUNT {
        let Entry { key, hammerdb, .. } = TABLE[at + ENTRIES - QUIRK_COUNT];
        all[at] = (key, hammerdb);
        at += 1;
    }
    all
};

/// Parameters that affect the data. Some of them change the loaded rows. Others change what transactions write, so that
/// the data would violate the standard's conditions.
pub static DATA_PARAMETERS: [&str; DATA_COUNT] = {
    let mut all = [""; DATA_COUNT];
    let (mut at, mut found) = (0, 0);
    while at < ENTRIES {
        if TABLE[at].data {
            all[found] = TABLE[at].key;
            found += 1;
        }
        at += 1;
    }
    assert!(found == DATA_COUNT);
    all
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profiles::PROFILES;

    #[test]
    fn exactly_the_deviations_have_a_clause_and_another_value_in_a_profile() {
        for (at, entry) in TABLE.iter().enumerate() {
            let quirk = at >= ENTRIES - QUIRK_COUNT;
            assert_eq!(!entry.clause.is_empty(), quirk, "{}", entry.key);
            let differs = |(key, value): &(&str, &str)| *key == entry.key && *value != entry.spec;
            let other = PROFILES.iter().any(|profile| profile.values.iter().any(differs));
            assert!(other || !quirk, "no profile has {}", entry.key);
            assert_eq!(at < OWN_ENTRIES && quirk, entry.spec != entry.hammerdb, "{}", entry.key);
        }
    }

    #[test]
    fn every_value_of_a_profile_is_one_that_the_parameter_can_have() {
        for (profile, (key, value)) in PROFILES
            .iter()
            .flat_map(|profile| profile.values.iter().map(move |pair| (profile.id, pair)))
        {
            let entry = TABLE.iter().find(|entry| entry.key == *key);
            let entry = entry.unwrap_or_else(|| panic!("{profile} sets the unknown {key}"));
            let Entry { key, kind, spec, help, .. } = *entry;
            let parameter = Parameter { key, kind, default: spec, help };
            assert!(parameter.check(value).is_ok(), "{profile}: {key}={value}");
        }
    }

    #[test]
    fn the_docs_explain_every_parameter() {
        for entry in TABLE {
            let key = format!("`{}`", entry.key);
            assert!(crate::MANIFEST.docs.contains(&key), "docs.md lacks {key}");
        }
    }
}
