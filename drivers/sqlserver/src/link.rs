//! A connection after the login. It sends requests, and reads the tokens that make up a response.
//!
//! Start reading at [`Link::poll_answer`].

use std::future::poll_fn;
use std::task::{Context, Poll, ready};

use tacho_core::{Error, Result};
use tacho_net::is_last;

use crate::request;
use crate::tokens::{Environment, Event, Tokens};
use crate::wire::{ATTENTION, LAST, Wire, packet};

/// A connection.
pub struct Link {
    /// The framed connection.
    pub wire: Wire,
    /// The token reader. It also stores the state of the session.
    pub tokens: Tokens,
}

impl Link {
    /// Returns true if a transaction is open.
    #[inline]
    pub fn in_transaction(&self) -> bool {
        self.tokens.environment.transaction != 0
    }

    /// Starts a request, which `write` appends.
    #[inline]
    pub fn request(
        &mut self,
        write: impl FnOnce(&Environment, &mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        self.wire.begin()?;
        let written = write(&self.tokens.environment, &mut self.wire.out);
        if written.is_err() {
            self.wire.withdraw();
        }
        written
    }

    /// Starts a batch sent as text.
    pub fn batch(&mut self, sql: &str) -> Result<()> {
        self.request(|environment, out| {
            request::batch(environment, out, |out| crate::bytes::to_utf16(sql.as_bytes(), out))
        })
    }

    /// Reads an entire response and passes its events to `take`. The first error is stored in `error` until the
    /// response is complete, and is then returned.
    #[inline]
    pub fn poll_answer(
        &mut self,
        error: &mut Option<Error>,
        context: &mut Context<'_>,
        mut take: impl FnMut(Event<'_>) -> Result<()>,
    ) -> Poll<Result<()>> {
        loop {
            while let Some(message) = self.wire.arrived().map_err(|lost| first(error, lost))? {
                let body = self.wire.body(&message);
                let mut taken = self.tokens.take(body, error, &mut take);
                if taken.is_ok() && message.tag & LAST != 0 {
                    taken = self.tokens.end();
                    if taken.is_ok() {
                        return Poll::Ready(self.finish(error));
                    }
                }
                if let Err(broken) = taken {
                    self.wire.give_up();
                    return Poll::Ready(Err(first(error, broken)));
                }
            }
            // If the connection is lost, report the server's last error instead, because it is more informative.
            ready!(self.wire.poll_progress(context)).map_err(|lost| first(error, lost))?;
        }
    }

    #[inline]
    fn finish(&mut self, error: &mut Option<Error>) -> Result<()> {
        match error.take() {
            None => {
                self.wire.done();
                Ok(())
            }
            Some(error) => {
                if is_last(&error) {
                    self.wire.give_up();
                } else {
                    self.wire.done();
                }
                Err(error)
            }
        }
    }

    /// Waits for [`Self::poll_answer`] to complete.
    pub async fn answer(
        &mut self,
        mut take: impl FnMut(Event<'_>) -> Result<()> + Send,
    ) -> Result<()> {
        let mut error = None;
        poll_fn(|context| self.poll_answer(&mut error, context, &mut take)).await
    }

    /// Releases the memory that the buffers acquired for a large request or response.
    pub fn shrink(&mut self) {
        self.wire.shrink();
        self.tokens.shrink();
    }

    /// Asks the server to cancel the current request ([MS-TDS] 2.2.1.7). Does not wait for a response.
    pub fn cancel(&mut self) {
        if self.wire.is_busy() {
            packet(ATTENTION, &[], &mut self.wire.out);
            let mut context = Context::from_waker(std::task::Waker::noop());
            let _ = self.wire.poll_send(&mut context);
        }
    }
}

#[cold]
fn first(error: &mut Option<Error>, second: Error) -> Error {
    match error.take() {
        Some(error) => error.retry(tacho_core::Retry::NewConnection),
        None => second,
    }
}
