//! The ledger: every transaction that was due is accounted for, once.

use serde::{Deserialize, Serialize};
use tacho_core::ErrorKind;

/// Counts of what became of transactions. The identities hold at every merge:
///
/// `due = started + skipped`, and
/// `started = committed + rolled_back + Σ failed + unfinished + in flight`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// Transactions whose time had come.
    pub due: u64,
    /// Transactions begun.
    pub started: u64,
    /// Ended by a commit.
    pub committed: u64,
    /// Ended by a rollback that the workload intends.
    pub rolled_back: u64,
    /// Ended by an error, by the index of its [`ErrorKind`].
    pub failed: [u64; ErrorKind::COUNT],
    /// Attempts repeated after an error; not part of the identities.
    pub retried: u64,
    /// Due, and not begun: the backlog was full or the phase over.
    pub skipped: u64,
    /// Begun in this phase, and not ended when it was over.
    pub unfinished: u64,
}

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// By a commit.
    Committed,
    /// By an intended rollback.
    RolledBack,
    /// By an error.
    Failed(ErrorKind),
}

/// How transactions ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcomes {
    /// By a commit.
    pub committed: u64,
    /// By a rollback that the workload intends.
    pub rolled_back: u64,
    /// By an error, by the index of its [`ErrorKind`].
    pub failed: [u64; ErrorKind::COUNT],
}

impl Outcomes {
    /// Those that ended as the workload wants.
    pub fn good(&self) -> u64 {
        self.committed + self.rolled_back
    }

    /// All failures.
    pub fn failures(&self) -> u64 {
        self.failed.iter().sum()
    }

    /// All that ended.
    pub fn all(&self) -> u64 {
        self.good() + self.failures()
    }

    /// Adds others.
    pub fn merge(&mut self, other: &Self) {
        self.committed += other.committed;
        self.rolled_back += other.rolled_back;
        for (mine, theirs) in self.failed.iter_mut().zip(other.failed) {
            *mine += theirs;
        }
    }
}

/// An identity of the ledger that does not hold: a bug of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imbalance(pub String);

impl Ledger {
    /// All failures.
    pub fn failures(&self) -> u64 {
        self.failed.iter().sum()
    }

    /// Transactions that ended within their phase.
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

    /// Fails unless both identities hold with at most `in_flight_max` transactions in flight.
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
