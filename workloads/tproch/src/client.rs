//! One stream: asks the queries in the order of its number, set after set, until all sets are asked.
//!
//! Start reading at [`Stream`].

use std::sync::Arc;
use std::time::Duration;

use tacho_core::Rng;
use tacho_driver::{Exchange, Values};
use tacho_workload::{Client, Outcome, Run, Tally, Ticket, boxed};

use crate::queries::{Arguments, QUERIES, draw, order};
use crate::setup::Setup;
use crate::statements::query;

/// The state of one session.
pub struct Stream {
    setup: Arc<Setup>,
    /// Its number, which decides its order; 0 if it is alone.
    number: u32,
    /// Number of queries drawn.
    sequence: u64,
    /// New parameters drawn for the present query.
    redraws: u64,
    /// The present query, from 1.
    query: u8,
    /// What it is asked.
    values: Values,
    /// How many rows came back.
    rows: Option<u64>,
}

impl Stream {
    /// The stream of a session. One alone has the order of a power test; several have those of a
    /// throughput test, which begin at 1.
    pub fn new(setup: Arc<Setup>, session: u32) -> Self {
        let number = if setup.streams == 1 { 0 } else { session + 1 };
        Self {
            setup,
            number,
            sequence: 0,
            redraws: 0,
            query: 0,
            values: Values::default(),
            rows: None,
        }
    }

    /// Clause 2.1.3.3: parameters are drawn anew for each set, from a seed of the stream.
    fn draw(&mut self, rng: &mut Rng) {
        self.values.clear();
        let mut arguments = Arguments::new(self.setup.steps, &mut self.values);
        if self.setup.validation {
            arguments.validation(self.query);
        } else {
            draw(self.query, rng, &mut arguments);
        }
    }
}

impl Client for Stream {
    fn ended(&self) -> bool {
        self.sequence == self.setup.query_sets * QUERIES as u64
    }

    fn next(&mut self) -> Ticket {
        let place = self.sequence % QUERIES as u64;
        self.query = order(self.number)[place as usize];
        let seed = self.setup.seed.nth(self.number.into());
        let rng = &mut seed.rng(self.sequence);
        self.sequence += 1;
        self.redraws = 0;
        self.draw(rng);
        let transaction = usize::from(self.query) - 1;
        Ticket { transaction, keying: Duration::ZERO, think: Duration::ZERO }
    }

    fn redraw(&mut self) {
        let seed = self.setup.seed.child("redraw").nth(self.number.into());
        let rng = &mut seed.nth(self.sequence).rng(self.redraws);
        self.redraws += 1;
        self.draw(rng);
    }

    fn run<'a>(&'a mut self, exchange: &'a mut Exchange) -> Run<'a> {
        let Self { query: number, values, rows, .. } = self;
        boxed(async move {
            *rows = None;
            exchange.execute(query(*number)).all(values);
            *rows = Some(exchange.send().await?.rows(0) as u64);
            Ok(Outcome::Committed)
        })
    }

    fn rows(&self) -> Option<u64> {
        self.rows
    }

    fn audit(&self, _: &mut Tally) {}
}
