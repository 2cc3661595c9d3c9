//! Watches a server during a run, from a thread and a connection of its own.
//!
//! Counters are read once a second, and what our sessions wait for ten times a second: often enough
//! for shares, and no more than a few statements beside thousands.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use tacho_core::{Error, Result};
use tacho_driver::{Collector, Driver, Environment, Target, Wait};

/// Time between two looks at the sessions.
const LOOK: Duration = Duration::from_millis(100);
/// Looks between two readings of the counters.
const LOOKS_PER_READING: u64 = 10;

/// What was seen since it was last taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerSeen {
    /// How often the sessions were looked at.
    pub samples: u64,
    /// Sessions seen, by class and event, summed over all looks.
    pub waits: BTreeMap<(String, String), u64>,
    /// Growth of the counters.
    pub counters: BTreeMap<String, u64>,
}

impl ServerSeen {
    /// Adds what was seen later.
    pub fn merge(&mut self, later: &Self) {
        self.samples += later.samples;
        for (what, sessions) in &later.waits {
            *self.waits.entry(what.clone()).or_default() += sessions;
        }
        for (name, growth) in &later.counters {
            *self.counters.entry(name.clone()).or_default() += growth;
        }
    }

    fn look(&mut self, waits: Vec<Wait>) {
        self.samples += 1;
        for wait in waits {
            *self.waits.entry((wait.class, wait.event)).or_default() += u64::from(wait.sessions);
        }
    }
}

/// A watch that goes on until it is dropped.
pub struct ServerWatch {
    seen: Receiver<Result<ServerSeen>>,
    missing: Vec<String>,
    failed: Option<Error>,
    /// Its end tells the thread to end.
    _stop: Sender<()>,
}

impl ServerWatch {
    /// Begins to watch; `None` if the driver has nothing to see.
    pub fn start(
        driver: Arc<dyn Driver>,
        target: Target,
        environment: Environment,
    ) -> Result<Option<Self>> {
        let (say, seen) = channel();
        let (say_ready, ready) = channel();
        let (stop, stopped) = channel();
        let watch = move || {
            let open = open(driver.as_ref(), &target, environment);
            let (event_loop, mut collector) = match open {
                Ok(Some(open)) => open,
                Ok(None) => return drop(say_ready.send(Ok(None))),
                Err(error) => return drop(say_ready.send(Err(error))),
            };
            let _ = say_ready.send(Ok(Some(collector.missing().to_vec())));
            event_loop.block_on(async { watch(collector.as_mut(), &say, &stopped).await });
        };
        std::thread::Builder::new().name("server watch".into()).spawn(watch)?;
        let gone = |_| Error::usage("the watch of the server ended before its start");
        let missing = ready.recv().map_err(gone)??;
        Ok(missing.map(|missing| Self { seen, missing, failed: None, _stop: stop }))
    }

    /// What was seen since the last time.
    pub fn take(&mut self) -> ServerSeen {
        let mut all = ServerSeen::default();
        for seen in self.seen.try_iter() {
            match seen {
                Ok(seen) => all.merge(&seen),
                Err(error) => self.failed = Some(error),
            }
        }
        all
    }

    /// What cannot be seen, with the remedy.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Why the watch ended early, if it did.
    pub fn failed(&self) -> Option<&Error> {
        self.failed.as_ref()
    }
}

type Open = (tokio::runtime::Runtime, Box<dyn Collector>);

fn open(driver: &dyn Driver, target: &Target, environment: Environment) -> Result<Option<Open>> {
    let event_loop = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let collector = event_loop.block_on(driver.collector(target, environment))?;
    Ok(collector.map(|collector| (event_loop, collector)))
}

/// Looks until the watch is dropped or the server no longer answers.
async fn watch(
    collector: &mut dyn Collector,
    say: &Sender<Result<ServerSeen>>,
    stopped: &Receiver<()>,
) {
    let mut last = BTreeMap::new();
    for number in 0_u64.. {
        let mut seen = ServerSeen::default();
        let result = look(collector, &mut seen, &mut last, number % LOOKS_PER_READING == 0).await;
        let failed = result.is_err();
        if say.send(result.map(|()| seen)).is_err() || failed {
            return;
        }
        // Blocks this thread, which does nothing else, and ends at once when the watch is dropped.
        if stopped.recv_timeout(LOOK) == Err(RecvTimeoutError::Disconnected) {
            return;
        }
    }
}

async fn look(
    collector: &mut dyn Collector,
    seen: &mut ServerSeen,
    last: &mut BTreeMap<&'static str, u64>,
    reading: bool,
) -> Result<()> {
    seen.look(collector.waits().await?);
    if reading {
        for (name, value) in collector.counters().await? {
            // A counter that fell was reset with the server: what it shows now has grown since.
            let before = last.insert(name, value);
            let growth = before.map_or(0, |before| value.checked_sub(before).unwrap_or(value));
            seen.counters.insert(name.to_owned(), growth);
        }
    }
    Ok(())
}
