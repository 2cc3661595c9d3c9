//! The connections of one session: one to each target of the run, of which one is in use.
//!
//! Start reading at [`Connections::choose`], then at [`Connections::reconnect`].

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

/// Waits between two attempts to connect again: doubling from the first to the last. The last is as many
/// milliseconds as there are sessions, so that a server that comes back is found soon and not overrun.
const WAIT_FIRST: Duration = Duration::from_millis(25);
const WAIT_LAST: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];

/// One session's connections over time.
pub(crate) struct Connections {
    connector: Arc<Connector>,
    session: u32,
    exchanges: Vec<Exchange>,
    /// Chooses among them, if there are several.
    router: Option<Router>,
    /// How often the target of each had been left out when it was opened.
    generations: Vec<u32>,
    /// The one in use.
    place: usize,
    /// End of the last good transaction.
    last_good: Instant,
    /// Whether a connection was replaced and no transaction has ended well since then.
    recovering: bool,
    /// What connections that were lost had sent.
    traffic_before_reconnect: Traffic,
}

impl Connections {
    /// Opens those of session number `session`.
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

    /// Number of the session, from 0.
    pub(crate) fn session(&self) -> u32 {
        self.session
    }

    /// Returns true if transactions are marked.
    #[inline]
    fn is_marked(&self) -> bool {
        self.connector.marks.is_some()
    }

    /// Takes the one for a transaction of this kind into use.
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

    /// Whether the one in use is from before its target was left out of its routes.
    #[inline]
    pub(crate) fn is_outdated(&self) -> bool {
        let known = self.generations[self.place];
        self.router.as_ref().is_some_and(|router| router.health().generation(self.place) != known)
    }

    /// Opens the one in use again, whose target is back; if it is not, another target is left out or chosen for
    /// this kind of transaction.
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

    /// Leaves the target in use out of its routes after this error, if another one takes its place for this kind
    /// of transaction. Returns whether it does.
    pub(crate) fn leave_out(&mut self, transaction: usize, error: &Error) -> bool {
        let Some(router) = self.router.as_ref() else { return false };
        if !router.has_other(transaction, self.place) {
            return false;
        }
        let generation = self.generations[self.place];
        router.health().leave_out(self.place, generation, &error.to_string());
        true
    }

    /// How many commits of the transaction that ran last were marked and acknowledged; `None` where none is marked.
    #[inline]
    pub(crate) fn take_acknowledged(&mut self, at: Instant) -> Option<u64> {
        self.is_marked().then(|| self.current_mut().take_acknowledged(at))
    }

    /// The one in use.
    #[inline]
    pub(crate) fn current(&self) -> &Exchange {
        &self.exchanges[self.place]
    }

    /// The one in use, to send on.
    #[inline]
    pub(crate) fn current_mut(&mut self) -> &mut Exchange {
        &mut self.exchanges[self.place]
    }

    /// The one connection of a session that has no other.
    pub(crate) fn only(&mut self) -> Option<&mut Exchange> {
        match &mut self.exchanges[..] {
            [exchange] => Some(exchange),
            _ => None,
        }
    }

    /// Notes a transaction that ended well.
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

    /// Rolls back what the failed attempt left open. If that fails too, the connection is of no
    /// use any more, whatever the first error was.
    pub(crate) async fn clean_up(&mut self, error: Error) -> Error {
        match self.current_mut().reset().await {
            Ok(()) => error,
            Err(_) if error.kind() == ErrorKind::Cancelled => error,
            Err(_) => error.retry(Retry::NewConnection),
        }
    }

    /// Takes a new connection in place of the one in use.
    fn replace(&mut self, exchange: Exchange) {
        let lost = std::mem::replace(self.current_mut(), exchange);
        self.traffic_before_reconnect = self.traffic_before_reconnect.plus(lost.traffic());
    }

    /// The first wait and the longest one. The first is spread over the sessions, which have all lost their
    /// connections at the same moment.
    fn waits(&self) -> (Duration, Duration) {
        let sessions = self.connector.setup.plan.sessions;
        let share = f64::from(self.session) / f64::from(sessions.max(1));
        let [least, most] = WAIT_LAST;
        let longest = Duration::from_millis(sessions.into()).clamp(least, most);
        (WAIT_FIRST.mul_f64(1.0 + share), longest)
    }

    /// Opens the one in use again, unless the load is over before that: there is nothing left to lose then.
    ///
    /// # Errors
    /// Returns the last error if the load has no end in time and the server was tried long enough: a server that
    /// never comes back would otherwise be waited for until a user stops the run.
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
                let text = format!("not connected again within {}: {error}", span(within));
                let hint = "see whether it is up; --reconnect-within sets how long it is tried";
                return Err(Error::new(error.kind(), text).hint(hint));
            }
            let next = clock.now().plus(wait).min(control.load_until());
            timer.until(next).await;
            wait = (wait * 2).min(longest);
        }
        self.note(clock.now(), Connection::Missing { refused }, lane);
        Ok(())
    }

    /// Closes the one in use and opens another one in its place, for another session of the load.
    ///
    /// # Errors
    /// If the server does not take it. The session is then over.
    #[cold]
    pub(crate) async fn renew_session(&mut self) -> Result<()> {
        let ended = self.exchanges.remove(self.place);
        self.traffic_before_reconnect = self.traffic_before_reconnect.plus(ended.traffic());
        let _ = ended.into_session().close().await;
        let next = self.connector.connect(self.session, self.place).await?;
        self.exchanges.insert(self.place, next);
        Ok(())
    }

    /// How much the session has sent.
    pub(crate) fn traffic(&self) -> Traffic {
        let sent = self.exchanges.iter().map(Exchange::traffic);
        sent.fold(self.traffic_before_reconnect, Traffic::plus)
    }

    /// Closes all. The result of closing changes nothing that was measured.
    pub(crate) async fn close(self) {
        for exchange in self.exchanges {
            let _ = exchange.into_session().close().await;
        }
    }
}
