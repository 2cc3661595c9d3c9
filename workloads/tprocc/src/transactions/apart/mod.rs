//! The transactions with each read and each write as a statement of its own, as other tools send them.
//!
//! Which of the statements is sent is a switch in [`crate::style::Style`], and no file here may know whose
//! statements they are. Values that the client computes are written as read, so that updates may be lost
//! where no lock is taken. Start reading at `new_order.rs`; `batches.rs` has what goes by lists.

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

/// Sends what has no work to do, if that comes first.
async fn ping(setup: &Setup, exchange: &mut Exchange) -> Result<()> {
    if setup.style.ping {
        exchange.execute(Statement::Ping);
        show(exchange.send().await?.one(0)?.number(0)?);
    }
    Ok(())
}

/// Queues the search for the customers of a name, with or without their count; where the list is.
fn queue_names(setup: &Setup, person: &Person, list: Statement, exchange: &mut Exchange) -> usize {
    let counted = setup.style.names_counted;
    if counted {
        let count = exchange.execute(Statement::NamesakesCount).int(person.w).int(person.d);
        count.text(&person.last);
    }
    exchange.execute(list).int(person.w).int(person.d).text(&person.last);
    usize::from(counted)
}

/// Reads the count of the customers of a name, if it was asked for at this place.
fn take_count(setup: &Setup, reply: &Reply, set: usize) -> Result<()> {
    if setup.style.names_counted {
        show(reply.one(set)?.number(0)?);
    }
    Ok(())
}

/// Fails unless each of these statements, which are all that were sent, wrote one row.
fn wrote_each(reply: &Reply, statements: &[Statement]) -> Result<()> {
    for (set, statement) in statements.iter().enumerate() {
        wrote_one(reply, set, *statement)?;
    }
    Ok(())
}
