//! A query stream. It runs all queries again and again, each time in a new random order.
//!
//! Start reading at [`Stream`].

use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result, Rng, Seed};
use tacho_driver::{Exchange, StatementId, Values};
use tacho_workload::{Client, Outcome, Run, Tally, Ticket, boxed};

use crate::queries::{bind, wrong_rows};
use crate::statements::Own;
use crate::statements::QUERIES;

/// Number of transaction types that precede the queries.
pub const KINDS_BEFORE: usize = 5;

/// The state of one session.
pub struct Stream {
    statements: Own,
    seed: Seed,
    loaded_at: i64,
    /// True if the database contains data for the queries.
    judged: bool,
    /// Number of queries drawn.
    sequence: u64,
    /// Order of the queries in the current round. Queries are numbered from 1.
    order: [u8; QUERIES],
    /// Current query.
    query: u8,
    /// Parameter values of the current query.
    values: Values,
    /// Number of rows returned.
    rows: Option<u64>,
}

impl Stream {
    /// Creates a stream. If `judged` is true, the stream checks that each result has a plausible number of rows.
    pub fn new(statements: Own, seed: Seed, loaded_at: i64, judged: bool) -> Self {
        Self {
            statements,
            seed,
            loaded_at,
            judged,
            sequence: 0,
            order: [0; QUERIES],
            query: 0,
            values: Values::default(),
            rows: None,
        }
    }
}

/// Returns all queries in random order, shuffled with the Fisher–Yates algorithm.
fn shuffled(rng: &mut Rng) -> [u8; QUERIES] {
    let mut order = std::array::from_fn(|place| place as u8 + 1);
    for last in (1..QUERIES).rev() {
        order.swap(last, rng.below(last as u64 + 1) as usize);
    }
    order
}

impl Client for Stream {
    fn next(&mut self) -> Ticket {
        let (round, place) = (self.sequence / QUERIES as u64, self.sequence % QUERIES as u64);
        if place == 0 {
            self.order = shuffled(&mut self.seed.rng(round));
        }
        self.sequence += 1;
        self.query = self.order[place as usize];
        self.values.clear();
        bind(self.query, self.loaded_at, &mut self.values);
        let transaction = usize::from(self.query) - 1 + KINDS_BEFORE;
        Ticket { transaction, keying: Duration::ZERO, think: Duration::ZERO }
    }

    /// Does nothing, because a query's parameters never change.
    fn redraw(&mut self) {}

    fn run<'a>(&'a mut self, exchange: &'a mut Exchange) -> Run<'a> {
        let Self { statements, query, values, rows, .. } = self;
        boxed(async move {
            *rows = None;
            exchange.execute(statements.query(*query)).all(values);
            *rows = Some(exchange.send().await?.rows(0) as u64);
            Ok(Outcome::Committed)
        })
    }

    fn verify(&self, exchange: &Exchange) -> Result<()> {
        let wrong = wrong_rows(self.query, exchange.reply().rows(0)).filter(|_| self.judged);
        wrong.map_or(Ok(()), |wrong| {
            Err(Error::new(ErrorKind::WrongAnswer, wrong)
                .hint("to run all queries, use tacho check"))
        })
    }

    fn rows(&self) -> Option<u64> {
        self.rows
    }

    fn question(&self) -> Option<(StatementId, &Values)> {
        Some((self.statements.query(self.query), &self.values))
    }

    fn audit(&self, _: &mut Tally) {}
}
