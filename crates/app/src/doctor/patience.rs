//! Waiting for a database, but not for ever: one that accepts and never answers is told as such.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use tacho_core::units::span;
use tacho_core::{Clock, Error, ErrorKind, Result, Retry};
use tacho_engine::EventLoop;

use crate::Context;
use crate::build::clock;

/// Longest wait for one answer.
const LIMIT: Duration = Duration::from_secs(10);
/// What to do about a database that does not answer to a login, or later.
const SILENT: &str =
    "something accepts and does not answer: see that host and port are those of the database";
const BUSY: &str = "see what the server waits for, such as a lock that another session holds";
/// How often the user's wish to stop is looked at.
const TICK: Duration = Duration::from_millis(100);

/// What the database answers, within the limit, to a login or later. A driver that blocks has limits of its
/// own.
pub(super) fn ask<T>(
    event_loop: &EventLoop,
    context: &Context,
    is_login: bool,
    answer: impl Future<Output = Result<T>>,
) -> Result<T> {
    let clock = clock();
    let begin = clock.now();
    let mut answer = pin!(answer);
    loop {
        if let Some(answer) = event_loop.block_within(TICK, answer.as_mut()) {
            return answer;
        }
        if context.interrupted() {
            return Err(Error::new(ErrorKind::Cancelled, "stopped while the database was asked")
                .hint("let tacho doctor end: no question takes long"));
        }
        if clock.now().since(begin) >= LIMIT {
            let text = format!("no answer within {}", span(LIMIT));
            return Err(Error::new(ErrorKind::Timeout, text)
                .retry(Retry::NewConnection)
                .hint(if is_login { SILENT } else { BUSY }));
        }
    }
}

/// Whether nothing more can be asked after this error.
pub(super) fn is_last(error: &Error) -> bool {
    let kind = matches!(error.kind(), ErrorKind::Timeout | ErrorKind::Cancelled);
    kind || error.retry_class() == Retry::NewConnection
}
