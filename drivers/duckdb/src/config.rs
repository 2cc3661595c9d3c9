//! The settings for a DuckDB database, taken from the target.

use std::path::PathBuf;

use tacho_core::{Error, ErrorKind, Parameter, ParameterKind, Result};
use tacho_driver::Target;

/// The supported options, which `docs.md` explains.
const OPTIONS: [Parameter; 5] = [
    option("library", ParameterKind::Text, ""),
    option("threads", ParameterKind::Count { min: 1, max: 1 << 16 }, ""),
    option("memory_limit", ParameterKind::Text, ""),
    option("create", ParameterKind::Switch, "true"),
    option("mode", ParameterKind::Choice(&["rw", "ro"]), "rw"),
];

const fn option(key: &'static str, kind: ParameterKind, default: &'static str) -> Parameter {
    Parameter { key, kind, default, help: "" }
}

/// A parsed target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The database file.
    pub path: PathBuf,
    /// DuckDB settings and their values. Any setting that is not listed keeps DuckDB's default.
    pub settings: Vec<(&'static str, String)>,
    /// True if Tacho creates the file when it does not exist. Defaults to true.
    pub create: bool,
    /// Path of the DuckDB library, if it is not in one of the system's library folders.
    pub library: Option<PathBuf>,
}

impl Config {
    /// Reads and validates the target's location and options.
    pub fn from_target(target: &Target) -> Result<Self> {
        // A target can have the form duckdb:a/b.db or duckdb:///a/b.db.
        let place = target.place.strip_prefix("//").unwrap_or(&target.place);
        check_place(place)?;
        target.check_options(&OPTIONS.map(|known| known.key))?;
        for known in &OPTIONS {
            if let Some(value) = target.option(known.key) {
                known.check(value)?;
            }
        }
        let given = |key| target.option(key).map(str::to_owned);
        let read_only = target.option("mode") == Some("ro");
        let access = if read_only { "READ_ONLY" } else { "READ_WRITE" };
        let mut settings = vec![("access_mode", access.to_owned())];
        settings.extend(given("threads").map(|value| ("threads", value)));
        settings.extend(given("memory_limit").map(|value| ("memory_limit", value)));
        let create = !read_only && target.option("create") != Some("false");
        let library = given("library").map(PathBuf::from);
        Ok(Self { path: PathBuf::from(place), settings, create, library })
    }

    /// Explains problems with the path, which DuckDB would report only as an IO error.
    pub fn check_path(&self) -> Result<()> {
        let path = &self.path;
        let missing = |message: String| Error::new(ErrorKind::Missing, message);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            return Err(missing(format!("directory {} does not exist", folder.display()))
                .hint(format!("create it first: mkdir -p {}", folder.display())));
        }
        if path.is_dir() {
            return Err(missing(format!("{} is a directory", path.display()))
                .hint("specify a file in this directory"));
        }
        if !self.create && !path.exists() {
            return Err(missing(format!("file {} does not exist", path.display())));
        }
        Ok(())
    }
}

/// Rejects an in-memory database, because the next command would not find its contents.
fn check_place(place: &str) -> Result<()> {
    let problem = match place {
        "" => "the target does not specify a file",
        ":memory:" => "an in-memory database is lost when the command ends",
        _ => return Ok(()),
    };
    Err(Error::usage(problem).hint(
        "specify a file, such as duckdb:bench.db; on Linux, files in /dev/shm are kept in memory",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config> {
        Config::from_target(&Target::parse(text)?)
    }

    #[test]
    fn both_ways_of_writing_a_path_are_read() -> Result<()> {
        assert_eq!(read("duckdb:a/b.db")?.path, PathBuf::from("a/b.db"));
        let config = read("duckdb:///a/b.db?threads=2&mode=ro")?;
        assert_eq!((config.path, config.create), (PathBuf::from("/a/b.db"), false));
        let expected = [("access_mode", "READ_ONLY".into()), ("threads", "2".into())];
        assert_eq!(config.settings, expected);
        Ok(())
    }

    #[test]
    fn rejects_invalid_targets_with_a_hint() {
        for text in ["duckdb", "duckdb::memory:", "duckdb:x.db?thread=1", "duckdb:x.db?threads=0"] {
            let error = read(text).expect_err(text);
            assert!(!error.hints().is_empty(), "{text}: {error}");
        }
    }
}
