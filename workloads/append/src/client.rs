//! A virtual user, which draws inputs and runs transactions with them.
//!
//! A virtual user must not allocate memory once its buffers are warm. Start reading at [`User`].

use std::sync::Arc;
use std::time::Duration;

use tacho_core::Rng;
use tacho_driver::{Exchange, Operations};
use tacho_workload::{Client, Draws, Run, Tally, Ticket, boxed};

use crate::audit::Counts;
use crate::input::Input;
use crate::setup::Setup;
use crate::transactions::{Attempt, append, read_write};

/// The state of one session.
pub struct User {
    setup: Arc<Setup>,
    draws: Draws,
    input: Input,
    attempt: Attempt,
    counts: Counts,
}

impl User {
    /// Creates the virtual user with number `session`.
    pub fn new(setup: Arc<Setup>, session: u32) -> Self {
        let draws = Draws::of(setup.input_seed, session);
        let (input, counts) = (Input::default(), Counts::default());
        Self { setup, draws, input, attempt: Attempt::of(session), counts }
    }

    fn draw(&mut self, rng: &mut Rng) {
        self.input = Input::draw(&self.setup, rng);
        self.counts.add(&self.setup, &self.input);
    }
}

impl Client for User {
    fn next(&mut self) -> Ticket {
        let mut rng = self.draws.draw();
        self.draw(&mut rng);
        let transaction = self.input.kind(&self.setup);
        Ticket { transaction, keying: Duration::ZERO, think: Duration::ZERO }
    }

    fn redraw(&mut self) {
        let mut rng = self.draws.redraw();
        self.draw(&mut rng);
    }

    /// Every attempt appends new values. Otherwise, a value that is found twice could not be told from a dirty read.
    fn run<'a>(&'a mut self, exchange: &'a mut Exchange) -> Run<'a> {
        self.attempt.start();
        if self.setup.writes_back {
            boxed(read_write::run(&self.setup, &self.input, &mut self.attempt, exchange))
        } else {
            boxed(append::run(&self.setup, &self.input, &mut self.attempt, exchange))
        }
    }

    fn operations(&self) -> Option<&Operations> {
        Some(&self.attempt.operations)
    }

    fn audit(&self, tally: &mut Tally) {
        self.counts.tally(&self.setup, tally);
    }
}
