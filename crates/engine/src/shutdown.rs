//! Ends a worker whose sessions no longer respond.
//!
//! Start reading at [`Shutdown::or_end`].

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Poll, Waker};

/// A request to end the sessions' work after the load. It wakes a worker's event loop.
#[derive(Debug, Default)]
pub(crate) struct Shutdown(Mutex<Request>);

#[derive(Debug, Default)]
struct Request {
    requested: bool,
    waker: Option<Waker>,
}

impl Shutdown {
    /// Requests the shutdown.
    pub(crate) fn request(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.requested = true;
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
    }

    /// Runs `work` to completion, or drops it when a shutdown is requested.
    pub(crate) async fn or_end(&self, work: impl Future<Output = ()>) {
        let mut work = pin!(work);
        poll_fn(|context| {
            if work.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if state.requested {
                return Poll::Ready(());
            }
            state.waker = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_by_itself_or_when_it_is_requested() {
        let shutdown = Shutdown::default();
        pollster::block_on(shutdown.or_end(async {}));
        shutdown.request();
        pollster::block_on(shutdown.or_end(std::future::pending()));
    }
}
