//! Recorded loads. The sessions and the times of statements come from a log, and the results are
//! compared with the log.

use std::time::Duration;

/// Settings for running a recorded load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Number of virtual users needed: the maximum number of simultaneous sessions in the log.
    pub sessions: u32,
    /// True if each transaction is due at its time in the log. If false, it is due as soon as the
    /// session's previous transaction has ended.
    pub paced: bool,
}

/// A comparison of a recorded load with its replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogComparison {
    /// Log file.
    pub log: String,
    /// Format of the log.
    pub format: &'static str,
    /// Number of sessions with statements.
    pub sessions: u64,
    /// Number of sessions that have no statement to send.
    pub idle_sessions: u64,
    /// Time from the first statement in the log to the last record of any session.
    pub length: Duration,
    /// Number of statements to send.
    pub statements: u64,
    /// Number of statements whose durations are in the log.
    pub timed: u64,
    /// Number of statements that failed, or `None` if the log does not contain errors.
    pub failed: Option<u64>,
    /// Number of statements in the log whose work is missing from the replay, because they are not sent.
    pub missed: u64,
    /// Number of statements that are not sent, by reason, with the line of the first one.
    pub left_out: Vec<(&'static str, u64, u64)>,
    /// Number of lines before the first record, if the file starts in the middle of a record.
    pub lines_before: u64,
    /// Number of broken or truncated records, and the line of the first one.
    pub broken: (u64, u64),
    /// Number of statements that were not sent because the connection had been lost during their transaction.
    pub lost: u64,
    /// Number of logged sessions that ended during a transaction, which was rolled back.
    pub unclosed: u64,
    /// Statements by kind.
    pub kinds: Vec<ComparedKind>,
    /// Examples of statements whose outcomes differed.
    pub examples: Vec<Difference>,
}

/// Statements that have the same text except for literals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparedKind {
    /// Index of the transaction.
    pub transaction: usize,
    /// Text of the statements.
    pub text: String,
    /// Number of statements in the log.
    pub count: u64,
    /// Number of statements that failed in the log.
    pub failed: u64,
    /// Number of statements whose durations are in the log.
    pub timed: u64,
    /// Mean duration in the log, in microseconds.
    pub mean_us: Option<f64>,
    /// Median duration in the log, with an error of at most 3 %.
    pub p50_us: Option<f64>,
    /// 95th percentile of the duration in the log, with an error of at most 3 %.
    pub p95_us: Option<f64>,
    /// Number of statements that failed with the same code in both the log and the replay.
    pub fails_again: u64,
    /// Number of statements that failed with different codes in the log and the replay.
    pub fails_otherwise: u64,
    /// Number of statements that succeeded in the log but failed in the replay.
    pub fails_now: u64,
    /// Number of statements that failed in the log but succeeded in the replay.
    pub succeeds_now: u64,
    /// Number of rows that the statements returned or wrote, according to the log.
    pub rows: u64,
    /// Number of statements for which the log contains the number of rows.
    pub counted: u64,
    /// Number of rows that the statements returned or wrote in the replay.
    pub rows_now: u64,
    /// Number of statements that succeeded in the replay and whose rows the driver counted.
    pub counted_now: u64,
    /// A hash for comparing replays, which is a sum over all statements. Each statement adds a hash
    /// of its line, rows and error, so replays with the same outcomes have the same sum.
    pub outcomes_now: u64,
}

/// A statement whose outcomes differed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Index of the transaction.
    pub transaction: usize,
    /// Line in the log.
    pub line: u64,
    /// Statement text, possibly truncated.
    pub statement: String,
    /// Error code in the log. Empty if the statement succeeded.
    pub then: String,
    /// Error in the replay. Empty if the statement succeeded.
    pub now: String,
}
