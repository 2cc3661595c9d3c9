//! Completes `InnoDB`'s deferred work, such as purging and writing pages, so that it does not slow down the next run.
//!
//! Tacho speeds up this work by changing global server settings, and restores the settings afterwards.
//!
//! Start reading at [`InnoDb`].

use tacho_core::{Error, Result};
use tacho_driver::{BoxFuture, DeferredWork, Left, Pace, Target};

use crate::admin::{number, rows, run};
use crate::connect;
use crate::connect::Opened;
use crate::errors::is;
use crate::link::Link;

/// Names of the kinds of work.
const NAMES: [&str; 2] = ["purge of old row versions", "write-back of changed pages"];

/// A kind of deferred work: a query that returns how much is left, and settings that speed up the work, in the order in
/// which they are changed.
struct Kind {
    left: &'static str,
    settings: &'static [(&'static str, u64)],
}

const KINDS: [Kind; 2] = [
    Kind {
        left: include_str!("../sql/history_length.sql"),
        settings: &[("innodb_purge_threads", 32), ("innodb_purge_batch_size", 5_000)],
    },
    Kind {
        left: include_str!("../sql/dirty_pages.sql"),
        settings: &[
            ("innodb_io_capacity_max", 120_000),
            ("innodb_io_capacity", 120_000),
            ("innodb_lru_scan_depth", 4_096),
            ("innodb_lru_flush_size", 2_048),
            ("innodb_max_dirty_pages_pct_lwm", 0),
            ("innodb_max_dirty_pages_pct", 0),
        ],
    },
];

/// A setting with its default value. If the setting has this value, Tacho does not change it, because `SET` could not
/// restore the value.
const UNSET: (&str, &str) = ("innodb_lru_flush_size", "0");
/// Error number for a setting that cannot be changed while the server is running.
const FIXED: [&str; 1] = ["1238"];

/// The server's deferred work, accessed through a separate connection.
struct InnoDb {
    link: Link,
    kind: usize,
    /// The settings that were changed, with their previous values.
    changed: Vec<(&'static str, String)>,
}

/// Opens a connection for the deferred work. Never returns `None`.
pub async fn open(target: &Target, set: u32) -> Result<Option<Box<dyn DeferredWork>>> {
    let Opened { link, .. } = connect::open(target, false, set).await?;
    Ok(Some(Box::new(InnoDb { link, kind: 0, changed: Vec::new() })))
}

impl InnoDb {
    async fn amount(&mut self) -> Result<u64> {
        let found = rows(&mut self.link, KINDS[self.kind].left).await?;
        found.first().map_or(Ok(0), |row| number(row, 0))
    }

    /// Changes the settings that make the server do this work faster. Skips any setting that this server does not have
    /// or cannot change at run time.
    async fn hurry(&mut self, settings: &'static [(&'static str, u64)]) -> Result<()> {
        for (name, wanted) in settings {
            let known =
                rows(&mut self.link, &format!("SHOW GLOBAL VARIABLES LIKE '{name}'")).await?;
            let Some(Some(usual)) = known.into_iter().next().and_then(|row| row.into_iter().nth(1))
            else {
                continue;
            };
            if (*name, &*usual) == UNSET {
                continue;
            }
            match run(&mut self.link, &format!("SET GLOBAL {name} = {wanted}")).await {
                Ok(_) => self.changed.push((name, usual)),
                Err(error) if is(&error, &FIXED) => {}
                Err(error) => return Err(error.during(format!("set {name}"))),
            }
        }
        Ok(())
    }

    /// Restores all settings in reverse order, even after an error. Returns the first error.
    async fn restore(&mut self) -> Result<()> {
        let mut outcome: Result<(), Error> = Ok(());
        while let Some((name, usual)) = self.changed.pop() {
            let set = run(&mut self.link, &format!("SET GLOBAL {name} = {usual}")).await;
            let hint = format!("it was {usual} before the run");
            let set = set.map_err(|error| error.during(format!("restore {name}")).hint(hint));
            outcome = outcome.and(set.map(|_| ()));
        }
        outcome
    }
}

impl DeferredWork for InnoDb {
    fn kinds(&self) -> &'static [&'static str] {
        &NAMES
    }

    fn begin(&mut self, kind: usize) -> BoxFuture<'_, Result<u64>> {
        Box::pin(async move {
            self.kind = kind;
            let before = self.amount().await?;
            self.hurry(KINDS[kind].settings).await?;
            Ok(before)
        })
    }

    fn left(&mut self) -> BoxFuture<'_, Result<Left>> {
        Box::pin(async move { Ok(Left { amount: self.amount().await?, pace: Pace::Unknown }) })
    }

    fn end(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.restore())
    }
}
