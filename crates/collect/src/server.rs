//! Watches a database server during a run. A separate thread and connection are used for this.
//!
//! Counters and gauges are read once a second. The wait events of Tacho's sessions are sampled ten times a second.
//! These queries add little to the load.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result, WaitKind};
use tacho_driver::{Collector, CollectorFuture, Driver, Environment, Reading, Target, Wait};

/// Time between two samples of the sessions' wait events.
const LOOK: Duration = Duration::from_millis(100);
/// Number of wait event samples for each reading of the counters.
const LOOKS_PER_READING: u64 = 10;
/// Time between two attempts to reconnect to a lost server.
const RETRY: Duration = Duration::from_millis(500);
/// Time limit for the work that an observer does after its last reading.
const FINISH: Duration = Duration::from_mins(1);

/// The observations since the previous call to [`ServerWatch::take`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerSeen {
    /// Number of samples of the sessions.
    pub samples: u64,
    /// For each wait class, event and kind of wait: the number of sessions, summed over all samples.
    pub waits: BTreeMap<(String, String, WaitKind), u64>,
    /// Growth of the counters.
    pub counters: BTreeMap<String, u64>,
    /// Gauges.
    pub gauges: BTreeMap<String, Gauge>,
    /// Number of transactions that the observer itself executed. The server's counters include them, so they must be
    /// subtracted.
    pub own_transactions: u64,
}

/// All readings of a gauge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gauge {
    /// Number of readings.
    pub readings: u64,
    /// Sum of all readings, for computing the mean.
    pub sum: u128,
    /// Smallest reading.
    pub min: u64,
    /// Largest reading.
    pub max: u64,
    /// Latest reading.
    pub last: u64,
}

impl From<u64> for Gauge {
    fn from(value: u64) -> Self {
        Self { readings: 1, sum: value.into(), min: value, max: value, last: value }
    }
}

impl Gauge {
    /// Adds later readings.
    fn merge(&mut self, later: &Self) {
        self.readings += later.readings;
        self.sum += later.sum;
        self.min = self.min.min(later.min);
        self.max = self.max.max(later.max);
        self.last = later.last;
    }

    /// Returns the mean of all readings.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.readings.max(1) as f64
    }
}

impl ServerSeen {
    /// Adds later observations.
    pub fn merge(&mut self, later: &Self) {
        self.samples += later.samples;
        self.own_transactions += later.own_transactions;
        for (what, sessions) in &later.waits {
            *self.waits.entry(what.clone()).or_default() += sessions;
        }
        for (name, growth) in &later.counters {
            *self.counters.entry(name.clone()).or_default() += growth;
        }
        for (name, gauge) in &later.gauges {
            let merge = |known: &mut Gauge| known.merge(gauge);
            self.gauges.entry(name.clone()).and_modify(merge).or_insert(*gauge);
        }
    }

    fn look(&mut self, waits: Vec<Wait>) {
        self.samples += 1;
        for wait in waits {
            let what = (wait.class, wait.event, wait.kind);
            *self.waits.entry(what).or_default() += u64::from(wait.sessions);
        }
    }
}

/// A report from the thread that watches the server.
enum Report {
    Seen(ServerSeen),
    /// The server no longer responds.
    Failed(Error),
    /// The server responds again. The value is the time since it stopped responding.
    Back(Duration),
    /// The observer has ended.
    Finished(Result<ServerSeen>),
}

/// Watches a server until it is dropped, and reconnects if the connection is lost.
pub struct ServerWatch {
    reports: Receiver<Report>,
    missing: Vec<String>,
    failed: Option<Error>,
    gaps: Vec<(Error, Duration)>,
    /// Dropping this sender ends the thread.
    stop: Option<Sender<()>>,
    /// True if the observer has final work to do, so that the end of the watch must wait for it.
    finishes: bool,
}

