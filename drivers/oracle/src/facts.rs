//! Facts about the server: its version, settings, machine, sizes, counters and privileges.
//!
//! If the user may not read a view, the facts from that view are unknown. This is not an error.

use std::time::Duration;

use oracledb::Connection;
use tacho_core::Result;
use tacho_driver::{
    Advice, Counters, DataSizes, Headroom, Privileges, ServerFacts, ServerMachine, Setting,
    Statement, TableSize, Values, plan::push_line, text,
};
use tacho_net::{TextRow, is_last, number, unexpected};

use crate::dialect;
use crate::errors::of_client;
use crate::query::{asked, rows, table};

const PARAMETERS: &str = include_str!("../sql/parameters.sql");
const DATABASE: &str = include_str!("../sql/database.sql");
const MACHINE: &str = include_str!("../sql/machine.sql");
const DATA_PATH: &str = include_str!("../sql/data_path.sql");
const SIZES: &str = include_str!("../sql/sizes.sql");
const COUNTERS: &str = include_str!("../sql/counters.sql");
const COUNTERS_OF_ALL: &str = include_str!("../sql/counters_of_all.sql");
const HEADROOM: &str = include_str!("../sql/headroom.sql");
const PRIVILEGES: &str = include_str!("../sql/privileges.sql");
const EXPLAIN: &str = "EXPLAIN PLAN FOR ";
const PLAN: &str = include_str!("../sql/plan.sql");
const SERVER_TIME: &str = include_str!("../sql/server_time.sql");

/// Returns the version and the relevant settings.
pub fn facts(connection: &Connection) -> Result<ServerFacts> {
    let version = connection.version().map_err(|error| of_client(&error))?;
    let mut found: Vec<(String, String)> = Vec::new();
    for row in asked(connection, PARAMETERS)?.unwrap_or_default() {
        if let [Some(name), Some(value)] = &row[..] {
            found.push((name.clone(), value.clone()));
        }
    }
    match table(connection, DATABASE) {
        Ok(database) => {
            let values = database.rows.into_iter().next().unwrap_or_default();
            let pairs = database.columns.into_iter().zip(values);
            found.extend(pairs.filter_map(|(name, value)| Some((name, value?))));
        }
        Err(error) if is_last(&error) => return Err(error),
        // Most users are not allowed to read this view, so its facts are omitted.
        Err(_) => {}
    }
    let settings: Vec<Setting> = found.into_iter().map(setting).collect();
    let advice = advice(&settings);
    let version = format!("Oracle Database {version}");
    Ok(ServerFacts { version, settings, advice, ..ServerFacts::default() })
}

fn setting((name, value): (String, String)) -> Setting {
    let waits_not = matches!(&*name, "commit_wait" | "commit_write")
        && value.to_ascii_uppercase().contains("NOWAIT");
    let risk =
        waits_not.then(|| "commits are acknowledged before they are written to the log".to_owned());
    Setting { name, value, default: None, durability_risk: risk }
}

/// Returns advice about settings that are unsuitable for most measurements.
fn advice(settings: &[Setting]) -> Vec<Advice> {
    let is = |name: &str, value: &str| {
        let mut found = settings.iter().filter(|setting| setting.name == name);
        found.any(|setting| setting.value.eq_ignore_ascii_case(value))
    };
    let table = [
        (
            is("statistics_level", "ALL"),
            "statistics_level is ALL: every step of every plan is timed",
            "ALTER SYSTEM SET statistics_level = TYPICAL",
        ),
        (
            is("filesystemio_options", "NONE"),
            "filesystemio_options is NONE: files are read through the operating system's cache, one request at a time",
            "run ALTER SYSTEM SET filesystemio_options = SETALL SCOPE = SPFILE and restart; this affects file systems but not ASM",
        ),
        (
            is("db_block_checking", "FULL"),
            "db_block_checking is FULL: the entire block is checked on every change",
            "ALTER SYSTEM SET db_block_checking = FALSE",
        ),
    ];
    let found = table.into_iter().filter(|(holds, ..)| *holds);
    found.map(|(_, text, hint)| Advice { text: text.into(), hint: hint.into() }).collect()
}

fn first(connection: &Connection, sql: &str) -> Result<Option<TextRow>> {
    Ok(asked(connection, sql)?.and_then(|found| found.into_iter().next()))
}

/// Returns a number, or `None` for NULL.
fn maybe(row: &TextRow, at: usize) -> Result<Option<u64>> {
    if row.get(at).is_none_or(Option::is_none) { Ok(None) } else { number(row, at).map(Some) }
}

/// Returns information about the server's machine, or `None` if it is not available.
pub fn machine(connection: &Connection) -> Result<Option<ServerMachine>> {
    let (machine, path) = (first(connection, MACHINE)?, first(connection, DATA_PATH)?);
    if machine.is_none() && path.is_none() {
        return Ok(None);
    }
    let mut found = ServerMachine::default();
    if let Some(row) = machine {
        found.cores = maybe(&row, 0)?.map(|cores| cores as u32);
        found.memory_bytes = maybe(&row, 1)?;
    }
    found.data_path = path.unwrap_or_default().into_iter().flatten().collect();
    Ok(Some(found))
}

