//! By how much commits have moved a counter in the database, and how much of that is in doubt.

use serde::{Deserialize, Serialize};

/// Most counters of a workload.
pub const COUNTERS_MAX: usize = 8;

/// The sum of what transactions have added to one counter in the database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Growth {
    /// By those that are known to have committed.
    pub committed: i64,
    /// What those of unknown outcome may have taken away in addition; not above 0.
    pub low: i64,
    /// What those of unknown outcome may have added; not below 0.
    pub high: i64,
}

impl Growth {
    /// Adds what a commit has moved.
    pub fn commit(&mut self, by: i64) {
        self.committed += by;
    }

    /// Adds what a transaction has moved if it committed.
    pub fn doubt(&mut self, by: i64) {
        self.low += by.min(0);
        self.high += by.max(0);
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &Self) {
        self.committed += other.committed;
        self.low += other.low;
        self.high += other.high;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubt_widens_the_band_and_moves_nothing() {
        let mut growth = Growth::default();
        growth.commit(5);
        growth.doubt(3);
        growth.doubt(-2);
        assert_eq!(growth, Growth { committed: 5, low: -2, high: 3 });
        growth.merge(&growth.clone());
        assert_eq!(growth, Growth { committed: 10, low: -4, high: 6 });
    }
}
