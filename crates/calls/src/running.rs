//! Tracks the statement that runs on a connection. Another thread can then cancel it.
//!
//! Start reading at [`Call`].
//!
//! No lock is held while a call runs. The lock is taken only to record the start or the end of a call, or to cancel
//! it. A call therefore cannot end, and its statement cannot be freed, while it is being cancelled.

#![expect(unsafe_code, reason = "ODBC is a C library")]

use std::num::NonZeroU64;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tacho_driver::Cancel;

use crate::library::{Handle, Length, Library};

/// The statement running on a connection.
pub struct Running<L: 'static> {
    library: &'static Library<L>,
    state: Mutex<State>,
}

struct State {
    /// Null if no statement is running.
    statement: Handle,
    /// Number of calls so far.
    calls: u64,
}

// SAFETY: ODBC allows any thread to cancel a statement (SQLCancel). This type uses the handle for nothing else.
unsafe impl<L> Send for Running<L> {}
// SAFETY: any thread may cancel a statement, and the state is protected by a lock.
unsafe impl<L> Sync for Running<L> {}

impl<L: Length> Running<L> {
    /// Creates the state for a connection without a running statement.
    pub fn new(library: &'static Library<L>) -> Self {
        Self { library, state: Mutex::new(State { statement: null_mut(), calls: 0 }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the start of a call. The call ends when the returned value is dropped.
    #[inline]
    pub fn call(&self, statement: Handle) -> Call<'_, L> {
        let mut state = self.state();
        state.statement = statement;
        state.calls += 1;
        Call(self)
    }
}

/// A call that lasts as long as this value exists.
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
            // The driver ignores a request that arrives before the call starts or after it ends. SAFETY: the
            // handle is valid until the call ends, and the call cannot end while this thread holds the lock.
            let _ = unsafe { (self.library.cancel)(state.statement) };
        }
    }
}
