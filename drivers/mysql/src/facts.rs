//! Facts about the server: its tables, version, settings and counters.

use std::collections::BTreeMap;

use tacho_core::{QueryStats, Result};
use tacho_driver::{Counters, Headroom, ServerFacts, Setting, Statement, Values};
use tacho_net::{is_last, unexpected};

use crate::admin::{TextRow, number, rows};
use crate::advice::{advice, is_on};
use crate::dialect;
use crate::link::Link;
use crate::product::Product;

const TABLES: &str = include_str!("../sql/tables.sql");
const SETTINGS: &str = include_str!("../sql/settings.sql");
const CHANGED_MARIADB: &str = include_str!("../sql/changed_mariadb.sql");
const CHANGED_MYSQL: &str = include_str!("../sql/changed_mysql.sql");
const UNSAFE_TABLES: &str = include_str!("../sql/unsafe_tables.sql");
const SET_MARIADB: &str = include_str!("../sql/set_mariadb.sql");
const SET_MYSQL: &str = include_str!("../sql/set_mysql.sql");
/// Start of the names of facts such as `tables of MyISAM`, which report the number of tables per storage engine.
const TABLES_OF: &str = "tables of ";
/// Query that detects a disabled redo log on a MySQL server. A statement disables the log, so no setting shows it.
const NO_REDO_LOG: &str =
    "SHOW GLOBAL STATUS WHERE Variable_name = 'Innodb_redo_log_enabled' AND Value = 'OFF'";
const HEADROOM: &str = include_str!("../sql/headroom.sql");
const IN_USE: &str =
    "SHOW GLOBAL STATUS WHERE Variable_name IN ('Threads_connected', 'Prepared_stmt_count')";
const QUERY_STATS: &str = include_str!("../sql/query_stats.sql");
const COUNTERS: &str = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_commit', 'Com_rollback')";

/// Returns the table names in the form in which the server compares them.
pub async fn tables(link: &mut Link) -> Result<Vec<String>> {
    Ok(rows(link, TABLES).await?.into_iter().flatten().flatten().collect())
}

/// Returns the version, the relevant settings, and any other changed settings.
pub async fn facts(link: &mut Link, product: Product, version: &str) -> Result<ServerFacts> {
    let mut found = pairs(rows(link, SETTINGS).await?);
    let (mut defaults, mut unset) = (BTreeMap::new(), BTreeMap::new());
    found.extend(pairs(asked(link, UNSAFE_TABLES).await?));
    found.extend(pairs(asked(link, NO_REDO_LOG).await?));
    let (changed, set) = match product {
        Product::MariaDb => (CHANGED_MARIADB, SET_MARIADB),
        Product::MySql => (CHANGED_MYSQL, SET_MYSQL),
    };
    match rows(link, changed).await {
        Ok(changed) => {
            let (changed, others): (Vec<_>, Vec<_>) = changed.into_iter().partition(is_set);
            defaults = defaults_of(&changed);
            unset.extend(pairs(others));
            found.extend(pairs(changed));
        }
        Err(error) if is_last(&error) => return Err(error),
        // Without the performance schema, only the main settings can be listed, not all settings that were changed.
        Err(_) => {}
    }
    // If a setting occurs twice, keep the first entry, which is the value in this session.
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.dedup_by(|a, b| a.0 == b.0);
    let has_log = found.iter().any(|(name, value)| name == "log_bin" && is_on(value));
    let transport = ("transport".into(), link.wire.transport().into());
    let settings = std::iter::once(transport).chain(found).map(|(name, value)| {
        let durability_risk = risk(&name, &value, has_log).map(Into::into);
        let default = defaults.remove(&name);
        Setting { name, value, default, durability_risk }
    });
    let settings: Vec<Setting> = settings.collect();
    let advice = advice(link, &settings).await?;
    let noted = pairs(asked(link, set).await?).into_iter().collect();
    let version = format!("{} {version}", product.title());
    Ok(ServerFacts { version, settings, unset, advice, changes: noted, start: String::new() })
}

