//! The state that the sessions of a simulated server share. It consists of service slots, stalls and counters.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tacho_core::Instant;
use tacho_driver::{Counters, Target};

use crate::config::Config;

/// Numbers of commits and rollbacks of the simulated server.
#[derive(Debug, Default)]
pub struct Counts {
    commits: AtomicU64,
    rollbacks: AtomicU64,
}

impl Counts {
    /// Counts a commit.
    #[inline]
    pub fn commit(&self) {
        self.commits.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a rollback.
    #[inline]
    pub fn rollback(&self) {
        self.rollbacks.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the counts so far.
    pub fn read(&self) -> Counters {
        Counters {
            commits: self.commits.load(Ordering::Relaxed),
            rollbacks: self.rollbacks.load(Ordering::Relaxed),
            rollbacks_here: Some(self.rollbacks.load(Ordering::Relaxed)),
            rollbacks_pending: 0,
        }
    }
}

/// A simulated server for the duration of one run.
#[derive(Debug)]
pub struct Server {
    /// The server's counters.
    pub counts: Arc<Counts>,
    stalls: Stalls,
    /// For each service slot, the time at which it becomes free, earliest first. `None` if there is no limit.
    places: Option<Mutex<BinaryHeap<Reverse<Instant>>>>,
}

impl Server {
    fn new(config: &Config, counts: Arc<Counts>) -> Self {
        let places = || (0..config.capacity).map(|_| Reverse(Instant::default())).collect();
        let stalls = Stalls { every: config.stall_every, span: config.stall };
        Self { counts, stalls, places: (config.capacity > 0).then(|| Mutex::new(places())) }
    }

    /// Returns when a request that arrives at `now` and takes `cost` is complete.
    #[inline]
    pub fn done_at(&self, now: Instant, cost: Duration) -> Instant {
        match &self.places {
            None => self.stalls.work(now, cost),
            Some(places) => {
                let mut places = places.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(mut first) = places.peek_mut() else { return Instant::FAR };
                *first = Reverse(self.stalls.work(now.max(first.0), cost));
                first.0
            }
        }
    }
}

/// Stalls: periods at regular intervals during which the server makes no progress.
#[derive(Clone, Copy, Debug)]
struct Stalls {
    every: Duration,
    span: Duration,
}

impl Stalls {
    /// Returns when a request that starts at `start` and takes `cost` is complete, including the delays by stalls.
    #[inline]
    fn work(self, start: Instant, cost: Duration) -> Instant {
        if self.span.is_zero() {
            return start.plus(cost);
        }
        let every = self.every.as_nanos() as u64;
        let mut at = start;
        let mut left = cost;
        loop {
            let stall = Instant(at.0 - at.0 % every);
            if stall.0 > 0 {
                at = at.max(stall.plus(self.span));
            }
            let next = stall.plus(self.every);
            let quiet = next.since(at);
            if left <= quiet {
                return at.plus(left);
            }
            left -= quiet;
            at = next;
        }
    }
}

/// The servers that a driver simulates, one per target.
///
/// As on a real server, the counters keep their values after all sessions have ended.
///
/// Service slots are discarded when all sessions have ended, because the next run may start at another simulated time.
#[derive(Debug, Default)]
pub struct Servers {
    known: Mutex<BTreeMap<String, Known>>,
}

/// A server and its counters. The server exists only while it has sessions, but its counters are kept.
type Known = (Arc<Counts>, Weak<Server>);

impl Servers {
    /// Returns the server for the given target.
    pub fn of(&self, target: &Target, config: &Config) -> Arc<Server> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (counts, server) = known.entry(target.redacted()).or_default();
        server.upgrade().unwrap_or_else(|| {
            let fresh = Arc::new(Server::new(config, counts.clone()));
            *server = Arc::downgrade(&fresh);
            fresh
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn work_pauses_during_a_stall() {
        let stalls = Stalls { every: Duration::from_secs(10), span: Duration::from_secs(2) };
        // Start, cost and end in seconds.
        let table = [
            (0, 1, 1),
            (1, 8, 9),
            (9, 1, 10),
            (9, 2, 13),
            (10, 1, 13),
            (11, 1, 13),
            (12, 1, 13),
            (13, 10, 25),
            (0, 20, 24),
        ];
        for (begin, cost, end) in table {
            let done = stalls.work(Instant(begin * SECOND), Duration::from_secs(cost));
            assert_eq!(done, Instant(end * SECOND), "{cost} s from {begin}");
        }
    }

    #[test]
    fn a_full_server_makes_others_wait() -> tacho_core::Result<()> {
        let target = Target::parse("sim:?capacity=2")?;
        let server = Servers::default().of(&target, &Config::from_target(&target)?);
        let done =
            |now: u64, cost| server.done_at(Instant(now * SECOND), Duration::from_secs(cost));
        let got = [done(0, 3), done(0, 5), done(1, 1), done(1, 1), done(20, 1)];
        assert_eq!(got, [3, 5, 4, 5, 21].map(|second| Instant(second * SECOND)));
        Ok(())
    }
}
