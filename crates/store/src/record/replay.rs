//! A replayed load: the statement log, and the differences between the log and the replay.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DistributionRecord, TransactionRecord};

/// A statement log, and the outcome of replaying it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayRecord {
    /// Log file.
    pub log: String,
    /// Name of the log's format.
    pub log_format: String,
    /// Number of sessions in the log that have statements to replay.
    pub sessions: u64,
    /// Number of sessions in the log that have no statements to replay.
    pub idle_sessions: u64,
    /// Duration of the log, from its first statement to the end of its last session.
    pub length_s: f64,
    /// Number of statements in the log to be replayed.
    pub statements: u64,
    /// Number of statements that were sent.
    pub sent: u64,
    /// Number of statements that were not sent because the connection was lost during their transaction.
    pub lost: u64,
    /// Number of statements whose duration is given in the log.
    pub timed: u64,
    /// Number of statements that failed when the log was recorded; absent if the log does not include errors.
    pub failed_then: Option<u64>,
    /// Number of sessions whose log ends in the middle of a transaction, which the replay rolled back.
    pub unclosed: u64,
    /// Number of statements whose work is missing from the replay, because they could not be replayed.
    #[serde(default)]
    pub missed: u64,
    /// Statements in the log that are not replayed, by reason.
    pub left_out: Vec<ReplayLeftOutRecord>,
    /// Number of lines before the first record in the file.
    pub lines_before: u64,
    /// Number of truncated or malformed records.
    pub broken: u64,
    /// Line number of the first truncated or malformed record.
    pub broken_line: u64,
    /// Waiting times of statements that were due before the session's previous statement ended; absent at speed `max`.
    pub session_wait: Option<DistributionRecord>,
    /// The statements, grouped by their text with literals removed.
    pub kinds: Vec<ReplayKindRecord>,
    /// A sample of the statements whose outcome differs from the log.
    pub differences: Vec<ReplayDifferenceRecord>,
}

/// Statements that are not sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayLeftOutRecord {
    /// The reason why the statements are not replayed.
    pub reason: String,
    /// Number of statements.
    pub count: u64,
    /// Line number of the first such statement.
    pub line: u64,
}

/// Statements that have the same text except for literals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayKindRecord {
    /// Transaction name.
    pub transaction: String,
    /// The statement text.
    pub statement: String,
    /// Number of statements in the log.
    pub count_then: u64,
    /// Number of statements that failed when the log was recorded.
    pub failed_then: u64,
    /// Number of statements whose duration is given in the log.
    pub timed_then: u64,
    /// Mean duration in the log, as measured by the server.
    pub mean_then_us: Option<f64>,
    /// Median duration in the log, accurate to 3 %.
    pub p50_then_us: Option<f64>,
    /// 95th percentile of the durations in the log, accurate to 3 %.
    pub p95_then_us: Option<f64>,
    /// Number of statements that were sent.
    pub sent: u64,
    /// Duration of the statements that succeeded in the replay, measured by the client from sending to the end.
    pub now: DistributionRecord,
    /// Number of statements that failed in the log and failed in the replay with the same code.
    pub fails_again: u64,
    /// Number of statements that failed in the log and failed in the replay with a different code.
    pub fails_otherwise: u64,
    /// Number of statements that succeeded in the log but failed in the replay.
    pub fails_now: u64,
    /// Number of statements that failed in the log but succeeded in the replay.
    pub succeeds_now: u64,
    /// Number of rows that the statements returned or wrote according to the log; absent if the log does not include rows.
    #[serde(default)]
    pub rows_then: Option<u64>,
    /// Number of statements for which the log contains the number of rows.
    #[serde(default)]
    pub counted_then: u64,
    /// Number of rows that the replayed statements returned or wrote; absent if rows were not counted.
    #[serde(default)]
    pub rows_now: Option<u64>,
    /// Number of statements whose rows were counted in the replay.
    #[serde(default)]
    pub counted_now: u64,
    /// Hash of the rows and errors of the replayed statements, combined with the statements' line numbers in the log.
    /// Empty in older records.
    #[serde(default)]
    pub outcomes_now: String,
}

impl ReplayKindRecord {
    /// Returns the number of failed statements in the replay, including statements that also failed in the log.
    pub fn failed_now(&self, transactions: &[TransactionRecord]) -> u64 {
        let transaction =
            transactions.iter().find(|transaction| transaction.name == self.transaction);
        let failed = transaction.map_or(0, |transaction| transaction.failed);
        failed.max(self.fails_now + self.fails_otherwise) + self.fails_again
    }
}

/// A statement whose outcome differs from the log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayDifferenceRecord {
    /// Transaction name.
    pub transaction: String,
    /// Line number in the log.
    pub line: u64,
    /// The beginning of the statement's text.
    pub statement: String,
    /// The error code in the log; empty if the statement succeeded.
    pub then: String,
    /// The error in the replay; empty if the statement succeeded.
    pub now: String,
}