/// Returns a query's rows, or no rows if the server does not support the query or the user may not run it.
async fn asked(link: &mut Link, question: &str) -> Result<Vec<TextRow>> {
    match rows(link, question).await {
        Err(error) if is_last(&error) => Err(error),
        found => Ok(found.unwrap_or_default()),
    }
}

/// Returns true if a setting was changed explicitly. If the server lists all its settings, the fourth column shows
/// which ones were changed.
fn is_set(row: &TextRow) -> bool {
    row.get(3).is_none_or(|word| word.as_deref() == Some("set"))
}

/// Returns the settings' default values, which some servers report in a third column.
fn defaults_of(rows: &[TextRow]) -> BTreeMap<String, String> {
    let pair = |row: &TextRow| Some((row.first()?.clone()?, row.get(2)?.clone()?));
    rows.iter().filter_map(pair).filter(|(_, default)| !default.is_empty()).collect()
}

/// Returns pairs of name and value, without those whose value is empty.
fn pairs(rows: Vec<TextRow>) -> Vec<(String, String)> {
    let pair = |row: TextRow| {
        let mut row = row.into_iter().flatten();
        Some((row.next()?, row.next().filter(|value| !value.is_empty())?))
    };
    rows.into_iter().filter_map(pair).collect()
}

/// Returns the whole server's commits and rollbacks, including those in routines.
pub async fn counters(link: &mut Link) -> Result<Counters> {
    let mut counters =
        Counters { commits: 0, rollbacks: 0, rollbacks_here: None, rollbacks_pending: 0 };
    for row in rows(link, COUNTERS).await? {
        match row.first().and_then(Option::as_deref) {
            Some("Com_commit") => counters.commits = number(&row, 1)?,
            Some("Com_rollback") => counters.rollbacks = number(&row, 1)?,
            _ => {}
        }
    }
    Ok(counters)
}

/// Returns counters of this session's work, without the query that reads them. If `exclusive` is true, the session is
/// the only active one. The result then includes temporary files and `InnoDB` pages, which the server counts only for
/// all sessions together.
pub async fn query_stats(link: &mut Link, exclusive: bool) -> Result<QueryStats> {
    let mut counts = BTreeMap::new();
    for row in rows(link, QUERY_STATS).await? {
        let name = row.first().cloned().flatten().unwrap_or_default();
        counts.insert(name, number(&row, 1)?);
    }
    let of = |name: &str| counts.get(name).copied();
    let of_all = |name: &str| of(name).filter(|_| exclusive);
    let bytes = |pages: Option<u64>| Some(pages? * of("Innodb_page_size")?);
    let reads = counts.iter().filter(|(name, _)| name.starts_with("Handler_read_"));
    let requests = of_all("Innodb_buffer_pool_read_requests");
    let missed = of_all("Innodb_buffer_pool_reads");
    Ok(QueryStats {
        temp_files: of_all("Created_tmp_files"),
        temp_tables: of("Created_tmp_disk_tables"),
        read_bytes: bytes(of_all("Innodb_pages_read")),
        cached_bytes: bytes(requests.zip(missed).map(|(all, missed)| all.saturating_sub(missed))),
        read_rows: reads.map(|(_, count)| *count).reduce(|sum, count| sum + count),
        ..QueryStats::default()
    })
}

/// Returns how many more sessions the server can accept if each of them prepares this number of statements.
pub async fn headroom(link: &mut Link, statements: usize) -> Result<Option<Headroom>> {
    let (mut connected, mut prepared) = (0, 0);
    for row in rows(link, IN_USE).await? {
        match row.first().and_then(Option::as_deref) {
            Some("Threads_connected") => connected = number(&row, 1)?,
            Some("Prepared_stmt_count") => prepared = number(&row, 1)?,
            _ => {}
        }
    }
    let found = rows(link, HEADROOM).await?;
    let row = found.first().ok_or_else(|| unexpected("no limits"))?;
    let user_connections = number(row, 3)?;
    // For each limit: its name, the amount that one session needs, the limit, and the amount already in use.
    let limits = [
        ("max_connections", 1, number(row, 0)?, connected),
        ("max_user_connections", 1, number(row, 1)?, user_connections),
        ("max_prepared_stmt_count", statements as u64, number(row, 2)?, prepared),
    ];
    let room = |(name, each, limit, used): (&str, u64, u64, u64)| {
        let sessions = limit.saturating_sub(used).checked_div(each)?.try_into().ok()?;
        let limited = limit > 0 || name != "max_user_connections";
        let remedy = format!("raise the server's {name} ({limit}, {used} in use)");
        limited.then_some(Headroom { sessions, remedy })
    };
    Ok(limits.into_iter().filter_map(room).min_by_key(|room| room.sessions))
}

