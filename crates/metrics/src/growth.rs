//! The amount by which commits changed a counter in the database, and the part of it that is in doubt.

use serde::{Deserialize, Serialize};

/// Maximum number of counters in a workload.
pub const COUNTERS_MAX: usize = 8;

/// The sum of the changes that transactions made to one counter in the database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Growth {
    /// Change by transactions that are known to have committed.
    pub committed: i64,
    /// Possible further decrease by transactions whose outcome is unknown; not above 0.
    pub low: i64,
    /// Possible further increase by transactions whose outcome is unknown; not below 0.
    pub high: i64,
}

impl Growth {
    /// Adds the change made by a commit.
    pub fn commit(&mut self, by: i64) {
        self.committed += by;
    }

    /// Adds the change that a transaction made if it committed.
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
