//! The random numbers from which a session draws its inputs, in order.

use tacho_core::{Rng, Seed};

/// A session's random generators. There is a separate generator for each input, and a new one each
/// time an input is drawn again.
#[derive(Clone, Debug)]
pub struct Draws {
    seed: Seed,
    /// Number of inputs drawn so far.
    sequence: u64,
    /// Number of times that the current input has been drawn again.
    redraws: u64,
}

impl Draws {
    /// Creates the generators for a session, which differ from those of all other sessions.
    pub fn of(seed: Seed, session: u32) -> Self {
        Self { seed: seed.nth(u64::from(session)), sequence: 0, redraws: 0 }
    }

    /// Starts the next input and returns its generator.
    #[inline]
    pub fn draw(&mut self) -> Rng {
        let rng = self.seed.rng(self.sequence);
        self.sequence += 1;
        self.redraws = 0;
        rng
    }

    /// Returns the generator for a new input that replaces the current one.
    pub fn redraw(&mut self) -> Rng {
        let rng = self.seed.child("redraw").nth(self.sequence).rng(self.redraws);
        self.redraws += 1;
        rng
    }
}
