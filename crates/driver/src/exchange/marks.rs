//! Commit marks. A session sends a mark in each writing transaction, so that lost commits are detected. The mark is
//! sent before the COMMIT, and both are acknowledged together.

use std::sync::Arc;

use tacho_core::{Instant, Result};

use super::Exchange;
use crate::batch::Access;
use crate::mark::{Mark, Marked, Marking};

impl Exchange {
    /// Makes every writing transaction contain a mark.
    pub fn mark(&mut self, mark: Mark) {
        self.marking = Some(Marking::new(mark));
    }

    /// Sets whether a statement outside a transaction is wrapped in a transaction of its own, so that it can be marked.
    #[inline]
    pub fn mark_single_statements(&mut self, marks: bool) {
        if let Some(marking) = &mut self.marking {
            marking.single_statements = marks;
        }
    }

    /// Returns the number of marks acknowledged since the last call. If there are any, the log records `at` as the time
    /// of the latest acknowledgment.
    #[inline]
    pub fn take_acknowledged(&mut self, at: Instant) -> u64 {
        let Some(marking) = &mut self.marking else { return 0 };
        let marks = std::mem::take(&mut marking.acknowledged);
        if marks > 0 {
            marking.mark.log.timed(marking.mark.session, at);
        }
        marks
    }

    /// Reads the session's marks through a new connection, to learn which commits with an unknown outcome succeeded. If
    /// another run has replaced the marks, the outcomes remain unknown.
    ///
    /// # Errors
    /// Returns an error if the database reports one, for example because it is a replica that rejects writes.
    pub async fn find_marks(&mut self) -> Result<()> {
        let Some(marking) = &mut self.marking else { return Ok(()) };
        let Mark { settle, read, session, .. } = marking.mark;
        let log = Arc::clone(&marking.mark.log);
        self.begin(Access::Write);
        if let Some(marking) = &mut self.marking {
            marking.writes = false;
        }
        self.execute(settle).int(i64::from(session));
        self.execute(read).int(i64::from(session));
        self.commit();
        let Some(row) = self.send().await?.get(1, 0) else { return Ok(()) };
        let (present, key) = (Marked::of(row.number(0)?, row.number(1)?), row.number(2)?);
        if key == log.key() {
            log.found(session, present);
        }
        Ok(())
    }

    /// Queues a mark for the transaction that is about to commit.
    #[inline]
    pub(super) fn queue_mark(&mut self) {
        let Some(marking) = self.marking.as_mut().filter(|marking| marking.writes) else { return };
        (marking.writes, marking.queued) = (false, marking.queued + 1);
        let Mark { statement, session, .. } = marking.mark;
        let number = marking.number();
        self.execute(statement).int(number).int(i64::from(session));
        self.joined = true;
    }

    /// If statements outside transactions are marked, wraps a single statement in a transaction with a mark and returns
    /// true.
    pub(super) fn enclose(&mut self) -> bool {
        let encloses = self.marking.as_ref().is_some_and(|marking| marking.single_statements);
        if !encloses || self.begun || !self.batch.is_one_statement(&self.catalog) {
            return false;
        }
        self.batch.begin_first();
        if let Some(marking) = &mut self.marking {
            (marking.encloses, marking.writes, marking.open) = (true, true, 0);
        }
        self.commit();
        true
    }

    /// Returns the index of the queued step at which the next round trip begins. This is `end`, or one more if a mark
    /// would otherwise be separated from its COMMIT.
    #[inline]
    pub(super) fn end_of_trip(&self, end: usize) -> usize {
        match &self.marking {
            Some(marking) if marking.queued > 0 && marking.mark.with_commit => {
                marking.end_of_trip(self.batch.steps(0..self.batch.len()).steps, end)
            }
            _ => end,
        }
    }
}
