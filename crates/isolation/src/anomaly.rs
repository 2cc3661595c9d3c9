//! The result of a check: anomalies by class, with examples.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_core::IsolationLevel;

use crate::FINAL_READ;

/// Maximum number of examples of each class.
pub(crate) const EXAMPLES_MAX: usize = 10;

/// A class of anomalies. Adya's name, if there is one, is in parentheses.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// The writes of several transactions are interleaved: a cycle of write dependencies (G0).
    DirtyWrite,
    /// Two lists of one key contradict each other.
    IncompatibleOrder,
    /// A list contains a value that no transaction appended.
    ImpossibleValue,
    /// A transaction does not read what it has appended itself.
    OwnWrites,
    /// A confirmed append is missing from the list after the load.
    LostWrite,
    /// A transaction reads a value that was written by a transaction that was rolled back (G1a).
    AbortedRead,
    /// A transaction reads a list that another transaction had not finished writing (G1b).
    IntermediateRead,
    /// A cycle of write and read dependencies (G1c).
    CircularFlow,
    /// Several transactions read the same version of a key and then write to it.
    LostUpdate,
    /// A cycle with exactly one anti-dependency (G-single).
    ReadSkew,
    /// A cycle with several anti-dependencies, no two of which are adjacent (G-nonadjacent).
    NonadjacentSkew,
    /// A cycle with at least two anti-dependencies (G2-item).
    WriteSkew,
    /// A transaction does not see a write that was confirmed before the transaction began.
    StaleRead,
}

impl Class {
    /// All classes, starting with those that even the weakest level excludes.
    pub const ALL: [Self; 13] = [
        Self::DirtyWrite,
        Self::IncompatibleOrder,
        Self::ImpossibleValue,
        Self::OwnWrites,
        Self::LostWrite,
        Self::AbortedRead,
        Self::IntermediateRead,
        Self::CircularFlow,
        Self::LostUpdate,
        Self::ReadSkew,
        Self::NonadjacentSkew,
        Self::WriteSkew,
        Self::StaleRead,
    ];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DirtyWrite => "dirty write (G0)",
            Self::IncompatibleOrder => "incompatible order",
            Self::ImpossibleValue => "impossible value",
            Self::OwnWrites => "own write not read",
            Self::LostWrite => "lost write",
            Self::AbortedRead => "aborted read (G1a)",
            Self::IntermediateRead => "intermediate read (G1b)",
            Self::CircularFlow => "circular information flow (G1c)",
            Self::LostUpdate => "lost update",
            Self::ReadSkew => "read skew (G-single)",
            Self::NonadjacentSkew => "nonadjacent skew (G-nonadjacent)",
            Self::WriteSkew => "write skew (G2-item)",
            Self::StaleRead => "stale read",
        }
    }
}

/// The anomalies in a history.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Findings {
    /// Number of transactions in the history, including failed ones.
    pub transactions: u64,
    /// Number of transactions that took effect.
    pub committed: u64,
    /// Number of transactions whose outcome is unknown.
    pub unknown: u64,
    /// Number of operations in the history.
    pub operations: u64,
    /// Number of keys in the history.
    pub keys: u64,
    /// The strongest isolation level that permits all anomalies found, or `None` if even read uncommitted does not
    /// permit them all.
    #[schemars(with = "Option<String>")]
    pub strongest: Option<IsolationLevel>,
    /// The anomalies found, with one entry for each class.
    pub anomalies: Vec<Anomaly>,
    /// Classes for which the search reached its limit before it found an anomaly.
    pub undecided: Vec<Class>,
}

impl Findings {
    /// Returns the classes found.
    pub fn classes(&self) -> Vec<Class> {
        self.anomalies.iter().map(|anomaly| anomaly.class).collect()
    }

    /// Returns the anomalies that a level excludes.
    pub fn violations(&self, level: IsolationLevel) -> impl Iterator<Item = &Anomaly> {
        self.anomalies.iter().filter(move |anomaly| anomaly.class.is_excluded_by(level))
    }
}

/// The anomalies of one class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Anomaly {
    /// The class.
    pub class: Class,
    /// Number of occurrences. For a class of cycles, each edge for which the search found a cycle counts as one
    /// occurrence.
    pub count: u64,
    /// True if the search ended at its limit, so that there may be more occurrences.
    pub is_limited: bool,
    /// Up to ten examples, starting with the shortest.
    pub examples: Vec<Example>,
}

/// An occurrence of an anomaly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Example {
    /// The transactions in the order of the cycle.
    pub transactions: Vec<Participant>,
    /// One sentence for each dependency. In a cycle, sentence `i` leads from transaction `i` to the next one.
    pub reasons: Vec<String>,
}

/// A transaction in an example.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Participant {
    /// Index in the history.
    pub index: u64,
    /// Session number.
    pub session: u32,
    /// Start in seconds.
    pub begun_s: f64,
    /// End in seconds.
    pub ended_s: f64,
    /// The operations, such as `r 5 [1 2], append 5 3`.
    pub operations: String,
}

impl Participant {
    /// Describes the transaction. With number 1, the text is `T1 (session 3, 0.125000 s to 0.127000 s): r 5 [1]`.
    pub fn words(&self, number: usize) -> String {
        let Self { session, begun_s, ended_s, operations, .. } = self;
        if *session == FINAL_READ {
            return format!("T{number} (after the load): {operations}");
        }
        let span = format!("{begun_s:.6} s to {ended_s:.6} s");
        format!("T{number} (session {session}, {span}): {operations}")
    }
}
