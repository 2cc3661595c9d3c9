//! A ledger of transactions, in which each scheduled transaction is counted exactly once.

use serde::{Deserialize, Serialize};
use tacho_core::ErrorKind;

/// Numbers of transactions by outcome. They must satisfy the following two equations, which are checked whenever
/// ledgers are merged.
///
/// `due = started + skipped`, and `started = committed + rolled_back + Σ failed + unfinished + in flight`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// Transactions that became due.
    pub due: u64,
    /// Transactions that were started.
    pub started: u64,
    /// Transactions that ended with a commit.
    pub committed: u64,
    /// Transactions that ended with a rollback, as intended by the workload.
    pub rolled_back: u64,
    /// Transactions that ended with an error, indexed by [`ErrorKind`].
    pub failed: [u64; ErrorKind::COUNT],
    /// Retries of transactions that failed with an error. They do not appear in the equations.
    pub retried: u64,
    /// Transactions that were due to start but were not started, because the backlog was full or the phase was over.
    pub skipped: u64,
    /// Transactions of this phase that had started but were still in progress when the phase ended.
    pub unfinished: u64,
}

/// The end of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// The transaction committed.
    Committed,
    /// The transaction was rolled back, as intended by the workload.
    RolledBack,
    /// The transaction failed.
    Failed(ErrorKind),
}

/// Counts of completed transactions by outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcomes {
    /// Transactions that committed.
    pub committed: u64,
    /// Transactions that were rolled back, as intended by the workload.
    pub rolled_back: u64,
    /// Transactions that failed, indexed by [`ErrorKind`].
    pub failed: [u64; ErrorKind::COUNT],
}

impl Outcomes {
    /// Returns the number of transactions that ended as intended by the workload.
    pub fn good(&self) -> u64 {
        self.committed + self.rolled_back
    }

    /// Returns the number of failed transactions.
    pub fn failures(&self) -> u64 {
        self.failed.iter().sum()
    }

    /// Returns the number of completed transactions.
    pub fn all(&self) -> u64 {
        self.good() + self.failures()
    }

    /// Adds other counts.
    pub fn merge(&mut self, other: &Self) {
        self.committed += other.committed;
        self.rolled_back += other.rolled_back;
        for (mine, theirs) in self.failed.iter_mut().zip(other.failed) {
            *mine += theirs;
        }
    }
}

/// An equation of a ledger that does not hold, which indicates a bug in Tacho.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imbalance(pub String);

impl Ledger {
    /// Returns the number of failed transactions.
    pub fn failures(&self) -> u64 {
        self.failed.iter().sum()
    }

    /// Returns the number of transactions that ended before their phase was over.
    pub fn ended(&self) -> u64 {
        self.committed + self.rolled_back + self.failures()
    }

    /// Adds another ledger.
    pub fn merge(&mut self, other: &Self) {
        self.due += other.due;
        self.started += other.started;
        self.committed += other.committed;
        self.rolled_back += other.rolled_back;
        for (mine, theirs) in self.failed.iter_mut().zip(other.failed) {
            *mine += theirs;
        }
        self.retried += other.retried;
        self.skipped += other.skipped;
        self.unfinished += other.unfinished;
    }

    /// Checks both equations of the [`Ledger`]. Returns an error if one of them does not hold, or if more than
    /// `in_flight_max` transactions would be in flight.
    pub fn balance(&self, in_flight_max: u64) -> Result<(), Imbalance> {
        if self.due != self.started + self.skipped {
            return Err(Imbalance(format!(
                "{} due ≠ {} started + {} skipped",
                self.due, self.started, self.skipped
            )));
        }
        let done = self.ended() + self.unfinished;
        match self.started.checked_sub(done) {
            Some(in_flight) if in_flight <= in_flight_max => Ok(()),
            _ => Err(Imbalance(format!(
                "{} started ≠ {} committed + {} rolled back + {} failed + {} unfinished, with at \
                 most {in_flight_max} in flight",
                self.started,
                self.committed,
                self.rolled_back,
                self.failures(),
                self.unfinished
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn imbalances_are_found() {
        let good = Ledger {
            due: 5,
            started: 4,
            skipped: 1,
            committed: 3,
            unfinished: 1,
            ..Ledger::default()
        };
        assert_eq!(good.balance(0), Ok(()));
        assert!(Ledger { due: 6, ..good.clone() }.balance(0).is_err());
        assert!(Ledger { committed: 2, ..good.clone() }.balance(0).is_err());
        assert_eq!(Ledger { committed: 2, ..good.clone() }.balance(1), Ok(()));
        assert!(Ledger { committed: 4, ..good }.balance(9).is_err());
    }

    fn ledgers() -> impl Strategy<Value = Ledger> {
        (0..99_u64, 0..99_u64, 0..99_u64, 0..99_u64, 0..99_u64).prop_map(|(c, r, f, s, u)| {
            let mut failed = [0; ErrorKind::COUNT];
            failed[ErrorKind::Deadlock as usize] = f;
            let started = c + r + f + u;
            Ledger {
                due: started + s,
                started,
                committed: c,
                rolled_back: r,
                failed,
                retried: f,
                skipped: s,
                unfinished: u,
            }
        })
    }

    proptest! {
        #[test]
        fn merging_is_associative_commutative_and_keeps_the_balance(
            a in ledgers(), b in ledgers(), c in ledgers()
        ) {
            let merged = |parts: [&Ledger; 3]| {
                let mut sum = Ledger::default();
                for part in parts {
                    sum.merge(part);
                }
                sum
            };
            let sum = merged([&a, &b, &c]);
            prop_assert_eq!(&sum, &merged([&c, &a, &b]));
            prop_assert_eq!(sum.balance(0), Ok(()));
            prop_assert_eq!(sum.failures(), a.failures() + b.failures() + c.failures());
        }
    }
}
