//! The session loop: the one place where a virtual user waits, works and is measured.
//!
//! Wait until due → run → classify → record → think. Arrival, pacing, phases, retries and stopping
//! are values that it reads; there is no second loop anywhere. After warm-up it allocates nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tacho_core::{Clock, Error, ErrorKind, Instant, Result, Retry, Timer, Work};
use tacho_driver::{Exchange, Traffic};
use tacho_metrics::{Begun, COUNTERS_MAX, Ending, Execution, Latencies, Phase};
use tacho_workload::{Client, Outcome, Tally, Ticket};

use crate::control::Control;
use crate::lane::Lane;
use crate::link::{Again, Link};
use crate::route::Router;
use crate::{OnDisconnect, RetryInput, RetryPolicy, Schedule, SessionTimes};

/// A session that fails so often in a row gives up: the database is gone, full or wrong, and
/// counting the same failure a million times would only hide that.
const FAILURES_IN_A_ROW_MAX: u32 = 100;
/// Most queries that a stream beside transactions keeps by themselves: as many as a quick one asks in an
/// hour. Further ones are counted.
const KEPT_MAX: u32 = 100_000;

/// What all virtual users of a run share.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, read by name")]
pub(crate) struct Rules {
    pub(crate) control: Arc<Control>,
    pub(crate) schedule: Option<Arc<Schedule>>,
    pub(crate) backlog: Duration,
    pub(crate) pacing: f64,
    pub(crate) retry: RetryPolicy,
    pub(crate) on_disconnect: OnDisconnect,
    /// How long it is tried to connect again where the load has no end.
    pub(crate) reconnect_within: Duration,
    /// Number of the first session that is a stream of queries.
    pub(crate) first_stream: u32,
    /// How many rules the audit has.
    pub(crate) audited: usize,
    /// How many counters in the database its commits are proved by.
    pub(crate) counters: usize,
    /// Whether each transaction of the measured phase is kept by itself.
    pub(crate) listed: bool,
    /// Whether this session is a stream beside the transactions: of its queries, those that are not of the
    /// measured phase as a whole are in no figure.
    pub(crate) beside: bool,
    /// Whether nobody else works in the database.
    pub(crate) alone: bool,
    /// Begin of the load.
    pub(crate) begin: Instant,
    /// Time between two logins during the load.
    pub(crate) stagger: Duration,
    /// Whether each user keeps its own times.
    pub(crate) session_times: bool,
}

/// One virtual user.
pub(crate) struct User {
    /// One for each database that it speaks to.
    pub(crate) exchanges: Vec<Exchange>,
    /// Chooses among them, if there are several.
    pub(crate) router: Option<Router>,
    /// The one in use.
    pub(crate) place: usize,
    pub(crate) client: Box<dyn Client>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) timer: Box<dyn Timer>,
    pub(crate) lane: Arc<Lane>,
    pub(crate) rules: Rules,
    pub(crate) link: Link,
    /// What connections that were lost had sent.
    pub(crate) earlier: Traffic,
    /// Its own service times by transaction; empty unless they are asked for.
    pub(crate) own: Vec<Latencies>,
    /// Transactions that were kept by themselves.
    pub(crate) kept: u32,
    /// What the database had done when it was last asked, where it is asked and tells.
    pub(crate) work_before: Option<Work>,
    /// Why it could not be asked for the first time.
    pub(crate) work_error: Option<Error>,
}

/// What a virtual user leaves behind.
#[derive(Debug, Default)]
pub(crate) struct Farewell {
    pub(crate) tally: Tally,
    pub(crate) traffic: Traffic,
    /// Why it gave up, if it did.
    pub(crate) lost: Option<Error>,
    /// Why it could not ask what the database had done, if so.
    pub(crate) work_error: Option<Error>,
    /// Whether it panicked: a bug of ours.
    pub(crate) panicked: bool,
    /// Its own times, if they are asked for.
    pub(crate) times: Option<SessionTimes>,
}

/// Notes that a session has ended, also if it panics.
pub(crate) struct Leave(Option<Arc<Control>>);

impl Leave {
    pub(crate) fn of(control: &Arc<Control>) -> Self {
        Self(Some(control.clone()))
    }

    /// Lets somebody else note it.
    pub(crate) fn hand_over(mut self) {
        self.0 = None;
    }
}

impl Drop for Leave {
    fn drop(&mut self) {
        if let Some(control) = &self.0 {
            control.leave();
        }
    }
}

