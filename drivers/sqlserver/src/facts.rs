//! Information about the server: tables, version, settings, machine, counters and privileges.
//!
//! If the login cannot read a system view or the server lacks it, the facts from that view are unknown. This is not an
//! error.

use std::time::Duration;

use tacho_core::Result;
use tacho_driver::{
    Advice, Counters, DataSizes, Headroom, Privileges, ServerFacts, ServerMachine, Setting,
    Statement, TableSize, TextRows, Values, plan::push_line, text,
};
use tacho_net::unexpected;

use crate::admin::{TextRow, asked, asked_table, number, rows, run};
use crate::dialect;
use crate::link::Link;

const TABLES: &str = include_str!("../sql/tables.sql");
const CONFIGURATIONS: &str = include_str!("../sql/configurations.sql");
const DATABASE: [&str; 2] =
    [include_str!("../sql/database.sql"), include_str!("../sql/database_2019.sql")];
const MACHINE: &str = include_str!("../sql/machine.sql");
const HOST: &str = include_str!("../sql/host.sql");
const DATA_PATH: &str = include_str!("../sql/data_path.sql");
const SIZES: &str = include_str!("../sql/sizes.sql");
const COUNTERS: &str = include_str!("../sql/counters.sql");
const HEADROOM: &str = include_str!("../sql/headroom.sql");
const PRIVILEGES: &str = include_str!("../sql/privileges.sql");
const SERVER_TIME: &str = include_str!("../sql/server_time.sql");
/// Statements that turn plan output on and off. While it is on, the server returns plans instead of running statements.
const PLANS: [&str; 2] = ["SET SHOWPLAN_TEXT ON", "SET SHOWPLAN_TEXT OFF"];
/// The default of `max server memory (MB)`.
const UNLIMITED: &str = "2147483647";

/// Returns the table names in lower case.
pub async fn tables(link: &mut Link) -> Result<Vec<String>> {
    let found = rows(link, TABLES).await?;
    Ok(found.into_iter().flatten().flatten().map(|name| name.to_lowercase()).collect())
}

/// Returns the version and the relevant settings.
pub async fn facts(link: &mut Link, version: &str) -> Result<ServerFacts> {
    let mut found = vec![("transport".to_owned(), link.wire.transport().to_owned())];
    for row in asked(link, CONFIGURATIONS).await?.unwrap_or_default() {
        if let [Some(name), Some(value)] = &row[..] {
            found.push((name.clone(), value.clone()));
        }
    }
    for question in DATABASE {
        let TextRows { columns, rows, .. } = asked_table(link, question).await?.unwrap_or_default();
        let pairs = columns.into_iter().zip(rows.into_iter().next().unwrap_or_default());
        found.extend(pairs.filter_map(|(name, value)| Some((name, value?))));
    }
    found.retain(|(_, value)| !value.is_empty());
    let settings = found.into_iter().map(|(name, value)| {
        let risk = (name == "delayed_durability_desc" && value == "FORCED")
            .then(|| "commits are acknowledged before they are written to the log".to_owned());
        Setting { name, value, default: None, durability_risk: risk }
    });
    let settings: Vec<Setting> = settings.collect();
    let advice = advice(&settings);
    Ok(ServerFacts { version: version.into(), settings, advice, ..ServerFacts::default() })
}

/// Returns advice about settings that are unsuitable for most measurements.
fn advice(settings: &[Setting]) -> Vec<Advice> {
    let is = |name: &str, value: &str| {
        settings.iter().any(|setting| (&*setting.name, &*setting.value) == (name, value))
    };
    let table = [
        (
            is("is_read_committed_snapshot_on", "0"),
            "is_read_committed_snapshot_on is 0: readers wait for writers",
            "ALTER DATABASE name SET READ_COMMITTED_SNAPSHOT ON",
        ),
        (
            is("max degree of parallelism", "0"),
            "max degree of parallelism is 0: a single query may use all processors",
            "use EXEC sp_configure to set 'max degree of parallelism' to 1 for short transactions, or to a slightly higher value for large queries",
        ),
        (
            is("max server memory (MB)", UNLIMITED),
            "max server memory (MB) is not set: the server may use all of the machine's memory",
            "use EXEC sp_configure to set 'max server memory (MB)' to a few GB less than the machine's memory",
        ),
        (
            is("delayed_durability_desc", "FORCED"),
            "delayed_durability_desc is FORCED: a crash loses commits",
            "ALTER DATABASE name SET DELAYED_DURABILITY = DISABLED",
        ),
    ];
    let found = table.into_iter().filter(|(holds, ..)| *holds);
    found.map(|(_, text, hint)| Advice { text: text.into(), hint: hint.into() }).collect()
}

