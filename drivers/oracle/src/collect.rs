//! What an instance is doing during a run: its counters, and what our sessions wait for.
//!
//! It reads views that need no licence: neither the history of active sessions nor the repository of workloads.

use oracledb::Connection;
use tacho_core::{Error, Result};
use tacho_driver::{BoxFuture, Collector, Reading, Target, Wait};
use tacho_net::{number, variable};

use crate::config::Config;
use crate::connect;
use crate::query::{asked, rows};
use crate::waits::kind;

const ACTIVITY: &str = include_str!("../sql/activity.sql");
const WAITS: &str = include_str!("../sql/waits.sql");

/// Counters of the instance and our names for them.
const COUNTERS: [(&str, &str); 14] = [
    ("user calls", "calls"),
    ("user commits", "commits"),
    ("user rollbacks", "rollbacks"),
    ("execute count", "executions"),
    ("parse count (hard)", "hard_parses"),
    ("parse count (total)", "parses"),
    ("session logical reads", "blocks_requested"),
    ("physical reads", "blocks_read"),
    ("physical writes", "blocks_written"),
    ("redo size", "log_bytes"),
    ("redo writes", "log_writes"),
    ("enqueue deadlocks", "deadlocks"),
    ("enqueue waits", "lock_waits"),
    ("sorts (disk)", "disk_sorts"),
];
const REMEDY: &str = "GRANT SELECT_CATALOG_ROLE TO the user";

/// An observer on a connection of its own.
struct Observer {
    connection: Connection,
    counts: bool,
    waits: bool,
    missing: Vec<String>,
}

/// An observer on a new connection; `None` if the server shows nothing of itself to this user.
pub fn open(target: &Target) -> Result<Option<Box<dyn Collector>>> {
    let connection = connect::open(&Config::read(target, &variable)?)?;
    let counts = asked(&connection, ACTIVITY)?.is_some();
    let waits = asked(&connection, WAITS)?.is_some();
    if !counts && !waits {
        return Ok(None);
    }
    let missing = [(counts, "counters"), (waits, "waits")].into_iter().filter(|(has, _)| !has);
    let missing = missing.map(|(_, what)| format!("{what}: {REMEDY}")).collect();
    Ok(Some(Box::new(Observer { connection, counts, waits, missing })))
}

impl Observer {
    fn read_all(&self) -> Result<Reading> {
        if !self.counts {
            return Ok(Reading::default());
        }
        let mut counters = Vec::with_capacity(COUNTERS.len());
        for row in rows(&self.connection, ACTIVITY)? {
            let name = row.first().and_then(Option::as_deref);
            if let Some((_, ours)) = COUNTERS.iter().find(|(theirs, _)| Some(*theirs) == name) {
                counters.push((*ours, number(&row, 1)?));
            }
        }
        Ok(Reading { counters, gauges: Vec::new() })
    }

    fn read_waits(&self) -> Result<Vec<Wait>> {
        if !self.waits {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for row in rows(&self.connection, WAITS)? {
            let sessions = number(&row, 2)? as u32;
            let mut texts = row.into_iter();
            let class = texts.next().flatten().unwrap_or_default();
            let event = texts.next().flatten().unwrap_or_default();
            let kind = kind(&class, &event);
            let class = if event.is_empty() { "CPU".into() } else { class };
            found.push(Wait { class, event, kind, sessions });
        }
        Ok(found)
    }
}

impl Collector for Observer {
    fn read(&mut self) -> BoxFuture<'_, Result<Reading>> {
        Box::pin(std::future::ready(self.read_all().map_err(named)))
    }

    fn waits(&mut self) -> BoxFuture<'_, Result<Vec<Wait>>> {
        Box::pin(std::future::ready(self.read_waits().map_err(named)))
    }

    fn missing(&self) -> &[String] {
        &self.missing
    }
}

fn named(error: Error) -> Error {
    error.during("watch the server")
}
