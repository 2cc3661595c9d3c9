//! A session's connection: how it is made, and made again after a loss.

use std::sync::Arc;
use std::time::Duration;

use tacho_core::units::span;
use tacho_core::{Clock, Error, Instant, Result, Timer};
use tacho_driver::{Cancels, Catalog, Environment, Exchange, Mark, StatementId};
use tacho_metrics::{Connection, ConnectionEvent};

use crate::Setup;
use crate::control::Control;
use crate::lane::Lane;
use crate::route::Router;
use crate::session_kind::SessionKind;

/// Waits between two attempts to connect again: doubling from the first to the last. The last is as many
/// milliseconds as there are sessions, so that a server that comes back is found soon and not overrun.
const WAIT_FIRST: Duration = Duration::from_millis(25);
const WAIT_LAST: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];

/// How connections of a run are made.
pub(crate) struct Dial {
    pub(crate) setup: Setup,
    pub(crate) catalog: Arc<Catalog>,
    /// The first of the statements that mark, if transactions are marked.
    pub(crate) marks: Option<StatementId>,
    /// The clock of the drivers: the end of the load does not end their waits, since a transaction
    /// in flight is to get its answer.
    pub(crate) clock: Arc<dyn Clock>,
    /// How sessions whose calls block are interrupted.
    pub(crate) cancels: Cancels,
}

impl Dial {
    /// Opens all connections of session number `session`.
    pub(crate) async fn connect_all(&self, session: u32) -> Result<Vec<Exchange>> {
        let mut exchanges = Vec::new();
        for place in 0..self.setup.targets().len() {
            exchanges.push(self.connect(session, place).await?);
        }
        Ok(exchanges)
    }

    /// Opens the connection of session number `session` to the target at `place`, and prepares its
    /// statements.
    async fn connect(&self, session: u32, place: usize) -> Result<Exchange> {
        let setup = &self.setup;
        let cancels = self.cancels.clone();
        let environment = environment(setup, self.clock.clone(), session, cancels);
        let mut connection = setup.driver.connect(&setup.targets()[place], environment).await?;
        let script = setup.instance.session_script(setup.driver.dialect())?;
        if !script.is_empty() {
            connection.script(&script).await?;
        }
        let mut exchange = Exchange::new(connection, self.catalog.clone(), setup.form).await?;
        exchange.keep_time(self.clock.clone());
        let kind = SessionKind::of(setup, session);
        if kind.times_first_row() {
            exchange.time_first_row(self.clock.clone());
        }
        if let Some(mark) = self.mark(session).filter(|_| kind == SessionKind::Transactions) {
            exchange.mark(mark);
        }
        Ok(exchange)
    }

    /// The same for one that was lost. What it has left without an answer is resolved before anything else
    /// is sent: a replica that was not promoted takes no writes, and is not connected to.
    async fn connect_again(&self, session: u32, place: usize) -> Result<Exchange> {
        let mut exchange = self.connect(session, place).await?;
        exchange.find_marks().await?;
        Ok(exchange)
    }

    /// How a session marks its transactions, if it does.
    fn mark(&self, session: u32) -> Option<Mark> {
        let (first, log) = (self.marks?, self.setup.commits.clone()?);
        let at = |offset| StatementId(first.0 + offset);
        let (statement, settle, read) = (at(0), at(1), at(2));
        let can = self.setup.driver.capabilities();
        let with_commit = can.pipelining || can.joins_commit;
        Some(Mark { statement, settle, read, session, with_commit, log })
    }

    /// How session number `session` chooses among its connections, if there are several.
    pub(crate) fn router(&self, session: u32) -> Option<Router> {
        let routes = self.setup.routes.clone()?;
        Some(Router::new(routes, self.setup.plan.seed, session))
    }
}

/// What a driver gets of the world.
pub(crate) fn environment(
    setup: &Setup,
    clock: Arc<dyn Clock>,
    session: u32,
    cancels: Cancels,
) -> Environment {
    let (output, seed) = (setup.output.clone(), setup.plan.seed.child("driver"));
    let set = setup.set_of(session);
    Environment { clock, output, seed, session, create: false, set, cancels }
}