/// What is known of a transaction when it has ended.
struct Answer {
    end: Instant,
    first_row: Option<Instant>,
    work: Option<Work>,
}

/// What is known of a commit.
#[derive(Clone, Copy, Debug)]
enum Commit {
    /// The database has confirmed it.
    Confirmed,
    /// The connection was lost with it.
    InDoubt,
}

/// A transaction about to begin.
struct Start {
    phase: Phase,
    due: Instant,
    sent: Instant,
}

impl User {
    /// Runs until the load is over, and says good-bye.
    pub(crate) async fn run(mut self) -> Farewell {
        let _leave = Leave::of(&self.rules.control);
        if self.rules.session_times {
            self.own = vec![Latencies::new(); self.lane.transactions()];
        }
        let mut farewell = Farewell::default();
        let panicked = {
            let mut work = std::pin::pin!(self.work(&mut farewell));
            std::future::poll_fn(|context| {
                let poll = || work.as_mut().poll(context);
                catch_unwind(AssertUnwindSafe(poll))
                    .map_or(Poll::Ready(true), |p| p.map(|()| false))
            })
            .await
        };
        farewell.panicked = panicked;
        farewell.work_error = self.work_error.take();
        farewell.tally = Tally::new(self.rules.audited);
        self.client.audit(&mut farewell.tally);
        farewell.times = self.rules.session_times.then(|| SessionTimes {
            session: self.link.session(),
            service: std::mem::take(&mut self.own),
        });
        let sent = self.exchanges.iter().map(Exchange::traffic);
        farewell.traffic = sent.fold(self.earlier, Traffic::plus);
        // The result of closing changes nothing that was measured.
        for exchange in self.exchanges {
            let _ = exchange.into_session().close().await;
        }
        farewell
    }

    async fn work(&mut self, farewell: &mut Farewell) {
        let mut ready = self.clock.now();
        let mut failures = 0;
        loop {
            if self.client.ended() {
                return self.rules.control.note_done();
            }
            let ticket = self.client.next();
            if self.work_before.is_none() {
                self.work_before = self.look().await;
            }
            let Some(start) = self.wait(ready, &ticket).await else { return };
            if let Some(router) = &mut self.router {
                self.place = router.choose(ticket.transaction);
            }
            let result = self.attempts(start.phase, ticket.transaction).await;
            let end = self.clock.now();
            let first_row = self.exchanges[self.place].first_row();
            let result = self.verified(start.phase, ticket.transaction, result);
            let answer = Answer { end, first_row, work: self.worked().await };
            let ending = match &result {
                Ok(Outcome::Committed) => Ending::Committed,
                Ok(Outcome::RolledBack) => Ending::RolledBack,
                Err(error) => Ending::Failed(error.kind()),
            };
            self.record(&ticket, &start, ending, &answer);
            match result {
                Ok(_) => {
                    failures = 0;
                    self.link.good(end, &self.lane);
                }
                Err(error) => {
                    failures += 1;
                    if let Some(lost) = self.recover(error, failures).await {
                        farewell.lost = Some(lost);
                        return;
                    }
                }
            }
            ready = end.plus(scaled(ticket.think, self.rules.pacing));
        }
    }

    /// What the database has done so far, where transactions are kept by themselves. Asked between them,
    /// so that it is in no time; beside other transactions the question itself would be load.
    async fn look(&mut self) -> Option<Work> {
        let Self { rules, exchanges, work_error, .. } = self;
        let [exchange] = &mut exchanges[..] else { return None };
        if !rules.listed || rules.beside {
            return None;
        }
        // What a lost connection means, the next transaction finds out.
        exchange.session().work(rules.alone).await.unwrap_or_else(|error| {
            work_error.get_or_insert(error);
            None
        })
    }

    /// What the database did since it was last asked: for the transaction that has just ended. Who did not
    /// tell before is asked again before the next one, and not now.
    async fn worked(&mut self) -> Option<Work> {
        let before = self.work_before.take()?;
        self.work_before = self.look().await;
        self.work_before.map(|now| now.since(before))
    }

    /// What became of a transaction, now that its answer is judged.
    fn verified(
        &self,
        phase: Phase,
        transaction: usize,
        result: Result<Outcome>,
    ) -> Result<Outcome> {
        let outcome = result?;
        if outcome == Outcome::Committed {
            self.note_growth(Commit::Confirmed);
        }
        self.client.verify(&self.exchanges[self.place]).map(|()| outcome).inspect_err(|error| {
            self.lane.record(|recorder| {
                recorder.fault(transaction, error);
                let committed = outcome == Outcome::Committed;
                recorder.at(phase, transaction).wrong_commits += u64::from(committed);
            });
        })
    }

