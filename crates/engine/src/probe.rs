//! Reads counters from the database at phase boundaries. Each set of tables has a session of its own for this.
//!
//! If a connection is lost, a new one is opened, because the counters matter most when a server has recovered from a
//! failure.
//!
//! Start reading at [`Probe::read`].

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tacho_core::units::span;
use tacho_core::{Clock, Error, ErrorKind, Instant, Result, Retry};
use tacho_driver::{
    ADMINISTRATION, Cancels, Catalog, Counters, Driver, Exchange, Form, Scheduling, StatementId,
};
use tacho_metrics::COUNTERS_MAX;
use tacho_workload::Counter;

use crate::connector::environment;
use crate::{EventLoop, Interrupt, OnDisconnect, Setup};

/// Interval between checks for an interrupt.
const TICK: Duration = Duration::from_millis(20);
/// Time limit for a reading after the user asks to stop. This is ample time, because a healthy server responds within
/// milliseconds.
const WHEN_STOPPED: Duration = Duration::from_secs(2);
/// Time limit for a reading after the previous one received no response.
const WHEN_SILENT: Duration = Duration::from_secs(5);
/// Wait between two attempts to reconnect.
const PAUSE: Duration = Duration::from_millis(200);

/// The result of a reading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) counter: Option<(u64, Instant)>,
    pub(crate) server: Option<(Counters, Instant)>,
    /// Number of connections opened so far. Readings on different connections are not comparable, because the server
    /// may have restarted.
    pub(crate) connection: u32,
    /// The database's counter sums, which prove how much work was committed. They are read only before and after the
    /// load.
    pub(crate) sums: Option<[i64; COUNTERS_MAX]>,
}

/// Reads the counters, but gives up if the response takes too long.
pub(crate) struct Probe {
    reader: Reader,
    /// True if a reading blocks its thread. Readings are then taken on a separate thread, which can be abandoned.
    blocks: bool,
    /// True if the last reading received no response within the time limit.
    silent: bool,
    /// The first error because of which a reading is missing.
    failed: Option<Error>,
}

impl Probe {
    /// Creates the probe without connecting to the database. Returns `None` if there is nothing to read.
    pub(crate) fn new(setup: &Setup, catalog: Arc<Catalog>, clock: Arc<dyn Clock>) -> Option<Self> {
        let capabilities = setup.driver.capabilities();
        let headline = setup.instance.headline().filter(|_| capabilities.stores_data);
        // If there are several databases, do not read their counters, because the counters cannot be added up. They may
        // not cover all of the work, or may cover some of it twice.
        let several = setup.routes.is_some();
        let mut counters = setup.instance.counters();
        counters.truncate(if capabilities.stores_data { COUNTERS_MAX } else { 0 });
        let nothing = headline.is_none() && counters.is_empty() && !capabilities.counters;
        if several || nothing {
            return None;
        }
        let statement = headline.map(|headline| headline.counter);
        let reader = Reader {
            setup: setup.clone(),
            catalog,
            statement,
            counters,
            outside: true,
            clock,
            exchanges: Vec::new(),
            connection: 0,
            cancels: Cancels::default(),
        };
        Some(Self { reader, blocks: blocks(&*setup.driver), silent: false, failed: None })
    }

    /// Sets whether the next readings are taken outside the load, that is, before or after it.
    pub(crate) fn set_outside(&mut self, outside: bool) {
        self.reader.outside = outside;
    }

    /// Returns the first error because of which a reading is missing, if any.
    pub(crate) fn into_failure(self) -> Option<Error> {
        self.failed
    }

    /// Connects to the database and takes the first reading. The usual time limit applies, because a lock could block
    /// the reading.
    ///
    /// # Errors
    /// Returns an error if the connection cannot be opened.
    pub(crate) async fn first(&mut self, interrupt: &Interrupt) -> Result<Option<Sample>> {
        let limit = self.reader.setup.plan.answer_within;
        match self.answer(limit, Duration::ZERO, interrupt).await {
            Ok(Err(error)) if self.reader.connection == 0 => Err(error),
            answer => Ok(self.taken(answer)),
        }
    }

    /// Returns the reason why the first reading is missing.
    pub(crate) fn missing(&self) -> Option<String> {
        let error = self.failed.as_ref()?;
        Some(format!("this run's commits cannot be compared with the database's counters: {error}"))
    }

