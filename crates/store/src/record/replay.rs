//! A load that was recorded: the log, and how the replay differs from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DistributionRecord, TransactionRecord};

/// A log of statements, and what became of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayRecord {
    /// The file.
    pub log: String,
    /// What wrote it.
    pub log_format: String,
    /// Sessions of the log with statements that are sent.
    pub sessions: u64,
    /// Sessions of the log without.
    pub idle_sessions: u64,
    /// Length of the log, from its first statement to the end of its last session.
    pub length_s: f64,
    /// Statements of the log to be sent.
    pub statements: u64,
    /// Statements that were sent.
    pub sent: u64,
    /// Statements that were not sent, since the connection was lost within their transaction.
    pub lost: u64,
    /// Statements whose duration is in the log.
    pub timed: u64,
    /// Statements that failed then; absent if the log has no errors.
    pub failed_then: Option<u64>,
    /// Sessions of the log that ended within a transaction, which was rolled back.
    pub unclosed: u64,
    /// Statements of the log that are not sent, by reason.
    pub left_out: Vec<ReplayLeftOutRecord>,
    /// Lines before the first record of the file.
    pub lines_before: u64,
    /// Records that are cut off or broken.
    pub broken: u64,
    /// Line of the first of them.
    pub broken_line: u64,
    /// How long statements that were due waited for the one before them in their session; absent at speed `max`.
    pub session_wait: Option<DistributionRecord>,
    /// The statements by their text without literals.
    pub kinds: Vec<ReplayKindRecord>,
    /// Some of the statements with another outcome than in the log.
    pub differences: Vec<ReplayDifferenceRecord>,
}

/// Statements that are not sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayLeftOutRecord {
    /// Why.
    pub reason: String,
    /// How many.
    pub count: u64,
    /// Line of the first.
    pub line: u64,
}

/// Statements with the same text but for their literals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayKindRecord {
    /// Name of the transaction.
    pub transaction: String,
    /// The text.
    pub statement: String,
    /// Statements of the log.
    pub count_then: u64,
    /// Those that failed then.
    pub failed_then: u64,
    /// Those whose duration is in the log.
    pub timed_then: u64,
    /// Mean of the durations, as the server measured them.
    pub mean_then_us: Option<f64>,
    /// Their median, right within 3 %.
    pub p50_then_us: Option<f64>,
    /// Their 95th percentile, right within 3 %.
    pub p95_then_us: Option<f64>,
    /// Statements that were sent.
    pub sent: u64,
    /// End − sent of those that did not fail, measured by the client.
    pub now: DistributionRecord,
    /// Failed then, and now with the same code.
    pub fails_again: u64,
    /// Failed then, and now with another code.
    pub fails_otherwise: u64,
    /// Succeeded then and fails now.
    pub fails_now: u64,
    /// Failed then and succeeds now.
    pub succeeds_now: u64,
    /// Rows that the statements have returned or written; absent if none of them was counted.
    #[serde(default)]
    pub rows_now: Option<u64>,
    /// Statements whose rows are counted.
    #[serde(default)]
    pub counted_now: u64,
    /// A digest of the rows and errors of the statements, each with its line in the log; empty in older records.
    #[serde(default)]
    pub outcomes_now: String,
}

impl ReplayKindRecord {
    /// Statements that fail now, by the transactions of the result: those that fail as in the log are no failures of the
    /// run.
    pub fn failed_now(&self, transactions: &[TransactionRecord]) -> u64 {
        let own = transactions.iter().find(|own| own.name == self.transaction);
        let failed = own.map_or(0, |own| own.failed);
        failed.max(self.fails_now + self.fails_otherwise) + self.fails_again
    }
}

/// A statement with another outcome than in the log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayDifferenceRecord {
    /// Name of the transaction.
    pub transaction: String,
    /// Line of the log.
    pub line: u64,
    /// Begin of the statement.
    pub statement: String,
    /// Code of the error then; empty if it succeeded.
    pub then: String,
    /// The error now; empty if it succeeds.
    pub now: String,
}
