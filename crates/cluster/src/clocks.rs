//! Determines the offset between two clocks. As in NTP, it is taken from the exchange with the shortest round trip.
//!
//! Only monotonic clocks are compared, because they cannot be set. Wall clocks are only recorded.
//!
//! Start reading at [`Clocks::add`].

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Returns the current time.
#[expect(clippy::disallowed_methods, reason = "the clock that hosts compare")]
pub fn now() -> Instant {
    Instant::now()
}

/// The initial value of a process's clock, in nanoseconds. It is about 116 days, so that the clock is positive even
/// for loads that began before the process.
const BEGIN: u64 = 10_000_000_000_000_000;

/// Returns the time on this process's clock in nanoseconds. The clock's zero point is arbitrary.
pub(crate) fn nanos() -> u64 {
    nanos_at(now())
}

/// Returns the instant at which this process's clock shows `nanos`. If that instant is too early to be
/// represented, returns the current time.
pub(crate) fn at(nanos: u64) -> Instant {
    let after = Duration::from_nanos(nanos.saturating_sub(BEGIN));
    let before = Duration::from_nanos(BEGIN.saturating_sub(nanos));
    (epoch() + after).checked_sub(before).unwrap_or_else(now)
}

/// Converts an instant to nanoseconds on this process's clock.
pub(crate) fn nanos_at(moment: Instant) -> u64 {
    let after = moment.saturating_duration_since(epoch()).as_nanos() as u64;
    let before = epoch().saturating_duration_since(moment).as_nanos() as u64;
    (BEGIN + after).saturating_sub(before)
}

fn epoch() -> Instant {
    static EPOCH: OnceLock<Instant> = OnceLock::new();
    *EPOCH.get_or_init(now)
}

/// An exchange of clock readings between this host and another.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// Times on this host's clock at which it sent the request and received the response.
    pub ours: [u64; 2],
    /// Times on the other host's clock at which it received the request and sent the response.
    pub theirs: [u64; 2],
    /// Seconds by which the other host's wall clock is ahead of this host's. Both are read at about the same time.
    pub calendar: f64,
}

/// A clock offset and its maximum error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offset {
    /// Nanoseconds by which the other clock is ahead.
    pub ahead: i64,
    /// Maximum error: half the round trip.
    pub error: u64,
    /// The other host's wall clock minus this host's, in seconds.
    pub calendar: f64,
}

impl Exchange {
    fn offset(&self) -> Offset {
        let [asked, answered] = self.ours.map(|at| at as i64);
        let [heard, said] = self.theirs.map(|at| at as i64);
        let round_trip = (answered - asked) - (said - heard);
        Offset {
            ahead: i64::midpoint(heard - asked, said - answered),
            error: (round_trip.max(0) as u64).div_ceil(2),
            calendar: self.calendar,
        }
    }
}

/// The exchanges with another host's clock.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    /// The offset before the load.
    start: Option<Offset>,
    /// The most recent offsets.
    recent: Vec<Offset>,
    exchanges: u64,
}

impl Clocks {
    /// Number of recent exchanges that are kept. The most precise exchange determines the current clock offset.
    const RECENT: usize = 16;

    /// Adds an exchange.
    pub fn add(&mut self, exchange: &Exchange) {
        if self.recent.len() == Self::RECENT {
            self.recent.remove(0);
        }
        self.recent.push(exchange.offset());
        self.exchanges += 1;
    }

    /// Returns the number of exchanges.
    pub fn exchanges(&self) -> u64 {
        self.exchanges
    }

    /// Returns the current offset, taken from the most precise of the recent exchanges.
    pub fn offset(&self) -> Option<Offset> {
        self.recent.iter().copied().min_by_key(|offset| offset.error)
    }

    /// Returns the longest of the recent round trips in nanoseconds. It shows how long delays in the network and
    /// on both machines can be.
    pub fn longest_trip(&self) -> u64 {
        self.recent.iter().map(|offset| offset.error.saturating_mul(2)).max().unwrap_or_default()
    }

    /// Makes the current offset the initial one, from which drift is measured.
    pub fn keep(&mut self) -> Option<Offset> {
        self.start = self.offset();
        self.recent.clear();
        self.start
    }

    /// Returns the initial offset.
    pub fn at_start(&self) -> Option<Offset> {
        self.start
    }

    /// Returns the number of seconds that the other clock has gained since the start.
    pub fn drift_s(&self) -> Option<f64> {
        Some((self.offset()?.ahead - self.start?.ahead) as f64 / 1e9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an exchange with another clock, which is ahead of this one by `ahead`. The request takes the time
    /// `there`, and the response takes the time `back`.
    fn exchange(at: u64, there: u64, back: u64, ahead: u64) -> Exchange {
        let heard = at + there + ahead;
        Exchange { ours: [at, at + there + 5 + back], theirs: [heard, heard + 5], calendar: 0.5 }
    }

    #[test]
    fn the_shortest_way_counts_and_its_error_holds() {
        let mut clocks = Clocks::default();
        assert_eq!(clocks.offset(), None);
        for (at, there, back) in [(0, 50, 10), (100, 4, 6), (200, 300, 1)] {
            clocks.add(&exchange(at, there, back, 1_000));
        }
        assert_eq!(clocks.longest_trip(), 302);
        let offset = clocks.keep().expect("an offset");
        assert_eq!(offset.error, 5);
        assert!(offset.ahead.abs_diff(1_000) <= offset.error, "{offset:?}");
        clocks.add(&exchange(10_000, 3, 3, 1_700));
        assert_eq!(clocks.drift_s(), Some((1_700.0 - offset.ahead as f64) / 1e9));
    }
}