/// Returns information about the server's machine, or `None` if it is not available.
pub async fn machine(link: &mut Link) -> Result<Option<ServerMachine>> {
    let mut first = async |sql: &str| -> Result<Option<TextRow>> {
        Ok(asked(link, sql).await?.and_then(|found| found.into_iter().next()))
    };
    let (machine, host, path) =
        (first(MACHINE).await?, first(HOST).await?, first(DATA_PATH).await?);
    if machine.is_none() && host.is_none() && path.is_none() {
        return Ok(None);
    }
    let mut found = ServerMachine::default();
    if let Some(row) = machine {
        found.cores = Some(number(&row, 0)? as u32);
        found.memory_bytes = Some(number(&row, 1)? * 1024);
    }
    found.os = host.unwrap_or_default().into_iter().flatten().collect::<Vec<_>>().join(" ");
    found.data_path = path.unwrap_or_default().into_iter().flatten().collect();
    Ok(Some(found))
}

/// Returns the size of each table, or `None` if the server does not report it.
pub async fn sizes(link: &mut Link) -> Result<Option<DataSizes>> {
    let Some(found) = asked(link, SIZES).await? else { return Ok(None) };
    let table = |row: TextRow| {
        let [rows, bytes, index_bytes] = [1, 2, 3].map(|at| number(&row, at).map(Some));
        let name = row[0].clone().unwrap_or_default();
        Ok(TableSize { name, rows: rows?, bytes: bytes?, index_bytes: index_bytes? })
    };
    let tables = found.into_iter().map(table).collect::<Result<_>>()?;
    Ok(Some(DataSizes { database_bytes: None, tables }))
}

/// Returns the number of transactions that were started, or `None` if the server does not report it.
///
/// Reports nothing for Babelfish, because its PostgreSQL server counts several commits for each transaction.
pub async fn counters(link: &mut Link) -> Result<Option<Counters>> {
    let found = asked(link, COUNTERS).await?.and_then(|found| found.into_iter().next());
    let Some(row) = found.filter(|row| row.iter().any(Option::is_some)) else { return Ok(None) };
    let commits = number(&row, 0)?;
    Ok(Some(Counters { commits, rollbacks: 0, rollbacks_here: None, rollbacks_pending: 0 }))
}

/// Returns how many more sessions the server can accept, or `None` if the server does not report it.
pub async fn headroom(link: &mut Link) -> Result<Option<Headroom>> {
    let found = asked(link, HEADROOM).await?.and_then(|found| found.into_iter().next());
    let Some(row) = found else { return Ok(None) };
    let sessions = number(&row, 0)?.saturating_sub(number(&row, 1)?) as u32;
    Ok(Some(Headroom { sessions, remedy: "raise the server's user connections".into() }))
}

/// Returns the login's privileges, or `None` if the server does not report them.
pub async fn privileges(link: &mut Link) -> Result<Option<Privileges>> {
    let found = asked(link, PRIVILEGES).await?.and_then(|found| found.into_iter().next());
    let Some([Some(schema), Some(creates), Some(alters)]) = found.as_deref() else {
        return Ok(None);
    };
    let mut privileges = Privileges::default();
    let wanted = [
        (creates, "create tables".to_owned(), "GRANT CREATE TABLE TO name".to_owned()),
        (
            alters,
            format!("create and drop tables in schema {schema}"),
            format!("GRANT ALTER ON SCHEMA::{schema} TO name"),
        ),
    ];
    for (has, what, hint) in wanted {
        if has == "1" {
            privileges.granted.push(what);
        } else {
            let text = format!("the login is not allowed to {what}");
            privileges.missing.push(Advice { text, hint });
        }
    }
    Ok(Some(privileges))
}

/// Returns a statement's plan without running it, or `None` if the login is not allowed to see plans.
pub async fn plan(
    link: &mut Link,
    statement: &Statement,
    values: &Values,
) -> Result<Option<String>> {
    let sql = statement.text("", &dialect::SqlServer, values)?;
    if asked(link, PLANS[0]).await?.is_none() {
        return Ok(None);
    }
    // The first row contains the statement itself, so only the rows after it are kept.
    let found = asked(link, &sql).await;
    run(link, PLANS[1]).await?;
    let Some(found) = found? else { return Ok(None) };
    let mut plan = String::new();
    for line in found.iter().flatten().flatten() {
        push_line(line, &mut plan);
    }
    Ok(Some(plan))
}

/// Returns the server's date and time when the statement runs.
pub async fn server_time(link: &mut Link) -> Result<Duration> {
    let found = rows(link, SERVER_TIME).await?.into_iter().flatten().flatten().next();
    let micros = found.as_deref().and_then(|found| text::parse_moment(found.as_bytes()));
    let micros = micros.and_then(|micros| u64::try_from(micros).ok());
    micros.map(Duration::from_micros).ok_or_else(|| unexpected("no date"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_disturbing_settings() {
        let setting = |name: &str, value: &str| Setting {
            name: name.into(),
            value: value.into(),
            ..Setting::default()
        };
        let all = [
            setting("is_read_committed_snapshot_on", "0"),
            setting("max degree of parallelism", "0"),
            setting("max server memory (MB)", UNLIMITED),
            setting("delayed_durability_desc", "FORCED"),
        ];
        assert_eq!(advice(&all).len(), 4);
        assert!(advice(&[setting("is_read_committed_snapshot_on", "1")]).is_empty());
    }
}
