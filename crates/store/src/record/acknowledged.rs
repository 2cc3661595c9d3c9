//! Acknowledged commits, and how many of them were found in the database.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Commits that the database acknowledged during the whole run, compared with the commit marks in the database.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AcknowledgedRecord {
    /// Acknowledged commits that have a mark.
    pub acknowledged: u64,
    /// Acknowledged commits by transaction type.
    pub transactions: Vec<MarkedRecord>,
    /// Unacknowledged commits that are in the database.
    pub unknown_committed: u64,
    /// Unacknowledged commits that are not in the database.
    pub unknown_not_committed: u64,
    /// Unacknowledged commits that could not be looked up because the marks were unreadable.
    pub unknown_unresolved: u64,
    /// Acknowledged commits that are not in the database.
    pub lost: u64,
    /// Number of virtual users that lost commits.
    pub sessions_lost: u32,
    /// Time at which the first lost commit was acknowledged, relative to the start of the load. Absent if unknown.
    pub lost_first_s: Option<f64>,
    /// Latest possible time at which the last lost commit was acknowledged.
    pub lost_last_s: Option<f64>,
    /// True if still earlier commits were lost too, but their acknowledgement times were no longer stored.
    #[serde(default)]
    pub lost_earlier: bool,
    /// Number of marks in the database that no session sent.
    pub phantom: u64,
    /// The reason why the marks could not be read after the load; absent if they could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
    /// Description of commits that have no mark, although their changes are in the workload's tables; absent if there
    /// are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contradicted: Option<String>,
    /// True if an earlier version of Tacho wrote the commit log, so that it has no checksums.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_checksums: bool,
}

/// Acknowledged commits of one transaction type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MarkedRecord {
    /// Transaction name, such as `payment`.
    pub transaction: String,
    /// Commits that have a mark.
    pub marked: u64,
    /// Commits that have no mark because the transaction was read-only.
    pub unmarked: u64,
}

impl AcknowledgedRecord {
    /// Returns true if the database contains all acknowledged commits, and contains no commit mark that Tacho never
    /// sent.
    pub fn is_complete(&self) -> bool {
        self.unread.is_none() && self.lost == 0 && self.phantom == 0
    }
}
