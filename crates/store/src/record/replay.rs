//! A replayed load: the log that recorded it, and the differences between the log and the replay.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DistributionRecord, TransactionRecord};

/// A statement log, and the outcome of replaying it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayRecord {
    /// Log file.
    pub log: String,
    /// Name of the format of the log.
    pub log_format: String,
    /// Number of sessions in the log that have statements to send.
    pub sessions: u64,
    /// Number of sessions in the log that have no statements to send.
    pub idle_sessions: u64,
    /// Length of the log, from its first statement to the end of its last session.
    pub length_s: f64,
    /// Number of statements in the log that are to be sent.
    pub statements: u64,
    /// Number of statements that were sent.
    pub sent: u64,
    /// Number of statements that were not sent because the connection was lost within their transaction.
    pub lost: u64,
    /// Number of statements whose duration is in the log.
    pub timed: u64,
    /// Number of statements that failed when the log was recorded; absent if the log does not contain errors.
    pub failed_then: Option<u64>,
    /// Number of sessions that, in the log, ended within a transaction; the transaction was rolled back.
    pub unclosed: u64,
    /// Statements of the log that are not sent, by reason.
    pub left_out: Vec<ReplayLeftOutRecord>,
    /// Number of lines that precede the first record of the file.
    pub lines_before: u64,
    /// Number of records that are truncated or malformed.
    pub broken: u64,
    /// Line of the first truncated or malformed record.
    pub broken_line: u64,
    /// Times for which due statements waited for the previous statement of their session; absent at speed `max`.
    pub session_wait: Option<DistributionRecord>,
    /// The statements, grouped by their text without literals.
    pub kinds: Vec<ReplayKindRecord>,
    /// A selection of the statements whose outcome differs from the log.
    pub differences: Vec<ReplayDifferenceRecord>,
}

/// Statements that are not sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayLeftOutRecord {
    /// The reason why the statements are not sent.
    pub reason: String,
    /// Number of statements.
    pub count: u64,
    /// Line of the first such statement.
    pub line: u64,
}

/// Statements that have the same text except for their literals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayKindRecord {
    /// Transaction name.
    pub transaction: String,
    /// The statement text.
    pub statement: String,
    /// Number of statements in the log.
    pub count_then: u64,
    /// Number of these statements that failed when the log was recorded.
    pub failed_then: u64,
    /// Number of these statements whose duration is in the log.
    pub timed_then: u64,
    /// Mean duration in the log, as measured by the server.
    pub mean_then_us: Option<f64>,
    /// Median duration in the log, accurate to 3 %.
    pub p50_then_us: Option<f64>,
    /// 95th percentile of the durations in the log, accurate to 3 %.
    pub p95_then_us: Option<f64>,
    /// Number of statements that were sent.
    pub sent: u64,
    /// Time from sending to the end of each statement that did not fail in the replay, as measured by the client.
    pub now: DistributionRecord,
    /// Number of statements that failed in the log and fail in the replay with the same code.
    pub fails_again: u64,
    /// Number of statements that failed in the log and fail in the replay with another code.
    pub fails_otherwise: u64,
    /// Number of statements that succeeded in the log but fail in the replay.
    pub fails_now: u64,
    /// Number of statements that failed in the log but succeed in the replay.
    pub succeeds_now: u64,
    /// Number of rows that the statements returned or wrote in the replay; absent if no statement's rows were counted.
    #[serde(default)]
    pub rows_now: Option<u64>,
    /// Number of statements whose rows were counted in the replay.
    #[serde(default)]
    pub counted_now: u64,
    /// A digest of the statements' rows and errors in the replay, each with its line in the log; empty in older
    /// records.
    #[serde(default)]
    pub outcomes_now: String,
}

impl ReplayKindRecord {
    /// Returns the number of statements that fail in the replay. The run's failures in `transactions` do not include
    /// statements that fail as they did in the log, so these are added.
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
    /// The beginning of the statement.
    pub statement: String,
    /// The error code in the log; empty if the statement succeeded.
    pub then: String,
    /// The error in the replay; empty if the statement succeeded.
    pub now: String,
}
