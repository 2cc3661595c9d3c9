//! The order in which a session draws its inputs.

use tacho_core::{Rng, Seed};

/// The generators of one session: one for each input, and further ones for inputs that are drawn again.
#[derive(Clone, Debug)]
pub struct Draws {
    seed: Seed,
    /// Inputs drawn.
    sequence: u64,
    /// How often the present one was drawn again.
    redraws: u64,
}

impl Draws {
    /// Those of the session with this number.
    pub fn of(seed: Seed, session: u32) -> Self {
        Self { seed: seed.nth(u64::from(session)), sequence: 0, redraws: 0 }
    }

    /// The generator of the next input.
    #[inline]
    pub fn draw(&mut self) -> Rng {
        let rng = self.seed.rng(self.sequence);
        self.sequence += 1;
        self.redraws = 0;
        rng
    }

    /// The generator of another input in the place of the present one.
    pub fn redraw(&mut self) -> Rng {
        let rng = self.seed.child("redraw").nth(self.sequence).rng(self.redraws);
        self.redraws += 1;
        rng
    }
}