    /// Reads all counters. Returns `None` if this takes too long. If the connection is lost, tries to reconnect until
    /// the time `patience` has passed. Tries only once if the run's sessions do not reconnect either.
    pub(crate) async fn read(
        &mut self,
        interrupt: &Interrupt,
        patience: Duration,
    ) -> Option<Sample> {
        let limit = self.reader.setup.plan.answer_within;
        let limit = if self.silent { limit.min(WHEN_SILENT) } else { limit };
        let answer = self.answer(limit, patience.min(limit), interrupt).await;
        self.taken(answer)
    }

    /// Takes a reading. The outer result is an error only if the reading takes too long. The inner result is that of
    /// the reading itself.
    async fn answer(
        &mut self,
        limit: Duration,
        patience: Duration,
        interrupt: &Interrupt,
    ) -> Result<Result<Sample>> {
        if self.blocks {
            within(limit, interrupt, self.read_elsewhere(patience)).await
        } else {
            within(limit, interrupt, self.reader.try_until(patience)).await
        }
    }

    fn taken(&mut self, answer: Result<Result<Sample>>) -> Option<Sample> {
        let result = answer.unwrap_or_else(|late| Err(late.during("read the counters")));
        result.map_err(|error| self.give_up(error)).ok()
    }

    /// Reads the counters on a separate thread. If this reading is abandoned, the next reading opens a new connection.
    async fn read_elsewhere(&mut self, patience: Duration) -> Result<Sample> {
        let fresh = self.reader.without_connection();
        let mut reader = std::mem::replace(&mut self.reader, fresh);
        let (say, hear) = tokio::sync::oneshot::channel();
        let work = move || {
            let event_loop = EventLoop::new();
            let result = event_loop.and_then(|it| it.block_on(reader.try_until(patience)));
            // If the reading took too long, nobody receives it anymore, so ignore the error.
            drop(say.send((reader, result)));
        };
        let name = std::thread::Builder::new().name("probe".into());
        name.spawn(work).map_err(|error| {
            Error::new(ErrorKind::Resource, "cannot start a thread").source(error)
        })?;
        let (reader, result) = hear.await.map_err(|_| {
            Error::new(ErrorKind::Other, "the thread that reads the counters panicked")
        })?;
        self.reader = reader;
        result
    }

    /// Records why a reading is missing. If a request got no response, the connection is unusable.
    fn give_up(&mut self, error: Error) {
        self.silent = matches!(error.kind(), ErrorKind::Timeout | ErrorKind::Cancelled);
        if self.silent {
            self.reader.exchanges.clear();
            let running = self.reader.cancels.running();
            if !running.is_empty() {
                let name = std::thread::Builder::new().name("cancel".into());
                // If the thread cannot be started, the statement is not cancelled. The server then runs it to the end.
                drop(name.spawn(move || running.cancel()));
            }
        }
        self.failed.get_or_insert(error);
    }
}

/// Returns true if a driver's calls can block while they wait for a server. A database in this process has no server to
/// wait for.
pub(crate) fn blocks(driver: &dyn Driver) -> bool {
    driver.scheduling() == Scheduling::Thread && !driver.capabilities().embedded
}

/// The administrative sessions.
struct Reader {
    setup: Setup,
    catalog: Arc<Catalog>,
    statement: Option<StatementId>,
    /// The counters that prove commits.
    counters: Vec<Counter>,
    /// True if the next reading is taken before or after the load.
    outside: bool,
    clock: Arc<dyn Clock>,
    /// One session for each set of tables; empty while disconnected. The first session also reads the server's own
    /// counters.
    exchanges: Vec<Exchange>,
    connection: u32,
    cancels: Cancels,
}

impl Reader {
    /// Returns a copy of the reader that has no connections.
    fn without_connection(&self) -> Self {
        let Self {
            setup, catalog, statement, counters, outside, clock, connection, cancels, ..
        } = self;
        Self {
            setup: setup.clone(),
            catalog: catalog.clone(),
            statement: *statement,
            counters: counters.clone(),
            outside: *outside,
            clock: clock.clone(),
            exchanges: Vec::new(),
            connection: *connection,
            cancels: cancels.clone(),
        }
    }

    /// Takes a reading. If the connection is lost, reconnects first.
    async fn try_until(&mut self, patience: Duration) -> Result<Sample> {
        let found_again = self.setup.plan.on_disconnect == OnDisconnect::Reconnect;
        let until = self.clock.now().plus(if found_again { patience } else { Duration::ZERO });
        let mut fresh = false;
        loop {
            if self.exchanges.is_empty() {
                fresh = true;
            }
            let error = match self.connected_read().await {
                Ok(sample) => return Ok(sample),
                Err(error) => error,
            };
            let lost = error.retry_class() == Retry::NewConnection || self.exchanges.is_empty();
            if lost {
                self.exchanges.clear();
            }
            if !lost || fresh && self.clock.now() >= until {
                return Err(error);
            }
            if fresh {
                pause().await;
            }
        }
    }

