//! Short descriptions of how runs differ from each other, for use in titles and chart legends.
//!
//! Start reading at [`contrast`] and [`labels`].

use tacho_store::record::Record;

use crate::compare::{condition_values, differences};
use crate::words::clean;

/// Maximum number of conditions in a title. A separate table lists all of them.
const NAMED_MAX: usize = 2;
/// Conditions that matter most to readers, in order of importance. Server settings follow them.
const FIRST: [&str; 8] = [
    "server.version",
    "plan.target_name",
    "plan.form",
    "plan.sessions",
    "plan.rate_per_s",
    "plan.profile",
    "plan.scale",
    "tacho.version",
];
const SETTINGS: &str = "server.settings.";

/// Returns the product and version number without a packager's suffix, such as `PostgreSQL 15.18`.
pub fn product(version: &str) -> String {
    let version = clean(version);
    let mut words = version.split(' ');
    let name = words.next().unwrap_or_default();
    let number = words.next().unwrap_or_default();
    let end = number.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(number.len());
    let whole = number.starts_with(|c: char| c.is_ascii_digit());
    let number = if whole { &number[..end] } else { number };
    [name, number].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns the server's name for use in a title, or the driver's name if the server is unknown.
pub fn server(record: &Record) -> String {
    match record.server.version.as_str() {
        "" => clean(&record.plan.driver),
        version => product(version),
    }
}

/// Describes how two runs differ: `PostgreSQL 17.1 against PostgreSQL 15.18, work_mem 64MB against 4MB`.
pub fn contrast(baseline: &Record, run: &Record) -> String {
    let names = differing(baseline, &[run]);
    if names.is_empty() {
        return format!("both {}", server(run));
    }
    let (before, after) = (condition_values(baseline), condition_values(run));
    let value = |values: &std::collections::BTreeMap<String, String>, name: &String| {
        values.get(name).map_or_else(|| "not set".into(), |value| shown(name, value))
    };
    let mut parts: Vec<String> = names
        .iter()
        .take(NAMED_MAX)
        .map(|name| {
            let pair = format!("{} against {}", value(&after, name), value(&before, name));
            format!("{}{pair}", prefix(name))
        })
        .collect();
    if !names.iter().any(|name| name == "server.version") {
        parts.insert(0, server(run));
    }
    parts.join(", ") + &more(names.len())
}

/// Returns a label that distinguishes each run from the others, such as `PostgreSQL 17.1, work_mem 64MB`.
pub fn labels(records: &[&Record]) -> Vec<String> {
    let Some((first, others)) = records.split_first() else { return Vec::new() };
    let names = differing(first, others);
    let of = |record: &&Record| {
        let values = condition_values(record);
        let parts = names
            .iter()
            .take(NAMED_MAX)
            .filter_map(|name| Some(format!("{}{}", prefix(name), shown(name, values.get(name)?))));
        let parts: Vec<String> = parts.collect();
        if parts.is_empty() { server(record) } else { parts.join(", ") }
    };
    records.iter().map(of).collect()
}

/// Returns the conditions that differ between runs and suit a title, most important first.
fn differing(first: &Record, others: &[&Record]) -> Vec<String> {
    let mut names: Vec<String> = others
        .iter()
        .flat_map(|other| differences(first, other))
        .map(|difference| difference.name)
        .filter(|name| FIRST.contains(&name.as_str()) || name.starts_with(SETTINGS))
        .collect();
    names.sort_by_key(|name| (rank(name), name.clone()));
    names.dedup();
    names
}

fn rank(name: &str) -> usize {
    FIRST.iter().position(|known| *known == name).unwrap_or(FIRST.len())
}

/// Returns the setting's name to put before its value in a label. Names of servers and targets need no such prefix.
fn prefix(name: &str) -> String {
    match name {
        "server.version" | "plan.target_name" => String::new(),
        "tacho.version" => "tacho ".into(),
        _ => format!("{} ", clean(name.rsplit('.').next().unwrap_or(name))),
    }
}

fn shown(name: &str, value: &str) -> String {
    if name == "server.version" { product(value) } else { clean(value) }
}

fn more(count: usize) -> String {
    match count.saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::product;

    #[test]
    fn a_version_is_a_product_and_its_number() {
        let table = [
            ("PostgreSQL 15.18 (Debian 15.18-0+deb12u1)", "PostgreSQL 15.18"),
            ("MariaDB 10.11.14-MariaDB-0+deb12u2", "MariaDB 10.11.14"),
            ("SQLite 3.50.1", "SQLite 3.50.1"),
            ("sim", "sim"),
            ("", ""),
        ];
        for (version, expected) in table {
            assert_eq!(product(version), expected);
        }
    }
}
