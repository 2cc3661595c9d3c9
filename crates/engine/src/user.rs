//! The session loop, in which a virtual user waits, runs transactions and is measured.
//!
//! The steps of the loop are: wait until due → run → classify → record → think. All sessions use this loop. After
//! warm-up, it allocates no memory.

mod recording;

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tacho_core::{Clock, Error, Instant, Retry, Timer};
use tacho_metrics::{Ending, Latencies, Phase};
use tacho_workload::{Client, Outcome, Tally, Ticket};

use crate::connections::Connections;
use crate::control::Leave;
use crate::lane::Lane;
use crate::pace::{Pace, Turn};
use crate::query_log::QueryLog;
use crate::rules::Rules;
use crate::session_kind::SessionKind;
use crate::session_log::SessionLog;
use crate::steps::Activity;
use crate::terminals::Seat;
use crate::{Gathered, OnDisconnect, SessionTimes};

/// Number of consecutive failures after which a session stops, because the database is then probably gone, full or
/// misconfigured.
const FAILURES_IN_A_ROW_MAX: u32 = 100;

/// Maximum time by which a wait may end early. If a wait ends even earlier, the run is being stopped.
const EARLY_MAX: Duration = Duration::from_millis(1);

/// One virtual user.
pub(crate) struct User {
    pub(crate) connections: Connections,
    pub(crate) client: Box<dyn Client>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) timer: Box<dyn Timer>,
    pub(crate) lane: Arc<Lane>,
    pub(crate) rules: Arc<Rules>,
    pace: Pace,
    query_log: QueryLog,
    /// The session's log, if transactions are logged.
    pub(crate) log: Option<Box<SessionLog>>,
    /// Time up to which the session is known to remain active.
    active_until: Instant,
    /// The user's service times for each transaction type. Empty if they were not requested.
    service_latencies: Vec<Latencies>,
}

/// A transaction that is about to start.
struct Start {
    phase: Phase,
    due: Instant,
    sent: Instant,
}

/// A transaction that has ended.
struct End {
    at: Instant,
    ending: Ending,
}

impl User {
    /// Returns a user of this kind that is connected and waits for the load to start.
    pub(crate) fn new(
        kind: SessionKind,
        connections: Connections,
        client: Box<dyn Client>,
        clock: Arc<dyn Clock>,
        lane: Arc<Lane>,
        rules: Arc<Rules>,
    ) -> Self {
        let series = if rules.session_times { lane.transactions() } else { 0 };
        Self {
            pace: kind.pace(&rules.pace),
            query_log: kind.query_log(rules.exclusive),
            log: rules.log.map(|sample| Box::new(SessionLog::new(sample, connections.session()))),
            active_until: if rules.steps.is_some() { Instant::default() } else { Instant::FAR },
            service_latencies: vec![Latencies::new(); series],
            connections,
            client,
            timer: clock.timer(),
            clock,
            lane,
            rules,
        }
    }

    /// Makes the session serve terminals. The steps of the load then determine which terminals are active, not which
    /// sessions.
    pub(crate) fn serve(&mut self, seat: Seat) {
        self.pace = Pace::Terminals(seat);
        self.active_until = Instant::FAR;
    }

    /// Runs the virtual user until the load is over, and returns the session's results.
    pub(crate) async fn run(&mut self) -> Gathered {
        let _leave = Leave::of(&self.rules.control);
        let ended = unless_it_panics(pin!(self.work())).await;
        self.leave_terminals(ended.is_some());
        let mut tally = Tally::new(self.rules.audited);
        self.client.audit(&mut tally);
        let session = self.connections.session();
        let times = SessionTimes { session, service: std::mem::take(&mut self.service_latencies) };
        let report = Gathered {
            tally,
            traffic: self.connections.traffic(),
            panics: u32::from(ended.is_none()),
            lost: ended.flatten().into_iter().collect(),
            query_stats_error: self.query_log.take_error(),
            session_times: self.rules.session_times.then_some(times).into_iter().collect(),
            ..Gathered::default()
        };
        self.connections.close().await;
        report
    }

