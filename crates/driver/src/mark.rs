//! Marks: data that a session writes to the database in each of its transactions, so that lost commits are detected.
//!
//! A mark is a statement that increments the session's counter. It is part of the same database transaction and, if the
//! driver pipelines, of the same round trip as the COMMIT. Acknowledged commits are noted on the client. Start reading
//! at [`CommitLog`]; [`crate::Exchange`] does both.

use std::sync::Arc;

use tacho_core::{Instant, Result, Retry};

use crate::{StatementId, Step};

/// The marks of a session in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marked {
    /// The number of marks.
    pub commits: u64,
    /// The number of the latest mark; `None` if it is unknown.
    pub latest: Option<u64>,
}

impl Marked {
    /// Converts the marks as the database returns them, where a negative number means unknown.
    pub fn of(commits: i64, latest: i64) -> Self {
        Self { commits: commits.max(0).cast_unsigned(), latest: u64::try_from(latest).ok() }
    }
}

/// The client's notes on the commits of all sessions. Each session notes its commits one after the other. No call waits
/// or allocates memory.
pub trait CommitLog: Send + Sync {
    /// Returns the key of the run, which the database stores with the counters.
    fn key(&self) -> i64;

    /// Returns the number of the last mark that a session has sent. Further marks are numbered from there.
    fn last_number(&self, session: u32) -> u64;

    /// Notes that this number of marks is being sent with their COMMIT.
    fn sent(&self, session: u32, marks: u64);

    /// Notes that the database has confirmed the commit of this number of marks.
    fn acknowledged(&self, session: u32, marks: u64);

    /// Notes that the database has rejected the commit of this number of marks, whose numbers can be reused.
    fn refused(&self, session: u32, marks: u64);

    /// Notes the time of the most recent acknowledgment.
    fn timed(&self, session: u32, at: Instant);

    /// Notes the session's marks in the database. They must be read when none of its commits is in progress: on a new
    /// connection, or after the run. Resolves commits that were sent but had no response.
    fn found(&self, session: u32, present: Marked);
}

/// The marking of a session's transactions.
#[derive(Clone)]
pub struct Mark {
    /// Increments a session's counter and writes the number of the mark. Parameters: the number, the session.
    pub statement: StatementId,
    /// Waits for a commit of the session that is still in progress, and changes nothing.
    pub settle: StatementId,
    /// Reads the session's counter, the number of its latest mark, and the key of the run to which they belong.
    pub read: StatementId,
    /// The session number.
    pub session: u32,
    /// True if the mark and its COMMIT are sent in one round trip.
    pub with_commit: bool,
    /// The log in which commits are noted.
    pub log: Arc<dyn CommitLog>,
}

/// The marking of an exchange and its state.
pub(crate) struct Marking {
    pub(crate) mark: Mark,
    /// True if statements outside a transaction are marked too, each in an added transaction.
    pub(crate) single_statements: bool,
    /// True if the queue contains such an added transaction.
    pub(crate) encloses: bool,
    /// True if the transaction being queued writes.
    pub(crate) writes: bool,
    /// The number of marks in the queue.
    pub(crate) queued: u64,
    /// The number of marks executed in the open transaction.
    pub(crate) open: u64,
    /// The number of marks acknowledged since the last query.
    pub(crate) acknowledged: u64,
}

impl Marking {
    pub(crate) fn new(mark: Mark) -> Self {
        Self {
            mark,
            single_statements: false,
            encloses: false,
            writes: false,
            queued: 0,
            open: 0,
            acknowledged: 0,
        }
    }

    /// Returns the number of the mark queued last.
    #[inline]
    pub(crate) fn number(&self) -> i64 {
        let last = self.mark.log.last_number(self.mark.session);
        (last + self.open + self.queued).cast_signed()
    }

    /// Notes the marks that are committed by these steps as sent, and returns their number.
    pub(crate) fn leaving(&mut self, steps: &[Step]) -> u64 {
        if self.queued == 0 && self.open == 0 {
            return 0;
        }
        let mut committing = 0;
        for step in steps {
            match step {
                Step::Execute { statement, .. } if *statement == self.mark.statement => {
                    self.open += 1;
                }
                Step::Commit => committing += std::mem::take(&mut self.open),
                Step::Rollback | Step::Begin(_) => self.open = 0,
                Step::Execute { .. } => {}
            }
        }
        if committing > 0 {
            self.mark.log.sent(self.mark.session, committing);
        }
        committing
    }

    /// Notes the outcome of the marks that were sent for commit. A mark without a response stays unknown, and so do
    /// several marks of which one was rejected; the counter in the database will resolve them.
    pub(crate) fn ended(&mut self, marks: u64, result: &Result<()>) {
        let (log, session) = (&self.mark.log, self.mark.session);
        match result {
            _ if marks == 0 => {}
            Ok(()) => {
                self.acknowledged += marks;
                log.acknowledged(session, marks);
            }
            Err(error) if marks == 1 && error.retry_class() != Retry::NewConnection => {
                log.refused(session, marks);
            }
            Err(_) => {}
        }
        if result.is_err() {
            self.open = 0;
        }
    }

    /// Returns the end of a round trip that would otherwise end at `end`.
    pub(crate) fn end_of_trip(&self, steps: &[Step], end: usize) -> usize {
        let is_mark = |step: &Step| matches!(step, Step::Execute { statement, .. } if *statement == self.mark.statement);
        // An enclosed statement takes a single round trip, as it would without the transaction.
        if self.encloses {
            return steps.len();
        }
        if steps.get(end.saturating_sub(1)).is_some_and(is_mark) { end + 1 } else { end }
    }
}
