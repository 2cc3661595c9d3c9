//! The word that ends a worker whose sessions hang.
//!
//! Start reading at [`Dismissal::or_end`].

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Poll, Waker};

/// Said by the controller, heard by a worker's event loop.
#[derive(Debug, Default)]
pub(crate) struct Dismissal(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    said: bool,
    waker: Option<Waker>,
}

impl Dismissal {
    /// Says it.
    pub(crate) fn dismiss(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.said = true;
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
    }

    /// Runs `work` to its end, or drops it when the word is said.
    pub(crate) async fn or_end(&self, work: impl Future<Output = ()>) {
        let mut work = pin!(work);
        poll_fn(|context| {
            if work.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if state.said {
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
    fn work_ends_by_itself_or_by_the_word() {
        let dismissal = Dismissal::default();
        pollster::block_on(dismissal.or_end(async {}));
        dismissal.dismiss();
        pollster::block_on(dismissal.or_end(std::future::pending()));
    }
}