impl ServerWatch {
    /// Waits for the server to respond and then starts watching it. Returns `None` if the driver cannot observe
    /// anything, or if `go_on` returns false during the wait.
    pub fn start(
        driver: Arc<dyn Driver>,
        target: Target,
        environment: Environment,
        go_on: impl Fn() -> bool,
    ) -> Result<Option<Self>> {
        let (say, reports) = channel();
        let (say_ready, ready) = channel();
        let (stop, stopped) = channel();
        let watch = move || {
            let open = open(driver.as_ref(), &target, environment.clone());
            let (event_loop, mut collector) = match open {
                Ok(Some(open)) => open,
                Ok(None) => return drop(say_ready.send(Ok(None))),
                Err(error) => return drop(say_ready.send(Err(error))),
            };
            let ready = (collector.missing().to_vec(), collector.finishes());
            let _ = say_ready.send(Ok(Some(ready)));
            event_loop.block_on(async {
                while let Some(error) = watch(collector.as_mut(), &say, &stopped).await {
                    let (gone, is_away) =
                        (environment.clock.now(), error.kind() == ErrorKind::Connect);
                    if say.send(Report::Failed(error)).is_err() || !is_away {
                        return;
                    }
                    let connect = || driver.collector(&target, environment.clone());
                    let Some(again) = again(connect, &stopped).await else { return };
                    collector = again;
                    let _ = say.send(Report::Back(environment.clock.now().since(gone)));
                }
                if collector.finishes() {
                    let _ = say.send(Report::Finished(finished(collector.as_mut()).await));
                }
            });
        };
        std::thread::Builder::new().name("server watch".into()).spawn(watch)?;
        let ready = loop {
            match ready.recv_timeout(LOOK) {
                Ok(ready) => break ready?,
                Err(RecvTimeoutError::Timeout) if go_on() => {}
                Err(RecvTimeoutError::Timeout) => {
                    // Do not wait for the thread, which may run until the server responds or the process exits.
                    return Err(Error::new(
                        ErrorKind::Timeout,
                        "the server did not respond in time",
                    ));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::usage("the server monitor exited before it was ready"));
                }
            }
        };
        Ok(ready.map(|(missing, finishes)| Self {
            reports,
            missing,
            failed: None,
            gaps: Vec::new(),
            stop: Some(stop),
            finishes,
        }))
    }

    /// Ends the watch and returns the observer's final results, if it has any.
    pub fn finish(&mut self) -> Result<ServerSeen> {
        drop(self.stop.take());
        let mut left = Ok(ServerSeen::default());
        if !self.finishes {
            return left;
        }
        loop {
            match self.reports.recv_timeout(FINISH) {
                Ok(Report::Finished(outcome)) => left = outcome,
                Ok(Report::Failed(error)) => self.failed = Some(error),
                Ok(Report::Seen(_) | Report::Back(_)) => {}
                Err(RecvTimeoutError::Disconnected) => return left,
                Err(RecvTimeoutError::Timeout) => {
                    let text = format!(
                        "timed out after {} s while ending the observation",
                        FINISH.as_secs()
                    );
                    return Err(Error::new(ErrorKind::Timeout, text));
                }
            }
        }
    }

    /// Returns the observations since the previous call.
    pub fn take(&mut self) -> ServerSeen {
        let mut all = ServerSeen::default();
        for report in self.reports.try_iter() {
            match report {
                Report::Seen(seen) => all.merge(&seen),
                Report::Failed(error) => self.failed = Some(error),
                Report::Back(after) => {
                    self.gaps.extend(self.failed.take().map(|error| (error, after)));
                }
                // This report never arrives here. The observer sends it only after `finish` was called, and `finish`
                // receives it directly.
                Report::Finished(_) => {}
            }
        }
        all
    }

    /// Explains which statistics cannot be observed. Each entry includes a hint.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Returns the error that ended the observation, or `None` if it is still running.
    pub fn failed(&self) -> Option<&Error> {
        self.failed.as_ref()
    }

    /// Returns the periods in which the server could not be observed, and the error that caused each.
    pub fn gaps(&self) -> &[(Error, Duration)] {
        &self.gaps
    }
}

type Open = (tokio::runtime::Runtime, Box<dyn Collector>);

fn open(driver: &dyn Driver, target: &Target, environment: Environment) -> Result<Option<Open>> {
    let event_loop = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let collector = event_loop.block_on(driver.collector(target, environment))?;
    Ok(collector.map(|collector| (event_loop, collector)))
}

/// Reconnects as soon as the server responds. Returns `None` if the watch is dropped first.
async fn again<'a>(
    connect: impl Fn() -> CollectorFuture<'a>,
    stopped: &Receiver<()>,
) -> Option<Box<dyn Collector>> {
    loop {
        if stopped.recv_timeout(RETRY) == Err(RecvTimeoutError::Disconnected) {
            return None;
        }
        if let Ok(Some(collector)) = connect().await {
            return Some(collector);
        }
    }
}

/// Observes the server until the [`ServerWatch`] no longer exists. Returns an error if the server stops responding.
async fn watch(
    collector: &mut dyn Collector,
    say: &Sender<Report>,
    stopped: &Receiver<()>,
) -> Option<Error> {
    let mut last = BTreeMap::new();
    for number in 0_u64.. {
        let mut seen = ServerSeen::default();
        let before = collector.transactions();
        let result = look(collector, &mut seen, &mut last, number % LOOKS_PER_READING == 0).await;
        seen.own_transactions = collector.transactions() - before;
        if let Err(error) = result {
            return Some(error);
        }
        if say.send(Report::Seen(seen)).is_err() {
            return None;
        }
        // The thread has nothing else to do, so it may block here. Dropping the watch ends this wait immediately.
        if stopped.recv_timeout(LOOK) == Err(RecvTimeoutError::Disconnected) {
            return None;
        }
    }
    None
}

async fn finished(collector: &mut dyn Collector) -> Result<ServerSeen> {
    let Reading { gauges, .. } = collector.finish().await?;
    Ok(ServerSeen { gauges: named(gauges), ..ServerSeen::default() })
}

fn named(gauges: Vec<(&'static str, u64)>) -> BTreeMap<String, Gauge> {
    gauges.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect()
}

async fn look(
    collector: &mut dyn Collector,
    seen: &mut ServerSeen,
    last: &mut BTreeMap<&'static str, u64>,
    reading: bool,
) -> Result<()> {
    seen.look(collector.waits().await?);
    if reading {
        let Reading { counters, gauges } = collector.read().await?;
        seen.gauges = named(gauges);
        for (name, value) in counters {
            // If a counter has decreased, the server was restarted and now counts from zero again, so the increase is
            // the counter's new value.
            let before = last.insert(name, value);
            let growth = before.map_or(0, |before| value.checked_sub(before).unwrap_or(value));
            seen.counters.insert(name.to_owned(), growth);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gauges_are_summarized_instead_of_added() {
        let seen = |values: &[u64]| {
            let each = values.iter().map(|value| ServerSeen {
                gauges: [("age".to_owned(), Gauge::from(*value))].into(),
                ..ServerSeen::default()
            });
            let mut all = ServerSeen::default();
            each.for_each(|one| all.merge(&one));
            all
        };
        let mut all = seen(&[5, 9]);
        all.merge(&ServerSeen::default());
        all.merge(&seen(&[1, 3]));
        let gauge = all.gauges["age"];
        assert_eq!((gauge.min, gauge.max, gauge.last, gauge.readings), (1, 9, 3, 4));
        assert!((gauge.mean() - 4.5).abs() < 1e-9);
    }
}
