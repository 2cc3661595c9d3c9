//! A session's communication with its database. A transaction's code does not need to know how its statements are sent.
//!
//! A transaction queues statements and calls [`Exchange::send`] when it needs the results. The form determines how they
//! are sent. `sql` sends each statement separately, as other benchmarks do. `pipelined` sends all queued statements in
//! one round trip. `simple` sends each statement as text without preparing it.

mod marks;

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tacho_core::{Clock, Error, ErrorKind, Form, Instant, Result, Retry, Timer};

use crate::mark::Marking;
use crate::reply::Part;
use crate::{Access, Batch, Catalog, Inspector, Reply, Session, StatementId, Step, Value, Values};

/// The amount of traffic that a session generated, in JSON `[statements, round_trips]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u64; 2]", into = "[u64; 2]")]
pub struct Traffic {
    /// Statements, including begin, commit and rollback.
    pub statements: u64,
    /// Round trips.
    pub round_trips: u64,
}

impl From<[u64; 2]> for Traffic {
    fn from([statements, round_trips]: [u64; 2]) -> Self {
        Self { statements, round_trips }
    }
}

impl From<Traffic> for [u64; 2] {
    fn from(traffic: Traffic) -> Self {
        [traffic.statements, traffic.round_trips]
    }
}

impl Traffic {
    /// Returns the sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            statements: self.statements + other.statements,
            round_trips: self.round_trips + other.round_trips,
        }
    }
}

/// A session, its catalog, its queued requests and its latest results.
#[expect(clippy::struct_excessive_bools, reason = "independent flags, each set in one place")]
pub struct Exchange {
    session: Box<dyn Session>,
    catalog: Arc<Catalog>,
    form: Form,
    batch: Batch,
    /// The statement that follows the current one in its section. It is queued once the current statement's parameters
    /// are bound.
    next: Option<StatementId>,
    /// True if the batch contains a statement that is not the first one in its section.
    joined: bool,
    reply: Reply,
    open: bool,
    /// True if a transaction is open. Otherwise, each statement commits by itself.
    begun: bool,
    in_doubt: bool,
    /// True if the last call of `send` contained a commit that the database has confirmed.
    committed: bool,
    /// True if part of the response to the last request has not arrived yet. Data that arrives next is then still part
    /// of that response.
    waiting: bool,
    traffic: Traffic,
    /// The state of the commit marks; absent if transactions are not marked.
    marking: Option<Marking>,
    /// True if the next call of `send` must take a single round trip, even if the form would require several.
    together: bool,
    clock: Option<Arc<dyn Clock>>,
    /// A timer, which is created when a transaction waits for the first time.
    alarm: Option<Box<dyn Timer>>,
}

impl Exchange {
    /// Creates an exchange for a session. Prepares the `catalog` if the form uses prepared statements.
    pub async fn new(
        mut session: Box<dyn Session>,
        catalog: Arc<Catalog>,
        form: Form,
    ) -> Result<Self> {
        if form == Form::Simple {
            session.simple(Arc::clone(&catalog)).await?;
        } else {
            session.prepare(Arc::clone(&catalog)).await?;
        }
        Ok(Self {
            session,
            catalog,
            form,
            batch: Batch::default(),
            next: None,
            joined: false,
            reply: Reply::default(),
            open: false,
            begun: false,
            in_doubt: false,
            committed: false,
            waiting: false,
            traffic: Traffic::default(),
            marking: None,
            together: false,
            clock: None,
            alarm: None,
        })
    }

    /// Queues the start of a database transaction.
    #[inline]
    pub fn begin(&mut self, access: Access) {
        self.push(Step::Begin(access));
        if let Some(marking) = &mut self.marking {
            (marking.writes, marking.open) = (access == Access::Write, 0);
        }
    }

    /// Queues a commit.
    #[inline]
    pub fn commit(&mut self) {
        self.queue_mark();
        self.push(Step::Commit);
    }

    /// Queues a rollback.
    #[inline]
    pub fn rollback(&mut self) {
        self.push(Step::Rollback);
    }

    #[inline]
    fn push(&mut self, step: Step) {
        self.queue_next();
        self.batch.push(step);
    }

