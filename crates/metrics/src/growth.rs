//! The sum of all changes that committed transactions made to a counter in the database. Transactions whose outcome is
//! unknown are recorded separately.

use serde::{Deserialize, Serialize};

/// Maximum number of counters that a workload can have.
pub const COUNTERS_MAX: usize = 8;

/// The sum of all changes that transactions made to a database counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Growth {
    /// Change made by transactions that are known to be committed.
    pub committed: i64,
    /// Largest further decrease that transactions with an unknown outcome may have caused; zero or negative.
    pub low: i64,
    /// Largest further increase that transactions with an unknown outcome may have caused; zero or positive.
    pub high: i64,
}

impl Growth {
    /// Adds the change made by a committed transaction.
    pub fn commit(&mut self, by: i64) {
        self.committed += by;
    }

    /// Adds the change made by a transaction that may or may not have committed.
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
    fn doubt_widens_the_bounds_only() {
        let mut growth = Growth::default();
        growth.commit(5);
        growth.doubt(3);
        growth.doubt(-2);
        assert_eq!(growth, Growth { committed: 5, low: -2, high: 3 });
        growth.merge(&growth.clone());
        assert_eq!(growth, Growth { committed: 10, low: -4, high: 6 });
    }
}
