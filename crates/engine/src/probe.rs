//! Reads counters from the database at the borders of the phases, on a session of its own for each set
//! of tables.
//!
//! A lost connection is made again, since a server that has crashed and come back is the one whose
//! counters matter most. No reading waits longer than it may. Start reading at [`Probe::read`].

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

/// How often it is seen that the user wants to leave.
const TICK: Duration = Duration::from_millis(20);
/// How long a reading may take once the user wants to stop: a healthy server needs milliseconds.
const WHEN_STOPPED: Duration = Duration::from_secs(2);
/// How long a reading may take where the one before has had no answer.
const WHEN_SILENT: Duration = Duration::from_secs(5);
/// Wait between two attempts to connect again.
const PAUSE: Duration = Duration::from_millis(200);

/// What a reading found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) counter: Option<(u64, Instant)>,
    pub(crate) server: Option<(Counters, Instant)>,
    /// How often the connection had been made. A server's own counters may begin again when it starts,
    /// so those of two connections cannot be compared.
    pub(crate) connection: u32,
    /// The sums that prove commits; read before and after the load alone.
    pub(crate) sums: Option<[i64; COUNTERS_MAX]>,
}

/// Reads, and gives up where no answer comes in time.
pub(crate) struct Probe {
    reader: Reader,
    /// Whether a reading blocks the thread that it is on, so that it needs one of its own to be given up.
    blocks: bool,
    /// Whether the last reading had no answer in time.
    silent: bool,
    /// The first failure that left a reading out.
    failed: Option<Error>,
}

impl Probe {
    /// Opens the sessions; `None` if there is nothing to read.
    pub(crate) async fn open(
        setup: &Setup,
        catalog: Arc<Catalog>,
        clock: Arc<dyn Clock>,
    ) -> Result<Option<Self>> {
        let capabilities = setup.driver.capabilities();
        let headline = setup.instance.headline().filter(|_| capabilities.stores_data);
        // What one of several databases counts is a part of it, or the same again.
        let several = setup.routes.is_some();
        let mut counters = setup.instance.counters();
        counters.truncate(if capabilities.stores_data { COUNTERS_MAX } else { 0 });
        let nothing = headline.is_none() && counters.is_empty() && !capabilities.counters;
        if several || nothing {
            return Ok(None);
        }
        let statement = headline.map(|headline| headline.counter);
        let mut reader = Reader {
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
        reader.connect().await?;
        Ok(Some(Self { reader, blocks: blocks(&*setup.driver), silent: false, failed: None }))
    }

    /// Whether the next readings are before or after the load, and not within it.
    pub(crate) fn set_outside(&mut self, outside: bool) {
        self.reader.outside = outside;
    }

    /// Why a reading is missing, if one is.
    pub(crate) fn into_failure(self) -> Option<Error> {
        self.failed
    }

    /// Reads all counters. Where the connection is lost, a server that is to be found again is tried for
    /// `patience`, any other one once. `None` if that fails or takes too long.
    pub(crate) async fn read(
        &mut self,
        interrupt: &Interrupt,
        patience: Duration,
    ) -> Option<Sample> {
        let limit = self.reader.setup.plan.answer_within;
        let limit = if self.silent { limit.min(WHEN_SILENT) } else { limit };
        let patience = patience.min(limit);
        let answer = if self.blocks {
            within(limit, interrupt, self.read_elsewhere(patience)).await
        } else {
            within(limit, interrupt, self.reader.try_until(patience)).await
        };
        let result = answer.unwrap_or_else(|late| Err(late.during("read the counters")));
        result.map_err(|error| self.give_up(error)).ok()
    }

    /// Reads on a thread of its own. If that is given up, the thread keeps what has no answer, and the next
    /// reading connects again.
    async fn read_elsewhere(&mut self, patience: Duration) -> Result<Sample> {
        let fresh = self.reader.without_connection();
        let mut reader = std::mem::replace(&mut self.reader, fresh);
        let (say, hear) = tokio::sync::oneshot::channel();
        let work = move || {
            let event_loop = EventLoop::new();
            let result = event_loop.and_then(|it| it.block_on(reader.try_until(patience)));
            // The receiver is gone if it took too long.
            drop(say.send((reader, result)));
        };
        let name = std::thread::Builder::new().name("probe".into());
        name.spawn(work).map_err(|error| {
            Error::new(ErrorKind::Resource, "cannot start a thread").source(error)
        })?;
        let (reader, result) = hear
            .await
            .map_err(|_| Error::new(ErrorKind::Other, "the reading of the counters panicked"))?;
        self.reader = reader;
        result
    }

    /// Notes why a reading is missing. What was asked and not answered leaves the connection unusable.
    fn give_up(&mut self, error: Error) {
        self.silent = matches!(error.kind(), ErrorKind::Timeout | ErrorKind::Cancelled);
        if self.silent {
            self.reader.exchanges.clear();
            let running = self.reader.cancels.running();
            if !running.is_empty() {
                let name = std::thread::Builder::new().name("cancel".into());
                // Without a thread the server continues a statement whose result is not read.
                drop(name.spawn(move || running.cancel()));
            }
        }
        self.failed.get_or_insert(error);
    }
}

/// Whether a driver's calls block and may wait for a server: one within our process always answers.
pub(crate) fn blocks(driver: &dyn Driver) -> bool {
    driver.scheduling() == Scheduling::Thread && !driver.capabilities().embedded
}

/// Sessions for administration.
struct Reader {
    setup: Setup,
    catalog: Arc<Catalog>,
    statement: Option<StatementId>,
    /// What proves commits.
    counters: Vec<Counter>,
    /// Whether the next reading is before or after the load.
    outside: bool,
    clock: Arc<dyn Clock>,
    /// One for each set of tables, the first also reads what the whole server counts; none if the
    /// connection is lost.
    exchanges: Vec<Exchange>,
    connection: u32,
    cancels: Cancels,
}

impl Reader {
    /// The same, to be connected.
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

    /// Reads, after the connection was made again if it is lost.
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
        // Counters alone need no statement, and nothing is prepared for them; nor is it where sessions are not to.
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

    /// Reads the sums of all sets of tables; each statement is asked once.
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

/// Waits before the next attempt, where an event loop can wait.
async fn pause() {
    if tokio::runtime::Handle::try_current().is_ok() {
        tokio::time::sleep(PAUSE).await;
    }
}

/// Does work within a time, which is short once the user wants to stop, and none if they want to leave at
/// once. Only an event loop can look while something else is waited for.
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

/// Comes when nothing is to be waited for any more, and says why.
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
        let text = "the run was stopped, and the server had not answered";
        return Error::new(ErrorKind::Cancelled, text);
    }
    let text = format!("the server did not answer within {}", span(limit));
    Error::new(ErrorKind::Timeout, text).hint("--answer-timeout sets the limit")
}
