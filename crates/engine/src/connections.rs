//! The connections of one session: one to each target of the run, of which one is in use.
//!
//! Start reading at [`Connections::choose`].

use std::sync::Arc;

use tacho_core::{Error, ErrorKind, Instant, Result, Retry, Timer};
use tacho_driver::{Exchange, Traffic};

use crate::lane::Lane;
use crate::link::{Again, Dial, Link};
use crate::route::Router;

/// One session's connections.
pub(crate) struct Connections {
    exchanges: Vec<Exchange>,
    /// Chooses among them, if there are several.
    router: Option<Router>,
    /// How often the target of each had been left out when it was opened.
    generations: Vec<u32>,
    /// The one in use.
    place: usize,
    link: Link,
    /// What connections that were lost had sent.
    traffic_before_reconnect: Traffic,
}

impl Connections {
    /// Opens those of session number `session`.
    pub(crate) async fn open(dial: Arc<Dial>, session: u32) -> Result<Self> {
        let exchanges = dial.connect_all(session).await?;
        Ok(Self {
            generations: vec![0; exchanges.len()],
            exchanges,
            router: dial.router(session),
            place: 0,
            link: Link::new(dial, session),
            traffic_before_reconnect: Traffic::default(),
        })
    }

    /// Number of the session, from 0.
    pub(crate) fn session(&self) -> u32 {
        self.link.session()
    }

    /// Takes the one for a transaction of this kind into use.
    #[inline]
    pub(crate) fn choose(&mut self, transaction: usize) {
        if let Some(router) = &mut self.router {
            self.place = router.choose(transaction);
        }
        if self.link.is_marked() {
            let single = self.link.marks_single(transaction);
            self.current_mut().mark_single_statements(single);
        }
    }

    /// Whether the one in use is from before its target was left out of its routes.
    #[inline]
    pub(crate) fn is_outdated(&self) -> bool {
        let known = self.generations[self.place];
        self.router.as_ref().is_some_and(|own| own.health().generation(self.place) != known)
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
            match self.link.connect_once(self.place).await {
                Ok(exchange) => {
                    let lost = std::mem::replace(self.current_mut(), exchange);
                    let before = self.traffic_before_reconnect;
                    self.traffic_before_reconnect = before.plus(lost.traffic());
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
        self.link.is_marked().then(|| self.current_mut().take_acknowledged(at))
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
        self.link.good(at, lane);
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

    /// Opens the one in use again, unless the load is over before that: there is nothing left to lose then.
    pub(crate) async fn reconnect(
        &mut self,
        run: &Again<'_>,
        timer: &mut Box<dyn Timer>,
    ) -> Result<()> {
        if let Some(exchange) = self.link.again(run, timer, self.place).await? {
            let lost = std::mem::replace(self.current_mut(), exchange);
            self.traffic_before_reconnect = self.traffic_before_reconnect.plus(lost.traffic());
        }
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
        let next = self.link.connect_once(self.place).await?;
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
