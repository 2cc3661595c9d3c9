//! The refresh functions, clause 2.5. RF1 inserts new orders, and RF2 deletes as many old ones.
//!
//! The table `refreshes` records the progress of both functions. It is updated in the same
//! transaction as the orders, so that an interrupted function can be resumed.
//!
//! Start reading at [`State`] and [`perform`].

mod client;
mod seen;
mod update_set;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Access, Exchange, Values};
use tacho_workload::Counter;

pub use client::{Power, Refresher};
pub use seen::Seen;
pub use update_set::{Keys, LAST_SET, orders_per_set};

use crate::queries::QUERIES;
use crate::setup::Setup;
use crate::statements::{
    DELETE_LINES, DELETE_ORDER, INSERT_LINE, INSERT_ORDER, REFRESH_READ, REFRESH_WRITE,
    REFRESHED_TOTAL,
};
use update_set::UpdateSet;

/// Number of orders that a database transaction inserts or deletes, which clause 2.5.2 leaves open.
/// If it were small, a run would mainly measure commits.
const ORDERS_PER_TRANSACTION: u64 = 100;
/// Maximum number of lines in an order, clause 4.2.3.
const LINES_PER_ORDER_MAX: u64 = 7;

/// A refresh function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// RF1, which inserts orders and their lines.
    Insert = 1,
    /// RF2, which deletes orders and their lines.
    Delete = 2,
}

/// Progress of a refresh function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Number of the last update set that was started, or 0 if no refresh has run yet.
    pub set: u64,
    /// Number of orders in this set that have been processed.
    pub done: u64,
    /// Number of orders in all sets.
    pub orders: u64,
    /// Number of lines in all sets.
    pub lines: u64,
}

/// Progress of both refresh functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Progress of RF1.
    pub inserted: Progress,
    /// Progress of RF2.
    pub deleted: Progress,
}

impl State {
    /// Reads the state from the database.
    pub async fn read(exchange: &mut Exchange) -> Result<Self> {
        exchange.execute(REFRESH_READ);
        let reply = exchange.send().await?;
        let progress = |row| {
            let row = reply.get(0, row).ok_or_else(damaged)?;
            let number = |column| Ok::<_, Error>(row.number(column)? as u64);
            Ok::<_, Error>(Progress {
                set: number(0)?,
                done: number(1)?,
                orders: number(2)?,
                lines: number(3)?,
            })
        };
        Ok(Self { inserted: progress(0)?, deleted: progress(1)? })
    }

    /// Returns a description of the state, or `None` before the first refresh.
    fn words(&self, left: &[(Function, u64)]) -> Option<String> {
        let Self { inserted, deleted } = self;
        let half = match left.first() {
            Some((_, set)) => format!("; set {set} is incomplete"),
            None => String::new(),
        };
        (inserted.set > 0).then(|| {
            format!(
                "refreshed by update sets 1 to {}: {} orders and {} lines inserted, {} orders and {} \
                 lines deleted{half}",
                inserted.set, inserted.orders, inserted.lines, deleted.orders, deleted.lines
            )
        })
    }

    fn of(&self, function: Function) -> Progress {
        match function {
            Function::Insert => self.inserted,
            Function::Delete => self.deleted,
        }
    }

    /// Returns the refresh functions that an interrupted run did not complete, each with its update set.
    pub fn left(&self, per_set: u64) -> Vec<(Function, u64)> {
        let set = self.inserted.set;
        let half = |progress: Progress| progress.set < set || progress.done < per_set;
        let mut left = Vec::new();
        if set > 0 && half(self.inserted) {
            left.push((Function::Insert, set));
        }
        if set > 0 && half(self.deleted) {
            left.push((Function::Delete, set));
        }
        left
    }

    /// Returns the position in a set at which a function starts: 0, or the position at which the
    /// function was interrupted.
    fn begin(&self, function: Function, set: u64, per_set: u64) -> Result<u64> {
        let progress = self.of(function);
        let whole = progress.set == 0 || progress.done == per_set;
        let inserted =
            self.inserted.set > set || (self.inserted.set == set && self.inserted.done == per_set);
        match function {
            Function::Delete if !inserted => Err(Error::new(
                ErrorKind::Constraint,
                format!("RF2 cannot start, because RF1 of update set {set} is incomplete"),
            )
            .hint("to complete both, start another run with refresh=true")),
            _ if progress.set == set => Ok(progress.done),
            _ if progress.set + 1 == set && whole => Ok(0),
            _ => Err(somebody_else(progress.set, set)),
        }
    }
}

