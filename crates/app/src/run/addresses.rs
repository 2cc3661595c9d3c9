//! Watches the addresses of `--route` during a run. Measures how old their data is, and detects when excluded addresses
//! are reachable again.
//!
//! Each address has its own thread, so sessions never wait for it. Ten times per second, the thread writes a row
//! to the target's marker table and waits until it can read this row at the address. The time from the
//! acknowledgment of the commit to the successful read is the staleness.
//!
//! Start reading at [`Addresses::start`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tacho_cluster::now;
use tacho_core::units::{counted, span};
use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Driver, Target};
use tacho_engine::{EventLoop, Routes};
use tacho_metrics::Latencies;
use tacho_store::record::{
    AddressRecord, DistributionRecord, LeftOutRecord, NoticeRecord, ResultRecord,
};
use tacho_workload::MarkerStore;

use super::notices::Notice;
use crate::access::environment;
use crate::{Context, Request};

/// The interval between attempts to reach an excluded address.
const LOOK: Duration = Duration::from_millis(500);
/// Maximum interval between attempts to reach an excluded address. The interval grows if the address repeatedly
/// fails soon after it has recovered.
const LOOK_MAX: Duration = Duration::from_secs(8);
/// The time limit of an attempt.
const LOOK_WITHIN: Duration = Duration::from_secs(10);
/// Minimum time without a failure before an address counts as recovered.
const BACK_FOR: Duration = Duration::from_secs(10);
/// The interval between rows.
const PAUSE: Duration = Duration::from_millis(100);
/// Interval at which the reader checks whether a row has arrived at the address.
const POLL: Duration = Duration::from_millis(1);
/// Time limit for reading the first row at the address. If this takes longer, the target is assumed not to
/// replicate to the address.
const FED_WITHIN: Duration = Duration::from_secs(10);

/// The time limit for reading the last row after the run.
const LAST_WITHIN: Duration = Duration::from_secs(2);

/// The watched addresses.
#[derive(Default)]
pub(crate) struct Addresses {
    shared: Option<Arc<Shared>>,
    threads: Vec<JoinHandle<AddressRecord>>,
}

struct Shared {
    routes: Arc<Routes>,
    context: Context,
    driver: Arc<dyn Driver>,
    target: Target,
    /// True if staleness is being measured.
    measures: bool,
    stop: AtomicBool,
    measuring: AtomicBool,
    begin: OnceLock<Instant>,
    notes: Mutex<Vec<String>>,
}

impl Addresses {
    /// Starts watching the addresses. Measures staleness only if `measures` is true.
    pub(crate) fn start(
        Request { job, context }: Request<'_>,
        routes: Option<&Arc<Routes>>,
        measures: bool,
    ) -> Result<Self> {
        let Some(routes) = routes else { return Ok(Self::default()) };
        if !job.driver.capabilities().stores_data {
            return Ok(Self::default());
        }
        let shared = Arc::new(Shared {
            routes: Arc::clone(routes),
            context: context.clone(),
            driver: Arc::clone(&job.driver),
            target: job.target.clone(),
            measures: measures && job.has_data(),
            stop: AtomicBool::new(false),
            measuring: AtomicBool::new(false),
            begin: OnceLock::new(),
            notes: Mutex::default(),
        });
        let mut threads = Vec::new();
        for address in 0..routes.targets.len() {
            let shared = Arc::clone(&shared);
            let name = std::thread::Builder::new().name("address".into());
            threads.push(name.spawn(move || shared.watch(address))?);
        }
        Ok(Self { shared: Some(shared), threads })
    }

    /// Handles the start of a phase. `measured` is true for the measured phase.
    pub(crate) fn phase(&self, measured: bool) {
        if let Some(shared) = &self.shared {
            shared.begin.get_or_init(now);
            shared.measuring.store(measured, Ordering::Relaxed);
        }
    }

    /// Returns the pending notes and clears them.
    pub(crate) fn take_notes(&self) -> Vec<String> {
        let notes = self.shared.as_ref().map(|shared| shared.notes.lock());
        notes.map_or_else(Vec::new, |notes| {
            std::mem::take(&mut *notes.unwrap_or_else(PoisonError::into_inner))
        })
    }

