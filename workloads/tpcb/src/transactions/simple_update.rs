//! simple-update: like tpcb-like, but without the small, contended tables.
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
    queue_history(input, exchange);
    exchange.commit();
    let reply = exchange.send().await?;
    wrote_one(reply, 0, Statement::AccountUpdate)?;
    read_balance(reply, 1)?;
    wrote_one(reply, 2, Statement::HistoryInsert)?;
    Ok(Outcome::Committed)
}
