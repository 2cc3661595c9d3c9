//! Observes the instance during a run: its counters, and the waits of Tacho's sessions.
//!
//! Oracle requires an extra license for the active session history and the workload repository, so they are used only
//! if the target requests them.

use oracledb::Connection;
use tacho_core::{Error, Result};
use tacho_driver::{BoxFuture, Collector, Reading, Target, Wait};
use tacho_net::{number, variable};

use crate::config::Config;
use crate::connect;
use crate::query::{asked, rows, run};
use crate::waits::kind;

/// Queries that observe this instance only, and queries that observe all instances.
const ACTIVITY: [&str; 2] =
    [include_str!("../sql/activity.sql"), include_str!("../sql/activity_of_all.sql")];
const WAITS: [&str; 2] =
    [include_str!("../sql/waits.sql"), include_str!("../sql/waits_of_all.sql")];
const HISTORY: [&str; 2] =
    [include_str!("../sql/waits_of_history.sql"), include_str!("../sql/waits_of_histories.sql")];

/// The statement that takes a workload repository snapshot, and the query that returns the number of the last one.
const SNAPSHOT: &str = "BEGIN DBMS_WORKLOAD_REPOSITORY.CREATE_SNAPSHOT(); END;";
const SNAPSHOTS: &str = include_str!("../sql/snapshots.sql");
const GAUGE: &str = "awr_snapshot";

/// The instance's counters, each with the name that Tacho uses.
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
const AWR_REMEDY: &str =
    "grant the user EXECUTE on DBMS_WORKLOAD_REPOSITORY, or remove awr from the target";
const REMEDY: &str = "GRANT SELECT_CATALOG_ROLE TO the user";

/// An observer that uses its own connection.
struct Observer {
    connection: Connection,
    /// The queries that the user has permission to run.
    counts: Option<&'static str>,
    waits: Option<&'static str>,
    snapshots: Snapshots,
    missing: Vec<String>,
}

/// The workload repository snapshots taken at the start and end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Snapshots {
    /// The target does not request snapshots.
    Unwanted,
    /// The target requests snapshots. The first one will be taken at the first reading.
    Wanted,
    /// The first snapshot has been taken. The second is taken when the observation ends.
    Begun,
}

/// Opens an observer on a new connection. Returns `None` if this user is not allowed to read any of the views.
pub fn open(target: &Target, set: u32) -> Result<Option<Box<dyn Collector>>> {
    let config = Config::read(target, &variable)?.of_set(set);
    let connection = connect::open(&config)?;
    let [activity, waits] = questions(&config);
    let granted = |sql| Ok::<_, Error>(asked(&connection, sql)?.map(|_| sql));
    let (counts, waits) = (granted(activity)?, granted(waits)?);
    if counts.is_none() && waits.is_none() {
        return Ok(None);
    }
    let missing = [(counts, "counters"), (waits, "waits")];
    let missing = missing.into_iter().filter(|(has, _)| has.is_none());
    let missing = missing.map(|(_, what)| format!("{what}: {REMEDY}")).collect();
    let snapshots = if config.awr { Snapshots::Wanted } else { Snapshots::Unwanted };
    Ok(Some(Box::new(Observer { connection, counts, waits, snapshots, missing })))
}

/// Returns the queries for counters and for waits.
fn questions(config: &Config) -> [&'static str; 2] {
    let of_all = usize::from(config.rac);
    [ACTIVITY[of_all], if config.ash { HISTORY[of_all] } else { WAITS[of_all] }]
}

impl Observer {
    /// Returns the last snapshot's number as a gauge, or `None` if the target requests no snapshots.
    fn snapshot(&mut self) -> Result<Option<(&'static str, u64)>> {
        match self.snapshots {
            Snapshots::Unwanted => return Ok(None),
            Snapshots::Wanted => self.take_snapshot()?,
            Snapshots::Begun => {}
        }
        self.snapshots = Snapshots::Begun;
        let found = rows(&self.connection, SNAPSHOTS)?;
        found.first().map(|row| Ok((GAUGE, number(row, 0)?))).transpose()
    }

    fn take_snapshot(&self) -> Result<()> {
        run(&self.connection, SNAPSHOT)
            .map_err(|error| error.during("take a workload repository snapshot").hint(AWR_REMEDY))
    }

    fn read_all(&mut self) -> Result<Reading> {
        let gauges = self.snapshot()?.into_iter().collect();
        let Some(sql) = self.counts else {
            return Ok(Reading { gauges, ..Reading::default() });
        };
        let mut counters = Vec::with_capacity(COUNTERS.len());
        for row in rows(&self.connection, sql)? {
            let name = row.first().and_then(Option::as_deref);
            if let Some((_, ours)) = COUNTERS.iter().find(|(theirs, _)| Some(*theirs) == name) {
                counters.push((*ours, number(&row, 1)?));
            }
        }
        Ok(Reading { counters, gauges })
    }

    fn read_waits(&self) -> Result<Vec<Wait>> {
        let Some(sql) = self.waits else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for row in rows(&self.connection, sql)? {
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

    fn finishes(&self) -> bool {
        self.snapshots != Snapshots::Unwanted
    }

    /// Takes the second snapshot and returns its number. Does nothing if no first snapshot was taken.
    fn finish(&mut self) -> BoxFuture<'_, Result<Reading>> {
        let taken = match self.snapshots {
            Snapshots::Begun => self.take_snapshot().and_then(|()| self.snapshot()),
            Snapshots::Unwanted | Snapshots::Wanted => Ok(None),
        };
        let reading = taken
            .map(|gauge| Reading { gauges: gauge.into_iter().collect(), ..Reading::default() });
        Box::pin(std::future::ready(reading.map_err(named)))
    }

    fn missing(&self) -> &[String] {
        &self.missing
    }
}

fn named(error: Error) -> Error {
    error.during("observe the server")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_history_is_read_only_if_it_is_asked_for() -> Result<()> {
        let asked = |options: &str| {
            let target = Target::parse(&format!("oracle://me@h/s?{options}"))?;
            let [activity, waits] = questions(&Config::read(&target, &|_| None)?);
            Ok::<_, Error>(
                [activity, waits].map(|sql| sql.split("FROM ").nth(1).unwrap_or_default()),
            )
        };
        let table = [
            ("rac=false", ["v$sysstat", "v$session"]),
            ("rac=true", ["gv$sysstat", "gv$session"]),
            ("ash=true", ["v$sysstat", "v$active_session_history"]),
            ("ash=true&rac=true", ["gv$sysstat", "gv$active_session_history"]),
        ];
        for (options, expected) in table {
            for (sql, view) in asked(options)?.into_iter().zip(expected) {
                assert!(sql.starts_with(view), "{options}: {sql}");
            }
        }
        Ok(())
    }
}
