//! The marks of an exchange: queued with the commits of a session, acknowledged with them, and read back on a new
//! connection.

use std::sync::Arc;

use tacho_core::{Instant, Result};

use super::Exchange;
use crate::batch::Access;
use crate::mark::{Mark, Marked, Marking};

impl Exchange {
    /// From now on marks each transaction that writes.
    pub fn mark(&mut self, mark: Mark) {
        self.marking = Some(Marking::new(mark));
    }

    /// Whether a statement outside of a transaction is marked too: it is put into one of its own.
    #[inline]
    pub fn mark_single_statements(&mut self, marks: bool) {
        if let Some(marking) = &mut self.marking {
            marking.single_statements = marks;
        }
    }

    /// How many marks were acknowledged since the last call; they were so at this moment.
    #[inline]
    pub fn take_acknowledged(&mut self, at: Instant) -> u64 {
        let Some(marking) = &mut self.marking else { return 0 };
        let marks = std::mem::take(&mut marking.acknowledged);
        if marks > 0 {
            marking.mark.log.timed(marking.mark.session, at);
        }
        marks
    }

    /// Reads on a new connection what of its session is in the database, once no commit of an earlier
    /// connection is under way any more. Marks that are missing, or those of another run that has replaced them, say
    /// nothing of this one: what is open stays open.
    ///
    /// # Errors
    /// As the database says; also if it cannot be written to, as a replica that was not promoted.
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

    /// Queues the mark of the transaction that is about to be committed, if it is marked.
    #[inline]
    pub(super) fn queue_mark(&mut self) {
        let Some(marking) = self.marking.as_mut().filter(|marking| marking.writes) else { return };
        (marking.writes, marking.queued) = (false, marking.queued + 1);
        let Mark { statement, session, .. } = marking.mark;
        let number = marking.number();
        self.execute(statement).int(number).int(i64::from(session));
        self.joined = true;
    }

    /// Puts a statement that would commit by itself into a transaction with its mark, if it is to be
    /// marked; whether it did.
    pub(super) fn enclose(&mut self) -> bool {
        let encloses = self.marking.as_ref().is_some_and(|own| own.single_statements);
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

    /// Where the round trip ends that would end at `end`: a mark takes its
    /// COMMIT along where that costs nothing, and a statement with a transaction of its own all of it.
    #[inline]
    pub(super) fn end_of_trip(&self, end: usize) -> usize {
        match &self.marking {
            Some(own) if own.queued > 0 && own.mark.with_commit => {
                own.end_of_trip(self.batch.steps(0..self.batch.len()).steps, end)
            }
            _ => end,
        }
    }
}
