//! The conversation of one session with its database, as transactions use it.
//!
//! A transaction is written once: it queues statements and calls [`Exchange::send`] where it needs
//! their results. The form decides how they travel: `sql` sends each statement by itself, as every
//! peer does; `pipelined` sends all that is queued in one round trip; `simple` sends each by itself
//! as text, with nothing prepared.

mod marks;

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tacho_core::{Clock, Error, ErrorKind, Form, Instant, Result, Retry, Timer};

use crate::mark::Marking;
use crate::reply::Part;
use crate::{Access, Batch, Catalog, Inspector, Reply, Session, StatementId, Step, Value, Values};

/// How much a session has sent; in JSON `[statements, round_trips]`.
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
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            statements: self.statements + other.statements,
            round_trips: self.round_trips + other.round_trips,
        }
    }
}

/// A session with its statement catalog, its queue of requests and its last results.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each set in one place")]
pub struct Exchange {
    session: Box<dyn Session>,
    catalog: Arc<Catalog>,
    form: Form,
    batch: Batch,
    /// What follows the statement that is still being bound.
    next: Option<StatementId>,
    /// Whether anything of the batch follows a statement in its section.
    joined: bool,
    reply: Reply,
    open: bool,
    /// Whether a transaction was begun and not ended; statements outside of one commit by themselves.
    begun: bool,
    in_doubt: bool,
    /// Whether the last send carried a commit that the database has confirmed.
    committed: bool,
    /// Whether a request has left whose answer has not come to its end. If it was given up, what
    /// comes next is that answer, and not the one to the next request.
    waiting: bool,
    traffic: Traffic,
    /// How transactions are marked, if they are.
    marking: Option<Marking>,
    /// Whether the next send is one round trip in every form.
    together: bool,
    /// The clock of the run, and an alarm once a transaction has waited.
    clock: Option<Arc<dyn Clock>>,
    alarm: Option<Box<dyn Timer>>,
}

impl Exchange {
    /// Takes a session over and prepares the statements of `catalog` on it, if the form prepares.
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

    /// Queues the begin of a database transaction.
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

    /// Queues a statement; its parameters are bound to what is returned, in order.
    #[inline]
    pub fn execute(&mut self, statement: impl Into<StatementId>) -> Bind<'_> {
        self.queue_next();
        let statement = statement.into();
        self.next = self.catalog.next(statement);
        self.batch.execute(statement);
        Bind { batch: &mut self.batch }
    }

    /// Queues what follows the last statement, now that its parameters are known.
    #[inline]
    fn queue_next(&mut self) {
        while let Some(statement) = self.next {
            self.batch.execute_again(statement);
            self.joined = true;
            self.next = self.catalog.next(statement);
        }
    }

    /// Sends what is queued and waits for the results: one for each queued statement, in order. A
    /// section of several statements has one result: the rows of the last, and the number of rows that
    /// the first wrote.
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

    /// The same in one round trip in every form that prepares, as a pipeline that a transaction asks for.
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
            // Whatever the database did with the transaction, a rollback is now in order.
            self.open = true;
            self.in_doubt = commits;
        } else {
            self.committed |= commits;
        }
        result
    }

    /// Whether the last failed send carried a commit, said or, outside of a transaction, unsaid. If
    /// the connection was lost with it, the client does not know whether the transaction is in the
    /// database.
    pub fn commit_in_doubt(&self) -> bool {
        self.in_doubt
    }

    /// Whether the last send carried a commit that the database has confirmed: an error found in its
    /// replies changes nothing of that.
    pub fn has_committed(&self) -> bool {
        self.committed
    }

    /// Keeps from now on when the first row of each answer comes; it costs a reading of the clock for
    /// each [`Exchange::send`] with rows.
    pub fn time_first_row(&mut self, clock: Arc<dyn Clock>) {
        self.reply.time_first_row(clock);
    }

    /// Gives transactions the clock of the run, to wait by.
    pub fn keep_time(&mut self, clock: Arc<dyn Clock>) {
        self.clock = Some(clock);
    }

    /// Waits within a transaction, as a user between two statements, or until the run is being stopped.
    ///
    /// # Errors
    /// Unsupported, on an exchange without a clock.
    pub async fn pause(&mut self, span: Duration) -> Result<()> {
        let Some(clock) = &self.clock else {
            return Err(Error::new(ErrorKind::Unsupported, "only sessions of a run can wait"));
        };
        let due = clock.now().plus(span);
        self.alarm.get_or_insert_with(|| clock.timer()).until(due).await;
        Ok(())
    }

    /// When the first row of the last [`Exchange::send`] came; `None` if none did or it was not requested.
    pub fn first_row(&self) -> Option<Instant> {
        self.reply.first_row()
    }

    /// The statements that it can execute.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The results of the last [`Exchange::send`].
    #[inline]
    pub fn reply(&self) -> &Reply {
        &self.reply
    }

    /// Drops what is queued and rolls the open transaction back, if there is one. Called after a
    /// failed transaction.
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

    /// Leaves a transaction that a failure has left open to the one who has begun it in a statement of its own: the next
    /// [`Exchange::reset`] rolls nothing back.
    pub fn leave_to_caller(&mut self) {
        self.open = false;
    }

    /// Rolls the transaction of a single statement back that failed: without a mark there would be none.
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

    /// How much was sent so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// The session itself, for administration.
    pub fn session(&mut self) -> &mut dyn Session {
        &mut *self.session
    }

    /// What else can be asked of the database on this session.
    pub fn inspector(&mut self) -> &mut dyn Inspector {
        self.session.inspector()
    }

    /// Gives the session back.
    pub fn into_session(self) -> Box<dyn Session> {
        self.session
    }
}

#[cold]
fn abandoned() -> Error {
    Error::new(ErrorKind::Connect, "an earlier request on this connection was abandoned")
}

/// Whether steps commit something. `begun` says whether a transaction is open before them, and
/// afterwards whether one is after them.
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

/// Binds parameters to the statement queued last, in the order of its signature.
pub struct Bind<'a> {
    batch: &'a mut Batch,
}

impl Bind<'_> {
    /// Binds a whole number.
    #[inline]
    pub fn int(self, number: i64) -> Self {
        self.batch.bound(|values| values.int(number));
        self
    }

    /// Binds whole numbers, or NULL for each that is none.
    #[inline]
    pub fn ints(self, numbers: impl ExactSizeIterator<Item = Option<i64>>) -> Self {
        self.batch.bound(|values| values.ints(numbers));
        self
    }

    /// Binds a decimal without its point.
    #[inline]
    pub fn decimal(self, unscaled: i64) -> Self {
        self.batch.bound(|values| values.decimal(unscaled));
        self
    }

    /// Binds text.
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