/// In what a lost connection is made again.
pub(crate) struct Again<'a> {
    pub(crate) clock: &'a Arc<dyn Clock>,
    pub(crate) lane: &'a Lane,
    pub(crate) control: &'a Control,
    /// How long, where the load has no end in time.
    pub(crate) within: Duration,
}

/// One session's connection over time.
pub(crate) struct Link {
    dial: Arc<Dial>,
    session: u32,
    /// End of the last good transaction.
    last_good: Instant,
    /// Connected again, and no good transaction since.
    recovering: bool,
}

impl Link {
    pub(crate) fn new(dial: Arc<Dial>, session: u32) -> Self {
        Self { dial, session, last_good: Instant::default(), recovering: false }
    }

    /// Number of the session, from 0.
    pub(crate) fn session(&self) -> u32 {
        self.session
    }

    /// Whether transactions of this kind are marked also where they are a single statement.
    #[inline]
    pub(crate) fn marks_single(&self, transaction: usize) -> bool {
        !self.dial.setup.instance.reads_only(transaction)
    }

    /// Whether transactions are marked.
    #[inline]
    pub(crate) fn is_marked(&self) -> bool {
        self.dial.marks.is_some()
    }

    /// Connects to the target at `place`, and tries it once.
    pub(crate) async fn connect_once(&self, place: usize) -> Result<Exchange> {
        self.dial.connect(self.session, place).await
    }

    /// Notes a good transaction.
    #[inline]
    pub(crate) fn good(&mut self, at: Instant, lane: &Lane) {
        self.last_good = at;
        if self.recovering {
            self.recovering = false;
            self.note(at, Connection::FirstGood, lane);
        }
    }

    fn note(&self, at: Instant, what: Connection, lane: &Lane) {
        let event = ConnectionEvent { at, session: self.session, what };
        lane.record(|recorder| recorder.connection(event));
    }

    /// The first wait: spread over the sessions, which have all lost their connections at the same moment.
    fn first_wait(&self, sessions: u32) -> Duration {
        let share = f64::from(self.session) / f64::from(sessions.max(1));
        WAIT_FIRST.mul_f64(1.0 + share)
    }

    /// Connects to the target at `place` again; `None` when the load is over before that.
    ///
    /// # Errors
    /// The last refusal, if the load has no end in time and it was tried long enough: a server that never
    /// comes back would otherwise be waited for until a user stops the run.
    pub(crate) async fn again(
        &mut self,
        run: &Again<'_>,
        timer: &mut Box<dyn Timer>,
        place: usize,
    ) -> Result<Option<Exchange>> {
        let &Again { clock, lane, control, within } = run;
        let note = |what| self.note(clock.now(), what, lane);
        note(Connection::Lost { last_good: self.last_good });
        let sessions = self.dial.setup.plan.sessions;
        let [least, most] = WAIT_LAST;
        let longest = Duration::from_millis(sessions.into()).clamp(least, most);
        let (mut wait, limit) = (self.first_wait(sessions), clock.now().plus(within));
        let mut refusals = 0;
        while clock.now() < control.load_until() {
            let refused = match self.dial.connect_again(self.session, place).await {
                Ok(exchange) => {
                    note(Connection::Back { refused: refusals });
                    self.recovering = true;
                    return Ok(Some(exchange));
                }
                Err(refused) => refused,
            };
            refusals += 1;
            if control.load_until() == Instant::FAR && clock.now() >= limit {
                note(Connection::Missing { refused: refusals });
                let text = format!("not connected again within {}: {refused}", span(within));
                let hint = "see whether it is up; --reconnect-within sets how long it is tried";
                return Err(Error::new(refused.kind(), text).hint(hint));
            }
            let next = clock.now().plus(wait).min(control.load_until());
            timer.until(next).await;
            wait = (wait * 2).min(longest);
        }
        note(Connection::Missing { refused: refusals });
        Ok(None)
    }
}