    /// Runs the session loop until the load ends. Returns the error that stopped it, if any.
    async fn work(&mut self) -> Option<Error> {
        let mut ready = self.clock.now();
        let mut failures = 0;
        loop {
            if self.client.ended() {
                self.rules.control.note_done();
                return None;
            }
            let ticket = self.next();
            self.query_log.before(self.connections.only()).await;
            let mut start = self.wait(ready, &ticket).await?;
            let connected = if self.rules.reconnects {
                Box::pin(self.connect(&mut start, ticket.transaction)).await
            } else {
                Ok(())
            };
            let result = match connected {
                Ok(()) => {
                    self.connections.choose(ticket.transaction);
                    if self.connections.is_outdated() {
                        Box::pin(self.connections.renew(ticket.transaction)).await;
                    }
                    self.attempts(start.phase, ticket.transaction, start.sent).await
                }
                Err(error) => Err(error),
            };
            let at = self.clock.now();
            let committed = matches!(result, Ok(Outcome::Committed));
            self.record_marks(&ticket, &start, at, committed);
            let result = self.verified(start.phase, ticket.transaction, result);
            self.query_log.after(self.connections.only()).await;
            let ending = match &result {
                Ok(Outcome::Committed) => Ending::Committed,
                Ok(Outcome::RolledBack) => Ending::RolledBack,
                Err(error) => Ending::Failed(error.kind()),
            };
            self.record(&ticket, &start, &End { at, ending });
            match result {
                Ok(_) => {
                    failures = 0;
                    self.connections.good(at, &self.lane);
                }
                Err(error) => {
                    failures += 1;
                    if let Err(lost) = self.recover(error, failures, ticket.transaction).await {
                        self.pace.ready(at, &ticket);
                        return Some(lost);
                    }
                }
            }
            if self.rules.reconnects {
                Box::pin(self.connections.disconnect()).await;
            }
            if self.client.renews_connection()
                && let Err(lost) = Box::pin(self.connections.renew_session()).await
            {
                return Some(lost);
            }
            ready = self.pace.ready(at, &ticket);
        }
    }

    /// Draws the next transaction. With terminals, it is the transaction of the terminal that is due first.
    #[inline]
    fn next(&mut self) -> Ticket {
        if let Some(seat) = self.pace.seat() {
            seat.take(&mut *self.client);
        }
        self.client.next()
    }

    /// Leaves the session's terminal to other sessions, unless its transaction panicked. After the load, counts the
    /// terminals that are still waiting.
    fn leave_terminals(&mut self, is_intact: bool) {
        let Some(seat) = self.pace.seat() else { return };
        if is_intact {
            seat.give_back();
        }
        let (seat, load_until) = (seat.clone(), self.rules.control.load_until());
        if self.clock.now() < load_until {
            return;
        }
        while let Some((due, transaction)) = seat.take_overdue(load_until) {
            self.skip(self.rules.control.phase(due), due, transaction);
        }
    }

    /// Opens a new connection for a transaction. The transaction is sent afterwards, so that its service time does not
    /// include the connection. Without a due time of its own, its latency does not include it either.
    async fn connect(&mut self, start: &mut Start, transaction: usize) -> Result<(), Error> {
        let before = self.clock.now();
        let connected = self.connections.renew_session().await;
        start.sent = self.clock.now();
        if !self.pace.waits() {
            start.due = start.sent;
        }
        let (phase, took) = (self.rules.control.phase(start.sent), start.sent.since(before));
        self.lane.record(|recorder| match &connected {
            Ok(()) if phase == Phase::Measure => {
                recorder.connecting.get_or_insert_default().record(took);
            }
            Ok(()) => {}
            Err(error) => recorder.fault(transaction, error),
        });
        connected
    }

