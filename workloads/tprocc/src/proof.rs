//! The sums in the database by which payments and deliveries are proved; new-orders are proved by the count
//! of the headline.
//!
//! Start reading at [`counters`].

use tacho_workload::Counter;

use crate::mix::{DELIVERY, PAYMENT};
use crate::schema::DISTRICTS;
use crate::setup::Setup;
use crate::statements::Statement;

/// Cents of the largest payment, clause 2.5.1.3.
const PAYMENT_MAX: i64 = 500_000;

/// The counters, in the order in which [`crate::client::Terminal`] writes them. HammerDB's routines do not
/// report how many orders they have delivered.
pub fn counters(setup: &Setup) -> Vec<Counter> {
    let paid = |name, column| Counter {
        transaction: PAYMENT,
        name,
        statement: Statement::CommitsTotal.into(),
        column,
        digits: 2,
        step: (0, PAYMENT_MAX),
    };
    let delivered = Counter {
        transaction: DELIVERY,
        name: "orders delivered",
        digits: 0,
        step: (0, DISTRICTS),
        ..paid("", 2)
    };
    let known = (!setup.draws_in_server()).then_some(delivered);
    [paid("w_ytd", 0), paid("d_ytd", 1)].into_iter().chain(known).collect()
}
