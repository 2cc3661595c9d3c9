//! Acknowledged commits, each looked for in the database.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The commits that the database acknowledged over the whole run, compared with the marks that are in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AcknowledgedRecord {
    /// Acknowledged commits with a mark.
    pub acknowledged: u64,
    /// The same by transaction type.
    pub transactions: Vec<MarkedRecord>,
    /// Commits without an answer that are in the database.
    pub unknown_committed: u64,
    /// Commits without an answer that are not in the database.
    pub unknown_not_committed: u64,
    /// Commits without an answer that were not looked for, because the marks could not be read.
    pub unknown_unresolved: u64,
    /// Acknowledged commits that are not in the database.
    pub lost: u64,
    /// Virtual users that lost commits.
    pub sessions_lost: u32,
    /// When the first lost commit was acknowledged, since the start of the load; absent if only the latest possible
    /// moment is known.
    pub lost_first_s: Option<f64>,
    /// When the last one was, at the latest.
    pub lost_last_s: Option<f64>,
    /// Whether the first one was acknowledged before this moment: more were lost than moments are kept.
    #[serde(default)]
    pub lost_earlier: bool,
    /// Marks in the database that no session sent.
    pub phantom: u64,
    /// Why the marks could not be read after the load; absent if they were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
    /// Why the tables of the workload contradict the marks: they hold what the marks miss; absent if they do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contradicted: Option<String>,
    /// True if the notes of the run have no checksums, because an earlier version wrote them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_checksums: bool,
}

/// Acknowledged commits of one transaction type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MarkedRecord {
    /// The transaction, such as `payment`.
    pub transaction: String,
    /// Those with a mark.
    pub marked: u64,
    /// Transactions that committed without one, because they only read.
    pub unmarked: u64,
}

impl AcknowledgedRecord {
    /// Whether each acknowledged commit is in the database, and nothing that was not sent.
    pub fn is_complete(&self) -> bool {
        self.unread.is_none() && self.lost == 0 && self.phantom == 0
    }
}
