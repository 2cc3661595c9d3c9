//! The settings for an SQLite database, taken from the target.

use std::path::PathBuf;
use std::time::Duration;

use tacho_core::units::{parse_count, parse_duration};
use tacho_core::{Error, Parameter, ParameterKind, Result};
use tacho_driver::Target;

const PAGE_SIZES: &[&str] = &["512", "1024", "2048", "4096", "8192", "16384", "32768", "65536"];

/// The supported options, which `docs.md` explains.
const OPTIONS: [Parameter; 8] = [
    option(
        "journal_mode",
        ParameterKind::Choice(&["wal", "delete", "truncate", "memory", "off"]),
        "wal",
    ),
    option("synchronous", ParameterKind::Choice(&["off", "normal", "full", "extra"]), "full"),
    option("cache_mb", ParameterKind::Count { min: 1, max: 1 << 20 }, "64"),
    option("busy_timeout", ParameterKind::Duration, "10s"),
    option("page_size", ParameterKind::Choice(PAGE_SIZES), "4096"),
    option("create", ParameterKind::Switch, "true"),
    option("mode", ParameterKind::Choice(&["rw", "ro"]), "rw"),
    option("max_pages", ParameterKind::Count { min: 0, max: 4_294_967_294 }, "0"),
];

const fn option(key: &'static str, kind: ParameterKind, default: &'static str) -> Parameter {
    Parameter { key, kind, default, help: "" }
}

/// A parsed target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The database file.
    pub path: PathBuf,
    /// Journal mode, which determines how transactions are made atomic. Default `wal`.
    pub journal_mode: String,
    /// SQLite's `synchronous` level, which determines when it waits for the disk. Default `full`.
    pub synchronous: String,
    /// Size of each session's page cache in MiB. Default 64.
    pub cache_mb: u64,
    /// Time limit for waiting for a lock. Default 10 s.
    pub busy_timeout: Duration,
    /// Page size in bytes. It cannot be changed after the file has been created. Default 4096.
    pub page_size: u32,
    /// True if the user specified the page size. An existing file is then rejected if it has a different page size.
    pub page_size_given: bool,
    /// True if the file is created when it does not exist. Default true.
    pub create: bool,
    /// True if the file is opened read-only. Default false.
    pub read_only: bool,
    /// Maximum number of pages in the file. Default 0, which means no limit. Tests use it to simulate a full disk.
    pub max_pages: u64,
}

impl Config {
    /// Reads and validates the target's location and options.
    pub fn from_target(target: &Target) -> Result<Self> {
        check_place(&target.place)?;
        target.check_options(&OPTIONS.map(|known| known.key))?;
        for known in &OPTIONS {
            known.check(value(target, known.key))?;
        }
        let count = |key| parse_count(value(target, key));
        Ok(Self {
            path: PathBuf::from(&target.place),
            journal_mode: value(target, "journal_mode").into(),
            synchronous: value(target, "synchronous").into(),
            cache_mb: count("cache_mb")?,
            busy_timeout: parse_duration(value(target, "busy_timeout"))?,
            page_size: count("page_size")? as u32,
            page_size_given: target.option("page_size").is_some(),
            create: value(target, "create") == "true",
            read_only: value(target, "mode") == "ro",
            max_pages: count("max_pages")?,
        })
    }
}

fn value<'a>(target: &'a Target, key: &str) -> &'a str {
    let default = OPTIONS.iter().find(|known| known.key == key).map_or("", |known| known.default);
    target.option(key).unwrap_or(default)
}

/// Rejects in-memory databases, because each session would have one of its own.
fn check_place(place: &str) -> Result<()> {
    let problem = match place {
        "" => "the target does not specify a file",
        ":memory:" => "an in-memory database cannot be shared between sessions",
        _ => return Ok(()),
    };
    Err(Error::usage(problem).hint(
        "specify a file, such as sqlite:bench.db; on Linux, files in /dev/shm are kept in memory",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config> {
        Config::from_target(&Target::parse(text)?)
    }

    #[test]
    fn defaults_are_durable() -> Result<()> {
        let config = read("sqlite:a/b.db")?;
        assert_eq!(config.path, PathBuf::from("a/b.db"));
        assert_eq!((config.journal_mode.as_str(), config.synchronous.as_str()), ("wal", "full"));
        assert_eq!((config.cache_mb, config.page_size, config.create), (64, 4096, true));
        assert_eq!(config.busy_timeout, Duration::from_secs(10));
        Ok(())
    }

    #[test]
    fn rejects_invalid_targets_with_a_hint() {
        let table = [
            "sqlite",
            "sqlite::memory:",
            "sqlite:x.db?journal=wal",
            "sqlite:x.db?journal_mode=WALL",
            "sqlite:x.db?cache_mb=0",
            "sqlite:x.db?page_size=1000",
            "sqlite:x.db?busy_timeout=5",
            "sqlite:x.db?create=yes",
        ];
        for text in table {
            let error = read(text).expect_err(text);
            assert!(!error.hints().is_empty(), "{text}: {error}");
        }
    }
}
