//! Commit marks. Each writing transaction of a session stores a mark, so that lost commits are detected.
//!
//! A mark is a statement that increments a counter of the session. It is part of the transaction, so it is committed or
//! lost together with it. [`crate::Exchange`] sends the marks and records the commits.
//!
//! Start reading at [`CommitLog`].

use std::sync::Arc;

use tacho_core::{Instant, Result, Retry};

use crate::{StatementId, Step};

/// A session's marks, as stored in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marked {
    /// The number of marks.
    pub commits: u64,
    /// The number of the latest mark, or `None` if the database does not know it.
    pub latest: Option<u64>,
}

impl Marked {
    /// Converts the marks that the database returned. A negative number means unknown.
    pub fn of(commits: i64, latest: i64) -> Self {
        Self { commits: commits.max(0).cast_unsigned(), latest: u64::try_from(latest).ok() }
    }
}

/// The client's own log of all commits, in order for each session. Its methods never wait and never allocate memory.
pub trait CommitLog: Send + Sync {
    /// Returns the run's key, which the database stores together with the counters.
    fn key(&self) -> i64;

    /// Returns the number of the last mark that a session sent. The session's next mark gets the following number.
    fn last_number(&self, session: u32) -> u64;

    /// Records that this many marks are about to be sent together with their COMMIT.
    fn sent(&self, session: u32, marks: u64);

    /// Records that the database has confirmed the commit of this many marks.
    fn acknowledged(&self, session: u32, marks: u64);

    /// Records that the database rejected the commit of this many marks, so that their numbers can be reused.
    fn refused(&self, session: u32, marks: u64);

    /// Records when the latest acknowledgment arrived.
    fn timed(&self, session: u32, at: Instant);

    /// Records which marks the database contains. This shows which commits succeeded without a response. The session
    /// must not have a commit in progress.
    fn found(&self, session: u32, present: Marked);
}

/// The statements that mark a session's transactions.
#[derive(Clone)]
pub struct Mark {
    /// Increments a session's counter and stores a mark. Its parameters are the mark's number and the session.
    pub statement: StatementId,
    /// Waits until no commit of the session is in progress. Does not change any data.
    pub settle: StatementId,
    /// Reads the session's counter, the number of its latest mark, and the key of the run that wrote them.
    pub read: StatementId,
    /// The session number.
    pub session: u32,
    /// True if a mark and its COMMIT are sent in one round trip.
    pub with_commit: bool,
    /// The log in which commits are recorded.
    pub log: Arc<dyn CommitLog>,
}

/// The settings and the state of an exchange's commit marks.
pub(crate) struct Marking {
    pub(crate) mark: Mark,
    /// True if each statement outside a transaction is wrapped in a transaction of its own, so that it can be marked.
    pub(crate) single_statements: bool,
    /// True if a single statement in the queue was wrapped in a transaction so that it could be marked.
    pub(crate) encloses: bool,
    /// True if the queued transaction writes.
    pub(crate) writes: bool,
    /// The number of marks in the queue.
    pub(crate) queued: u64,
    /// The number of marks that the open transaction contains.
    pub(crate) open: u64,
    /// The number of marks acknowledged since the caller last asked for this number.
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

    /// Returns the number of the mark that was added to the queue last.
    #[inline]
    pub(crate) fn number(&self) -> i64 {
        let last = self.mark.log.last_number(self.mark.session);
        (last + self.open + self.queued).cast_signed()
    }

    /// Records that the marks in these steps are about to be sent, and returns their number. Only marks that these
    /// steps also commit are counted.
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

    /// Records the outcome of a commit with marks. Without a response, the outcome is unknown. It is also unknown if a
    /// commit was rejected and there were several marks, because some of them may have been committed.
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

    /// Returns the index of the step at which the next round trip begins. This is `end`, or more if a mark would
    /// otherwise be separated from its COMMIT.
    pub(crate) fn end_of_trip(&self, steps: &[Step], end: usize) -> usize {
        let is_mark = |step: &Step| matches!(step, Step::Execute { statement, .. } if *statement == self.mark.statement);
        // If a single statement was wrapped in a transaction in order to mark it, send all steps in one round trip, so
        // that marking costs no extra round trip.
        if self.encloses {
            return steps.len();
        }
        if steps.get(end.saturating_sub(1)).is_some_and(is_mark) { end + 1 } else { end }
    }
}
