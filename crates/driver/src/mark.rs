//! Marks: what a session leaves in the database with each of its transactions, so that lost commits are
//! found.
//!
//! A mark is one statement that raises the session's counter, in the same database transaction and, where
//! the driver pipelines, in the same round trip as its COMMIT. What was acknowledged is noted on the client.
//! Start reading at [`CommitLog`]; [`crate::Exchange`] does both.

use std::sync::Arc;

use tacho_core::{Instant, Result, Retry};

use crate::{StatementId, Step};

/// The marks of a session that are in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marked {
    /// Count of its marks.
    pub commits: u64,
    /// Number of the one that was made last; `None` if it is not known.
    pub latest: Option<u64>,
}

impl Marked {
    /// The marks as the database returns them: a negative number is not known.
    pub fn of(commits: i64, latest: i64) -> Self {
        Self { commits: commits.max(0).cast_unsigned(), latest: u64::try_from(latest).ok() }
    }
}

/// Notes on the client of the commits of all sessions. Each session notes its own, one after the other; no
/// call waits or allocates.
pub trait CommitLog: Send + Sync {
    /// Key of the run, as the database stores it with the counters.
    fn key(&self) -> i64;

    /// Number of the last mark of a session that has left. The next ones have the numbers after it.
    fn last_number(&self, session: u32) -> u64;

    /// So many marks leave, with their COMMIT.
    fn sent(&self, session: u32, marks: u64);

    /// The database has confirmed the commit of so many marks.
    fn acknowledged(&self, session: u32, marks: u64);

    /// The database has refused the commit of so many marks, whose numbers are free again.
    fn refused(&self, session: u32, marks: u64);

    /// What was acknowledged last was so at this moment.
    fn timed(&self, session: u32, at: Instant);

    /// The session's marks in the database, read when no commit of it is under way: on a new connection,
    /// or after the run. Resolves what was sent without an answer.
    fn found(&self, session: u32, present: Marked);
}

/// How a session marks its transactions.
#[derive(Clone)]
pub struct Mark {
    /// Raises the counter of a session and writes the number of the mark. Parameters: the number, the session.
    pub statement: StatementId,
    /// Waits for a commit of the session that is still under way, and changes nothing.
    pub settle: StatementId,
    /// Reads the session's counter, the number of its latest mark, and the key of the run that it is of.
    pub read: StatementId,
    /// Which session.
    pub session: u32,
    /// Whether the mark and its COMMIT leave in one round trip.
    pub with_commit: bool,
    /// Where its commits are noted.
    pub log: Arc<dyn CommitLog>,
}

/// The mark of an exchange, and how far it is.
pub(crate) struct Marking {
    pub(crate) mark: Mark,
    /// Whether a statement outside of a transaction is marked too, in a transaction of its own.
    pub(crate) single_statements: bool,
    /// Whether what is queued is such a transaction.
    pub(crate) encloses: bool,
    /// Whether the transaction that is being queued writes.
    pub(crate) writes: bool,
    /// Marks in the queue.
    pub(crate) queued: u64,
    /// Marks that have run in the transaction that is open.
    pub(crate) open: u64,
    /// Marks acknowledged since it was last asked.
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

    /// Number of the mark that was queued last.
    #[inline]
    pub(crate) fn number(&self) -> i64 {
        let last = self.mark.log.last_number(self.mark.session);
        (last + self.open + self.queued).cast_signed()
    }

    /// What leaves now: the marks that are committed with it, which are noted as sent.
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

    /// What became of the marks that were committed with it. One that got no answer stays as it is, and so
    /// do several of which one was refused: the counter in the database will show.
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

    /// Where the round trip ends that would end at `end`.
    pub(crate) fn end_of_trip(&self, steps: &[Step], end: usize) -> usize {
        let is_mark = |step: &Step| matches!(step, Step::Execute { statement, .. } if *statement == self.mark.statement);
        // A statement with a transaction of its own is sent as it would be without.
        if self.encloses {
            return steps.len();
        }
        if steps.get(end.saturating_sub(1)).is_some_and(is_mark) { end + 1 } else { end }
    }
}
