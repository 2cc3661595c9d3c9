//! The twelve consistency conditions of TPC-C clause 3.3.2, and Tacho's conditions D1 to D13. The queries are in
//! `sql/checks.sql`.
//!
//! If a parameter makes the transactions violate a condition, this condition is not checked, and the parameter is
//! reported as the reason. A condition is never weakened.
//!
//! Start reading at [`checks`].

use tacho_driver::Values;
use tacho_workload::{Check, Judge};

use crate::schema::{DISTRICTS, ITEMS};
use crate::settings::{Remote, Sequence};
use crate::setup::Setup;
use crate::statements::Statement;
use crate::style::{Counters, Pick};

type Condition = (&'static str, &'static str, &'static str, Statement);

/// ID, rule, clause and query of each condition in the standard.
const CONDITIONS: [Condition; 12] = [
    ("C1", "w_ytd = sum(d_ytd)", "3.3.2.1", Statement::CheckC1),
    ("C2", "d_next_o_id - 1 = max(o_id) = max(no_o_id)", "3.3.2.2", Statement::CheckC2),
    ("C3", "max(no_o_id) - min(no_o_id) + 1 = rows in new_order", "3.3.2.3", Statement::CheckC3),
    ("C4", "sum(o_ol_cnt) = rows in order_line", "3.3.2.4", Statement::CheckOrders),
    (
        "C5",
        "o_carrier_id is null if and only if the order is in new_order",
        "3.3.2.5",
        Statement::CheckOrders,
    ),
    ("C6", "o_ol_cnt = number of the order's lines", "3.3.2.6", Statement::CheckOrders),
    (
        "C7",
        "ol_delivery_d is null if and only if o_carrier_id is null",
        "3.3.2.7",
        Statement::CheckOrders,
    ),
    ("C8", "w_ytd = sum(h_amount) for the warehouse", "3.3.2.8", Statement::CheckC8),
    ("C9", "d_ytd = sum(h_amount) for the district", "3.3.2.9", Statement::CheckC9),
    ("C10", "c_balance = sum(ol_amount) - sum(h_amount)", "3.3.2.10", Statement::CheckCustomers),
    ("C11", "orders - new_order = 2100 + deliveries", "3.3.2.11", Statement::CheckC11),
    ("C12", "c_balance + c_ytd_payment = sum(ol_amount)", "3.3.2.12", Statement::CheckCustomers),
];

/// Tacho's own conditions on data that the conditions of the standard do not cover. D13 is
/// expensive, because it reads all order lines again.
const MORE: [Condition; 13] = [
    ("D1", "warehouse, district and item contain the expected rows", "1.2.1", Statement::CheckRows),
    ("D2", "orders are numbered 1 to n", "2.4.2.2", Statement::CheckC2),
    ("D3", "orders have valid customers, carriers and dates", "2.4.2.2", Statement::CheckOrders),
    ("D4", "order lines are valid and numbered from 1 to n", "2.4.2.2", Statement::CheckOrders),
    ("D5", "order lines have the correct delivery date", "2.7.4.2", Statement::CheckOrders),
    ("D6", "o_all_local follows from ol_supply_w_id", "2.4.2.2", Statement::CheckOrders),
    ("D7", "customers are unchanged since loading", "4.3.3.1", Statement::CheckC11),
    ("D8", "c_payment_cnt = rows in history", "2.5.2.2", Statement::CheckCustomers),
    ("D9", "c_delivery_cnt = orders delivered", "2.7.4.2", Statement::CheckCustomers),
    ("D10", "payments have valid amounts and dates", "2.5.1.3", Statement::CheckCustomers),
    ("D11", "stock contains the expected rows with valid values", "2.4.2.2", Statement::CheckStock),
    ("D12", "stock counters match the warehouse's order lines", "2.4.2.2", Statement::CheckStock),
    (
        ROW_BY_ROW,
        "stock counters match the order lines, row by row",
        "2.4.2.2",
        Statement::CheckStockRows,
    ),
];
/// The condition that takes too long to be checked after every run.
const ROW_BY_ROW: &str = "D13";

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;
/// Maximum difference between the load time and a date in a run. Each transaction advances its session's date by one
/// microsecond.
///
/// With several sets of tables, the difference can be larger, because the sets are loaded one after another.
const RUN: i64 = 3_600 * SECOND;
const BETWEEN_SETS: i64 = 30 * DAY;
/// Range of dates that a clock can plausibly return.
const YEARS: i64 = 36_500 * DAY;

/// Returns the conditions. Conditions that cannot hold with these settings are excused.
pub fn checks(setup: &Setup) -> Vec<Check> {
    let check = |(id, rule, clause, statement): Condition| Check {
        id,
        rule,
        clause,
        statement: statement.into(),
        bound: bound(statement, setup),
        keys: by_warehouse(statement).then_some(1..=setup.warehouses),
        judge: Judge::NoRows,
        samples: Vec::new(),
        by_loader: id.starts_with('D'),
        excused: excuse(id, setup),
    };
    CONDITIONS.into_iter().chain(MORE).map(check).collect()
}

/// Returns true if the condition is quick enough to be checked after every run.
pub fn is_after_run(check: &Check) -> bool {
    check.id != ROW_BY_ROW
}

/// Returns true if the statement takes a range of warehouses as parameters.
fn by_warehouse(statement: Statement) -> bool {
    matches!(statement, Statement::CheckOrders | Statement::CheckCustomers | Statement::CheckStock)
}

/// Returns the values of a statement's parameters, except for those that select the range of warehouses.
fn bound(statement: Statement, setup: &Setup) -> Values {
    let mut values = Values::default();
    let (earliest, latest) = dates(setup);
    match statement {
        Statement::CheckRows => {
            values.int(setup.warehouses);
            values.int(setup.warehouses * DISTRICTS);
            values.int(ITEMS);
        }
        Statement::CheckOrders => {
            values.int(setup.warehouses);
            // HammerDB's routines commit orders that contain the unused item, so its number is valid, too.
            values.int(ITEMS + i64::from(setup.routines.hammerdb));
            let flagged = setup.behaviour.remote_lines == Remote::Near;
            values.int(i64::from(!flagged && setup.sequence != Sequence::Apart));
            values.time(earliest);
            values.time(latest);
        }
        Statement::CheckC11 => {
            values.int(setup.warehouses);
            values.decimal(5_000_000);
            values.decimal(5_000);
            values.time(earliest);
            values.time(latest);
            // In tables created by another tool, a timestamp column may be updated automatically
            // whenever its row changes.
            values.int(i64::from(setup.physical.are_own_tables()));
        }
        Statement::CheckCustomers => {
            values.decimal(100);
            values.decimal(500_000);
            values.time(earliest);
            values.time(latest);
        }
        Statement::CheckStock => {
            values.int(setup.warehouses);
            values.int(i64::from(!is_stock_frozen(setup)));
        }
        _ => {}
    }
    values
}

/// Returns the earliest and latest possible dates of loaded rows and of rows from runs.
///
/// Some databases store no fractions of a second.
fn dates(setup: &Setup) -> (i64, i64) {
    let at = setup.loaded_at;
    if setup.routines.hammerdb || !setup.physical.are_own_tables() {
        return (at - DAY, at + YEARS);
    }
    let apart = if setup.sets > 1 { BETWEEN_SETS } else { 0 };
    (at - apart - SECOND, at + apart + RUN)
}

/// Returns true if no transaction changes the stock counters.
fn is_stock_frozen(setup: &Setup) -> bool {
    setup.behaviour.counters_frozen || setup.style.stock_frozen
}

/// Returns the reasons why the selected switches make a condition impossible to meet.
fn excuse(id: &str, setup: &Setup) -> Option<String> {
    // An earlier run may have written this data with different statements, so this run's statements do not matter.
    let (style, apart) = (&setup.style, setup.sequence != Sequence::HammerDb);
    let twice = apart && style.pick != Pick::Locked;
    // Payment does not lock the customer row, so a delivery can change the balance between payment's read and write.
    let as_read = apart && style.balance_absolute && style.customer_plain;
    let uncounted = apart && matches!(style.counters, Counters::Neither | Counters::SumPlusOne);
    let hammerdb = setup.sequence == Sequence::HammerDb;
    let stock = matches!(id, "D12" | "D13") && !is_stock_frozen(setup);
    let causes = [
        (
            matches!(id, "C10" | "C12") && setup.population.amounts_reversed,
            "amounts_reversed=true loads delivered amounts that are not included in any balance",
        ),
        (
            matches!(id, "C10" | "C12") && setup.behaviour.payment_adds,
            "payment_adds=true adds payments to the balance",
        ),
        (
            matches!(id, "C11" | "C12" | "D8" | "D9") && setup.behaviour.counters_frozen,
            match id {
                "C12" => "counters_frozen=true keeps c_ytd_payment as loaded",
                "D8" => "counters_frozen=true keeps c_payment_cnt as loaded",
                _ => "counters_frozen=true keeps c_delivery_cnt as loaded",
            },
        ),
        (
            matches!(id, "C10" | "C12") && setup.sequence == Sequence::HammerDb,
            "hammerdb_statements=true writes balances computed from earlier reads",
        ),
        (
            matches!(id, "C10" | "C11" | "C12" | "D9") && twice,
            "delivery_pick without a lock may deliver an order twice",
        ),
        (
            matches!(id, "C10" | "C12") && setup.style.credit_quantities,
            "delivery_credit=amount_times_quantity adds more than the line amounts",
        ),
        (
            matches!(id, "C10" | "C12") && as_read,
            "balance_write=absolute writes balances computed \
                                                  from earlier reads",
        ),
        (
            id == "C12" && uncounted,
            "payment_counters is set to a value that does not add the amounts to c_ytd_payment",
        ),
        (
            id == "D8" && apart && style.counters != Counters::Both,
            "payment_counters is set to a value that does not count payments",
        ),
        (
            matches!(id, "D8" | "D9") && hammerdb,
            "hammerdb_statements=true does not update the \
                                                 counts",
        ),
        (
            matches!(id, "C10" | "C11" | "C12" | "D8" | "D9") && setup.routines.hammerdb,
            "hammerdb_routines=true writes balances computed from earlier reads and does not \
             update the counts",
        ),
        (
            id == "D6" && setup.routines.hammerdb,
            "hammerdb_routines=true deducts stock for remote lines from the home warehouse",
        ),
        (
            stock && (hammerdb || setup.routines.hammerdb),
            "HammerDB's statements do not change the stock counters",
        ),
        (
            stock && setup.sequence == Sequence::Apart,
            "statements=apart may deduct stock for remote lines from the home warehouse",
        ),
        (
            id == "D13" && is_stock_frozen(setup),
            "the stock counters keep their loaded values, which D12 checks",
        ),
    ];
    let reasons: Vec<&str> =
        causes.iter().filter(|(applies, _)| *applies).map(|(_, reason)| *reason).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}
