//! Watches a server during a run, from a thread and a connection of its own.
//!
//! Counters and gauges are read once a second, and what our sessions wait for ten times a second: often enough
//! for shares, and no more than a few statements in addition to thousands.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result, WaitKind};
use tacho_driver::{Collector, CollectorFuture, Driver, Environment, Reading, Target, Wait};

/// Time between two looks at the sessions.
const LOOK: Duration = Duration::from_millis(100);
/// Looks between two readings of the counters.
const LOOKS_PER_READING: u64 = 10;
/// Time between two attempts to connect again to a server that has gone.
const RETRY: Duration = Duration::from_millis(500);
/// Longest wait for the end of an observer that has something to do then.
const FINISH: Duration = Duration::from_mins(1);

/// What was seen since it was last taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerSeen {
    /// How often the sessions were looked at.
    pub samples: u64,
    /// Sessions seen, by class, event and kind, summed over all looks.
    pub waits: BTreeMap<(String, String, WaitKind), u64>,
    /// Growth of the counters.
    pub counters: BTreeMap<String, u64>,
    /// What rises and falls.
    pub gauges: BTreeMap<String, Gauge>,
    /// Transactions in the server's counters that the observer itself ended.
    pub own_transactions: u64,
}

/// All readings of something that rises and falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gauge {
    /// How often it was read.
    pub readings: u64,
    /// Their sum, for the mean.
    pub sum: u128,
    /// The smallest.
    pub min: u64,
    /// The largest.
    pub max: u64,
    /// The latest.
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

    /// The mean of all readings.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.readings.max(1) as f64
    }
}

impl ServerSeen {
    /// Adds what was seen later.
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

/// What the thread of a watch reports.
enum Report {
    Seen(ServerSeen),
    /// The server no longer answers.
    Failed(Error),
    /// It answers again, after so long.
    Back(Duration),
    /// The observer has come to its end.
    Finished(Result<ServerSeen>),
}

/// A watch that lasts until it is dropped. It connects again to a server that has gone.
pub struct ServerWatch {
    reports: Receiver<Report>,
    missing: Vec<String>,
    failed: Option<Error>,
    gaps: Vec<(Error, Duration)>,
    /// Its end tells the thread to end.
    stop: Option<Sender<()>>,
    /// Whether the end of the observer is waited for.
    finishes: bool,
}

impl ServerWatch {
    /// Begins to watch; `None` if the driver has nothing to see. Asks now and then whether a server that does
    /// not answer is to be waited for any longer.
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
                    // The thread ends as soon as the server answers, or with the process.
                    return Err(Error::new(
                        ErrorKind::Timeout,
                        "the server did not answer in time",
                    ));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::usage("the watch of the server ended before its start"));
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

    /// Ends the observation, and returns what its end has left; an observer that ends without a word is not waited for.
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
                        "the end of the observation timed out after {} s",
                        FINISH.as_secs()
                    );
                    return Err(Error::new(ErrorKind::Timeout, text));
                }
            }
        }
    }

    /// What was seen since the last time.
    pub fn take(&mut self) -> ServerSeen {
        let mut all = ServerSeen::default();
        for report in self.reports.try_iter() {
            match report {
                Report::Seen(seen) => all.merge(&seen),
                Report::Failed(error) => self.failed = Some(error),
                Report::Back(after) => {
                    self.gaps.extend(self.failed.take().map(|error| (error, after)));
                }
                // It follows `finish`, which takes it.
                Report::Finished(_) => {}
            }
        }
        all
    }

    /// What cannot be seen, with the remedy.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Why nothing is seen any more, if so.
    pub fn failed(&self) -> Option<&Error> {
        self.failed.as_ref()
    }

    /// Times in which nothing was seen, with their reasons. What the counters grew in them is not known.
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

/// Connects again as soon as the server answers; `None` if the watch is dropped before.
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

/// Looks until the watch is dropped, or the server no longer answers: then why.
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
        // Blocks this thread, which does nothing else, and ends at once when the watch is dropped.
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
            // A counter that fell was reset with the server: what it shows now has grown since.
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
    fn what_rises_and_falls_is_summarised_and_not_added() {
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
