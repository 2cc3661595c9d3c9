//! Individual statements.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DistributionRecord;

/// A statement's executions in the measured phase.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatementRecord {
    /// The statement's name: its section in a SQL file, its place in a script, or `BEGIN`, `COMMIT` or `ROLLBACK`.
    pub name: String,
    /// The start of the statement's text.
    pub text: String,
    /// Number of successful executions.
    pub count: u64,
    /// Number of failed executions.
    pub failed: u64,
    /// Time from sending the request to the end of its response. Statements that share a round trip all have its
    /// length.
    pub latency: DistributionRecord,
}
