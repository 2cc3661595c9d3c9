//! A session's connections, one for each target of the run. One of them is the current connection.
//!
//! Start reading at [`Connections::choose`] and [`Connections::reconnect`].

use std::sync::Arc;
use std::time::Duration;

use tacho_core::units::span;
use tacho_core::{Clock, Error, ErrorKind, Instant, Result, Retry, Timer};
use tacho_driver::{Exchange, Traffic};
use tacho_metrics::{Connection, ConnectionEvent};

use crate::connector::Connector;
use crate::lane::Lane;
use crate::route::Router;
use crate::rules::Rules;

/// The first wait before reconnecting. Each further wait is twice as long, up to [`WAIT_LAST`], so that a recovering
/// server is not overloaded.
const WAIT_FIRST: Duration = Duration::from_millis(25);
const WAIT_LAST: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];

/// All connections of a session during a run.
pub(crate) struct Connections {
    connector: Arc<Connector>,
    session: u32,
    exchanges: Vec<Exchange>,
    /// Selects a connection for each transaction. Present only if the session has several connections.
    router: Option<Router>,
    /// For each target, how often it had already been excluded as faulty when this session connected to it. If it has
    /// been excluded again since then, the connection must be replaced.
    generations: Vec<u32>,
    /// Index of the current connection.
    place: usize,
    /// End of the last successful transaction.
    last_good: Instant,
    /// True from the time a connection is replaced until the next transaction succeeds.
    recovering: bool,
    /// Traffic of the connections that have been replaced.
    traffic_before_reconnect: Traffic,
}

impl Connections {
    /// Opens the connections for session `session`.
    pub(crate) async fn open(connector: Arc<Connector>, session: u32) -> Result<Self> {
        let mut exchanges = Vec::new();
        for place in 0..connector.setup.targets().len() {
            exchanges.push(connector.connect(session, place).await?);
        }
        Ok(Self {
            session,
            generations: vec![0; exchanges.len()],
            exchanges,
            router: connector.router(session),
            connector,
            place: 0,
            last_good: Instant::default(),
            recovering: false,
            traffic_before_reconnect: Traffic::default(),
        })
    }

    /// Returns the zero-based session number.
    pub(crate) fn session(&self) -> u32 {
        self.session
    }

    /// Returns true if transactions write commit marks.
    #[inline]
    fn is_marked(&self) -> bool {
        self.connector.marks.is_some()
    }

    /// Selects the connection for a transaction of this type.
    #[inline]
    pub(crate) fn choose(&mut self, transaction: usize) {
        if let Some(router) = &mut self.router {
            self.place = router.choose(transaction);
        }
        if self.is_marked() {
            let single = !self.connector.setup.instance.reads_only(transaction);
            self.current_mut().mark_single_statements(single);
        }
    }

    /// Returns true if the target has been excluded since the current connection was opened.
    #[inline]
    pub(crate) fn is_outdated(&self) -> bool {
        let known = self.generations[self.place];
        self.router.as_ref().is_some_and(|router| router.health().generation(self.place) != known)
    }

    /// Reopens the connection to a target that has recovered. If this fails, excludes the target or selects another
    /// one.
    #[cold]
    pub(crate) async fn renew(&mut self, transaction: usize) {
        for _ in 0..self.exchanges.len() {
            let Some(router) = &self.router else { return };
            let generation = router.health().generation(self.place);
            if generation == self.generations[self.place] {
                return;
            }
            match self.connector.connect(self.session, self.place).await {
                Ok(exchange) => {
                    self.replace(exchange);
                    self.generations[self.place] = generation;
                }
                Err(error) => {
                    router.health().leave_out(self.place, generation, &error.to_string());
                    self.choose(transaction);
                }
            }
        }
    }

    /// Called after an error. If another target can replace the current one, excludes the current target and returns
    /// true.
    pub(crate) fn leave_out(&mut self, transaction: usize, error: &Error) -> bool {
        let Some(router) = self.router.as_ref() else { return false };
        if !router.has_other(transaction, self.place) {
            return false;
        }
        let generation = self.generations[self.place];
        router.health().leave_out(self.place, generation, &error.to_string());
        true
    }

    /// Returns how many of the last transaction's marked commits were acknowledged, or `None` in runs without marks.
    #[inline]
    pub(crate) fn take_acknowledged(&mut self, at: Instant) -> Option<u64> {
        self.is_marked().then(|| self.current_mut().take_acknowledged(at))
    }

    /// Returns the current connection.
    #[inline]
    pub(crate) fn current(&self) -> &Exchange {
        &self.exchanges[self.place]
    }

