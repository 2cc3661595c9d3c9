//! The twelve consistency conditions of TPC-C clause 3.3.2 as data; their queries are in
//! `sql/checks.sql`.
//!
//! A condition that a switch makes impossible is excused with the switch's name; it must never be
//! weakened instead. Start reading at [`checks`].

use tacho_driver::Values;
use tacho_workload::{Check, Judge};

use crate::settings::Sequence;
use crate::setup::Setup;
use crate::statements::Statement;
use crate::style::{Counters, Pick};

/// Id, rule, clause and query of each condition.
const CONDITIONS: [(&str, &str, &str, Statement); 12] = [
    ("C1", "w_ytd = sum(d_ytd)", "3.3.2.1", Statement::CheckC1),
    ("C2", "d_next_o_id - 1 = max(o_id) = max(no_o_id)", "3.3.2.2", Statement::CheckC2),
    ("C3", "max(no_o_id) - min(no_o_id) + 1 = rows in new_order", "3.3.2.3", Statement::CheckC3),
    ("C4", "sum(o_ol_cnt) = rows in order_line", "3.3.2.4", Statement::CheckOrders),
    (
        "C5",
        "o_carrier_id is null exactly for orders in new_order",
        "3.3.2.5",
        Statement::CheckOrders,
    ),
    ("C6", "o_ol_cnt = order lines of the order", "3.3.2.6", Statement::CheckOrders),
    ("C7", "ol_delivery_d is null exactly if o_carrier_id is", "3.3.2.7", Statement::CheckOrders),
    ("C8", "w_ytd = sum(h_amount) of the warehouse", "3.3.2.8", Statement::CheckC8),
    ("C9", "d_ytd = sum(h_amount) of the district", "3.3.2.9", Statement::CheckC9),
    ("C10", "c_balance = sum(ol_amount) - sum(h_amount)", "3.3.2.10", Statement::CheckCustomers),
    ("C11", "orders - new_order = 2100 + deliveries", "3.3.2.11", Statement::CheckC11),
    ("C12", "c_balance + c_ytd_payment = sum(ol_amount)", "3.3.2.12", Statement::CheckCustomers),
];

/// The conditions, those excused that cannot hold with these settings.
pub fn checks(setup: &Setup) -> Vec<Check> {
    let check = |(id, rule, clause, statement): (_, _, _, Statement)| Check {
        id,
        rule,
        clause,
        statement: statement.into(),
        bound: Values::default(),
        keys: by_warehouse(statement).then_some(1..=setup.warehouses),
        judge: Judge::NoRows,
        samples: Vec::new(),
        excused: excuse(id, setup),
    };
    CONDITIONS.into_iter().map(check).collect()
}

/// Whether a statement takes a range of warehouses.
fn by_warehouse(statement: Statement) -> bool {
    matches!(statement, Statement::CheckOrders | Statement::CheckCustomers)
}

/// The switches that make a condition impossible, each with the reason.
fn excuse(id: &str, setup: &Setup) -> Option<String> {
    // What earlier runs have left is in the data, whatever the statements of this one.
    let (style, apart) = (&setup.style, setup.sequence != Sequence::HammerDb);
    let twice = apart && style.pick != Pick::Locked;
    // Without a lock on the customer; and a delivery may come between.
    let as_read = apart && style.balance_absolute && style.customer_plain;
    let uncounted = apart && matches!(style.counters, Counters::Neither | Counters::SumPlusOne);
    let causes = [
        (
            matches!(id, "C10" | "C12") && setup.population.amounts_reversed,
            "amounts_reversed=true loads delivered amounts that no customer owes",
        ),
        (
            matches!(id, "C10" | "C12") && setup.behaviour.payment_adds,
            "payment_adds=true adds payments to the balance",
        ),
        (
            matches!(id, "C11" | "C12") && setup.behaviour.counters_frozen,
            if id == "C11" {
                "counters_frozen=true keeps c_delivery_cnt as loaded"
            } else {
                "counters_frozen=true keeps c_ytd_payment as loaded"
            },
        ),
        (
            matches!(id, "C10" | "C12") && setup.sequence == Sequence::HammerDb,
            "hammerdb_statements=true writes balances as read",
        ),
        (
            matches!(id, "C10" | "C11" | "C12") && twice,
            "delivery_pick without a lock may deliver an order twice",
        ),
        (
            matches!(id, "C10" | "C12") && setup.style.credit_quantities,
            "delivery_credit=amount_times_quantity adds more than the amounts",
        ),
        (matches!(id, "C10" | "C12") && as_read, "balance_write=absolute writes balances as read"),
        (id == "C12" && uncounted, "payment_counters does not add the amounts to c_ytd_payment"),
        (
            matches!(id, "C10" | "C11" | "C12") && setup.routines.hammerdb,
            "hammerdb_routines=true writes balances as read and keeps no counts",
        ),
    ];
    let reasons: Vec<&str> =
        causes.iter().filter(|(applies, _)| *applies).map(|(_, reason)| *reason).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}
