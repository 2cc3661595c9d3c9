//! The input of one transaction: a list of operations. Each operation has a slot, which determines its key when the
//! transaction runs.
//!
//! All input must come from the given random number generator. Start reading at [`Input::draw`].

use tacho_core::Rng;

use crate::params::OPERATIONS_MAX;
use crate::setup::Setup;

/// An operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operation {
    /// Slot whose current key is used.
    pub slot: u64,
    /// True if the list is only read.
    pub is_read: bool,
}

/// Input of a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Input {
    operations: [Operation; OPERATIONS_MAX],
    count: usize,
}

impl Input {
    /// Draws the number of operations, and the slot and kind of each.
    #[inline]
    pub fn draw(setup: &Setup, rng: &mut Rng) -> Self {
        let mut input =
            Self { count: rng.between(1, setup.operations) as usize, ..Self::default() };
        for operation in &mut input.operations[..input.count] {
            let is_hot = rng.between(0, 99) < setup.hot_share;
            let slot = if is_hot {
                rng.between(0, setup.hot as i64 - 1)
            } else {
                rng.between(setup.hot as i64, (setup.hot + setup.cold) as i64 - 1)
            };
            let is_read = rng.between(0, 99) < setup.read_share;
            *operation = Operation { slot: slot as u64, is_read };
        }
        input
    }

    /// Returns the operations in order.
    #[inline]
    pub fn operations(&self) -> &[Operation] {
        &self.operations[..self.count]
    }

    /// Returns true if no operation writes.
    #[inline]
    pub fn only_reads(&self) -> bool {
        self.operations().iter().all(|operation| operation.is_read)
    }

    #[inline]
    pub fn kind(&self, setup: &Setup) -> usize {
        usize::from(self.only_reads() && setup.read_share < 100)
    }
}
