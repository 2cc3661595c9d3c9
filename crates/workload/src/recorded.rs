//! Recorded loads. The sessions and times of a recorded load come from a log, and the outcome is compared with the log.

use std::time::Duration;

/// The way in which the engine runs a recorded load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Number of virtual users needed, which is the largest number of simultaneous sessions in the log.
    pub sessions: u32,
    /// True if each transaction is due at the time in its ticket, counted from the start of the load. Otherwise it is
    /// due as soon as the preceding transaction in its session has ended.
    pub paced: bool,
}

/// A recorded load, and the differences between it and the replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogComparison {
    /// Log file.
    pub log: String,
    /// Format of the log.
    pub format: &'static str,
    /// Number of sessions with statements.
    pub sessions: u64,
    /// Number of sessions without a statement to send.
    pub idle_sessions: u64,
    /// Time from the first statement to the last record of any session.
    pub length: Duration,
    /// Number of statements to send.
    pub statements: u64,
    /// Number of statements whose duration is in the log.
    pub timed: u64,
    /// Number of statements that failed; `None` if the log does not contain errors.
    pub failed: Option<u64>,
    /// Statements that are not sent, by reason: the number of statements and the line of the first one.
    pub left_out: Vec<(&'static str, u64, u64)>,
    /// Number of lines before the first record, if the file begins in the middle of a record.
    pub lines_before: u64,
    /// Number of broken or truncated records, and the line of the first one.
    pub broken: (u64, u64),
    /// Number of statements that were not sent because the connection was lost during their transaction.
    pub lost: u64,
    /// Number of logged sessions that ended within a transaction, which was rolled back.
    pub unclosed: u64,
    /// Statements by kind.
    pub kinds: Vec<ComparedKind>,
    /// Examples of statements with a different outcome.
    pub examples: Vec<Difference>,
}

/// Statements whose text is the same except for literals.
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
    /// Number of statements whose duration is in the log.
    pub timed: u64,
    /// Mean duration in the log, in microseconds.
    pub mean_us: Option<f64>,
    /// Median duration in the log, accurate to within 3 %.
    pub p50_us: Option<f64>,
    /// 95th percentile of the duration in the log, accurate to within 3 %.
    pub p95_us: Option<f64>,
    /// Number of statements that failed in both, with the same code.
    pub fails_again: u64,
    /// Number of statements that failed in both, with different codes.
    pub fails_otherwise: u64,
    /// Number of statements that succeeded in the log but fail in the replay.
    pub fails_now: u64,
    /// Number of statements that failed in the log but succeed in the replay.
    pub succeeds_now: u64,
    /// Number of rows that the statements have returned or written in the replay.
    pub rows_now: u64,
    /// Number of statements whose rows were counted: those that did not fail, with a driver that counts rows.
    pub counted_now: u64,
    /// Sum of a hash of each statement's line, rows and error. Two replays of a log have the same sum if every
    /// statement had the same outcome.
    pub outcomes_now: u64,
}

/// A statement with a different outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Index of the transaction.
    pub transaction: usize,
    /// Line in the log.
    pub line: u64,
    /// Text of the statement, truncated.
    pub statement: String,
    /// Error code in the log; empty if the statement succeeded.
    pub then: String,
    /// Error in the replay; empty if the statement succeeded.
    pub now: String,
}
