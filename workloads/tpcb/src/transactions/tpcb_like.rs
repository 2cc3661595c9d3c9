//! tpcb-like: adds an amount to an account, a teller and a branch, and records it in the history.
//!
//! Start reading at [`run`].

use tacho_core::Result;
use tacho_driver::{Access, Exchange};
use tacho_workload::Outcome;

use super::{queue_account, queue_history};
use crate::input::Input;
use crate::replies::{read_balance, wrote_one};
use crate::statements::Statement;

/// Runs the transaction.
pub async fn run(input: Input, exchange: &mut Exchange) -> Result<Outcome> {
    exchange.begin(Access::Write);
    queue_account(input, exchange);
    exchange.execute(Statement::TellerUpdate).int(input.tid).int(input.delta);
    exchange.execute(Statement::BranchUpdate).int(input.bid).int(input.delta);
    queue_history(input, exchange);
    exchange.commit();
    let reply = exchange.send().await?;
    wrote_one(reply, 0, Statement::AccountUpdate)?;
    read_balance(reply, 1)?;
    wrote_one(reply, 2, Statement::TellerUpdate)?;
    wrote_one(reply, 3, Statement::BranchUpdate)?;
    wrote_one(reply, 4, Statement::HistoryInsert)?;
    Ok(Outcome::Committed)
}
