//! One virtual user: draws an input, and runs the event with it.
//!
//! It must allocate nothing once its buffers are warm. Start reading at [`User`].

use std::sync::Arc;
use std::time::Duration;

use tacho_core::{Rng, Seed};
use tacho_driver::Exchange;
use tacho_workload::{Client, Run, Tally, Ticket, boxed};

use crate::audit::Counts;
use crate::input::{Input, Source};
use crate::setup::Setup;
use crate::transaction;

/// The state of one session.
pub struct User {
    setup: Arc<Setup>,
    seed: Seed,
    /// Number of events drawn.
    sequence: u64,
    /// New inputs drawn for the present event.
    redraws: u64,
    source: Source,
    input: Input,
    counts: Counts,
}

impl User {
    /// The user number `session`, whose inserted rows have these numbers and, if there are many, are in this table.
    pub fn new(setup: Arc<Setup>, session: u32, table: i64, next_id: (i64, i64)) -> Self {
        let seed = setup.input_seed.nth(u64::from(session));
        let source = Source { segment: setup.segment_of(session), table, next_id };
        let (input, counts) = (Input::default(), Counts::default());
        Self { setup, seed, sequence: 0, redraws: 0, source, input, counts }
    }

    fn draw(&mut self, rng: &mut Rng) {
        self.input.draw(&self.setup, &mut self.source, rng);
        self.counts.add(&self.setup, &self.input, &self.source);
    }
}

impl Client for User {
    fn next(&mut self) -> Ticket {
        let rng = &mut self.seed.rng(self.sequence);
        self.sequence += 1;
        self.redraws = 0;
        self.draw(rng);
        Ticket { transaction: 0, keying: Duration::ZERO, think: Duration::ZERO }
    }

    fn redraw(&mut self) {
        let rng = &mut self.seed.child("redraw").nth(self.sequence).rng(self.redraws);
        self.redraws += 1;
        self.draw(rng);
    }

    fn run<'a>(&'a mut self, exchange: &'a mut Exchange) -> Run<'a> {
        boxed(async {
            let ended = transaction::run(&self.setup, &self.input, exchange).await;
            self.source.note(&self.setup, &ended);
            ended
        })
    }

    fn growth(&self, moved: &mut [i64]) {
        moved.fill(self.setup.lists.rows as i64);
    }

    fn audit(&self, tally: &mut Tally) {
        self.counts.tally(&self.setup, tally);
    }
}
