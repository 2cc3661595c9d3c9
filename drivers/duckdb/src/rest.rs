//! Work that `DuckDB` leaves for later: what is in its log and not in the file.

use std::path::PathBuf;

use tacho_core::{Error, Result};
use tacho_driver::{Backlog, BoxFuture, Left, Pace};

use crate::handles::Connection;

/// A database that is brought to rest.
pub struct Rest {
    connection: Connection,
    log: PathBuf,
}

impl Rest {
    /// That of the database in this file.
    pub fn of(connection: Connection, file: &std::path::Path) -> Self {
        let mut log = file.as_os_str().to_owned();
        log.push(".wal");
        Self { connection, log: log.into() }
    }

    /// KiB that the log holds, a part of one as a whole; none if there is no log.
    fn amount(&self) -> u64 {
        self.log.metadata().map_or(0, |log| log.len().div_ceil(1024))
    }

    fn checkpoint(&self) -> Result<u64> {
        let before = self.amount();
        self.connection.query("CHECKPOINT").map_err(|error: Error| error.during("CHECKPOINT"))?;
        Ok(before)
    }
}

impl Backlog for Rest {
    fn kinds(&self) -> &'static [&'static str] {
        &["checkpoint of log, in KiB"]
    }

    /// The whole of the work: the call comes back when it is done.
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
