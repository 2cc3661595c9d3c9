//! SQLite's version and its settings currently in effect.

use std::collections::BTreeMap;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, MAIN_DB};
use tacho_core::{Error, Result};
use tacho_driver::plan::push_line;
use tacho_driver::{
    Advice, DataSizes, Privileges, ServerFacts, ServerMachine, Setting, Statement, Values,
};

use crate::dialect;
use crate::errors::native;

/// Settings that affect performance or durability.
const SETTINGS: [&str; 10] = [
    "journal_mode",
    "synchronous",
    "page_size",
    "cache_size",
    "mmap_size",
    "locking_mode",
    "busy_timeout",
    "wal_autocheckpoint",
    "temp_store",
    "foreign_keys",
];

/// Settings that are reported only if they differ from SQLite's defaults.
const OTHERS: [&str; 8] = [
    "auto_vacuum",
    "automatic_index",
    "cache_spill",
    "encoding",
    "journal_size_limit",
    "recursive_triggers",
    "secure_delete",
    "threads",
];
/// Default settings of a database file that differ from those of an in-memory database. Tacho reads all other defaults
/// from an in-memory database.
const DEFAULTS: [(&str, &str); 4] = [
    ("busy_timeout", "0"),
    ("journal_mode", "delete"),
    ("locking_mode", "normal"),
    ("mmap_size", "0"),
];

/// Names for the values of `PRAGMA synchronous`, which returns a number.
const SYNCHRONOUS: [&str; 4] = ["off", "normal", "full", "extra"];

/// Returns a setting's value in lower case.
pub fn pragma(connection: &Connection, name: &str) -> Result<String> {
    connection.pragma_query_value(None, name, |row| Ok(text(row.get_ref(0)?))).map_err(native)
}

/// Returns the settings currently in effect on the given connection.
pub fn facts(connection: &Connection) -> Result<ServerFacts> {
    let fresh = Connection::open_in_memory().map_err(native)?;
    let mut settings = Vec::with_capacity(SETTINGS.len());
    for name in SETTINGS.into_iter().chain(OTHERS) {
        let default = default(&fresh, name);
        let value = match pragma(connection, name) {
            Err(_) if OTHERS.contains(&name) => continue,
            value => named(name, value?),
        };
        if SETTINGS.contains(&name) || default.as_ref().is_some_and(|default| *default != value) {
            settings.push(Setting { name: name.into(), value, default, durability_risk: None });
        }
    }
    let journal_mode = settings[0].value.clone();
    settings[1].durability_risk = synchronous_risk(&journal_mode, &settings[1].value);
    settings[0].durability_risk = journal_risk(&journal_mode);
    let version = format!("SQLite {}", rusqlite::version());
    Ok(ServerFacts { version, settings, ..ServerFacts::default() })
}

/// Returns the default of a setting, or `None` if it is unknown.
fn default(fresh: &Connection, name: &str) -> Option<String> {
    let known = DEFAULTS.iter().find(|(known, _)| *known == name);
    known
        .map(|(_, value)| (*value).to_owned())
        .or_else(|| Some(named(name, pragma(fresh, name).ok()?)))
}

/// Returns the path of the database file.
pub fn machine(connection: &Connection) -> ServerMachine {
    let data_path = connection.path().unwrap_or_default().into();
    ServerMachine { data_path, ..ServerMachine::default() }
}

/// Returns the size of the file. The sizes of single tables are not determined, because SQLite would have to read all
/// pages into the cache.
pub fn sizes(connection: &Connection) -> Result<DataSizes> {
    let number = |name| Ok::<u64, Error>(pragma(connection, name)?.parse().unwrap_or(0));
    let bytes = number("page_count")? * number("page_size")?;
    Ok(DataSizes { database_bytes: Some(bytes), tables: Vec::new() })
}

/// Checks whether the file is writable, by acquiring the write lock and releasing it again.
pub fn privileges(connection: &Connection) -> Result<Privileges> {
    let mut privileges = Privileges::default();
    if connection.is_readonly(MAIN_DB).map_err(native)? {
        privileges.missing.push(Advice {
            text: "the file is opened read-only because of mode=ro".into(),
            hint: "remove mode=ro from the target".into(),
        });
    } else {
        connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK").map_err(native)?;
        privileges.granted.push("write to the file".into());
    }
    Ok(privileges)
}

fn text(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            String::from_utf8_lossy(text).to_ascii_lowercase()
        }
        ValueRef::Null => String::new(),
    }
}

fn named(setting: &str, value: String) -> String {
    let index = value.parse().ok().filter(|_| setting == "synchronous");
    index.and_then(|index: usize| SYNCHRONOUS.get(index)).map_or(value, |name| (*name).into())
}

/// See <https://sqlite.org/pragma.html#pragma_synchronous>.
fn synchronous_risk(journal_mode: &str, synchronous: &str) -> Option<String> {
    let risk = match (synchronous, journal_mode) {
        ("normal", "wal") => "a power failure can lose the last commits",
        ("normal", _) => "a power failure at the wrong moment can damage the file",
        ("off", _) => "a power failure can lose commits and damage the file",
        ("full", "delete") => {
            "a power failure right after a commit can undo that commit; synchronous=extra prevents this"
        }
        _ => return None,
    };
    Some(risk.into())
}

/// See <https://sqlite.org/pragma.html#pragma_journal_mode>.
fn journal_risk(journal_mode: &str) -> Option<String> {
    let risk = match journal_mode {
        "memory" => "a process crash during a commit can damage the file",
        "off" => "a crash can damage the file, and rollbacks are not possible",
        _ => return None,
    };
    Some(risk.into())
}

/// Returns a statement's plan without running it. Each step is listed below the step that it is a part of.
pub fn plan(connection: &Connection, statement: &Statement, values: &Values) -> Result<String> {
    let sql = statement.text("EXPLAIN QUERY PLAN ", &dialect::Sqlite, values)?;
    let mut prepared = connection.prepare(&sql).map_err(native)?;
    let mut rows = prepared.raw_query();
    let (mut plan, mut depths) = (String::new(), BTreeMap::new());
    while let Some(row) = rows.next().map_err(native)? {
        let number = |column: usize| row.get::<_, i64>(column).map_err(native);
        let depth = depths.get(&number(1)?).map_or(0, |above: &usize| above + 1);
        depths.insert(number(0)?, depth);
        let detail: String = row.get(3).map_err(native)?;
        push_line(&format!("{:1$}{detail}", "", 2 * depth), &mut plan);
    }
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_durable_settings_carry_no_risk() {
        let table = [
            ("wal", "full", false),
            ("wal", "extra", false),
            ("wal", "normal", true),
            ("wal", "off", true),
            ("delete", "extra", false),
            ("delete", "full", true),
            ("truncate", "full", false),
            ("truncate", "normal", true),
        ];
        for (journal_mode, synchronous, risky) in table {
            let risk = synchronous_risk(journal_mode, synchronous);
            assert_eq!(risk.is_some(), risky, "{journal_mode} {synchronous}");
        }
        assert!(journal_risk("memory").is_some() && journal_risk("off").is_some());
        assert_eq!(journal_risk("wal"), None);
    }
}