    /// Waits until the next transaction is due. Returns `None` if the load ends first.
    async fn wait(&mut self, mut ready: Instant, ticket: &Ticket) -> Option<Start> {
        loop {
            if ready >= self.active_until {
                ready = self.admitted(ready).await?;
            }
            let Turn { free, due } = self.pace.next(ready, ticket, &*self.clock);
            let (control, waits) = (&self.rules.control, self.pace.waits());
            if waits {
                self.timer.until(due.min(control.load_until())).await;
            }
            let sent = if waits { self.clock.now() } else { due };
            if self.pace.is_never_early() && due.since(sent) > EARLY_MAX {
                // When the run is stopped, this wait ends early. A transaction that is not due yet must then not be
                // sent.
                return None;
            }
            let phase = control.phase(due);
            if sent >= control.load_until() || due >= control.load_until() {
                self.give_back(phase, due, ticket.transaction);
                return None;
            }
            if sent >= self.active_until && !self.pace.is_open() {
                // The step that needed this session ended during the wait, so wait for the next step that needs it.
                ready = sent;
                continue;
            }
            if self.pace.is_open() && self.too_late(phase, due, sent) {
                self.skip(phase, due, ticket.transaction);
                continue;
            }
            let control = &self.rules.control;
            if !control.permit(phase) {
                control.stop_starting(sent);
                return None;
            }
            let start = Start { phase, due, sent };
            self.record_start(ticket, &start, free);
            return Some(start);
        }
    }

    /// Returns true if an arrival has waited too long, because its phase is over or the backlog is full.
    fn too_late(&self, phase: Phase, due: Instant, sent: Instant) -> bool {
        self.pace.is_backlog_full(due, sent)
            || (self.pace.schedule().is_some() && sent.since(due) > self.rules.latency_limit)
            || (phase == Phase::Measure && sent >= self.rules.control.measure_until())
    }

    /// Counts an arrival as skipped if it was taken but will not be started, provided that it was due before the load
    /// ended.
    fn give_back(&mut self, phase: Phase, due: Instant, transaction: usize) {
        if self.pace.is_open() && due < self.rules.control.load_until() {
            self.skip(phase, due, transaction);
        }
    }

    /// Waits for a step in which this session is active. Returns the time at which it becomes active, or `None` if the
    /// load ends first.
    #[cold]
    async fn admitted(&mut self, ready: Instant) -> Option<Instant> {
        let Some(steps) = self.rules.steps.clone() else { return Some(ready) };
        let mut now = ready;
        loop {
            let Activity { active, until } = steps.activity(self.connections.session(), now);
            if active {
                self.active_until = until;
                return Some(now);
            }
            let load_until = self.rules.control.load_until();
            self.timer.until(until.min(load_until)).await;
            now = self.clock.now();
            if now >= self.rules.control.load_until() {
                return None;
            }
        }
    }

    /// Prepares the session for the next transaction after a failure.
    ///
    /// # Errors
    /// Returns the error if the session cannot continue.
    async fn recover(
        &mut self,
        error: Error,
        failures: u32,
        transaction: usize,
    ) -> Result<(), Error> {
        if failures >= FAILURES_IN_A_ROW_MAX {
            return Err(error);
        }
        if error.retry_class() != Retry::NewConnection {
            return Ok(());
        }
        if self.connections.leave_out(transaction, &error) {
            return Ok(());
        }
        let Self { connections, clock, timer, lane, rules, .. } = self;
        if rules.reconnect.policy == OnDisconnect::Stop {
            return Err(error);
        }
        // Box this future, like all calls that connect. Otherwise, each session would reserve memory for it even while
        // it is idle.
        Box::pin(connections.reconnect(rules, &**clock, lane, timer)).await
    }
}

/// Runs a future to completion. Returns `None` if it panics.
///
/// The caller pins the future, because the compiler would reserve its memory twice if it were passed by value.
async fn unless_it_panics<T>(mut future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
    poll_fn(|context| {
        let poll = || future.as_mut().poll(context);
        catch_unwind(AssertUnwindSafe(poll)).map_or(Poll::Ready(None), |polled| polled.map(Some))
    })
    .await
}
