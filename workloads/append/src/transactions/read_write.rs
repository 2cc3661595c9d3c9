//! Reads lists, adds values in the client, and writes the lists back.
//!
//! Unlike an append in a single statement, this loses updates unless the database prevents it.
//!
//! Start reading at [`run`].

use tacho_core::Result;
use tacho_driver::{Access, Exchange, Operation};
use tacho_workload::Outcome;

use super::{Attempt, list_text, used_up, wrote_one};
use crate::input::Input;
use crate::setup::Setup;
use crate::statements::Statement;

/// Runs the transaction. Each list must be read before it can be written.
pub async fn run(
    setup: &Setup,
    input: &Input,
    attempt: &mut Attempt,
    exchange: &mut Exchange,
) -> Result<Outcome> {
    exchange.begin(if input.only_reads() { Access::Read } else { Access::Write });
    for operation in input.operations() {
        let key = if operation.is_read {
            setup.keys.for_read(operation.slot)
        } else {
            setup.keys.for_append(operation.slot).ok_or_else(used_up)?
        };
        exchange.execute(Statement::ListRead).int(key as i64);
        let reply = exchange.send().await?;
        attempt.read(setup, key, reply, reply.len() - 1)?;
        if operation.is_read {
            continue;
        }
        attempt.text.clear();
        attempt.text.extend_from_slice(list_text(reply, reply.len() - 1, key)?);
        let value = attempt.new_value();
        attempt.write_value(value);
        attempt.operations.add(Operation::Replace { key, value });
        attempt.complete.add(Operation::Replace { key, value });
        exchange.execute(Statement::ListWrite).text(&attempt.text).int(key as i64);
        let reply = exchange.send().await?;
        wrote_one(reply, 0, Statement::ListWrite)?;
    }
    exchange.commit();
    exchange.send().await?;
    std::mem::swap(&mut attempt.operations, &mut attempt.complete);
    Ok(Outcome::Committed)
}