    /// Adds what the transaction that ran last has moved in the database, or may have.
    fn note_growth(&self, commit: Commit) {
        if self.rules.counters == 0 {
            return;
        }
        let mut moved = [0; COUNTERS_MAX];
        self.client.growth(&mut moved[..self.rules.counters]);
        self.lane.record(|recorder| {
            for (growth, by) in recorder.growth.iter_mut().zip(moved) {
                match commit {
                    Commit::Confirmed => growth.commit(by),
                    Commit::InDoubt => growth.doubt(by),
                }
            }
        });
    }

    /// Makes the session fit for the next transaction after a failure; gives the error back if that
    /// cannot be.
    async fn recover(&mut self, error: Error, failures: u32) -> Option<Error> {
        if failures >= FAILURES_IN_A_ROW_MAX {
            return Some(error);
        }
        if error.retry_class() != Retry::NewConnection {
            return None;
        }
        if self.rules.on_disconnect == OnDisconnect::Stop {
            return Some(error);
        }
        let Self { link, clock, timer, lane, rules, .. } = self;
        let again = Again { clock, lane, control: &rules.control, within: rules.reconnect_within };
        match link.again(&again, timer, self.place).await {
            Ok(Some(exchange)) => {
                let lost = std::mem::replace(&mut self.exchanges[self.place], exchange);
                self.earlier = self.earlier.plus(lost.traffic());
                None
            }
            // Not connected again before the end of the load: there is nothing left to lose.
            Ok(None) => None,
            Err(error) => Some(error),
        }
    }

    /// Waits until the next transaction is due; `None` when the load is over.
    async fn wait(&mut self, ready: Instant, ticket: &Ticket) -> Option<Start> {
        loop {
            let open = self.rules.schedule.is_some();
            let scheduled = open || self.rules.pacing > 0.0;
            let free = if open { self.clock.now() } else { ready };
            let due = match &self.rules.schedule {
                // Open: whatever this user would like, the arrival is due when it is due.
                Some(schedule) => schedule.take(),
                None if scheduled => ready.plus(scaled(ticket.keying, self.rules.pacing)),
                None => self.clock.now(),
            };
            let control = &self.rules.control;
            if scheduled {
                self.timer.until(due.min(control.load_until())).await;
            }
            let sent = if scheduled { self.clock.now() } else { due };
            let phase = control.phase(due);
            if sent >= control.load_until() || due >= control.load_until() {
                self.give_back(phase, due, ticket);
                return None;
            }
            if open && self.too_late(phase, due, sent) {
                self.lane.record(|recorder| recorder.skip(phase, ticket.transaction));
                continue;
            }
            if !control.permit(phase) {
                control.stop_starting(sent);
                return None;
            }
            let (transaction, session) = (ticket.transaction, self.link.session());
            let begun = (self.rules.listed && !self.rules.beside).then(|| {
                let left = self.client.left();
                Begun { session, transaction, sent, left }
            });
            let begins_in = control.phase(sent);
            self.lane.record(|recorder| {
                if scheduled {
                    // What was due before this session was free has waited for it, and not for a timer.
                    recorder.late(begins_in, sent.since(due.max(free)));
                }
                if open {
                    recorder.waited(begins_in, free.since(due));
                }
                recorder.start(phase, transaction);
                recorder.begun.extend(begun);
            });
            return Some(Start { phase, due, sent });
        }
    }

    /// Whether an arrival has waited too long: the backlog is full, or its phase is over.
    fn too_late(&self, phase: Phase, due: Instant, sent: Instant) -> bool {
        sent.since(due) > self.rules.backlog
            || (phase == Phase::Measure && sent >= self.rules.control.measure_until())
    }

    /// An arrival that was taken and fell due before the end of the load is skipped, not forgotten.
    fn give_back(&self, phase: Phase, due: Instant, ticket: &Ticket) {
        if self.rules.schedule.is_some() && due < self.rules.control.load_until() {
            self.lane.record(|recorder| recorder.skip(phase, ticket.transaction));
        }
    }