    /// Queues a statement. The caller binds the statement's parameters to the returned value in order.
    #[inline]
    pub fn execute(&mut self, statement: impl Into<StatementId>) -> Bind<'_> {
        self.queue_next();
        let statement = statement.into();
        self.next = self.catalog.next(statement);
        self.batch.execute(statement);
        Bind { batch: &mut self.batch }
    }

    /// Queues the remaining statements of a section. All parameters of the last queued statement must be bound already.
    #[inline]
    fn queue_next(&mut self) {
        while let Some(statement) = self.next {
            self.batch.execute_again(statement);
            self.joined = true;
            self.next = self.catalog.next(statement);
        }
    }

    /// Sends the queued statements and returns their results. If a section has several statements, the rows of its last
    /// statement are the section's result.
    pub async fn send(&mut self) -> Result<&Reply> {
        self.queue_next();
        let enclosed = self.enclose();
        self.reply.clear();
        (self.in_doubt, self.committed) = (false, false);
        let total = self.batch.len();
        let width = match self.form {
            Form::Sql | Form::Simple | Form::Procedures if !self.together => 1,
            _ => total.max(1),
        };
        let mut at = 0;
        let mut outcome = Ok(());
        while at < total && outcome.is_ok() {
            let end = self.end_of_trip((at + width).min(total));
            outcome = self.round_trip(at, end).await;
            at = end;
        }
        if std::mem::take(&mut self.joined) {
            self.join_results();
        }
        self.batch.clear();
        if let Some(marking) = &mut self.marking {
            (marking.queued, marking.encloses) = (0, false);
        }
        if enclosed && let Err(error) = &outcome {
            let is_open = error.retry_class() != Retry::NewConnection;
            self.leave_enclosure(is_open).await?;
        }
        outcome.map(|()| &self.reply)
    }

    /// Like [`Self::send`], but sends all queued statements in a single round trip, even with the form `sql`.
    /// Statements sent as text may still need several.
    pub async fn send_together(&mut self) -> Result<&Reply> {
        self.together = true;
        let sent = self.send().await.map(|_| ());
        self.together = false;
        sent.map(|()| &self.reply)
    }

    fn join_results(&mut self) {
        let mark = self.marking.as_ref().map(|marking| marking.mark.statement);
        let Self { batch, catalog, reply, .. } = self;
        let steps = batch.steps(0..batch.len()).steps.iter();
        reply.join(steps.filter_map(|step| match step {
            Step::Execute { statement, .. } if Some(*statement) == mark => Some(Part::Hidden),
            Step::Execute { statement, .. } if catalog.follows(*statement) => Some(Part::Follows),
            Step::Execute { .. } => Some(Part::Own),
            _ => None,
        }));
    }

    async fn round_trip(&mut self, from: usize, to: usize) -> Result<()> {
        if std::mem::replace(&mut self.waiting, true) {
            return Err(abandoned());
        }
        let Self { session, batch, reply, .. } = self;
        let steps = batch.steps(from..to);
        self.traffic.round_trips += 1;
        self.traffic.statements += (to - from) as u64;
        self.open = match steps.steps.last() {
            Some(Step::Commit | Step::Rollback) => false,
            _ => self.open || steps.steps.iter().any(|step| matches!(step, Step::Begin(_))),
        };
        let commits = commits(steps.steps, &mut self.begun);
        let marks = self.marking.as_mut().map_or(0, |marking| marking.leaving(steps.steps));
        let result = poll_fn(|context| session.poll_exchange(steps, reply, context)).await;
        let result = result.and_then(|()| reply.require_whole());
        self.waiting = false;
        if let Some(marking) = &mut self.marking {
            marking.ended(marks, &result);
        }
        if result.is_err() {
            // The transaction may still be open, so let [`Self::reset`] roll it back.
            self.open = true;
            self.in_doubt = commits;
        } else {
            self.committed |= commits;
        }
        result
    }

    /// Returns true if the last call of `send` contained a commit and failed. If the connection was also lost, the
    /// outcome of this commit is unknown.
    pub fn commit_in_doubt(&self) -> bool {
        self.in_doubt
    }

    /// Returns true if the database confirmed a commit in the last call of `send`, even if a later statement failed.
    pub fn has_committed(&self) -> bool {
        self.committed
    }

    /// Records when the first row of each response arrives. This requires reading the clock once for each
    /// [`Exchange::send`] with rows.
    pub fn time_first_row(&mut self, clock: Arc<dyn Clock>) {
        self.reply.time_first_row(clock);
    }

    /// Sets the clock that transactions use when they wait.
    pub fn keep_time(&mut self, clock: Arc<dyn Clock>) {
        self.clock = Some(clock);
    }

    /// Waits within a transaction, as a user would between statements. Stopping the run ends the wait.
    ///
    /// # Errors
    /// Returns an [`ErrorKind::Unsupported`] error if the exchange has no clock.
    pub async fn pause(&mut self, span: Duration) -> Result<()> {
        let Some(clock) = &self.clock else {
            return Err(Error::new(
                ErrorKind::Unsupported,
                "pauses are supported only in the sessions of a run",
            ));
        };
        let due = clock.now().plus(span);
        self.alarm.get_or_insert_with(|| clock.timer()).until(due).await;
        Ok(())
    }

    /// Returns the time at which the first row of the last [`Exchange::send`] arrived. Returns `None` if there were no
    /// rows or arrival times are not recorded.
    pub fn first_row(&self) -> Option<Instant> {
        self.reply.first_row()
    }

    /// Returns the statements that this exchange can execute.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Returns the results of the last [`Exchange::send`].
    #[inline]
    pub fn reply(&self) -> &Reply {
        &self.reply
    }

    /// Discards the queue and rolls back the open transaction. Called after a failure.
    pub async fn reset(&mut self) -> Result<()> {
        self.batch.clear();
        (self.next, self.joined) = (None, false);
        if let Some(marking) = &mut self.marking {
            (marking.queued, marking.writes) = (0, false);
        }
        if !self.open {
            return Ok(());
        }
        self.rollback();
        self.send().await.map(|_| ())
    }

    /// Leaves the failed transaction to the caller, which began it and will also end it. Otherwise, the next
    /// [`Exchange::reset`] would roll it back.
    pub fn leave_to_caller(&mut self) {
        self.open = false;
    }

    /// Rolls back the transaction that was added only to mark a statement, after that statement has failed.
    async fn leave_enclosure(&mut self, is_open: bool) -> Result<()> {
        let (in_doubt, committed) = (self.in_doubt, self.committed);
        if is_open {
            self.batch.push(Step::Rollback);
            let left = self.round_trip(0, 1).await;
            self.batch.clear();
            left?;
        }
        (self.in_doubt, self.committed) = (in_doubt, committed);
        Ok(())
    }

    /// Returns the number of requests sent so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Returns the underlying session, for administrative work.
    pub fn session(&mut self) -> &mut dyn Session {
        &mut *self.session
    }

    /// Returns the session's inspector.
    pub fn inspector(&mut self) -> &mut dyn Inspector {
        self.session.inspector()
    }

    /// Returns the session.
    pub fn into_session(self) -> Box<dyn Session> {
        self.session
    }
}

