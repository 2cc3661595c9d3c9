//! Observes the server during a run: its counters and gauges, and the waits of Tacho's sessions.
//!
//! Counters and waits are read by prepared statements, so that the observation costs the server little time.

use tacho_core::Result;
use tacho_driver::{BoxFuture, Collector, Reading, Target, Wait, during};
use tacho_net::{is_last, variable, waits};

use crate::admin::{number, rows, run};
use crate::config::Config;
use crate::connect::connect;
use crate::facts::major;
use crate::pooler;
use crate::waits::kind;
use crate::wire::Wire;

const WAITS: &str = include_str!("../sql/waits.sql");
const COUNTERS: &str = include_str!("../sql/counters.sql");
/// The columns of [`COUNTERS`], except for the last one, which is a gauge.
const NAMES: [&str; 7] =
    ["commits", "rollbacks", "deadlocks", "blocks_read", "blocks_hit", "temp_bytes", "wal_bytes"];
/// The text that separates the name from the query in `PREPARE name AS query`.
const PREPARED_AS: &str = " AS";
/// The first server version that reports checkpoints in a separate view.
const CHECKPOINTER_SINCE: u32 = 17;
/// Settings that must be on for an observation, each with the data that is missing while it is off.
const SWITCHES: [(&str, &str); 2] =
    [("track_activities", "what sessions wait for"), ("track_counts", "the server's counters")];

/// An observer that uses its own connection.
struct Observer {
    wire: Wire,
    /// True if prepared statements can be used. Behind a connection pooler, a later request may reach a server session
    /// that does not have the statement.
    prepares: bool,
    /// The statements that the server supports.
    waits: Option<&'static str>,
    counters: Option<&'static str>,
    checkpoints: Option<&'static str>,
    missing: Vec<String>,
    /// Number of statements that the observer has run. The server counts each of them as a transaction.
    statements: u64,
}

/// Opens an observer on a new connection.
pub async fn open(target: &Target) -> Result<Box<dyn Collector>> {
    let opened = connect(&Config::read(target, &variable)?).await?;
    let mut wire = opened.wire;
    let prepares = !pooler::is_between(&mut wire, opened.key).await?;
    let mut observer = Observer {
        wire,
        prepares,
        waits: None,
        counters: None,
        checkpoints: None,
        missing: Vec::new(),
        statements: 0,
    };
    let checkpoints = if major(&opened.version) >= CHECKPOINTER_SINCE {
        "PREPARE tacho_checkpoints AS SELECT num_timed + num_requested FROM pg_stat_checkpointer"
    } else {
        "PREPARE tacho_checkpoints AS SELECT checkpoints_timed + checkpoints_req FROM pg_stat_bgwriter"
    };
    observer.waits = observer.learn(WAITS, "EXECUTE tacho_waits").await?;
    observer.counters = observer.learn(COUNTERS, "EXECUTE tacho_counters").await?;
    observer.checkpoints = observer.learn(checkpoints, "EXECUTE tacho_checkpoints").await?;
    observer.check_switches().await?;
    Ok(Box::new(observer))
}

impl Observer {
    /// Prepares a statement and runs it once. If the server does not support the statement, records which data will be
    /// missing.
    async fn learn(
        &mut self,
        sql: &'static str,
        call: &'static str,
    ) -> Result<Option<&'static str>> {
        let unprepared = sql.split_once(PREPARED_AS).map(|(_, query)| query);
        let (call, learnt) = match unprepared.filter(|_| !self.prepares) {
            Some(query) => (query, run(&mut self.wire, query).await),
            None => match run(&mut self.wire, sql).await {
                Ok(()) => (call, run(&mut self.wire, call).await),
                failed => (call, failed),
            },
        };
        match learnt {
            Ok(()) => Ok(Some(call)),
            Err(error) if is_last(&error) => Err(error),
            Err(error) => {
                self.missing.push(format!("not reported by the server: {error}"));
                Ok(None)
            }
        }
    }

    async fn check_switches(&mut self) -> Result<()> {
        for (name, what) in SWITCHES {
            let found = rows(&mut self.wire, &format!("SHOW {name}")).await;
            let is_off = |rows: &[Vec<Option<String>>]| {
                rows.iter().flatten().flatten().any(|value| value == "off")
            };
            match found {
                Err(error) if is_last(&error) => return Err(error),
                Ok(rows) if is_off(&rows) => {
                    self.missing.push(format!(
                        "to see {what}, set {name}=on in the server's configuration"
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }

    async fn read_all(&mut self) -> Result<Reading> {
        let mut reading = Reading::default();
        if let Some(call) = self.counters {
            self.statements += 1;
            for row in rows(&mut self.wire, call).await? {
                for (column, name) in NAMES.into_iter().enumerate() {
                    reading.counters.push((name, number(&row, column)?));
                }
                let age = number(&row, NAMES.len())?;
                reading.gauges.push(("oldest_snapshot_age_xids", age));
            }
        }
        if let Some(call) = self.checkpoints {
            self.statements += 1;
            for row in rows(&mut self.wire, call).await? {
                reading.counters.push(("checkpoints", number(&row, 0)?));
            }
        }
        Ok(reading)
    }

    async fn read_waits(&mut self) -> Result<Vec<Wait>> {
        let Some(call) = self.waits else { return Ok(Vec::new()) };
        self.statements += 1;
        waits(rows(&mut self.wire, call).await?, kind)
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

    fn transactions(&self) -> u64 {
        self.statements
    }

    fn missing(&self) -> &[String] {
        &self.missing
    }
}
