//! Rate limits. Each limits the total number of requests per second from all clients.
//!
//! Start reading at [`Bucket::take`].

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// A token bucket that is filled at a constant rate. Each request takes one token.
pub(crate) struct Bucket {
    per_second: f64,
    most: f64,
    state: Mutex<Option<(Instant, f64)>>,
}

impl Bucket {
    pub(crate) fn new(per_second: f64, most: f64) -> Self {
        Self { per_second, most, state: Mutex::default() }
    }

    /// Takes a token, or returns false if the bucket is empty.
    pub(crate) fn take(&self, now: Instant) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (before, left) = state.unwrap_or((now, self.most));
        let passed = now.saturating_duration_since(before).as_secs_f64();
        let left = passed.mul_add(self.per_second, left).min(self.most);
        let allowed = left >= 1.0;
        *state = Some((now, if allowed { left - 1.0 } else { left }));
        allowed
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "any time can be the first")]
    fn a_burst_is_allowed_and_a_flood_is_not() {
        let (bucket, start) = (Bucket::new(10.0, 3.0), Instant::now());
        let taken = (0..5).filter(|_| bucket.take(start)).count();
        assert_eq!(taken, 3);
        assert!(bucket.take(start + Duration::from_millis(150)));
        assert!(!bucket.take(start + Duration::from_millis(160)));
    }
}
