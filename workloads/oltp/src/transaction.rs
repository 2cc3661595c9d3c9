//! Runs one event: queues its statements, sends them in the way that the form requires, and checks the results.
//!
//! All inputs must be drawn before the event runs. Start reading at [`run`].

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Access, Exchange, Reply};
use tacho_workload::Outcome;

use crate::event::{Event, Group};
use crate::input::{C_LENGTH, Input, PAD_LENGTH};
use crate::setup::Setup;
use crate::statements::{Bulk, Statement};

const REMEDY: &str = "to check the data, use tacho check; to rebuild it, use tacho prepare";

/// Yields the values in the order in which they were drawn.
struct Taken<'a> {
    numbers: std::slice::Iter<'a, i64>,
    text: &'a [u8],
}

impl<'a> Taken<'a> {
    #[inline]
    fn number(&mut self) -> i64 {
        self.numbers.next().copied().unwrap_or_default()
    }

    #[inline]
    fn text(&mut self, length: usize) -> &'a [u8] {
        let (text, rest) = self.text.split_at(length);
        self.text = rest;
        text
    }
}

/// Runs the event.
pub async fn run(setup: &Setup, input: &Input, exchange: &mut Exchange) -> Result<Outcome> {
    if setup.in_transaction {
        let reads = setup.event == Event::ReadOnly;
        exchange.begin(if reads { Access::Read } else { Access::Write });
    }
    let mut taken = Taken { numbers: input.numbers.iter(), text: &input.text };
    for (group, count) in &setup.groups {
        let table = taken.number();
        for _ in 0..*count {
            queue(*group, table, setup, &mut taken, exchange);
        }
    }
    if setup.in_transaction {
        exchange.commit();
    }
    let reply = match exchange.send().await {
        Ok(reply) => reply,
        Err(error) => return Err(replaced(setup, error)),
    };
    judge(setup, reply).map(|()| Outcome::Committed)
}

#[inline]
fn queue(group: Group, table: i64, setup: &Setup, taken: &mut Taken<'_>, exchange: &mut Exchange) {
    let range = match group {
        Group::Point => return by_id(Statement::Point, table, taken, exchange),
        Group::IndexUpdate => return by_id(Statement::IndexUpdate, table, taken, exchange),
        Group::Delete => return by_id(Statement::DeleteRow, table, taken, exchange),
        Group::NonIndexUpdate => {
            let id = taken.number();
            let bind = exchange.execute(Statement::NonIndexUpdate.of(table));
            bind.text(taken.text(C_LENGTH)).int(id);
            return;
        }
        Group::DeleteInsert => {
            let id = taken.number();
            exchange.execute(Statement::DeleteRow.of(table)).int(id);
            return insert(id, table, taken, exchange);
        }
        Group::Insert => {
            let id = taken.number();
            return insert(id, table, taken, exchange);
        }
        Group::BulkInsert => {
            let first = taken.number();
            let mut bind = exchange.execute(Bulk::insert(table));
            for id in first..first + setup.lists.rows as i64 {
                bind = bind.int(id);
            }
            return;
        }
        Group::RandomPoints => {
            let mut bind = exchange.execute(Statement::RandomPoints.of(table));
            for _ in 0..setup.lists.points {
                bind = bind.int(taken.number());
            }
            return;
        }
        Group::RandomRanges => {
            let mut bind = exchange.execute(Statement::RandomRanges.of(table));
            for _ in 0..setup.lists.ranges {
                let low = taken.number();
                bind = bind.int(low).int(low + setup.delta);
            }
            return;
        }
        Group::SimpleRange => Statement::SimpleRange,
        Group::SumRange => Statement::SumRange,
        Group::OrderRange => Statement::OrderRange,
        Group::DistinctRange => Statement::DistinctRange,
    };
    let low = taken.number();
    exchange.execute(range.of(table)).int(low).int(low + setup.range_size - 1);
}

/// Queues a statement whose only parameter is a row's ID.
#[inline]
fn by_id(statement: Statement, table: i64, taken: &mut Taken<'_>, exchange: &mut Exchange) {
    exchange.execute(statement.of(table)).int(taken.number());
}

#[inline]
fn insert(id: i64, table: i64, taken: &mut Taken<'_>, exchange: &mut Exchange) {
    let k = taken.number();
    let bind = exchange.execute(Statement::InsertRow.of(table)).int(id).int(k);
    bind.text(taken.text(C_LENGTH)).text(taken.text(PAD_LENGTH));
}

/// Turns a unique violation into a serialization failure, so that the event is retried. The
/// violation may be due to another session that has replaced the row.
///
/// On some databases, the delete does not see a row that another session has just inserted, so the
/// insert with the same ID fails.
#[cold]
fn replaced(setup: &Setup, error: Error) -> Error {
    let both = setup.groups.iter().any(|(group, _)| *group == Group::DeleteInsert);
    if !both || error.kind() != ErrorKind::UniqueViolation {
        return error;
    }
    let text = "another session deleted and reinserted the same row";
    Error::new(ErrorKind::Serialization, text).source(error)
}

/// Reads all rows, as a client would. Fails if a required row is missing, or if an insert wrote no row.
fn judge(setup: &Setup, reply: &Reply) -> Result<()> {
    // While another session replaces a row, an update may not find it. If the event replaces rows, a missing row is
    // therefore not an error.
    let alone = !setup.groups.iter().any(|(group, _)| *group == Group::DeleteInsert);
    let mut set = 0;
    for (group, count) in &setup.groups {
        for _ in 0..*count {
            match group {
                Group::Point if setup.in_transaction || alone => {
                    require(reply.rows(set) == 1, Statement::Point)?;
                }
                Group::SimpleRange | Group::DistinctRange | Group::OrderRange
                    if setup.in_transaction || alone =>
                {
                    require(reply.rows(set) > 0, Statement::SimpleRange)?;
                }
                Group::IndexUpdate if alone => {
                    require(reply.affected(set) == 1, Statement::IndexUpdate)?;
                }
                Group::NonIndexUpdate if alone => {
                    require(reply.affected(set) == 1, Statement::NonIndexUpdate)?;
                }
                Group::DeleteInsert => {
                    set += 1;
                    require(reply.affected(set) == 1, Statement::InsertRow)?;
                }
                Group::Insert => require(reply.affected(set) == 1, Statement::InsertRow)?,
                // A bulk insert writes either all of its rows or none. A target that stores no data
                // reports a single row.
                Group::BulkInsert => require(reply.affected(set) > 0, Statement::InsertRow)?,
                Group::SumRange | Group::RandomRanges => {
                    std::hint::black_box(reply.one(set)?.maybe_number(0)?);
                }
                _ => {}
            }
            set += 1;
        }
    }
    Ok(())
}

#[inline]
fn require(holds: bool, statement: Statement) -> Result<()> {
    if holds { Ok(()) } else { Err(missing(statement)) }
}

#[cold]
fn missing(statement: Statement) -> Error {
    let text = format!("statement {} neither found nor wrote any rows", statement.name());
    Error::new(ErrorKind::Missing, text).hint(REMEDY)
}
