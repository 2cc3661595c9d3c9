//! Facts about the server: its tables, version, settings and counters.

use std::collections::BTreeMap;
use std::time::Duration;

use tacho_core::units::bytes;
use tacho_core::{Error, ErrorKind, QueryStats, Result};
use tacho_driver::plan::push_line;
use tacho_driver::{Advice, Counters, Headroom, ServerFacts, Setting, Statement, Values};
use tacho_net::{TextRow, is_last};

use crate::admin::{number, rows, run};
use crate::cancel::Key;
use crate::wire::Wire;
use crate::{dialect, pooler};

const TABLES: &str = include_str!("../sql/tables.sql");
const SETTINGS: &str = include_str!("../sql/settings.sql");
const CHANGES: &str = include_str!("../sql/changes.sql");
const CACHE: &str = include_str!("../sql/cache.sql");
/// Places where settings may have been changed, as Tacho names them in its results.
const CONFIGURATION: &str = "the server's configuration";
const ROLE_SETTINGS: &str = "a role or database setting";
/// Default of `shared_buffers`, in bytes.
const CACHE_DEFAULT: u64 = 128 << 20;
const HEADROOM: &str = include_str!("../sql/headroom.sql");
/// Error code for a schema that is not empty.
const NOT_EMPTY: &str = "2BP01";
const QUERY_STATS: &str = include_str!("../sql/query_stats.sql");
const COUNTERS: &str = include_str!("../sql/ended.sql");
/// The first version that flushes its statistics on request.
const FLUSHES_SINCE: u32 = 15;
/// Maximum time in microseconds to wait for new counts on older servers. Most waits are much shorter.
const WRITTEN_WITHIN_US: u64 = 3_000_000;
/// Interval between two checks for new counts.
const LOOKS_EVERY: Duration = Duration::from_millis(20);

/// Returns the table names as stored. Names that differ only in case mean different tables.
pub async fn tables(wire: &mut Wire) -> Result<Vec<String>> {
    Ok(rows(wire, TABLES).await?.into_iter().flatten().flatten().collect())
}

/// Drops the session's schema if it is empty.
pub async fn drop_schema(wire: &mut Wire) -> Result<()> {
    let found = rows(wire, "SELECT current_schema()").await?;
    let Some(name) = found.into_iter().flatten().flatten().next() else { return Ok(()) };
    match run(wire, &format!("DROP SCHEMA \"{}\" RESTRICT", name.replace('"', "\"\""))).await {
        Err(error) if error.native_code() == Some(NOT_EMPTY) => Ok(()),
        outcome => outcome,
    }
}

/// Returns the version and all settings that differ from the built-in defaults.
pub async fn facts(wire: &mut Wire, version: &str, key: Option<Key>) -> Result<ServerFacts> {
    let found = rows(wire, SETTINGS).await?;
    let transport = setting("transport".into(), wire.transport().into(), None);
    let is_pooled = pooler::is_between(wire, key).await?;
    let pooler = is_pooled.then(|| setting("pooler".into(), "yes".into(), None));
    let settings = found.into_iter().filter_map(|row| {
        let mut row = row.into_iter();
        let (name, value) = (row.next()??, row.next()??);
        let (default, unit) = (row.next()?, row.next()?.unwrap_or_default());
        // Behind a pooler, omit settings that were set in the session. The connection keeps them from the sessions that
        // used it before.
        if is_pooled && row.next()?.is_some_and(|source| source == "session") {
            return None;
        }
        Some(setting(name, value, default.map(|default| with_unit(&default, &unit))))
    });
    let settings = std::iter::once(transport).chain(pooler).chain(settings).collect();
    let advice = advice(wire).await?.into_iter().chain(is_pooled.then(pooler::advice)).collect();
    let (start, changes) = changes(wire, is_pooled).await?;
    Ok(ServerFacts {
        version: format!("PostgreSQL {version}"),
        settings,
        advice,
        changes,
        start,
        ..ServerFacts::default()
    })
}

