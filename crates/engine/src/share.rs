//! The part of a run that one of several load hosts carries out.
//!
//! Sessions are numbered over all hosts, and host `place` of `of` has those whose number leaves that rest: so
//! each step of a load that changes is spread evenly, and the requests are those that one host would send.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tacho_core::Result;
use tacho_metrics::{Phase, Recorder};

use crate::control::Control;
use crate::{Gathered, Interrupt, Observer};

/// Which part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Its place among the parts, from 0.
    pub place: u32,
    /// How many parts there are.
    pub of: u32,
}

impl Share {
    /// All of it.
    pub const WHOLE: Self = Self { place: 0, of: 1 };

    /// How many of the first `sessions` sessions are its own.
    pub const fn count(self, sessions: u32) -> u32 {
        (sessions + self.of - 1 - self.place) / self.of
    }

    /// How many of `whole` transactions are its own: those of all shares are as many.
    pub const fn part(self, whole: u64) -> u64 {
        (whole + self.of as u64 - 1 - self.place as u64) / self.of as u64
    }

    /// The number, over all hosts, of its session `own`, which counts from 0.
    pub const fn session(self, own: u32) -> u32 {
        own * self.of + self.place
    }
}

/// Says when the load begins, once all sessions of this host are connected.
pub trait Gate: Send + Sync {
    /// Waits for that moment and returns it.
    ///
    /// # Errors
    /// If the run does not begin.
    fn pass(&self) -> Result<std::time::Instant>;

    /// About how long ago the load began, if this host enters it later, in place of one that was lost.
    fn begun(&self) -> Option<Duration> {
        None
    }
}

/// What a collection is to bring.
#[derive(Clone, Copy, Debug)]
pub struct Border {
    /// The phase of the interval.
    pub phase: Phase,
    /// Its end, since the start of the load.
    pub to: Duration,
    /// Whether the phase was ended early here: hosts end it a moment before or after.
    pub ended: bool,
}

/// What the hosts did in addition to their records.
#[derive(Debug, Default)]
pub struct Closing {
    /// All hosts that came to the end, together.
    pub gathered: Gathered,
    /// The shares of which a host was lost.
    pub lost_shares: Vec<LostShare>,
}

/// A share that was lost, once or more often.
#[derive(Clone, Debug)]
pub struct LostShare {
    /// Which.
    pub share: Share,
    /// Arrivals of the measured phase, by kind, that its hosts reported.
    pub reported: Vec<u64>,
    /// Arrivals of the measured phase that no session of its last host came to take.
    pub never_taken: u64,
}

/// The hosts that run the sessions of a run, as the controller sees them.
pub trait Hosts {
    /// Waits until the sessions of all hosts are connected, and returns how many there are.
    fn ready(&mut self, interrupt: &Interrupt, observer: &mut dyn Observer) -> Result<u32>;

    /// Agrees with all hosts on the start of the load, a moment ahead, and waits for it.
    fn start(&mut self, presence: Presence, interrupt: &Interrupt) -> Result<std::time::Instant>;

    /// Waits until each remaining host has reported what it recorded up to the border, and adds it with times
    /// since the start of the load. Returns how many arrivals wait, where arrivals are open.
    fn collect(
        &mut self,
        border: Border,
        into: &mut Recorder,
        observer: &mut dyn Observer,
    ) -> Option<u64>;

    /// Sessions of lost hosts that others continue: what those had in flight has no end.
    fn replaced(&self) -> u64 {
        0
    }

    /// Ends the load on all hosts: `presses` is how often the user has asked for it.
    fn stop(&mut self, presses: u8);

    /// Waits until each host that is left has ended, and adds what it recorded since.
    fn close(&mut self, into: &mut Recorder, observer: &mut dyn Observer) -> Closing;
}

/// Tells the controller of the sessions of other hosts. Callable from any thread.
#[derive(Clone)]
pub struct Presence(Arc<Control>);

impl Presence {
    pub(crate) fn of(control: &Arc<Control>) -> Self {
        Self(control.clone())
    }

    /// Sessions that have not ended, those of them that have yet to log in, and those that have done all their
    /// work.
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
            let own = shares.flat_map(|own| (0..own.count(sessions)).map(move |n| own.session(n)));
            let mut all: Vec<u32> = own.collect();
            all.sort_unstable();
            assert_eq!(all, (0..sessions).collect::<Vec<_>>());
        }
    }
}