#[cold]
fn abandoned() -> Error {
    Error::new(ErrorKind::Connect, "an earlier request on this connection was abandoned")
}

/// Returns true if any of these steps commits. `begun` must be true if a transaction is open before the steps, and is
/// updated to be true if one is open after them.
fn commits(steps: &[Step], begun: &mut bool) -> bool {
    let mut commits = false;
    for step in steps {
        match step {
            Step::Begin(_) => *begun = true,
            Step::Rollback => *begun = false,
            Step::Commit => (commits, *begun) = (true, false),
            Step::Execute { .. } => commits |= !*begun,
        }
    }
    commits
}

/// Binds parameters to the last queued statement, in the order of its signature.
pub struct Bind<'a> {
    batch: &'a mut Batch,
}

impl Bind<'_> {
    /// Binds an integer.
    #[inline]
    pub fn int(self, number: i64) -> Self {
        self.batch.bound(|values| values.int(number));
        self
    }

    /// Binds integers, or NULL in place of each `None`.
    #[inline]
    pub fn ints(self, numbers: impl ExactSizeIterator<Item = Option<i64>>) -> Self {
        self.batch.bound(|values| values.ints(numbers));
        self
    }

    /// Binds a decimal as an unscaled integer.
    #[inline]
    pub fn decimal(self, unscaled: i64) -> Self {
        self.batch.bound(|values| values.decimal(unscaled));
        self
    }

    /// Binds a string.
    #[inline]
    pub fn text(self, text: &[u8]) -> Self {
        self.batch.bound(|values| values.text(text));
        self
    }

    /// Binds a time in microseconds since 1970.
    #[inline]
    pub fn time(self, micros: i64) -> Self {
        self.batch.bound(|values| values.time(micros));
        self
    }

    /// Binds all values of a buffer.
    #[inline]
    pub fn all(self, values: &Values) -> Self {
        self.batch.bound(|bound| (0..values.len()).for_each(|at| bound.push(values.get(at))));
        self
    }

    /// Binds NULL.
    #[inline]
    pub fn null(self) -> Self {
        self.batch.bound(|values| values.push(Value::Null));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_outside_of_a_transaction_commits_by_itself() {
        let execute = || Step::Execute { statement: StatementId(0), params: 0..0 };
        let open = || Step::Begin(Access::Write);
        let table = [
            (vec![execute()], false, true, false),
            (vec![execute()], true, false, true),
            (vec![open(), execute()], false, false, true),
            (vec![open(), execute(), Step::Commit], false, true, false),
            (vec![open(), execute(), Step::Rollback, execute()], false, true, false),
            (vec![Step::Rollback], true, false, false),
        ];
        for (steps, before, expected, after) in table {
            let mut begun = before;
            assert_eq!((commits(&steps, &mut begun), begun), (expected, after), "{steps:?}");
        }
    }
}
