//! Isolation levels, and the outcomes of transactions. These types are shared by all code that provides, requests or
//! checks them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An isolation level, starting with the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IsolationLevel {
    /// Transactions may read uncommitted data, but their own writes are not mixed with those of other transactions.
    ReadUncommitted,
    /// Transactions read only committed data.
    ReadCommitted,
    /// Transactions read a snapshot, and no two concurrent transactions write the same row.
    SnapshotIsolation,
    /// Rows that a transaction has read do not change until it ends. Adya calls this level PL-2.99.
    RepeatableRead,
    /// The result is the same as if the transactions had run one after another.
    Serializable,
}

impl IsolationLevel {
    /// All levels, starting with the weakest.
    pub const ALL: [Self; 5] = [
        Self::ReadUncommitted,
        Self::ReadCommitted,
        Self::SnapshotIsolation,
        Self::RepeatableRead,
        Self::Serializable,
    ];

    /// Returns the name in lower case, such as `read committed`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadUncommitted => "read uncommitted",
            Self::ReadCommitted => "read committed",
            Self::SnapshotIsolation => "snapshot isolation",
            Self::RepeatableRead => "repeatable read",
            Self::Serializable => "serializable",
        }
    }
}

impl fmt::Display for IsolationLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The outcome of one attempt to run a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttemptOutcome {
    /// The database confirmed the commit.
    Committed,
    /// The transaction took no effect.
    Failed,
    /// The transaction may or may not have taken effect.
    Unknown,
}
