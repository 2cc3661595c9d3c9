//! A virtual user, which draws inputs and runs events with them.
//!
//! A virtual user must not allocate memory once its buffers are warm. Start reading at [`User`].

use std::sync::Arc;
use std::time::Duration;

use tacho_core::Rng;
use tacho_driver::Exchange;
use tacho_workload::{Client, Draws, Run, Sequence, Tally, Ticket, boxed};

use crate::audit::Counts;
use crate::input::{Input, Source};
use crate::setup::Setup;
use crate::transaction;

/// The state of one session.
pub struct User {
    setup: Arc<Setup>,
    draws: Draws,
    source: Source,
    input: Input,
    counts: Counts,
}

impl User {
    /// Creates the virtual user for session `session`, which takes the IDs of new rows from `ids`
    /// and writes bulk inserts to table `table`.
    pub fn new(setup: Arc<Setup>, session: u32, table: i64, ids: Sequence) -> Self {
        let draws = Draws::of(setup.input_seed, session);
        let source = Source { segment: setup.segment_of(session), table, ids };
        let (input, counts) = (Input::default(), Counts::default());
        Self { setup, draws, source, input, counts }
    }

    fn draw(&mut self, rng: &mut Rng) {
        self.input.draw(&self.setup, &mut self.source, rng);
        self.counts.add(&self.setup, &self.input, &self.source);
    }
}

impl Client for User {
    fn next(&mut self) -> Ticket {
        let mut rng = self.draws.draw();
        self.draw(&mut rng);
        Ticket { transaction: 0, keying: Duration::ZERO, think: Duration::ZERO }
    }

    fn redraw(&mut self) {
        let mut rng = self.draws.redraw();
        self.draw(&mut rng);
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
