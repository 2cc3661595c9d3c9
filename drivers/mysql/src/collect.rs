//! What a server is doing during a run: its counters, and what our sessions wait for.

use tacho_core::{Error, Result};
use tacho_driver::{BoxFuture, Collector, Target, Wait};
use tacho_net::is_last;

use crate::admin::{TextRow, number, rows};
use crate::connect;
use crate::greeting::Product;
use crate::link::Link;
use crate::session::Opened;

const COUNTERS: &str = include_str!("../sql/counters.sql");
const DEADLOCKS: &str = include_str!("../sql/deadlocks.sql");
const EVENTS: &str = include_str!("../sql/waits_events.sql");
const TRANSACTIONS: &str = include_str!("../sql/waits_transactions.sql");
const PROCESSES: &str = include_str!("../sql/waits_processes.sql");
const RECORDED: &str = include_str!("../sql/recorded.sql");

/// Counters of the server and our names for them.
const NAMES: [(&str, &str); 12] = [
    ("Com_commit", "commits"),
    ("Com_rollback", "rollbacks"),
    ("Created_tmp_disk_tables", "temp_disk_tables"),
    ("Innodb_buffer_pool_pages_flushed", "pages_written"),
    ("Innodb_buffer_pool_read_requests", "page_requests"),
    ("Innodb_buffer_pool_reads", "pages_read"),
    ("Innodb_data_fsyncs", "fsyncs"),
    ("Innodb_deadlocks", "deadlocks"),
    ("Innodb_log_waits", "log_buffer_waits"),
    ("Innodb_os_log_written", "log_bytes"),
    ("Innodb_row_lock_time", "row_lock_ms"),
    ("Innodb_row_lock_waits", "row_lock_waits"),
];

/// An observer on a connection of its own.
struct Observer {
    link: Link,
    /// The statement that tells most and that the server has understood.
    waits: Option<&'static str>,
    deadlocks: bool,
    missing: Vec<String>,
}

/// An observer on a new connection.
pub async fn open(target: &Target) -> Result<Box<dyn Collector>> {
    let Opened { link, product, .. } = connect::open(target, false).await?;
    let mut observer = Observer { link, waits: None, deadlocks: false, missing: Vec::new() };
    if product == Product::MySql {
        observer.deadlocks = observer.learn(DEADLOCKS).await?;
        if !observer.deadlocks {
            observer
                .missing
                .push("the number of deadlocks: GRANT PROCESS ON *.* to the user".into());
        }
    }
    if observer.records_events().await? && observer.learn(EVENTS).await? {
        observer.waits = Some(EVENTS);
    } else if observer.learn(TRANSACTIONS).await? {
        observer.waits = Some(TRANSACTIONS);
    } else {
        observer.missing.push("waits for row locks: GRANT PROCESS ON *.* to the user".into());
        observer.waits = observer.learn(PROCESSES).await?.then_some(PROCESSES);
    }
    Ok(Box::new(observer))
}

impl Observer {
    /// Runs a statement once. One that this server does not have, or not for us, is no error.
    async fn learn(&mut self, sql: &str) -> Result<bool> {
        match rows(&mut self.link, sql).await {
            Ok(_) => Ok(true),
            Err(error) if is_last(&error) => Err(error),
            Err(_) => Ok(false),
        }
    }

    async fn records_events(&mut self) -> Result<bool> {
        match rows(&mut self.link, RECORDED).await {
            Ok(found) => Ok(found.first().map_or(Ok(0), |row| number(row, 0))? > 0),
            Err(error) if is_last(&error) => Err(error),
            Err(_) => Ok(false),
        }
    }

    async fn read_counters(&mut self) -> Result<Vec<(&'static str, u64)>> {
        let mut counters = Vec::with_capacity(NAMES.len());
        for row in rows(&mut self.link, COUNTERS).await? {
            let theirs = row.first().and_then(Option::as_deref);
            if let Some((_, ours)) = NAMES.iter().find(|(known, _)| Some(*known) == theirs) {
                counters.push((*ours, number(&row, 1)?));
            }
        }
        if self.deadlocks {
            for row in rows(&mut self.link, DEADLOCKS).await? {
                counters.push(("deadlocks", number(&row, 0)?));
            }
        }
        Ok(counters)
    }

    async fn read_waits(&mut self) -> Result<Vec<Wait>> {
        let Some(sql) = self.waits else { return Ok(Vec::new()) };
        let wait = |row: TextRow| {
            let sessions = number(&row, 2)? as u32;
            let mut words = row.into_iter().map(Option::unwrap_or_default);
            let (class, event) = (words.next(), words.next());
            Ok(Wait {
                class: class.unwrap_or_default(),
                event: event.unwrap_or_default(),
                sessions,
            })
        };
        rows(&mut self.link, sql).await?.into_iter().map(wait).collect()
    }
}

impl Collector for Observer {
    fn counters(&mut self) -> BoxFuture<'_, Result<Vec<(&'static str, u64)>>> {
        Box::pin(async { self.read_counters().await.map_err(named) })
    }

    fn waits(&mut self) -> BoxFuture<'_, Result<Vec<Wait>>> {
        Box::pin(async { self.read_waits().await.map_err(named) })
    }

    fn missing(&self) -> &[String] {
        &self.missing
    }
}

fn named(error: Error) -> Error {
    error.during("watch the server")
}