/// See <https://dev.mysql.com/doc/refman/en/innodb-parameters.html>.
fn risk(name: &str, value: &str, has_log: bool) -> Option<&'static str> {
    match (name, value) {
        ("innodb_flush_log_at_trx_commit", "0") => {
            Some("a server crash can lose commits from the last second")
        }
        ("innodb_flush_log_at_trx_commit", "2")
        | ("rocksdb_flush_log_at_trx_commit", "0" | "2") => {
            Some("a power failure can lose commits from the last second")
        }
        ("sync_binlog", "1") => None,
        ("sync_binlog", _) if has_log => {
            Some("a power failure can lose commits from the binary log")
        }
        ("innodb_doublewrite", "0" | "OFF" | "DETECT_ONLY") => {
            Some("a power failure can damage the database")
        }
        ("innodb_flush_method", "nosync") => {
            Some("a power failure can lose commits and damage the database")
        }
        ("Innodb_redo_log_enabled", "OFF") => Some("a server crash destroys the data"),
        ("tables of MEMORY", _) => Some("a server restart empties these tables"),
        ("tables of BLACKHOLE", _) => Some("these tables do not store any rows"),
        (tables, _) if tables.starts_with(TABLES_OF) => Some(
            "a crash can lose or damage rows in these tables, and rollbacks do not undo changes",
        ),
        _ => None,
    }
}

/// Columns of `EXPLAIN` output that are not part of the plan, because they contain estimates or alternatives that were
/// not used.
///
/// The output has ten columns on MariaDB. MySQL adds two columns, for partitions and the percentage of filtered rows.
const NOT_OF_THE_PLAN: [(usize, &[usize]); 2] = [(10, &[4, 8]), (12, &[5, 9, 10])];

/// Returns the plan of a statement with these values, without running it.
///
/// Uses the plan in table form, because its tree form contains estimates.
pub async fn plan(link: &mut Link, statement: &Statement, values: &Values) -> Result<String> {
    let sql = statement.text("EXPLAIN FORMAT=TRADITIONAL ", &dialect::MySql, values)?;
    let mut plan = String::new();
    for row in rows(link, &sql).await? {
        let left_out = NOT_OF_THE_PLAN.iter().find(|(width, _)| *width == row.len());
        let left_out = left_out.map_or(&[][..], |(_, columns)| columns);
        let kept = row.iter().enumerate().filter(|(at, _)| !left_out.contains(at));
        let cells: Vec<&str> = kept.map(|(_, cell)| cell.as_deref().unwrap_or("-")).collect();
        plan.extend([cells.join(" ").trim_end(), "\n"]);
    }
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_settings_that_lose_commits_are_a_risk() {
        let table = [
            ("innodb_flush_log_at_trx_commit", "1", true, false),
            ("innodb_flush_log_at_trx_commit", "2", false, true),
            ("innodb_flush_log_at_trx_commit", "0", false, true),
            ("sync_binlog", "0", false, false),
            ("sync_binlog", "0", true, true),
            ("sync_binlog", "1", true, false),
            ("innodb_doublewrite", "OFF", false, true),
            ("innodb_doublewrite", "ON", false, false),
            ("innodb_flush_method", "O_DIRECT", false, false),
            ("Innodb_redo_log_enabled", "OFF", false, true),
            ("tables of MyISAM", "9", false, true),
            ("tables of MEMORY", "1", false, true),
        ];
        for (name, value, has_log, risky) in table {
            assert_eq!(risk(name, value, has_log).is_some(), risky, "{name}={value}");
        }
    }
}