/// Returns the server's start time and the times of configuration changes.
/// Omits the load time of the configuration behind a connection pooler, because each server process may have loaded the
/// configuration at a different time.
async fn changes(wire: &mut Wire, is_pooled: bool) -> Result<(String, BTreeMap<String, String>)> {
    let found = match rows(wire, CHANGES).await {
        Err(error) if is_last(&error) => return Err(error),
        found => found.unwrap_or_default(),
    };
    let [start, loaded, roles] = [0, 1, 2].map(|at| {
        found.first().and_then(|row| row.get(at)?.clone()).filter(|value| !value.is_empty())
    });
    let loaded = loaded.filter(|_| !is_pooled).map(|value| (CONFIGURATION.to_owned(), value));
    let roles = roles.map(|value| (ROLE_SETTINGS.to_owned(), value));
    Ok((start.unwrap_or_default(), loaded.into_iter().chain(roles).collect()))
}

fn setting(name: String, value: String, default: Option<String>) -> Setting {
    let durability_risk = risk(&name, &value).map(Into::into);
    Setting { name, value, default, durability_risk }
}

/// Returns a default value as the server writes it: in the largest unit that gives a whole number. For example, 16384
/// units of `8kB` are `128MB`.
fn with_unit(value: &str, unit: &str) -> String {
    const BYTES: [(&str, i64); 5] =
        [("TB", 1 << 40), ("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10), ("B", 1)];
    const MILLIS: [(&str, i64); 5] =
        [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1)];
    let digits = unit.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    let (many, unit) = unit.split_at(digits);
    let units = [&BYTES, &MILLIS].into_iter().find(|all| all.iter().any(|entry| entry.0 == unit));
    let (Some(units), Ok(count)) = (units, value.parse::<i64>()) else { return value.into() };
    let each = units.iter().find(|entry| entry.0 == unit).map_or(1, |entry| entry.1);
    let Some(all) =
        count.checked_mul(many.parse().unwrap_or(1)).and_then(|product| product.checked_mul(each))
    else {
        return value.into();
    };
    match units.iter().find(|(_, size)| all > 0 && all % size == 0) {
        Some((name, size)) => format!("{}{name}", all / size),
        // Zero and special values, such as one that means "automatic", have no unit.
        None => value.into(),
    }
}

/// Returns advice on the cache size, unless the administrator has chosen a size. See
/// <https://www.postgresql.org/docs/current/runtime-config-resource.html>.
async fn advice(wire: &mut Wire) -> Result<Option<Advice>> {
    let found = rows(wire, CACHE).await?;
    let row = found.first().ok_or_else(|| Error::new(ErrorKind::Protocol, "there is no row"))?;
    let (cache, data) = (number(row, 0)?, number(row, 1)?);
    Ok((cache == CACHE_DEFAULT && data > cache).then(|| Advice {
        // Uses units that are powers of 1024, like the server.
        text: format!("shared_buffers is 128 MiB, the default, but the data is {}", bytes(data)),
        hint: "set shared_buffers to a quarter of the server's memory".into(),
    }))
}

/// Returns the whole server's commits and rollbacks, and this database's rollbacks.
///
/// A session reports its counts to the server when it ends, and at most once per second before that. Since version 15,
/// it can report them on request.
///
/// Before version 15, the server updates its counts at most twice per second, so this function waits for an update.
///
/// Behind a connection pooler, omits this database's rollbacks, because connections that stay open may report them
/// during the next run.
pub async fn counters(wire: &mut Wire, version: &str, key: Option<Key>) -> Result<Counters> {
    let is_pooled = pooler::is_between(wire, key).await?;
    let flushes = major(version) >= FLUSHES_SINCE;
    let flush = if flushes { ", pg_stat_force_next_flush()" } else { "" };
    run(wire, &format!("SELECT pg_stat_clear_snapshot(){flush}")).await?;
    let mut row = ended(wire).await?;
    let asked = number(&row, 3)?;
    while !flushes && number(&row, 4)? < asked && number(&row, 3)? < asked + WRITTEN_WITHIN_US {
        tokio::time::sleep(LOOKS_EVERY).await;
        row = ended(wire).await?;
    }
    Ok(Counters {
        commits: number(&row, 0)?,
        rollbacks: number(&row, 1)?,
        rollbacks_here: if is_pooled { None } else { Some(number(&row, 2)?) },
        rollbacks_pending: number(&row, 5)?,
    })
}

/// Returns the work of all sessions in this database, because the server does not count by session.
///
/// Returns `None` before version 15, because the server updates these counts too late.
pub async fn query_stats(wire: &mut Wire, version: &str) -> Result<Option<QueryStats>> {
    if major(version) < FLUSHES_SINCE {
        return Ok(None);
    }
    run(wire, "SELECT pg_catalog.pg_stat_force_next_flush()").await?;
    let found = rows(wire, QUERY_STATS).await?;
    let work = |row: &TextRow| -> Result<QueryStats> {
        Ok(QueryStats {
            temp_bytes: Some(number(row, 0)?),
            temp_files: Some(number(row, 1)?),
            read_bytes: Some(number(row, 2)?),
            cached_bytes: Some(number(row, 3)?),
            ..QueryStats::default()
        })
    };
    found.first().map(work).transpose()
}

async fn ended(wire: &mut Wire) -> Result<TextRow> {
    let found = rows(wire, COUNTERS).await?;
    found.into_iter().next().ok_or_else(|| Error::new(ErrorKind::Protocol, "there is no row"))
}

/// Returns the number of additional sessions that the server can accept. If there are several limits, the tightest one
/// applies.
pub async fn headroom(wire: &mut Wire, key: Option<Key>) -> Result<Option<Headroom>> {
    // A pooler has its own limit, which only its administrator can read.
    if pooler::is_between(wire, key).await? {
        return Ok(None);
    }
    let mut narrowest: Option<Headroom> = None;
    for row in rows(wire, HEADROOM).await? {
        let (limit, used) = (number(&row, 1)?, number(&row, 2)?);
        let sessions = limit.saturating_sub(used) as u32;
        if narrowest.as_ref().is_none_or(|known| sessions < known.sessions) {
            let name = row.into_iter().flatten().next().unwrap_or_default();
            let restart = if name == "max_connections" { " and restart the server" } else { "" };
            let used = format!("{limit} for this user, {used} in use");
            let remedy = format!("raise {name}{restart} ({used})");
            narrowest = Some(Headroom { sessions, remedy });
        }
    }
    Ok(narrowest)
}

/// Returns the major version, or 0 if there is none.
pub fn major(version: &str) -> u32 {
    let digits = version.split(|c: char| !c.is_ascii_digit()).next();
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// See <https://www.postgresql.org/docs/current/runtime-config-wal.html>.
fn risk(name: &str, value: &str) -> Option<&'static str> {
    match (name, value) {
        ("fsync", "off") => Some("a power failure can lose commits and damage the database"),
        ("synchronous_commit", "off") => Some("a server crash can lose the last commits"),
        ("unlogged tables", _) => Some("a server crash empties these tables"),
        ("full_page_writes", "off") => Some("a power failure can damage the database"),
        _ => None,
    }
}

/// Returns the plan of a statement with these values, without running it.
pub async fn plan(wire: &mut Wire, statement: &Statement, values: &Values) -> Result<String> {
    let sql = statement.text("EXPLAIN (COSTS OFF) ", &dialect::Postgres, values)?;
    let mut plan = String::new();
    for line in rows(wire, &sql).await?.iter().flatten().flatten() {
        if line.trim_start().starts_with("Workers ") {
            // Keep this line unchanged, because the number of parallel workers is a part of the plan.
            plan.extend([line, "\n"]);
        } else {
            push_line(line, &mut plan);
        }
    }
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        let table =
            [("15.18 (Debian 15.18-0+deb12u1)", 15), ("18beta1", 18), ("9.6.24", 9), ("", 0)];
        for (version, expected) in table {
            assert_eq!(major(version), expected, "{version}");
        }
    }

    #[test]
    fn defaults_are_written_as_the_server_does() {
        let table = [
            ("16384", "8kB", "128MB"),
            ("4096", "kB", "4MB"),
            ("1024", "MB", "1GB"),
            ("300", "s", "5min"),
            ("200", "ms", "200ms"),
            ("16777216", "B", "16MB"),
            ("-1", "8kB", "-1"),
            ("0", "ms", "0"),
            ("on", "", "on"),
            ("0.5", "", "0.5"),
        ];
        for (value, unit, expected) in table {
            assert_eq!(with_unit(value, unit), expected, "{value} {unit}");
        }
    }

    #[test]
    fn only_settings_that_lose_commits_are_a_risk() {
        let table = [
            ("fsync", "off", true),
            ("fsync", "on", false),
            ("synchronous_commit", "off", true),
            ("synchronous_commit", "local", false),
            ("full_page_writes", "off", true),
            ("unlogged tables", "9", true),
            ("jit", "off", false),
        ];
        for (name, value, risky) in table {
            assert_eq!(risk(name, value).is_some(), risky, "{name}={value}");
        }
    }
}
