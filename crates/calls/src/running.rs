//! The statement of a connection that runs, so that another thread can cancel it. Start reading at [`Call`].
//!
//! A call holds no lock while it waits: it says before and after it that it runs. What is cancelled cannot be freed
//! meanwhile, since its end waits for the cancelling thread.

#![expect(unsafe_code, reason = "ODBC is a C library")]

use std::num::NonZeroU64;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tacho_driver::Cancel;

use crate::library::{Handle, Length, Library};

/// What runs on a connection.
pub struct Running<L: 'static> {
    library: &'static Library<L>,
    state: Mutex<State>,
}

struct State {
    /// Null if nothing runs.
    statement: Handle,
    /// Calls so far.
    calls: u64,
}

// SAFETY: a statement may be cancelled from any thread (ODBC, SQLCancel), and nothing else is done with it here.
unsafe impl<L> Send for Running<L> {}
// SAFETY: as above; the state is locked.
unsafe impl<L> Sync for Running<L> {}

impl<L: Length> Running<L> {
    /// Nothing runs.
    pub fn new(library: &'static Library<L>) -> Self {
        Self { library, state: Mutex::new(State { statement: null_mut(), calls: 0 }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that a call of a statement begins; it ends with the answer's life.
    #[inline]
    pub fn call(&self, statement: Handle) -> Call<'_, L> {
        let mut state = self.state();
        state.statement = statement;
        state.calls += 1;
        Call(self)
    }
}

/// A call that runs for as long as this lives.
pub struct Call<'a, L: Length>(&'a Running<L>);

impl<L: Length> Drop for Call<'_, L> {
    #[inline]
    fn drop(&mut self) {
        self.0.state().statement = null_mut();
    }
}

impl<L: Length> Cancel for Running<L> {
    fn running(&self) -> Option<NonZeroU64> {
        let state = self.state();
        NonZeroU64::new(state.calls).filter(|_| !state.statement.is_null())
    }

    fn cancel(&self, statement: NonZeroU64) {
        let state = self.state();
        if !state.statement.is_null() && state.calls == statement.get() {
            // It may be too early or too late for the driver, which then does nothing.
            // SAFETY: the handle is valid for as long as its call has not ended, and its end waits for the lock.
            let _ = unsafe { (self.library.cancel)(state.statement) };
        }
    }
}
