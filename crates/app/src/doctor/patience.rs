//! Time limits for requests to a database that may accept connections but never respond.

use std::time::Duration;

use tacho_core::units::span;
use tacho_core::{Clock, Error, ErrorKind, Result, Retry};
use tacho_engine::{EventLoop, Interrupt};

use crate::Context;
use crate::clock::clock;

/// The maximum time to wait for a response.
const LIMIT: Duration = Duration::from_secs(10);
/// Hints for a database that does not respond to a login or a later request.
const SILENT: &str = "the server accepted the connection but did not respond: check that the host and port \
        belong to the database";
const BUSY: &str = "check whether the server is waiting, for example for a lock held by another \
    session";

/// Waits up to the limit for the server's response. Blocking drivers have their own time limits.
pub(super) fn ask<T>(
    event_loop: &EventLoop,
    context: &Context,
    is_login: bool,
    answer: impl Future<Output = Result<T>>,
) -> Result<T> {
    let clock = clock();
    let end = clock.now().plus(LIMIT);
    let in_time = || clock.now() < end && !context.interrupted();
    event_loop.block_while(answer, in_time).unwrap_or_else(|| {
        if context.interrupted() {
            return Err(Interrupt::error());
        }
        let text = format!("the server did not respond within {}", span(LIMIT));
        let hint = if is_login { SILENT } else { BUSY };
        Err(Error::new(ErrorKind::Timeout, text).retry(Retry::NewConnection).hint(hint))
    })
}

/// Returns true if the connection cannot be used for any further requests after this error.
pub(super) fn is_last(error: &Error) -> bool {
    let kind = matches!(error.kind(), ErrorKind::Timeout | ErrorKind::Cancelled);
    kind || error.retry_class() == Retry::NewConnection
}