/// Returns the size of each table.
pub fn sizes(connection: &Connection) -> Result<DataSizes> {
    let table = |row: TextRow| {
        let name = row.first().cloned().flatten().unwrap_or_default().to_lowercase();
        let [rows, bytes, index_bytes] = [1, 2, 3].map(|at| maybe(&row, at));
        Ok(TableSize { name, rows: rows?, bytes: bytes?, index_bytes: index_bytes? })
    };
    let tables = rows(connection, SIZES)?.into_iter().map(table).collect::<Result<_>>()?;
    Ok(DataSizes { database_bytes: None, tables })
}

/// Returns the number of completed transactions, or `None` if the user is not allowed to read it.
pub fn counters(connection: &Connection, of_all: bool) -> Result<Option<Counters>> {
    let Some(row) = first(connection, if of_all { COUNTERS_OF_ALL } else { COUNTERS })? else {
        return Ok(None);
    };
    let (commits, rollbacks) = (number(&row, 0)?, number(&row, 1)?);
    Ok(Some(Counters { commits, rollbacks, rollbacks_here: None, rollbacks_pending: 0 }))
}

/// Returns the number of further sessions that the instance can accept, or `None` if there is no limit or it is
/// unknown.
pub fn headroom(connection: &Connection) -> Result<Option<Headroom>> {
    let found = asked(connection, HEADROOM)?.unwrap_or_default();
    let left = found.iter().filter_map(|row| {
        let limit: u64 = row.first()?.as_deref()?.parse().ok()?;
        Some(limit.saturating_sub(number(row, 1).ok()?))
    });
    let remedy = "raise the instance parameters processes and sessions";
    Ok(left.min().map(|left| Headroom { sessions: left as u32, remedy: remedy.into() }))
}

/// Returns the user's privileges.
pub fn privileges(connection: &Connection) -> Result<Privileges> {
    let found: Vec<String> =
        rows(connection, PRIVILEGES)?.into_iter().flatten().flatten().collect();
    Ok(judged(&found))
}

fn judged(found: &[String]) -> Privileges {
    let has = |names: &[&str]| found.iter().any(|name| names.contains(&&**name));
    let wanted = [
        (has(&["CREATE TABLE"]), "create tables", "GRANT CREATE TABLE TO name"),
        (has(&["CREATE PROCEDURE"]), "create procedures", "GRANT CREATE PROCEDURE TO name"),
        (
            has(&["UNLIMITED TABLESPACE", "QUOTA"]),
            "use room in a tablespace",
            "run ALTER USER name QUOTA UNLIMITED ON tablespace",
        ),
    ];
    let mut privileges = Privileges::default();
    for (has, what, hint) in wanted {
        if has {
            privileges.granted.push(what.into());
        } else {
            let text = format!("the user is not allowed to {what}");
            privileges.missing.push(Advice { text, hint: hint.into() });
        }
    }
    privileges
}

/// Returns the server's date and time when the statement runs.
pub fn server_time(connection: &Connection) -> Result<Duration> {
    let found = rows(connection, SERVER_TIME)?.into_iter().flatten().flatten().next();
    let micros = found.as_deref().and_then(|found| text::parse_moment(found.as_bytes()));
    let micros = micros.and_then(|micros| u64::try_from(micros).ok());
    micros.map(Duration::from_micros).ok_or_else(|| unexpected("no date"))
}

/// Returns a statement's plan without running it, or `None` if the user is not allowed to see plans.
pub fn plan(
    connection: &Connection,
    statement: &Statement,
    values: &Values,
) -> Result<Option<String>> {
    let sql = statement.text(EXPLAIN, &dialect::Oracle, values)?;
    if asked(connection, &sql)?.is_none() {
        return Ok(None);
    }
    let found = asked(connection, PLAN)?;
    // EXPLAIN PLAN has written the plan's rows into a table. The rollback removes them.
    connection.rollback().map_err(|error| of_client(&error))?;
    Ok(found.map(|rows| lines(&rows)))
}

fn lines(rows: &[TextRow]) -> String {
    let mut plan = String::new();
    for line in rows.iter().flatten().flatten() {
        push_line(line, &mut plan);
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_disturbing_settings() {
        let set = |name: &str, value: &str| setting((name.into(), value.into()));
        let all = [
            set("statistics_level", "all"),
            set("filesystemio_options", "none"),
            set("db_block_checking", "FULL"),
        ];
        assert_eq!(advice(&all).len(), 3);
        assert!(advice(&[set("statistics_level", "TYPICAL")]).is_empty());
        assert!(set("commit_wait", "NOWAIT").durability_risk.is_some());
        assert!(set("commit_write", "batch,nowait").durability_risk.is_some());
        assert!(set("commit_wait", "WAIT").durability_risk.is_none());
    }

    #[test]
    fn lists_granted_and_missing_privileges() {
        let all = ["CREATE TABLE", "CREATE PROCEDURE", "QUOTA"].map(String::from);
        assert!(judged(&all).missing.is_empty());
        let some = judged(&all[..1]);
        assert_eq!((some.granted.len(), some.missing.len()), (1, 2));
        assert!(some.missing[1].hint.contains("QUOTA"));
    }
}
