//! The share of a run that one of several load hosts executes.
//!
//! Sessions are numbered across all hosts. If there are `of` hosts, each host has an index, which is its `place`. It
//! runs the sessions whose number modulo `of` is equal to this index. The sessions of every load step are therefore
//! spread evenly over the hosts.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tacho_core::Result;
use tacho_metrics::{Phase, Recorder};

use crate::control::Control;
use crate::{Gathered, Interrupt, Observer};

/// One of the equal shares of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Index of this share, from 0.
    pub place: u32,
    /// Number of shares.
    pub of: u32,
}

impl Share {
    /// The whole run.
    pub const WHOLE: Self = Self { place: 0, of: 1 };

    /// Returns the number of sessions in this share, counting only those with numbers less than `sessions`.
    pub const fn count(self, sessions: u32) -> u32 {
        (sessions + self.of - 1 - self.place) / self.of
    }

    /// Returns the number of transactions that this host runs out of a total of `whole`. These numbers add up to the
    /// total over all hosts.
    pub const fn part(self, whole: u64) -> u64 {
        (whole + self.of as u64 - 1 - self.place as u64) / self.of as u64
    }

    /// Converts a session's zero-based index on this host to its number across all hosts.
    pub const fn session(self, index: u32) -> u32 {
        index * self.of + self.place
    }
}

/// Determines when the load starts, once all sessions on this host are connected.
pub trait Gate: Send + Sync {
    /// Waits for the start of the load and returns the time at which it starts.
    ///
    /// # Errors
    /// Returns an error if the load is not going to start.
    fn pass(&self) -> Result<std::time::Instant>;

    /// Returns the approximate time since the start of the load if this host replaces a lost one, otherwise `None`.
    fn begun(&self) -> Option<Duration> {
        None
    }
}

/// A point in time up to which the records of all hosts are collected. It is the end of an interval.
#[derive(Clone, Copy, Debug)]
pub struct Border {
    /// The phase of the interval.
    pub phase: Phase,
    /// The end of the interval, as the time elapsed since the start of the load.
    pub to: Duration,
    /// True if the phase ended early on this host. Its end may then differ slightly from host to host.
    pub ended: bool,
}

/// The hosts' final results, without records.
#[derive(Debug, Default)]
pub struct Closing {
    /// The combined results of all hosts that stayed until the end.
    pub gathered: Gathered,
    /// The shares that lost a host.
    pub lost_shares: Vec<LostShare>,
}

/// A share of the run that was affected by the loss of a host.
#[derive(Clone, Debug)]
pub struct LostShare {
    /// The share.
    pub share: Share,
    /// For each transaction type, the number of arrivals in the measured phase that were reported by the hosts while
    /// they ran this share.
    pub reported: Vec<u64>,
    /// Arrivals in the measured phase that were never taken by a session on the host that ran this share last.
    pub never_taken: u64,
}

/// The load hosts that run the sessions. The controller uses this interface.
pub trait Hosts {
    /// Waits until the sessions on all hosts are connected, and returns their number.
    fn ready(&mut self, interrupt: &Interrupt, observer: &mut dyn Observer) -> Result<u32>;

    /// Agrees with all hosts on a time in the near future at which the load starts, and waits for it.
    fn start(&mut self, presence: Presence, interrupt: &Interrupt) -> Result<std::time::Instant>;

    /// Waits until all remaining hosts have sent their records up to the end of an interval, and adds the records to
    /// `into`. Returns the number of open arrivals that are still waiting for a session.
    fn collect(
        &mut self,
        border: Border,
        into: &mut Recorder,
        observer: &mut dyn Observer,
    ) -> Option<u64>;

    /// Returns the number of sessions that were taken over from lost hosts. It is needed for checking the counts,
    /// because transactions in flight on a lost host never end.
    fn replaced(&self) -> u64 {
        0
    }

    /// Ends the load on all hosts. `presses` says how many times the user has asked to stop.
    fn stop(&mut self, presses: u8);

    /// Waits until all remaining hosts have ended, and adds their last records.
    fn close(&mut self, into: &mut Recorder, observer: &mut dyn Observer) -> Closing;
}

/// Keeps the controller informed about the sessions on other hosts. Can be used from any thread.
#[derive(Clone)]
pub struct Presence(Arc<Control>);

impl Presence {
    pub(crate) fn of(control: &Arc<Control>) -> Self {
        Self(control.clone())
    }

    /// Sets three numbers of sessions: those that have not ended, those that have not logged in, and those that have
    /// finished all their work.
    pub fn set(&self, live: u32, absent: u32, done: u32) {
        self.0.note_elsewhere(live, absent, done);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_transaction_has_one_host() {
        for (whole, of) in [(0, 3), (1, 3), (2, 3), (50, 3), (u64::from(u32::MAX) + 7, 10)] {
            let parts: Vec<u64> = (0..of).map(|place| Share { place, of }.part(whole)).collect();
            assert_eq!(parts.iter().sum::<u64>(), whole);
            assert!(parts.iter().all(|part| part.abs_diff(whole / u64::from(of)) <= 1));
        }
    }

    #[test]
    fn every_session_has_one_host() {
        for (sessions, of) in [(1, 1), (7, 3), (3, 3), (1_000, 7)] {
            let shares = (0..of).map(|place| Share { place, of });
            let numbers =
                shares.flat_map(|share| (0..share.count(sessions)).map(move |n| share.session(n)));
            let mut all: Vec<u32> = numbers.collect();
            all.sort_unstable();
            assert_eq!(all, (0..sessions).collect::<Vec<_>>());
        }
    }
}
