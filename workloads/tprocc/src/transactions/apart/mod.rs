//! The transactions as other tools send them, with a separate statement for each read and write.
//!
//! The switches in [`crate::style::Style`] determine the statements. No file here may depend on
//! which tool is imitated.
//!
//! The client computes new values from values that it has read. If it does not lock the rows it
//! reads, updates may be lost.
//!
//! Start reading at `new_order.rs`. Statements over lists are in `batches.rs`.

mod batches;
mod delivery;
mod new_order;
mod order_status;
mod payment;
mod stock_level;

use tacho_core::Result;
use tacho_driver::{Exchange, Reply};

use super::Person;
use crate::replies::{show, wrote_one};
use crate::setup::Setup;
use crate::statements::Statement;

/// Sends a statement that does nothing, if the style starts transactions with one.
async fn ping(setup: &Setup, exchange: &mut Exchange) -> Result<()> {
    if setup.style.ping {
        exchange.execute(Statement::Ping);
        show(exchange.send().await?.one(0)?.number(0)?);
    }
    Ok(())
}

/// Queues the search for customers by name. If the style requires it, a query for the number of these customers comes
/// first. Returns the position of the search's result.
fn queue_names(setup: &Setup, person: &Person, list: Statement, exchange: &mut Exchange) -> usize {
    let counted = setup.style.names_counted;
    if counted {
        let count = exchange.execute(Statement::NamesakesCount).int(person.w).int(person.d);
        count.text(&person.last);
    }
    exchange.execute(list).int(person.w).int(person.d).text(&person.last);
    usize::from(counted)
}

/// Reads the number of customers with the given name, if the style has a query for it.
fn take_count(setup: &Setup, reply: &Reply, set: usize) -> Result<()> {
    if setup.style.names_counted {
        show(reply.one(set)?.number(0)?);
    }
    Ok(())
}

/// Fails unless each of the statements wrote exactly one row. `statements` must list all statements that were sent.
fn wrote_each(reply: &Reply, statements: &[Statement]) -> Result<()> {
    for (set, statement) in statements.iter().enumerate() {
        wrote_one(reply, set, *statement)?;
    }
    Ok(())
}
