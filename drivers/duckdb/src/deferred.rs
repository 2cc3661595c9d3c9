//! Completes `DuckDB`'s deferred work: copying the write-ahead log to the database file.

use std::path::PathBuf;

use tacho_core::{Error, Result};
use tacho_driver::{BoxFuture, DeferredWork, Left, Pace, Target};

use crate::config::Config;
use crate::handles::{Connection, Database};
use crate::library;

/// A database's write-ahead log, whose changes a checkpoint copies to the database file.
struct LogFile {
    connection: Connection,
    log: PathBuf,
}

/// Opens a database to complete the work that it has postponed.
pub fn open(target: &Target) -> Result<Box<dyn DeferredWork>> {
    let config = Config { create: false, ..Config::from_target(target)? };
    let library = library::find(config.library.as_deref())?;
    let connection = Database::open(library, &config)?.connect()?;
    let mut log = config.path.as_os_str().to_owned();
    log.push(".wal");
    Ok(Box::new(LogFile { connection, log: log.into() }))
}

impl LogFile {
    /// Returns the size of the log in KiB, rounded up, or 0 if there is no log.
    fn amount(&self) -> u64 {
        self.log.metadata().map_or(0, |log| log.len().div_ceil(1024))
    }

    fn checkpoint(&self) -> Result<u64> {
        let before = self.amount();
        self.connection.query("CHECKPOINT").map_err(|error: Error| error.during("CHECKPOINT"))?;
        Ok(before)
    }
}

impl DeferredWork for LogFile {
    fn kinds(&self) -> &'static [&'static str] {
        &["checkpoint of log, in KiB"]
    }

    /// Runs the checkpoint, and returns when it is complete.
    fn begin(&mut self, _: usize) -> BoxFuture<'_, Result<u64>> {
        Box::pin(std::future::ready(self.checkpoint()))
    }

    fn left(&mut self) -> BoxFuture<'_, Result<Left>> {
        let left = Left { amount: self.amount(), pace: Pace::Over };
        Box::pin(std::future::ready(Ok(left)))
    }

    fn end(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