    /// Runs the transaction drawn last, again after failures as far as the policy allows.
    async fn attempts(&mut self, phase: Phase, transaction: usize) -> Result<Outcome> {
        let retry = self.rules.retry;
        let mut attempt = 1;
        loop {
            let error = match self.client.run(&mut self.exchanges[self.place]).await {
                Ok(outcome) => return Ok(outcome),
                Err(error) => error,
            };
            let exchange = &self.exchanges[self.place];
            let (in_doubt, committed) = (exchange.commit_in_doubt(), exchange.has_committed());
            self.lane.record(|recorder| recorder.fault(transaction, &error));
            let error = self.clean_up(error).await;
            if committed {
                // Wrong, and in the database: tried again, its work would be done twice.
                self.note_growth(Commit::Confirmed);
                self.lane.record(|recorder| recorder.at(phase, transaction).wrong_commits += 1);
                return Err(error);
            }
            let again = retry.input != RetryInput::None
                && attempt < retry.attempts
                && error.retry_class() == Retry::SameConnection;
            if !again {
                if in_doubt && error.retry_class() == Retry::NewConnection {
                    self.note_unknown(phase, transaction);
                }
                return Err(error);
            }
            if retry.input == RetryInput::New {
                self.client.redraw();
            }
            let wait = retry.backoff.saturating_mul(1 << (attempt - 1).min(20));
            let until = self.clock.now().plus(wait);
            self.timer.until(until).await;
            self.lane.record(|recorder| {
                recorder.at(phase, transaction).ledger.retried += 1;
            });
            attempt += 1;
        }
    }

    /// Rolls back what the failed attempt left open. If that fails too, the connection is of no
    /// use any more, whatever the first error was.
    async fn clean_up(&mut self, error: Error) -> Error {
        match self.exchanges[self.place].reset().await {
            Ok(()) => error,
            Err(_) if error.kind() == ErrorKind::Cancelled => error,
            Err(_) => error.retry(Retry::NewConnection),
        }
    }

    fn note_unknown(&self, phase: Phase, transaction: usize) {
        self.note_growth(Commit::InDoubt);
        self.lane.record(|recorder| recorder.at(phase, transaction).unknown += 1);
    }

    /// Records a transaction with its end and, where that is kept, what is known of it alone.
    fn record(
        &mut self,
        ticket: &Ticket,
        start: &Start,
        ending: Ending,
        &Answer { end, first_row, work }: &Answer,
    ) {
        let (phase, transaction) = (start.phase, ticket.transaction);
        let (latency, service) = (end.since(start.due), end.since(start.sent));
        let control = &self.rules.control;
        let late = end > control.phase_end(phase);
        let ended_in = if late { control.phase(end) } else { phase };
        let outside = phase != Phase::Measure || late || self.kept >= KEPT_MAX;
        let outside = self.rules.beside && outside;
        let (listed, session) = (self.rules.listed && !outside, self.link.session());
        if ended_in == Phase::Measure
            && !matches!(ending, Ending::Failed(_))
            && let Some(own) = self.own.get_mut(transaction)
        {
            own.record(service);
        }
        self.kept += u32::from(listed);
        let rows = self.client.rows().filter(|_| !matches!(ending, Ending::Failed(_)));
        self.lane.record(|recorder| {
            if listed {
                let (sent, took) = (start.sent, service);
                let first_row = rows.and(first_row).map(|at| at.since(sent));
                let execution =
                    Execution { session, transaction, sent, took, ending, rows, first_row, work };
                recorder.executions.push(execution);
            }
            recorder.finish([phase, ended_in], transaction, ending, latency, service);
        });
    }
}

/// A time of the workload, by the factor of the pacing.
fn scaled(span: Duration, pacing: f64) -> Duration {
    if pacing == 0.0 { Duration::ZERO } else { span.mul_f64(pacing) }
}

impl Rules {
    /// Those of one session. A stream begins its next query when the last one has ended, whatever arrives
    /// for the others, and each of its queries is kept by itself.
    pub(crate) fn of(self, session: u32) -> Self {
        if session < self.first_stream {
            return self;
        }
        Self { schedule: None, pacing: 0.0, listed: true, beside: true, ..self }
    }

    /// The rules of a user that has not been told to go.
    pub(crate) fn idle() -> Self {
        Self {
            control: Arc::new(Control::new(0, None)),
            schedule: None,
            backlog: Duration::MAX,
            pacing: 0.0,
            retry: RetryPolicy { input: RetryInput::None, attempts: 1, backoff: Duration::ZERO },
            on_disconnect: OnDisconnect::Stop,
            reconnect_within: Duration::ZERO,
            first_stream: u32::MAX,
            audited: 0,
            counters: 0,
            listed: false,
            beside: false,
            alone: false,
            begin: Instant::default(),
            stagger: Duration::ZERO,
            session_times: false,
        }
    }
}
