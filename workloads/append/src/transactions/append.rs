//! Appends values in single statements, and reads lists.
//!
//! Start reading at [`run`].

use tacho_core::Result;
use tacho_driver::{Access, Exchange, Operation};
use tacho_workload::Outcome;

use super::{Attempt, used_up, wrote_one};
use crate::input::Input;
use crate::setup::Setup;
use crate::statements::Statement;

/// Runs the transaction. All statements are queued at once. How they are sent depends on the statement form of the run.
pub async fn run(
    setup: &Setup,
    input: &Input,
    attempt: &mut Attempt,
    exchange: &mut Exchange,
) -> Result<Outcome> {
    exchange.begin(if input.only_reads() { Access::Read } else { Access::Write });
    for operation in input.operations() {
        if operation.is_read {
            let key = setup.keys.for_read(operation.slot);
            attempt.steps.push((key, None));
            exchange.execute(Statement::ListRead).int(key as i64);
            continue;
        }
        let Some(key) = setup.keys.for_append(operation.slot) else { return Err(used_up()) };
        let value = attempt.new_value();
        attempt.steps.push((key, Some(value)));
        attempt.operations.add(Operation::Append { key, value });
        attempt.text.clear();
        attempt.write_value(value);
        exchange.execute(Statement::ListAppend).text(&attempt.text).int(key as i64);
    }
    exchange.commit();
    let reply = exchange.send().await?;
    for at in 0..attempt.steps.len() {
        let (key, value) = attempt.steps[at];
        if let Some(value) = value {
            wrote_one(reply, at, Statement::ListAppend)?;
            attempt.complete.add(Operation::Append { key, value });
        } else {
            attempt.read(setup, key, reply, at)?;
        }
    }
    std::mem::swap(&mut attempt.operations, &mut attempt.complete);
    Ok(Outcome::Committed)
}
