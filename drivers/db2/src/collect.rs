//! Observes the database during a run: its counters, and the waits of Tacho's sessions.
//!
//! Reads Db2's monitor functions. Start reading at [`open`].

use std::sync::Arc;

use tacho_calls::{Connection, offered};
use tacho_core::{Clock, Error, Result};
use tacho_driver::{BoxFuture, Collector, Environment, Reading, Target, Wait};

use crate::connect;
use crate::waits::Spent;

const ACTIVITY: &str = include_str!("../sql/activity.sql");
const WAITS: &str = include_str!("../sql/waits.sql");

/// The column names of `activity.sql`.
const COUNTERS: [&str; 15] = [
    "commits",
    "rollbacks",
    "executions",
    "rows_read",
    "rows_written",
    "deadlocks",
    "lock_waits",
    "lock_timeouts",
    "lock_escalations",
    "pages_requested",
    "pages_read",
    "pages_written",
    "log_writes",
    "disk_sorts",
    "compilations",
];
const REMEDY: &str = "grant the user DATAACCESS on the database, or EXECUTE on the function";

/// An observer that uses its own connection.
struct Observer {
    connection: Connection<i32>,
    clock: Arc<dyn Clock>,
    counts: bool,
    waits: bool,
    spent: Spent,
    missing: Vec<String>,
}

/// Opens an observer on a new connection. Returns `None` if the user is not allowed to call any monitor function.
pub fn open(target: &Target, world: Environment) -> Result<Option<Box<dyn Collector>>> {
    let Environment { clock, set, .. } = world;
    let connection = connect::connect(target, false, set)?;
    let counts = !offered(&connection, ACTIVITY)?.is_empty();
    let waits = !offered(&connection, WAITS)?.is_empty();
    if !counts && !waits {
        return Ok(None);
    }
    let missing = [(counts, "counters: MON_GET_DATABASE"), (waits, "waits: MON_GET_CONNECTION")];
    let missing = missing.into_iter().filter(|(has, _)| !has);
    let missing = missing.map(|(_, what)| format!("{what}: {REMEDY}")).collect();
    let spent = Spent::default();
    Ok(Some(Box::new(Observer { connection, clock, counts, waits, spent, missing })))
}

impl Observer {
    /// Runs a query that returns one row of numbers, and returns this row. NULL becomes 0.
    fn numbers(&self, sql: &str) -> Result<Vec<u64>> {
        let row = offered(&self.connection, sql)?.into_iter().next().unwrap_or_default();
        Ok(row.iter().map(|value| value.as_deref().and_then(whole).unwrap_or_default()).collect())
    }

    fn read_all(&self) -> Result<Reading> {
        if !self.counts {
            return Ok(Reading::default());
        }
        let counters = COUNTERS.into_iter().zip(self.numbers(ACTIVITY)?).collect();
        Ok(Reading { counters, gauges: Vec::new() })
    }

    fn read_waits(&mut self) -> Result<Vec<Wait>> {
        if !self.waits {
            return Ok(Vec::new());
        }
        let totals = self.numbers(WAITS)?;
        Ok(self.spent.since(self.clock.now(), &totals))
    }
}

/// Parses the total of a counter. The total may contain a decimal point.
fn whole(text: &str) -> Option<u64> {
    text.trim().split('.').next()?.parse().ok()
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
    error.during("observe the server")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_whole_numbers() {
        let table = [("7", Some(7)), (" 12.00 ", Some(12)), ("", None), ("-", None)];
        for (text, expected) in table {
            assert_eq!(whole(text), expected, "{text}");
        }
    }

    #[test]
    fn each_column_has_a_name() {
        let columns = ACTIVITY.split("SUM(").count() - 1;
        assert_eq!(columns, COUNTERS.len());
    }
}
