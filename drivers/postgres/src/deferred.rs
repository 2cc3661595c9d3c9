//! Completes `PostgreSQL`'s deferred work: removing dead rows and writing changed pages.
//!
//! A statement on a separate connection does the work. Another connection measures how much work is left.
//!
//! No statement may be left running.
//!
//! Start reading at [`Maintenance`].

use std::future::poll_fn;
use std::task::{Context, Poll};

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{BoxFuture, DeferredWork, Left, Pace, Target};
use tacho_net::variable;

use crate::admin::{TextRow, answers, number, rows};
use crate::cancel::{Key, cancel};
use crate::config::Config;
use crate::connect::connect;
use crate::errors::server;
use crate::request;
use crate::wire::{Wire, answered};

/// Names of the kinds of work. A vacuum changes pages, so the checkpoint that writes these pages comes second.
const KINDS: [&str; 2] = ["vacuum of dead rows", "checkpoint of log, in MiB"];
/// The statement that does each kind of work.
const STATEMENTS: [&str; 2] = ["VACUUM", "CHECKPOINT"];
/// The query that measures how much of each kind of work is left.
const AMOUNTS: [&str; 2] =
    [include_str!("../sql/dead_rows.sql"), include_str!("../sql/log_since_checkpoint.sql")];
/// Error code for insufficient privileges.
const NOT_ALLOWED: &str = "42501";

/// A server's deferred work.
struct Maintenance {
    /// The connection that does the work.
    worker: Wire,
    /// The key with which the work can be cancelled.
    key: Option<Key>,
    /// The connection that measures how much work is left.
    watcher: Wire,
    kind: usize,
    /// The error that the server reported for the running statement.
    refusal: Option<Error>,
    /// True if the remaining work has been measured since the statement ended. Older servers update this measurement
    /// with a delay.
    counted: bool,
    /// True if the statement is being run for the second time.
    again: bool,
}

/// Opens the two connections for the deferred work. Never returns `None`.
pub async fn open(target: &Target) -> Result<Option<Box<dyn DeferredWork>>> {
    let config = Config::read(target, &variable)?;
    let (worker, watcher) = (connect(&config).await?, connect(&config).await?);
    Ok(Some(Box::new(Maintenance {
        worker: worker.wire,
        key: worker.key,
        watcher: watcher.wire,
        kind: 0,
        refusal: None,
        counted: false,
        again: false,
    })))
}

impl Maintenance {
    async fn start(&mut self, kind: usize) -> Result<u64> {
        self.kind = kind;
        (self.counted, self.again) = (false, false);
        let amount = self.amount().await?;
        self.require_tables().await?;
        self.run().await?;
        Ok(amount)
    }

    async fn run(&mut self) -> Result<()> {
        self.worker.begin()?;
        request::query(STATEMENTS[self.kind], &mut self.worker.out);
        poll_fn(|context| self.worker.poll_send(context)).await;
        Ok(())
    }

    async fn amount(&mut self) -> Result<u64> {
        let found = rows(&mut self.watcher, AMOUNTS[self.kind]).await?;
        found.first().map_or(Ok(0), |row| number(row, 0))
    }

    /// Checks that the role is allowed to vacuum all tables. Otherwise, the server would skip some of them and only
    /// send a warning.
    async fn require_tables(&mut self) -> Result<()> {
        if STATEMENTS[self.kind] != "VACUUM" {
            return Ok(());
        }
        let found = rows(&mut self.watcher, include_str!("../sql/not_ours_to_vacuum.sql")).await?;
        let Some([Some(table), Some(count)]) = found.first().map(TextRow::as_slice) else {
            return Ok(());
        };
        let text = format!("the role is not allowed to vacuum {table} (tables affected: {count})");
        Err(Error::new(ErrorKind::Auth, text).hint(
            "connect as the tables' owner, or grant the role pg_maintain (PostgreSQL 17 and later)",
        ))
    }

    async fn look(&mut self) -> Result<Left> {
        let amount = self.amount().await?;
        let counted = std::mem::replace(&mut self.counted, self.worker.is_idle());
        poll_fn(|context| Poll::Ready(self.hear(context))).await?;
        if let Some(error) = self.refusal.take() {
            return Err(refused(error));
        }
        let over = self.worker.is_idle() && (counted || amount == 0);
        if over && amount > 0 && STATEMENTS[self.kind] == "VACUUM" && !self.again {
            // Vacuum a second time, because the dead rows of a session that has just ended may be reported late.
            (self.counted, self.again) = (false, true);
            self.run().await?;
            return Ok(Left { amount, pace: Pace::Working });
        }
        Ok(Left { amount, pace: if over { Pace::Over } else { Pace::Working } })
    }

    /// Processes the messages that the server has sent about the work so far.
    fn hear(&mut self, context: &mut Context<'_>) -> Result<()> {
        while self.worker.is_busy() {
            while let Some(message) = self.worker.arrived()? {
                match message.tag {
                    b'Z' => answered(&mut self.worker, &message),
                    b'E' => self.refusal = Some(server(self.worker.body(&message))),
                    _ => {}
                }
            }
            if self.worker.is_busy() {
                match self.worker.poll_progress(context) {
                    Poll::Ready(read) => read?,
                    Poll::Pending => return Ok(()),
                }
            }
        }
        Ok(())
    }

    /// Cancels the statement if it is still running.
    async fn stop(&mut self) -> Result<()> {
        self.refusal = None;
        if !self.worker.is_busy() {
            return Ok(());
        }
        if let Some(key) = self.key {
            cancel(self.worker.stream(), key)?;
        }
        match answers(&mut self.worker, |_, _| Ok(())).await {
            Err(error) if error.kind() == ErrorKind::Cancelled => Ok(()),
            outcome => outcome,
        }
    }
}

fn refused(error: Error) -> Error {
    if error.native_code() != Some(NOT_ALLOWED) {
        return error;
    }
    error.hint("grant the role pg_checkpoint (PostgreSQL 15 and later), or connect as a superuser")
}

impl DeferredWork for Maintenance {
    fn kinds(&self) -> &'static [&'static str] {
        &KINDS
    }

    fn begin(&mut self, kind: usize) -> BoxFuture<'_, Result<u64>> {
        Box::pin(self.start(kind))
    }

    fn left(&mut self) -> BoxFuture<'_, Result<Left>> {
        Box::pin(self.look())
    }

    fn end(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.stop())
    }
}
