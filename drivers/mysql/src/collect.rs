//! Observes the server during a run: its counters and gauges, and the wait events of Tacho's sessions.

use tacho_core::Result;
use tacho_driver::{BoxFuture, Collector, Reading, Target, Wait, during};
use tacho_net::{is_last, waits};

use crate::admin::{TextRow, number, rows};
use crate::connect;
use crate::connect::Opened;
use crate::link::Link;
use crate::product::Product;
use crate::waits::kind;

const STATUS: &str = include_str!("../sql/status.sql");
const METRICS: &str = include_str!("../sql/metrics.sql");
const EVENTS: &str = include_str!("../sql/waits_events.sql");
const TRANSACTIONS: &str = include_str!("../sql/waits_transactions.sql");
const PROCESSES: &str = include_str!("../sql/waits_processes.sql");
const RECORDED: &str = include_str!("../sql/recorded.sql");

/// Counters from the server's status and from the `InnoDB` metrics, each with the name that Tacho uses.
const COUNTERS: [(&str, &str); 14] = [
    ("Com_commit", "commits"),
    ("Com_rollback", "rollbacks"),
    ("Com_select", "selects"),
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
    ("lock_deadlocks", "deadlocks"),
];
/// Values that rise and fall, each with the name that Tacho uses.
const GAUGES: [(&str, &str); 4] = [
    ("Innodb_buffer_pool_bytes_dirty", "dirty_bytes"),
    ("Innodb_checkpoint_age", "checkpoint_age_bytes"),
    ("Innodb_history_list_length", "history_length"),
    ("trx_rseg_history_len", "history_length"),
];
/// MySQL reports only the start and end of the redo log that it would replay after a crash. Tacho computes the length
/// from them.
const REDO_LOG: [&str; 2] = ["Innodb_redo_log_current_lsn", "Innodb_redo_log_checkpoint_lsn"];

/// An observer that uses its own connection.
struct Observer {
    link: Link,
    /// The most detailed wait query that this server supports.
    waits: Option<&'static str>,
    /// True if the counters need the `InnoDB` metrics and the user may read them.
    metrics: bool,
    missing: Vec<String>,
}

/// Opens an observer on a new connection. Never returns `None`.
pub async fn open(target: &Target, set: u32) -> Result<Option<Box<dyn Collector>>> {
    let Opened { link, product, .. } = connect::open(target, false, set).await?;
    let mut observer = Observer { link, waits: None, metrics: false, missing: Vec::new() };
    if product == Product::MySql {
        observer.metrics = observer.learn(METRICS).await?;
        if !observer.metrics {
            let what = "deadlocks and the history list length";
            observer.missing.push(format!("to see {what}, grant the user the PROCESS privilege"));
        }
    }
    if observer.records_events().await? && observer.learn(EVENTS).await? {
        observer.waits = Some(EVENTS);
    } else if observer.learn(TRANSACTIONS).await? {
        observer.waits = Some(TRANSACTIONS);
    } else {
        observer.missing.push("to see row lock waits, grant the user the PROCESS privilege".into());
        observer.waits = observer.learn(PROCESSES).await?.then_some(PROCESSES);
    }
    Ok(Some(Box::new(observer)))
}

impl Observer {
    /// Runs a statement. Returns false if the server does not support it or the user may not run it.
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

    async fn read_all(&mut self) -> Result<Reading> {
        let mut shown = rows(&mut self.link, STATUS).await?;
        if self.metrics {
            shown.extend(rows(&mut self.link, METRICS).await?);
        }
        let value = |theirs: &str| {
            let named = |row: &&TextRow| row.first().and_then(Option::as_deref) == Some(theirs);
            shown.iter().find(named).map(|row| number(row, 1)).transpose()
        };
        let named = |names: &[(&str, &'static str)]| {
            let values = names.iter().map(|(theirs, ours)| Ok(value(theirs)?.map(|v| (*ours, v))));
            values.filter_map(Result::transpose).collect::<Result<Vec<_>>>()
        };
        let mut reading = Reading { counters: named(&COUNTERS)?, gauges: named(&GAUGES)? };
        if let [Some(current), Some(checkpoint)] = [value(REDO_LOG[0])?, value(REDO_LOG[1])?] {
            let age = current.saturating_sub(checkpoint);
            reading.gauges.push(("checkpoint_age_bytes", age));
        }
        Ok(reading)
    }

    async fn read_waits(&mut self) -> Result<Vec<Wait>> {
        let Some(sql) = self.waits else { return Ok(Vec::new()) };
        waits(rows(&mut self.link, sql).await?, kind)
    }
}

const OPERATION: &str = "observe the server";

impl Collector for Observer {
    fn read(&mut self) -> BoxFuture<'_, Result<Reading>> {
        during(OPERATION, self.read_all())
    }

    fn waits(&mut self) -> BoxFuture<'_, Result<Vec<Wait>>> {
        during(OPERATION, self.read_waits())
    }

    fn missing(&self) -> &[String] {
        &self.missing
    }
}