/// Returns the progress of the refreshes and, if there is something to report, a message for the user.
///
/// If `pairs` is above 0, the data is prepared for a run: interrupted refreshes are completed, and
/// an error is returned if fewer than `pairs` sets remain.
pub async fn look(
    exchange: &mut Exchange,
    setup: &Setup,
    pairs: u64,
) -> Result<(State, Option<String>)> {
    let state = State::read(exchange).await?;
    let left = state.left(orders_per_set(setup.steps));
    if pairs == 0 {
        return Ok((state, state.words(&left)));
    }
    let next = state.inserted.set + 1;
    if next + pairs - 1 > LAST_SET {
        let remain = LAST_SET.saturating_sub(state.inserted.set);
        let text = format!("{} requested, but only {remain} of {LAST_SET} remain", sets(pairs));
        return Err(Error::new(ErrorKind::Missing, text)
            .hint("tacho clean followed by tacho prepare rebuilds the data with all update sets"));
    }
    for (function, set) in &left {
        perform(exchange, setup, *function, *set, &mut 0).await?;
    }
    let words = left.first().map(|(_, set)| {
        format!("update set {set}, which an earlier run left incomplete, is now complete")
    });
    Ok((State::read(exchange).await?, words))
}

fn sets(count: u64) -> String {
    if count == 1 { "1 update set is".into() } else { format!("{count} update sets are") }
}

/// Returns counters that prove the commits of both functions.
pub fn counters(setup: &Setup) -> Vec<Counter> {
    let rows_max = (orders_per_set(setup.steps) * (1 + LINES_PER_ORDER_MAX)) as i64;
    let counter = |function: Function, name| Counter {
        transaction: transaction(function),
        name,
        statement: REFRESHED_TOTAL,
        column: function as usize - 1,
        digits: 0,
        step: (0, rows_max),
    };
    vec![counter(Function::Insert, "rows inserted"), counter(Function::Delete, "rows deleted")]
}

const fn transaction(function: Function) -> usize {
    QUERIES + function as usize - 1
}

/// Runs a refresh function for an update set, or resumes it after an interruption. Adds the number
/// of written rows to `rows`, even if their commit was not confirmed.
///
/// Generating rows takes less than 1 % of a refresh's time.
pub async fn perform(
    exchange: &mut Exchange,
    setup: &Setup,
    function: Function,
    set: u64,
    rows: &mut u64,
) -> Result<()> {
    let (per_set, keys) = (orders_per_set(setup.steps), Keys::of(setup));
    let state = State::read(exchange).await?;
    let mut at = state.begin(function, set, per_set)?;
    let mut old = state.of(function);
    let mut source = match function {
        Function::Insert => Some(Box::new(UpdateSet::new(setup, set, at))),
        Function::Delete => None,
    };
    while at < per_set {
        let orders = ORDERS_PER_TRANSACTION.min(per_set - at);
        exchange.begin(Access::Write);
        let lines = match &mut source {
            Some(source) => insert(exchange, source, orders).await?,
            None => delete(exchange, keys, set, at..at + orders).await?,
        };
        at += orders;
        let now = Progress { set, done: at, orders, lines };
        write(exchange, function, &now, &old).await?;
        exchange.commit();
        *rows += orders + lines;
        exchange.send().await?;
        old = now;
    }
    Ok(())
}

/// Inserts `orders` orders, each before its lines. Returns the number of lines.
async fn insert(exchange: &mut Exchange, source: &mut UpdateSet, orders: u64) -> Result<u64> {
    let (mut order, mut lines) = (Values::default(), Vec::new());
    let mut sum = 0;
    for _ in 0..orders {
        if !source.next(&mut order, &mut lines) {
            return Err(Error::new(ErrorKind::Other, "an update set has too few orders"));
        }
        exchange.execute(INSERT_ORDER).all(&order);
        for line in &lines {
            exchange.execute(INSERT_LINE).all(line);
        }
        exchange.send().await?;
        sum += lines.len() as u64;
    }
    Ok(sum)
}

