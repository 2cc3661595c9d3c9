//! One stream: asks all queries, round after round, each round in an order of its own.
//!
//! Start reading at [`Stream`].

use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result, Rng, Seed};
use tacho_driver::{Exchange, StatementId, Values};
use tacho_workload::{Client, Outcome, Run, Tally, Ticket, boxed};

use crate::queries::{bind, wrong_rows};
use crate::statements::Own;
use crate::statements::QUERIES;

/// Kinds of transactions before the queries.
pub const KINDS_BEFORE: usize = 5;

/// The state of one session.
pub struct Stream {
    own: Own,
    seed: Seed,
    loaded_at: i64,
    /// Whether there is data that could be answered from.
    judged: bool,
    /// Number of queries drawn.
    sequence: u64,
    /// The queries of this round, from 1.
    order: [u8; QUERIES],
    /// The present query.
    query: u8,
    /// What it is bound to.
    values: Values,
    /// How many rows came back.
    rows: Option<u64>,
}

impl Stream {
    /// The stream with this seed. Answers are `judged` by the number of their rows.
    pub fn new(own: Own, seed: Seed, loaded_at: i64, judged: bool) -> Self {
        Self {
            own,
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

/// All queries in a random order: Fisher and Yates.
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

    /// A query has no other input.
    fn redraw(&mut self) {}

    fn run<'a>(&'a mut self, exchange: &'a mut Exchange) -> Run<'a> {
        let Self { own, query, values, rows, .. } = self;
        boxed(async move {
            *rows = None;
            exchange.execute(own.query(*query)).all(values);
            *rows = Some(exchange.send().await?.rows(0) as u64);
            Ok(Outcome::Committed)
        })
    }

    fn verify(&self, exchange: &Exchange) -> Result<()> {
        let wrong = wrong_rows(self.query, exchange.reply().rows(0)).filter(|_| self.judged);
        wrong.map_or(Ok(()), |wrong| {
            Err(Error::new(ErrorKind::WrongAnswer, wrong).hint("tacho check asks all queries"))
        })
    }

    fn rows(&self) -> Option<u64> {
        self.rows
    }

    fn question(&self) -> Option<(StatementId, &Values)> {
        Some((self.own.query(self.query), &self.values))
    }

    fn audit(&self, _: &mut Tally) {}
}
