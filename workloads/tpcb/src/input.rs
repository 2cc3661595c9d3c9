//! The input of one transaction: four uniformly distributed, independent numbers.
//!
//! All input must come from the given random number generator. Start reading at [`Input::draw`].

use tacho_core::Rng;

use crate::setup::Setup;

/// Maximum amount that a transaction transfers.
pub const DELTA: i64 = 5_000;

/// Input of a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// Account.
    pub aid: i64,
    /// Number of the branch. It is drawn independently of the account and the teller, so they may belong to other
    /// branches.
    pub bid: i64,
    /// Teller.
    pub tid: i64,
    /// Amount to move.
    pub delta: i64,
}

impl Input {
    /// Draws four numbers in the same order as pgbench. With the same seed, every profile selects the same accounts.
    #[inline]
    pub fn draw(setup: &Setup, rng: &mut Rng) -> Self {
        Self {
            aid: rng.between(1, setup.accounts()),
            bid: rng.between(1, setup.branches),
            tid: rng.between(1, setup.tellers()),
            delta: rng.between(-DELTA, DELTA),
        }
    }
}

#[cfg(test)]
mod tests {
    use tacho_core::Seed;

    use super::*;
    use crate::setup::Script;

    #[test]
    fn every_number_reaches_both_ends_of_its_range() {
        let seed = Seed(5);
        let setup = Setup {
            script: Script::TpcbLike,
            all_balanced: true,
            branches: 2,
            input_seed: seed,
            loaded_at: 0,
        };
        let mut low = Input { aid: i64::MAX, bid: i64::MAX, tid: i64::MAX, delta: i64::MAX };
        let mut high = Input { aid: i64::MIN, bid: i64::MIN, tid: i64::MIN, delta: i64::MIN };
        let rng = &mut seed.rng(0);
        for _ in 0..4_000_000 {
            let Input { aid, bid, tid, delta } = Input::draw(&setup, rng);
            low = Input {
                aid: aid.min(low.aid),
                bid: bid.min(low.bid),
                tid: tid.min(low.tid),
                delta: delta.min(low.delta),
            };
            high = Input {
                aid: aid.max(high.aid),
                bid: bid.max(high.bid),
                tid: tid.max(high.tid),
                delta: delta.max(high.delta),
            };
        }
        assert_eq!(low, Input { aid: 1, bid: 1, tid: 1, delta: -5_000 });
        assert_eq!(high, Input { aid: 200_000, bid: 2, tid: 20, delta: 5_000 });
    }
}
