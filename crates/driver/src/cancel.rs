//! How another thread ends a statement whose own thread waits for its answer.
//!
//! Only drivers whose calls block have a use for it: where sessions are event-driven, one that is given up is
//! dropped, and its driver cancels what it does. Start reading at [`Cancels`].

use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A session that can be interrupted.
pub trait Cancel: Send + Sync {
    /// Number of the statement that runs, which no other of the session has; `None` if none does.
    fn running(&self) -> Option<NonZeroU64>;

    /// Ends that statement if it still runs. It may take as long as a login, and is best effort: the server may
    /// be through, or not listen.
    fn cancel(&self, statement: NonZeroU64);
}

/// The sessions that can be interrupted together. Clones are the same.
#[derive(Clone, Default)]
pub struct Cancels(Arc<Mutex<Vec<Weak<dyn Cancel>>>>);

impl std::fmt::Debug for Cancels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Cancels").field(&self.running().0.len()).finish()
    }
}

impl Cancels {
    /// Adds a session, for as long as it lives.
    pub fn add<C: Cancel + 'static>(&self, session: &Arc<C>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|other| other.strong_count() > 0);
        let session: Arc<dyn Cancel> = session.clone();
        all.push(Arc::downgrade(&session));
    }

    /// Whether no session is there that can be interrupted.
    pub fn is_empty(&self) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().all(|session| session.strong_count() == 0)
    }

    /// The statements that run now.
    pub fn running(&self) -> Running {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sessions = all.iter().filter_map(Weak::upgrade);
        Running(sessions.filter_map(|one| one.running().map(|number| (one, number))).collect())
    }
}

/// Statements that ran at a moment.
pub struct Running(Vec<(Arc<dyn Cancel>, NonZeroU64)>);

impl Running {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Ends those that still run, one after the other.
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

    /// What runs, and how many were cancelled.
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
    fn what_ran_at_a_moment_is_cancelled_and_nothing_later() {
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
