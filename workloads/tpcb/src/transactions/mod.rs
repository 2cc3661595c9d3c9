//! pgbench's three built-in scripts, statement by statement.
//!
//! All inputs must be drawn before the transaction runs. The transaction then queues all of its statements at once. How
//! they are sent depends on the statement form of the run.
//!
//! Start reading at [`tpcb_like`].

pub mod select_only;
pub mod simple_update;
pub mod tpcb_like;

use tacho_driver::Exchange;

use crate::input::Input;
use crate::statements::Statement;

/// Queues the update of the account and the select that reads its new balance.
fn queue_account(input: Input, exchange: &mut Exchange) {
    exchange.execute(Statement::AccountUpdate).int(input.aid).int(input.delta);
    exchange.execute(Statement::AccountBalance).int(input.aid);
}

/// Queues the insert that records the transaction.
fn queue_history(input: Input, exchange: &mut Exchange) {
    let Input { aid, bid, tid, delta } = input;
    exchange.execute(Statement::HistoryInsert).int(tid).int(bid).int(aid).int(delta);
}
