//! Cancels a statement that is being executed by another, blocked thread.
//!
//! Only blocking drivers need this, because an event-driven driver cancels a statement when its session is dropped.
//!
//! Start reading at [`Cancels`].

use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A session whose statements can be cancelled.
pub trait Cancel: Send + Sync {
    /// Returns the number of the running statement, or `None` if no statement is running. Numbers are unique within the
    /// session.
    fn running(&self) -> Option<NonZeroU64>;

    /// Cancels this statement if it is still running. This may take as long as a login, and errors are ignored.
    fn cancel(&self, statement: NonZeroU64);
}

/// The sessions whose statements can be cancelled. All clones share one list.
#[derive(Clone, Default)]
pub struct Cancels(Arc<Mutex<Vec<Weak<dyn Cancel>>>>);

impl std::fmt::Debug for Cancels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Cancels").field(&self.running().0.len()).finish()
    }
}

impl Cancels {
    /// Adds a session to the list, in which it remains until it is dropped.
    pub fn add<C: Cancel + 'static>(&self, session: &Arc<C>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|other| other.strong_count() > 0);
        let session: Arc<dyn Cancel> = session.clone();
        all.push(Arc::downgrade(&session));
    }

    /// Returns true if there are no sessions.
    pub fn is_empty(&self) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().all(|session| session.strong_count() == 0)
    }

    /// Returns the statements that are currently running.
    pub fn running(&self) -> Running {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sessions = all.iter().filter_map(Weak::upgrade);
        Running(sessions.filter_map(|one| one.running().map(|number| (one, number))).collect())
    }
}

/// The statements that were running when this list was created.
pub struct Running(Vec<(Arc<dyn Cancel>, NonZeroU64)>);

impl Running {
    /// Returns true if no statement was running.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Cancels the statements that are still running, one at a time.
    pub fn cancel(&self) {
        for (session, statement) in &self.0 {
            session.cancel(*statement);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// A session for tests, which pretends to run a statement and counts how often it is cancelled.
    #[derive(Default)]
    struct Fake {
        runs: AtomicU64,
        cancelled: AtomicU64,
    }

    impl Cancel for Fake {
        fn running(&self) -> Option<NonZeroU64> {
            NonZeroU64::new(self.runs.load(Ordering::SeqCst))
        }

        fn cancel(&self, statement: NonZeroU64) {
            if self.running() == Some(statement) {
                self.cancelled.fetch_add(1, Ordering::SeqCst);
            }
        }
    }

    #[test]
    fn cancels_only_statements_that_were_running() {
        let (cancels, session) = (Cancels::default(), Arc::new(Fake::default()));
        cancels.add(&session);
        assert!(cancels.running().is_empty());
        session.runs.store(1, Ordering::SeqCst);
        let seen = cancels.clone().running();
        seen.cancel();
        assert_eq!(session.cancelled.load(Ordering::SeqCst), 1);
        session.runs.store(2, Ordering::SeqCst);
        seen.cancel();
        assert_eq!(session.cancelled.load(Ordering::SeqCst), 1, "a later one");
        drop((seen, session));
        assert!(cancels.is_empty() && cancels.running().is_empty(), "the session is gone");
    }
}
