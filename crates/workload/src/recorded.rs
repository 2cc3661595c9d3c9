//! A load that was recorded: its sessions and times are those of a log, and what became of it is compared with the log.

use std::time::Duration;

/// How the engine runs a recorded load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Virtual users that it takes: as many as there were sessions at the same time.
    pub sessions: u32,
    /// Whether each transaction is due at the time that its ticket says, since the begin of the load; otherwise when the
    /// one before it in its session has ended.
    pub paced: bool,
}

/// A recorded load as it was, and how the replay differs from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogComparison {
    /// The file.
    pub log: String,
    /// What wrote it.
    pub format: &'static str,
    /// Sessions with statements.
    pub sessions: u64,
    /// Sessions without a statement to send.
    pub idle_sessions: u64,
    /// Time from the first statement to the last record of a session.
    pub length: Duration,
    /// Statements to be sent.
    pub statements: u64,
    /// Those of them whose time the log has.
    pub timed: u64,
    /// Those that failed; `None` if the log has no errors.
    pub failed: Option<u64>,
    /// Statements that are not sent, by reason: how many, and the line of the first.
    pub left_out: Vec<(&'static str, u64, u64)>,
    /// Lines before the first record: the file begins in the middle of one.
    pub lines_before: u64,
    /// Broken or cut records, and the line of the first.
    pub broken: (u64, u64),
    /// Statements that were not sent, since the connection was lost within their transaction.
    pub lost: u64,
    /// Sessions of the log that ended within a transaction, which was rolled back.
    pub unclosed: u64,
    /// The kinds of statements.
    pub kinds: Vec<ComparedKind>,
    /// Some statements with another outcome.
    pub examples: Vec<Difference>,
}

/// Statements with the same text but for their literals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparedKind {
    /// Index of the transaction.
    pub transaction: usize,
    /// The text.
    pub text: String,
    /// Statements of the log.
    pub count: u64,
    /// Those that failed then.
    pub failed: u64,
    /// Those whose time the log has.
    pub timed: u64,
    /// Their mean in microseconds.
    pub mean_us: Option<f64>,
    /// Their median, right within 3 %.
    pub p50_us: Option<f64>,
    /// Their 95th percentile, right within 3 %.
    pub p95_us: Option<f64>,
    /// Failed then with the same code as now.
    pub fails_again: u64,
    /// Failed then, and with another code now.
    pub fails_otherwise: u64,
    /// Went well then and fails now.
    pub fails_now: u64,
    /// Failed then and goes well now.
    pub succeeds_now: u64,
    /// Rows that its statements have returned or written now.
    pub rows_now: u64,
    /// Statements whose rows are counted: those that did not fail, on a driver that counts.
    pub counted_now: u64,
    /// A sum over its statements of a hash of the line, the rows and the error of each: two replays of a log in which each
    /// statement had the same outcome have the same.
    pub outcomes_now: u64,
}

/// A statement with another outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Index of the transaction.
    pub transaction: usize,
    /// Line of the log.
    pub line: u64,
    /// Its text, cut.
    pub statement: String,
    /// The code then; empty if it went well.
    pub then: String,
    /// The error now; empty if it goes well.
    pub now: String,
}
