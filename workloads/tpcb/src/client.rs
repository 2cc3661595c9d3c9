//! A virtual user, which draws inputs and runs transactions with them.
//!
//! A virtual user must not allocate memory once its buffers are warm. Start reading at [`User`].

use std::sync::Arc;
use std::time::Duration;

use tacho_core::Rng;
use tacho_driver::Exchange;
use tacho_workload::{Client, Draws, Run, Tally, Ticket, boxed};

use crate::audit::Counts;
use crate::input::Input;
use crate::setup::{Script, Setup};
use crate::transactions::{select_only, simple_update, tpcb_like};

/// The state of one session.
pub struct User {
    setup: Arc<Setup>,
    draws: Draws,
    input: Input,
    counts: Counts,
}

impl User {
    /// Creates the virtual user with number `session`.
    pub fn new(setup: Arc<Setup>, session: u32) -> Self {
        let draws = Draws::of(setup.input_seed, session);
        let (input, counts) = (Input::default(), Counts::default());
        Self { setup, draws, input, counts }
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
        Ticket { transaction: 0, keying: Duration::ZERO, think: Duration::ZERO }
    }

    fn redraw(&mut self) {
        let mut rng = self.draws.redraw();
        self.draw(&mut rng);
    }

    fn run<'a>(&'a mut self, exchange: &'a mut Exchange) -> Run<'a> {
        let input = self.input;
        match self.setup.script {
            Script::TpcbLike => boxed(tpcb_like::run(input, exchange)),
            Script::SimpleUpdate => boxed(simple_update::run(input, exchange)),
            Script::SelectOnly => boxed(select_only::run(input, exchange)),
        }
    }

    fn growth(&self, moved: &mut [i64]) {
        moved.fill(self.input.delta);
    }

    fn audit(&self, tally: &mut Tally) {
        self.counts.tally(&self.setup, tally);
    }
}