/// Deletes the orders at these positions, each after its lines. Returns the number of lines.
async fn delete(
    exchange: &mut Exchange,
    keys: Keys,
    set: u64,
    places: std::ops::Range<u64>,
) -> Result<u64> {
    let mut lines = 0;
    for at in places {
        let key = keys.deleted(set, at);
        exchange.execute(DELETE_LINES).int(key);
        exchange.execute(DELETE_ORDER).int(key);
        let reply = exchange.send().await?;
        lines += reply.affected(0);
        if reply.affected(1) != 1 {
            return Err(Error::new(ErrorKind::Missing, format!("order {key} does not exist"))
                .during(format!("delete update set {set}"))
                .hint("tacho check shows what is wrong with the data"));
        }
    }
    Ok(lines)
}

/// Writes a function's progress.
async fn write(
    exchange: &mut Exchange,
    function: Function,
    now: &Progress,
    old: &Progress,
) -> Result<()> {
    let bind = exchange.execute(REFRESH_WRITE);
    let bind = bind.int(now.set as i64).int(now.done as i64);
    let bind = bind.int(now.orders as i64).int(now.lines as i64);
    bind.int(function as i64).int(old.set as i64).int(old.done as i64);
    match exchange.send().await?.affected(0) {
        1 => Ok(()),
        _ => Err(somebody_else(old.set, now.set)),
    }
}

fn somebody_else(found: u64, wanted: u64) -> Error {
    let text =
        format!("update set {wanted} is out of order: the last set that was started is {found}");
    Error::new(ErrorKind::Constraint, text)
        .hint("make sure that only one run at a time refreshes the tables")
}

fn damaged() -> Error {
    Error::new(ErrorKind::Missing, "a row is missing from the refreshes table")
        .hint("tacho clean followed by tacho prepare rebuilds the data")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PER_SET: u64 = 15;

    fn at(inserted: (u64, u64), deleted: (u64, u64)) -> State {
        let progress = |(set, done)| Progress { set, done, ..Progress::default() };
        State { inserted: progress(inserted), deleted: progress(deleted) }
    }

    #[test]
    fn remaining_functions_follow_from_the_state() {
        use Function::{Delete, Insert};
        let table = [
            (at((0, 0), (0, 0)), vec![]),
            (at((4, 15), (4, 15)), vec![]),
            (at((4, 7), (3, 15)), vec![(Insert, 4), (Delete, 4)]),
            (at((4, 15), (3, 15)), vec![(Delete, 4)]),
            (at((1, 15), (0, 0)), vec![(Delete, 1)]),
            (at((4, 15), (4, 7)), vec![(Delete, 4)]),
        ];
        for (state, expected) in table {
            assert_eq!(state.left(PER_SET), expected, "{state:?}");
        }
    }

    #[test]
    fn a_function_begins_with_the_next_set_or_where_it_stopped() {
        use Function::{Delete, Insert};
        let table = [
            (at((0, 0), (0, 0)), Insert, 1, Some(0)),
            (at((0, 0), (0, 0)), Delete, 1, None),
            (at((1, 15), (0, 0)), Delete, 1, Some(0)),
            (at((4, 7), (3, 15)), Insert, 4, Some(7)),
            (at((4, 7), (3, 15)), Insert, 5, None),
            (at((4, 7), (3, 15)), Delete, 4, None),
            (at((4, 15), (3, 15)), Insert, 4, Some(15)),
            (at((4, 15), (3, 15)), Insert, 6, None),
            (at((4, 15), (4, 15)), Insert, 4, Some(15)),
            (at((4, 15), (4, 15)), Insert, 3, None),
        ];
        for (state, function, set, expected) in table {
            let begin = state.begin(function, set, PER_SET);
            if let Err(error) = &begin {
                assert!(!error.hints().is_empty(), "{error}");
            }
            assert_eq!(begin.ok(), expected, "{state:?} {function:?} {set}");
        }
    }
}