    /// Stops watching, and returns what was observed at each address.
    pub(crate) fn end(mut self) -> Vec<AddressRecord> {
        self.stop();
        let threads = std::mem::take(&mut self.threads);
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    }

    fn stop(&self) {
        if let Some(shared) = &self.shared {
            shared.stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for Addresses {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    fn note(&self, text: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    /// Returns the time since the start of the load in seconds, with millisecond precision.
    fn at(&self) -> f64 {
        let since = self.begin.get().map_or(Duration::ZERO, |begin| now() - *begin);
        since.as_millis() as f64 / 1e3
    }

    fn watch(&self, address: usize) -> AddressRecord {
        let target = &self.routes.targets[address];
        let mut record = AddressRecord { target: target.redacted(), ..AddressRecord::default() };
        let event_loop = match EventLoop::new() {
            Ok(event_loop) => event_loop,
            Err(error) => {
                self.note(unwatched(&record.target, &error));
                return record;
            }
        };
        let mut gauge = (self.measures && *target != self.target).then(|| Gauge::new(address));
        let (mut look, mut back) = (LOOK, None::<Instant>);
        while self.goes_on() {
            if !self.routes.health.is_out(address) {
                let measured = match &mut gauge {
                    Some(gauge) => gauge.round(self, &event_loop),
                    None => Ok(()),
                };
                if let Err(error) = measured {
                    self.note(format!(
                        "stopped measuring the staleness of {}: {error}",
                        record.target
                    ));
                    gauge = None;
                }
                self.pause(PAUSE);
                continue;
            }
            if let Some(why) = self.routes.health.take_reason(address) {
                let again = back.is_some_and(|back| now() - back < BACK_FOR);
                look = if again { (look * 2).min(LOOK_MAX) } else { LOOK };
                self.note(format!("{} is excluded from its routes: {why}", record.target));
                record.left_out.push(LeftOutRecord { from_s: self.at(), to_s: None, why });
            }
            self.pause(look);
            if self.is_back(&event_loop, target) && self.goes_on() {
                back = Some(now());
                self.routes.health.take_back(address);
                if let Some(last) = record.left_out.last_mut() {
                    last.to_s = Some(self.at());
                    let away = Duration::from_secs_f64((self.at() - last.from_s).max(0.0));
                    self.note(format!("{} is back after {}", record.target, span(away)));
                }
            }
        }
        if let Some(mut gauge) = gauge {
            gauge.finish(self, &event_loop);
            gauge.enter(&mut record);
        }
        record
    }

    /// Waits for `length` or until the run ends.
    #[expect(
        clippy::disallowed_methods,
        reason = "runs on a separate thread, so no session has to wait for it"
    )]
    fn pause(&self, length: Duration) {
        let end = now() + length;
        while self.goes_on() && now() < end {
            std::thread::sleep(PAUSE.min(end - now()));
        }
    }

    /// Returns true if a connection succeeds within [`LOOK_WITHIN`]. If not, it is better to try again than to wait.
    fn is_back(&self, event_loop: &EventLoop, target: &Target) -> bool {
        let until = now() + LOOK_WITHIN;
        let tried = event_loop.block_while(
            async {
                let environment = environment(&self.context, false, 0);
                self.driver.connect(target, environment).await?.close().await
            },
            || self.goes_on() && now() < until,
        );
        matches!(tried, Some(Ok(())))
    }

    async fn open(&self, target: &Target) -> Result<MarkerStore> {
        let environment = environment(&self.context, false, 0);
        let session = self.driver.connect(target, environment).await?;
        match MarkerStore::open(session, self.driver.dialect()).await? {
            Ok(store) => Ok(store),
            Err(_) => Err(Error::new(ErrorKind::Missing, "there is no marker table")),
        }
    }
}

/// Returns the message for an address that cannot be observed.
fn unwatched(target: &str, error: &Error) -> String {
    format!(
        "{target} is not monitored: if it fails, it remains excluded from its routes, and its \
            staleness is not measured: {error}"
    )
}

/// Writes rows to the target and waits for each of them at an address.
struct Gauge {
    address: usize,
    key: String,
    writer: Option<MarkerStore>,
    reader: Option<MarkerStore>,
    number: u64,
    /// The row that has been written but not read yet. Contains the time at which the row was committed, and true if
    /// this was in the measured phase.
    pending: Option<(Instant, bool)>,
    staleness: Latencies,
    written: u64,
    read: u64,
    /// True if at least one row has been read.
    fed: bool,
}

impl Gauge {
    fn new(address: usize) -> Self {
        Self {
            address,
            key: format!("staleness.{address}"),
            writer: None,
            reader: None,
            // A number not used by any earlier run.
            number: tacho_collect::wall_clock().as_micros() as u64,
            pending: None,
            staleness: Latencies::new(),
            written: 0,
            read: 0,
            fed: false,
        }
    }

    /// Writes rows and waits for each until the run ends or the address is excluded. Returns an error if no row ever
    /// arrives.
    fn round(&mut self, shared: &Shared, event_loop: &EventLoop) -> Result<()> {
        let (fed, until, address) = (self.fed, now() + FED_WITHIN, self.address);
        let health = &shared.routes.health;
        let go_on = || shared.goes_on() && !health.is_out(address) && (fed || now() < until);
        self.await_row(shared, event_loop, &go_on);
        if !self.fed && now() >= until {
            let text =
                format!("a row written at the target did not arrive within {}", span(FED_WITHIN));
            return Err(Error::new(ErrorKind::Timeout, text));
        }
        Ok(())
    }

    /// After the run, waits briefly for the last row of the measured phase.
    fn finish(&mut self, shared: &Shared, event_loop: &EventLoop) {
        let until = now() + LAST_WITHIN;
        if self.pending.is_some_and(|(_, counts)| counts) {
            self.await_row(shared, event_loop, &|| now() < until);
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "runs on a separate thread, so no session has to wait for it"
    )]
    fn await_row(&mut self, shared: &Shared, event_loop: &EventLoop, go_on: &dyn Fn() -> bool) {
        let is_there = loop {
            match event_loop.block_while(self.write_and_read(shared), go_on) {
                Some(Ok(false)) if go_on() => std::thread::sleep(POLL),
                done => break matches!(done, Some(Ok(_))),
            }
        };
        if !is_there {
            // Reconnect, then wait for the same row.
            (self.writer, self.reader) = (None, None);
        }
    }

    /// Writes a row unless the previous row has not arrived yet, then reads once. Returns true if the row was found.
    async fn write_and_read(&mut self, shared: &Shared) -> Result<bool> {
        let (since, counts) = match self.pending {
            Some(pending) => pending,
            None => self.write(shared).await?,
        };
        let reader = match self.reader.take() {
            Some(reader) => reader,
            None => shared.open(&shared.routes.targets[self.address]).await?,
        };
        let found = self.reader.insert(reader).entry(&self.key).await?;
        if found.as_ref() != Some(&self.number.to_string()) {
            return Ok(false);
        }
        (self.pending, self.fed) = (None, true);
        if counts {
            self.staleness.record(now() - since);
            self.read += 1;
        }
        Ok(true)
    }

    /// Writes the next row. Returns the time of its acknowledgment, and true if it belongs to the measured phase.
    async fn write(&mut self, shared: &Shared) -> Result<(Instant, bool)> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => shared.open(&shared.target).await?,
        };
        let writer = self.writer.insert(writer);
        self.number += 1;
        writer.write_entry(&self.key, &self.number.to_string()).await?;
        let counts = shared.measuring.load(Ordering::Relaxed);
        self.written += u64::from(counts);
        Ok(*self.pending.insert((now(), counts)))
    }

    fn enter(self, record: &mut AddressRecord) {
        record.written = self.written;
        record.unread = self.written - self.read;
        if self.read > 0 {
            record.staleness = Some(DistributionRecord::from(&self.staleness));
        }
    }
}

/// Returns the notices about the addresses.
pub(super) fn notices(figures: &ResultRecord) -> Vec<NoticeRecord> {
    let out = figures.addresses.iter().filter(|address| !address.left_out.is_empty());
    let text = |address: &AddressRecord| {
        let times = counted(address.left_out.len() as u64, "time");
        let why = &address.left_out[0].why;
        format!("{} was excluded from its routes {times}: {why}", address.target)
    };
    out.map(|address| Notice::AddressLeftOut.found(text(address))).collect()
}
