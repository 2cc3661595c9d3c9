//! Observes the server during a run: its counters and gauges, and the waits of Tacho's sessions.

use tacho_core::{Error, Result};
use tacho_driver::{BoxFuture, Collector, Reading, Target, Wait};

use crate::admin::{TextRow, asked, number, rows};
use crate::connect::{self, Opened};
use crate::link::Link;
use crate::waits::kind;

const ACTIVITY: &str = include_str!("../sql/activity.sql");
const WAITS: &str = include_str!("../sql/waits.sql");

/// The server's counters, each with the name that Tacho uses.
const COUNTERS: [(&str, &str); 11] = [
    ("Batch Requests/sec", "batches"),
    ("Transactions/sec", "transactions"),
    ("Write Transactions/sec", "write_transactions"),
    ("Log Flushes/sec", "log_flushes"),
    ("Log Bytes Flushed/sec", "log_bytes"),
    ("Number of Deadlocks/sec", "deadlocks"),
    ("Lock Waits/sec", "lock_waits"),
    ("Page lookups/sec", "page_requests"),
    ("Page reads/sec", "pages_read"),
    ("Page writes/sec", "pages_written"),
    ("SQL Compilations/sec", "compilations"),
];
/// Values that rise and fall, each with the name that Tacho uses.
const GAUGES: [(&str, &str); 2] = [
    ("Version Store Size (KB)", "version_store_kb"),
    ("Log File(s) Used Size (KB)", "log_used_kb"),
];
const REMEDY: &str = "grant the login VIEW SERVER STATE";

/// An observer that uses its own connection.
struct Observer {
    link: Link,
    counts: bool,
    waits: bool,
    missing: Vec<String>,
}

/// Opens an observer on a new connection. Returns `None` if the login is not allowed to read any of the views.
pub async fn open(target: &Target, set: u32) -> Result<Option<Box<dyn Collector>>> {
    let Opened { mut link, .. } = connect::open(target, false, set).await?;
    let counts = asked(&mut link, ACTIVITY).await?.is_some_and(|found| !found.is_empty());
    let waits = asked(&mut link, WAITS).await?.is_some();
    if !counts && !waits {
        return Ok(None);
    }
    let missing = [(counts, "counters"), (waits, "waits")];
    let missing = missing.into_iter().filter(|(has, _)| !has);
    let missing = missing.map(|(_, what)| format!("{what}: {REMEDY}")).collect();
    Ok(Some(Box::new(Observer { link, counts, waits, missing })))
}

impl Observer {
    async fn read_all(&mut self) -> Result<Reading> {
        if !self.counts {
            return Ok(Reading::default());
        }
        let shown = rows(&mut self.link, ACTIVITY).await?;
        let named = |names: &[(&str, &'static str)]| {
            let value = |theirs: &str| {
                let is_it = |row: &&TextRow| {
                    row.first().and_then(Option::as_deref).map(str::trim_end) == Some(theirs)
                };
                shown.iter().find(is_it).map(|row| number(row, 1)).transpose()
            };
            let values = names.iter().map(|(theirs, ours)| Ok(value(theirs)?.map(|v| (*ours, v))));
            values.filter_map(Result::transpose).collect::<Result<Vec<_>>>()
        };
        Ok(Reading { counters: named(&COUNTERS)?, gauges: named(&GAUGES)? })
    }

    async fn read_waits(&mut self) -> Result<Vec<Wait>> {
        if !self.waits {
            return Ok(Vec::new());
        }
        let wait = |row: TextRow| {
            let sessions = number(&row, 1)? as u32;
            let event = row.into_iter().next().flatten().unwrap_or_default();
            let class = if event.is_empty() { "CPU" } else { "wait" };
            Ok(Wait { kind: kind(&event), class: class.into(), event, sessions })
        };
        rows(&mut self.link, WAITS).await?.into_iter().map(wait).collect()
    }
}

impl Collector for Observer {
    fn read(&mut self) -> BoxFuture<'_, Result<Reading>> {
        Box::pin(async { self.read_all().await.map_err(named) })
    }

    fn waits(&mut self) -> BoxFuture<'_, Result<Vec<Wait>>> {
        Box::pin(async { self.read_waits().await.map_err(named) })
    }

    fn missing(&self) -> &[String] {
        &self.missing
    }
}

fn named(error: Error) -> Error {
    error.during("observe the server")
}
