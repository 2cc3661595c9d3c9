//! select-only: reads one account's balance, without an explicit BEGIN and COMMIT.
//!
//! Start reading at [`run`].

use tacho_core::Result;
use tacho_driver::Exchange;
use tacho_workload::Outcome;

use crate::input::Input;
use crate::replies::read_balance;
use crate::statements::Statement;

/// Runs the transaction. Its only statement commits by itself, so the transaction has ended when the result arrives.
pub async fn run(input: Input, exchange: &mut Exchange) -> Result<Outcome> {
    exchange.execute(Statement::AccountBalance).int(input.aid);
    read_balance(exchange.send().await?, 0)?;
    Ok(Outcome::Committed)
}
