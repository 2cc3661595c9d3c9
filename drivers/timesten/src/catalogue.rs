//! Queries that describe the database. The SQL is in `sql/`.

use tacho_calls::{Questions, catalogue, commits_and_rollbacks, offered, query, text};
use tacho_core::Result;
use tacho_driver::{
    Counters, DataSizes, Dialect, NameCase, Object, ObjectKind, ServerFacts, Setting,
};

use crate::dialect::TimesTen;

type Connection = tacho_calls::Connection<isize>;
type Row = Vec<Option<String>>;

const COUNTERS: &str = include_str!("../sql/counters.sql");
const ROUTINES: &str = include_str!("../sql/routines.sql");
const SETTINGS: &str = include_str!("../sql/settings.sql");

/// Settings that are recorded because they affect a measurement, by the names that the server uses.
const RECORDED: [&str; 14] = [
    "CkptFrequency",
    "CkptLogVolume",
    "CkptRate",
    "Connections",
    "DurableCommits",
    "Isolation",
    "LockLevel",
    "LockWait",
    "LogBufMB",
    "LogFileSize",
    "LogFlushMethod",
    "MemoryLock",
    "PermSize",
    "TempSize",
];
/// Name of the setting that determines whether a commit waits until the log is on disk.
const DURABLE: &str = "DurableCommits";
const NOT_DURABLE: &str = "commits are acknowledged before they are written to the log";

/// A server's catalog.
pub struct Catalogue;

fn schema(connection: &Connection) -> Result<String> {
    let question = TimesTen.current_schema().unwrap_or_default();
    let found = query(connection, question)?.rows.into_iter().next().unwrap_or_default();
    Ok(text(&found, 0))
}

/// Adds one line of a routine's text. The row contains the name, number and kind of the routine, followed by the line.
fn add_line(found: &mut Vec<Object>, row: &Row) {
    let (name, identity) = (text(row, 0).to_lowercase(), text(row, 1));
    if found.last().is_none_or(|last| last.identity != identity) {
        found.push(Object {
            kind: ObjectKind::Routine,
            shape: Vec::new(),
            schema: String::new(),
            identity,
            drop: format!("DROP {} {name}", text(row, 2)),
            name,
        });
    }
    if let Some(last) = found.last_mut() {
        last.shape.push(text(row, 3));
    }
}

fn setting(row: &Row) -> Option<Setting> {
    let (name, value) = (text(row, 0), text(row, 1));
    let known = RECORDED.iter().find(|known| known.eq_ignore_ascii_case(&name))?;
    let risk = (*known == DURABLE && value == "0").then(|| NOT_DURABLE.to_owned());
    Some(Setting { name: (*known).into(), value, default: None, durability_risk: risk })
}

impl Questions<isize> for Catalogue {
    fn tables(&self, connection: &Connection) -> Result<Vec<String>> {
        catalogue::tables(connection, (&TimesTen, NameCase::Insensitive), "", &schema(connection)?)
    }

    fn objects(&self, connection: &Connection) -> Result<Vec<Object>> {
        let mut found = catalogue::objects(
            connection,
            (&TimesTen, NameCase::Insensitive),
            "",
            &schema(connection)?,
        )?;
        let mut routines = Vec::new();
        for row in offered(connection, ROUTINES)? {
            add_line(&mut routines, &row);
        }
        found.append(&mut routines);
        Ok(found)
    }

    fn facts(&self, connection: &Connection) -> Result<ServerFacts> {
        let settings = offered(connection, SETTINGS)?.iter().filter_map(setting).collect();
        Ok(ServerFacts { version: connection.product(), settings, ..ServerFacts::default() })
    }

    fn sizes(&self, _: &Connection) -> Result<Option<DataSizes>> {
        Ok(None)
    }

    fn counters(&self, connection: &Connection) -> Result<Option<Counters>> {
        commits_and_rollbacks(connection, COUNTERS)
    }

    /// Does nothing, because TimesTen does not support table sets.
    fn drop_set(&self, _: &Connection) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(texts: &[&str]) -> Row {
        texts.iter().map(|text| Some((*text).to_owned())).collect()
    }

    #[test]
    fn commits_that_are_not_durable_are_a_risk() {
        let of = |name, value| setting(&row(&[name, value]));
        assert!(of("DURABLECOMMITS", "0").is_some_and(|found| found.durability_risk.is_some()));
        assert!(of("DurableCommits", "1").is_some_and(|found| found.durability_risk.is_none()));
        assert_eq!(of("PermSize", "0").map(|found| found.name).as_deref(), Some("PermSize"));
        assert!(of("UID", "me").is_none());
    }

    #[test]
    fn lines_of_one_routine_are_its_shape() {
        let mut found = Vec::new();
        for line in [["P", "7", "PROCEDURE", "a"], ["P", "7", "PROCEDURE", "b"]] {
            add_line(&mut found, &row(&line));
        }
        add_line(&mut found, &row(&["F", "8", "FUNCTION", "c"]));
        assert_eq!((found.len(), found[0].shape.len()), (2, 2));
        assert_eq!([&*found[0].drop, &*found[1].drop], ["DROP PROCEDURE p", "DROP FUNCTION f"]);
    }
}