    /// Returns the current connection, on which the caller can send statements.
    #[inline]
    pub(crate) fn current_mut(&mut self) -> &mut Exchange {
        &mut self.exchanges[self.place]
    }

    /// Returns the session's connection, or `None` if the session has several.
    pub(crate) fn only(&mut self) -> Option<&mut Exchange> {
        match &mut self.exchanges[..] {
            [exchange] => Some(exchange),
            _ => None,
        }
    }

    /// Records a successful transaction.
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

    /// Rolls back what a failed attempt has left open. If the rollback fails too, the connection is unusable.
    pub(crate) async fn clean_up(&mut self, error: Error) -> Error {
        match self.current_mut().reset().await {
            Ok(()) => error,
            Err(_) if error.kind() == ErrorKind::Cancelled => error,
            Err(_) => error.retry(Retry::NewConnection),
        }
    }

    /// Replaces the current connection, if there is one.
    fn replace(&mut self, exchange: Exchange) {
        match self.exchanges.get_mut(self.place) {
            Some(current) => {
                let lost = std::mem::replace(current, exchange);
                self.traffic_before_reconnect = self.traffic_before_reconnect.plus(lost.traffic());
            }
            None => self.exchanges.push(exchange),
        }
    }

    /// Returns the first wait and the longest wait. The first one differs between sessions, so that they do not all
    /// reconnect at the same time.
    fn waits(&self) -> (Duration, Duration) {
        let sessions = self.connector.setup.plan.sessions;
        let share = f64::from(self.session) / f64::from(sessions.max(1));
        let [least, most] = WAIT_LAST;
        let longest = Duration::from_millis(sessions.into()).clamp(least, most);
        (WAIT_FIRST.mul_f64(1.0 + share), longest)
    }

    /// Reconnects the current connection, or gives up when the load ends.
    ///
    /// # Errors
    /// If the load has no fixed end, returns the last error when the time limit has passed. The session would otherwise
    /// wait forever.
    pub(crate) async fn reconnect(
        &mut self,
        rules: &Rules,
        clock: &dyn Clock,
        lane: &Lane,
        timer: &mut Box<dyn Timer>,
    ) -> Result<()> {
        let (control, within) = (&rules.control, rules.reconnect.within);
        self.note(clock.now(), Connection::Lost { last_good: self.last_good }, lane);
        let ((mut wait, longest), limit) = (self.waits(), clock.now().plus(within));
        let mut refused = 0;
        while clock.now() < control.load_until() {
            let error = match self.connector.connect_again(self.session, self.place).await {
                Ok(exchange) => {
                    self.note(clock.now(), Connection::Back { refused }, lane);
                    self.recovering = true;
                    self.replace(exchange);
                    return Ok(());
                }
                Err(error) => error,
            };
            refused += 1;
            if control.load_until() == Instant::FAR && clock.now() >= limit {
                self.note(clock.now(), Connection::Missing { refused }, lane);
                let text = format!("could not reconnect within {}: {error}", span(within));
                let hint =
                    "check that the server is running, or allow more time with --reconnect-within";
                return Err(Error::new(error.kind(), text).hint(hint));
            }
            let next = clock.now().plus(wait).min(control.load_until());
            timer.until(next).await;
            wait = (wait * 2).min(longest);
        }
        self.note(clock.now(), Connection::Missing { refused }, lane);
        Ok(())
    }

    /// Replaces the current connection with a new one, so that the next transaction runs in a new database session.
    ///
    /// # Errors
    /// Returns an error if the server does not accept the new connection. The session then ends.
    #[cold]
    pub(crate) async fn renew_session(&mut self) -> Result<()> {
        self.disconnect().await;
        let next = self.connector.connect(self.session, self.place).await?;
        self.exchanges.insert(self.place, next);
        Ok(())
    }

    /// Closes the current connection, if there is one. Errors are ignored, because the connection is not used again.
    pub(crate) async fn disconnect(&mut self) {
        if self.place < self.exchanges.len() {
            let ended = self.exchanges.remove(self.place);
            self.traffic_before_reconnect = self.traffic_before_reconnect.plus(ended.traffic());
            let _ = ended.into_session().close().await;
        }
    }

    /// Returns the traffic that the session has generated so far.
    pub(crate) fn traffic(&self) -> Traffic {
        let sent = self.exchanges.iter().map(Exchange::traffic);
        sent.fold(self.traffic_before_reconnect, Traffic::plus)
    }

    /// Closes all connections. Errors are ignored, because closing does not affect the results.
    pub(crate) async fn close(&mut self) {
        for exchange in self.exchanges.drain(..) {
            let _ = exchange.into_session().close().await;
        }
    }
}
