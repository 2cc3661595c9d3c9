//! Names of the folders of runs, and of the files in them.
//!
//! A name entered by a user must never lead to a place outside the store's folder. Start reading at
//! [`name`].

use std::time::SystemTime;

use jiff::Timestamp;
use tacho_core::{Error, Result};

use crate::record::Record;

/// The run record: the plan, the conditions and the results.
pub(crate) const RECORD: &str = "run.json";
/// The intervals. The file contains compressed JSON, with one line per interval.
pub(crate) const INTERVALS: &str = "intervals.jsonl.zst";
/// The server's counters and waits, as compressed JSON with a line per interval.
pub(crate) const SERVER: &str = "server.jsonl.zst";
/// The activity of the observed machines: compressed JSON, one line per interval and machine.
pub(crate) const HOSTS: &str = "hosts.jsonl.zst";
/// The histograms, as a standard HDR interval log.
pub(crate) const HISTOGRAMS: &str = "histograms.hlog";
/// The histograms of each virtual user's service times, if requested.
pub(crate) const SESSIONS: &str = "sessions.hlog";
/// The operations of all transactions, if the workload reports them.
pub(crate) const HISTORY: &str = "history.bin";
/// A readable log of the events during the run.
pub(crate) const LOG: &str = "log.txt";

/// The files whose checksums are stored in the record of a finished run.
pub(crate) const SEALED: [&str; 7] = [INTERVALS, SERVER, HOSTS, HISTOGRAMS, SESSIONS, HISTORY, LOG];

/// The log of acknowledged commits. It changes when commits are looked up in the database.
pub(crate) const COMMITS: &str = "commits.bin";

const PART_CHARS_MAX: usize = 40;

/// Returns the name of a run's folder: `<local time>-<workload>-<target>-<id>`.
pub(crate) fn name(record: &Record) -> String {
    let time: String = record.started_at.chars().take(19).map(|c| plain(c, '-')).collect();
    let (workload, target) = (part(&record.plan.workload), part(&record.plan.target_name));
    format!("{time}-{workload}-{target}-{}", record.id)
}

/// Returns the id at the end of a folder name.
pub(crate) fn id(name: &str) -> &str {
    name.rsplit_once('-').map_or(name, |(_, id)| id)
}

/// Parses the date of a record.
pub(crate) fn started(started_at: &str) -> Result<SystemTime> {
    let parsed: Result<Timestamp, _> = started_at.parse();
    parsed.map(SystemTime::from).map_err(|error| {
        Error::usage(format!("invalid date \"{started_at}\": expected RFC 3339")).source(error)
    })
}

/// Converts a word that the user entered into a valid part of a file name on every operating
/// system.
pub(crate) fn part(word: &str) -> String {
    let word: String = word.chars().take(PART_CHARS_MAX).map(|c| plain(c, '_')).collect();
    let word = word.trim_start_matches('.');
    if word.is_empty() { "unnamed".into() } else { word.into() }
}

/// Returns true if a name is a valid path component that cannot lead out of its folder.
pub(crate) fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && name.chars().all(|c| plain(c, '/') == c)
}

pub(crate) fn plain(c: char, other: char) -> char {
    if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { other }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_names_stay_inside_the_folder() {
        for (word, expected) in
            [("pg16", "pg16"), ("../../x", "_.._x"), ("", "unnamed"), ("..", "unnamed")]
        {
            assert_eq!(part(word), expected);
        }
        assert_eq!(id("2026-03-02T10-14-05-tprocc-pg-16-7q3f"), "7q3f");
    }
}
