//! Sums in the database. They prove that the transactions were really committed.
//!
//! If an order is lost and another client adds one, the number of orders does not change. The sum of customer numbers
//! detects this.
//!
//! Start reading at [`counters`].

use tacho_workload::Counter;

use crate::mix::{DELIVERY, NEW_ORDER, PAYMENT};
use crate::schema::{CUSTOMERS, DISTRICTS};
use crate::settings::Sequence;
use crate::setup::{Setup, Way};
use crate::statements::Statement;
use crate::style::Pick;

/// Maximum payment in cents, clause 2.5.1.3.
const PAYMENT_MAX: i64 = 500_000;
/// Number of carriers, clause 2.7.1.2.
const CARRIERS: i64 = 10;

/// Returns the counters in the order in which [`crate::client::Terminal`] writes them. Leaves out the last ones if they
/// prove nothing in this setup.
pub fn counters(setup: &Setup) -> Vec<Counter> {
    let paid = |name, column| Counter {
        transaction: PAYMENT,
        name,
        statement: Statement::CommitsTotal.into(),
        column,
        digits: 2,
        step: (0, PAYMENT_MAX),
    };
    let ordered = Counter {
        transaction: NEW_ORDER,
        statement: Statement::OrderedTotal.into(),
        digits: 0,
        step: (0, CUSTOMERS),
        ..paid("o_c_id", 0)
    };
    let delivered = Counter {
        transaction: DELIVERY,
        name: "orders delivered",
        digits: 0,
        step: (0, DISTRICTS),
        ..paid("", 2)
    };
    let carried = Counter {
        name: "o_carrier_id",
        statement: Statement::OrderedTotal.into(),
        column: 1,
        step: (0, DISTRICTS * CARRIERS),
        ..delivered
    };
    let mut all = vec![ordered, paid("w_ytd", 0), paid("d_ytd", 1), delivered, carried];
    all.truncate(proved(setup));
    all
}

/// Returns the number of counters whose growth the clients can predict. For example, HammerDB's
/// routines do not report how many orders they deliver.
///
/// With HammerDB's statements, two deliveries may take the same order. The second one then overwrites the carrier
/// number that the first one has written, so the sum of all carrier numbers cannot be predicted.
fn proved(setup: &Setup) -> usize {
    match (setup.draws_in_server(), setup.way, setup.sequence) {
        (true, ..) => 3,
        (_, Way::Statements, Sequence::HammerDb) => 4,
        (_, Way::Statements, Sequence::Apart) if setup.style.pick != Pick::Locked => 4,
        _ => 5,
    }
}