    async fn connected_read(&mut self) -> Result<Sample> {
        if self.exchanges.is_empty() {
            self.connect().await?;
        }
        self.try_read().await
    }

    async fn connect(&mut self) -> Result<()> {
        // If only the server's own counters are read, no statement is needed. Use the form that prepares nothing,
        // because some runs cannot prepare statements.
        let unprepared = self.statement.is_none() || self.setup.form == Form::Simple;
        let simple = unprepared && self.setup.driver.capabilities().simple;
        let form = if simple { Form::Simple } else { Form::Sql };
        let mut exchanges = Vec::new();
        for set in 0..self.setup.sets.max(1) {
            let (setup, clock) = (&self.setup, self.clock.clone());
            let cancels = self.cancels.clone();
            let environment = environment(setup, clock, ADMINISTRATION + set, cancels);
            let session = setup.driver.connect(&setup.target, environment).await?;
            exchanges.push(Exchange::new(session, self.catalog.clone(), form).await?);
        }
        self.exchanges = exchanges;
        self.connection += 1;
        Ok(())
    }

    async fn try_read(&mut self) -> Result<Sample> {
        let mut sample =
            Sample { counter: None, server: None, connection: self.connection, sums: None };
        if let Some(statement) = self.statement {
            let before = self.clock.now();
            let mut sum = 0;
            for exchange in &mut self.exchanges {
                exchange.execute(statement);
                sum += exchange.send().await?.one(0)?.number(0)?;
            }
            sample.counter = Some((sum as u64, self.middle(before)));
        }
        if self.outside && !self.counters.is_empty() {
            sample.sums = Some(self.read_sums().await?);
        }
        let before = self.clock.now();
        if let Some(first) = self.exchanges.first_mut() {
            let counters = first.inspector().counters().await?;
            sample.server = counters.map(|counters| (counters, self.middle(before)));
        }
        Ok(sample)
    }

    /// Returns the sum of each counter over all sets of tables. If several counters come from the same statement, it is
    /// executed only once per set.
    async fn read_sums(&mut self) -> Result<[i64; COUNTERS_MAX]> {
        let mut sums = [0; COUNTERS_MAX];
        for exchange in &mut self.exchanges {
            for (at, counter) in self.counters.iter().enumerate() {
                let same = |other: &&(usize, &Counter)| other.1.statement == counter.statement;
                if self.counters.iter().enumerate().take(at).any(|one| same(&&one)) {
                    continue;
                }
                exchange.execute(counter.statement);
                let row = exchange.send().await?.one(0)?;
                for (place, other) in self.counters.iter().enumerate().filter(|one| same(&one)) {
                    sums[place] += row.number(other.column)?;
                }
            }
        }
        Ok(sums)
    }

    fn middle(&self, before: Instant) -> Instant {
        before.plus(self.clock.now().since(before) / 2)
    }
}

/// Waits before another attempt. Does nothing outside an event loop.
async fn pause() {
    if tokio::runtime::Handle::try_current().is_ok() {
        tokio::time::sleep(PAUSE).await;
    }
}

/// Performs work within a time limit. An interrupt shortens this limit, and a second interrupt abandons the work.
async fn within<T>(
    limit: Duration,
    interrupt: &Interrupt,
    work: impl Future<Output = T>,
) -> Result<T> {
    if tokio::runtime::Handle::try_current().is_err() {
        return Ok(work.await);
    }
    let (mut work, mut late) = (pin!(work), pin!(too_late(limit, interrupt)));
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Ok(done)),
        Poll::Pending => late.as_mut().poll(context).map(Err),
    })
    .await
}

/// Waits until the time limit has passed or the user interrupts. Returns the corresponding error.
async fn too_late(limit: Duration, interrupt: &Interrupt) -> Error {
    let begin = tokio::time::Instant::now();
    let mut stopped = None;
    while begin.elapsed() < limit && interrupt.interrupt_count() < 2 {
        if interrupt.interrupt_count() > 0
            && stopped.get_or_insert_with(tokio::time::Instant::now).elapsed() >= WHEN_STOPPED
        {
            break;
        }
        tokio::time::sleep(TICK).await;
    }
    if interrupt.interrupt_count() > 0 {
        let text = "the run was stopped before the server responded";
        return Error::new(ErrorKind::Cancelled, text);
    }
    let text = format!("the server did not respond within {}", span(limit));
    Error::new(ErrorKind::Timeout, text).hint("allow more time with --answer-timeout")
}
