//! How two clocks differ: by the exchange with the shortest round trip, as NTP does.
//!
//! Clocks are monotonic ones, which cannot be set; that of the calendar is compared for information alone.
//! Start reading at [`Clocks::add`].

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The present moment.
#[expect(clippy::disallowed_methods, reason = "the clock that hosts compare")]
pub fn now() -> Instant {
    Instant::now()
}

/// The clock of a process begins so high, about 116 days, that the begin of a load before the process has a number too.
const BEGIN: u64 = 10_000_000_000_000_000;

/// Nanoseconds of this process' clock, whose zero means nothing.
pub(crate) fn nanos() -> u64 {
    nanos_at(now())
}

/// The moment at so many nanoseconds of this process' clock; now, if the machine's clock does not go back so far.
pub(crate) fn at(nanos: u64) -> Instant {
    let after = Duration::from_nanos(nanos.saturating_sub(BEGIN));
    let before = Duration::from_nanos(BEGIN.saturating_sub(nanos));
    (epoch() + after).checked_sub(before).unwrap_or_else(now)
}

/// A moment in nanoseconds of this process' clock.
pub(crate) fn nanos_at(moment: Instant) -> u64 {
    let after = moment.saturating_duration_since(epoch()).as_nanos() as u64;
    let before = epoch().saturating_duration_since(moment).as_nanos() as u64;
    (BEGIN + after).saturating_sub(before)
}

fn epoch() -> Instant {
    static EPOCH: OnceLock<Instant> = OnceLock::new();
    *EPOCH.get_or_init(now)
}

/// One exchange: asked and answered by our clock, heard and answered by theirs.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// When we asked, and when their answer was here.
    pub ours: [u64; 2],
    /// When they heard, and when they answered.
    pub theirs: [u64; 2],
    /// Their calendar minus ours, at about the same moment, in seconds.
    pub calendar: f64,
}

/// An offset with its greatest error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offset {
    /// Nanoseconds that their clock is ahead of ours.
    pub ahead: i64,
    /// Half the round trip.
    pub error: u64,
    /// Their calendar minus ours, in seconds.
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

/// What is known of another clock.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    /// The best exchange before the load.
    start: Option<Offset>,
    /// The best of the last few.
    recent: Vec<Offset>,
    exchanges: u64,
}

impl Clocks {
    /// Exchanges of which the best is the present offset.
    const RECENT: usize = 16;

    /// Adds an exchange.
    pub fn add(&mut self, exchange: &Exchange) {
        if self.recent.len() == Self::RECENT {
            self.recent.remove(0);
        }
        self.recent.push(exchange.offset());
        self.exchanges += 1;
    }

    /// How many exchanges there were.
    pub fn exchanges(&self) -> u64 {
        self.exchanges
    }

    /// The present offset.
    pub fn offset(&self) -> Option<Offset> {
        self.recent.iter().copied().min_by_key(|own| own.error)
    }

    /// Nanoseconds of the longest round trip of the last few: what the network and both machines may take.
    pub fn longest_trip(&self) -> u64 {
        self.recent.iter().map(|own| own.error.saturating_mul(2)).max().unwrap_or_default()
    }

    /// Keeps the present offset as that of the start.
    pub fn keep(&mut self) -> Option<Offset> {
        self.start = self.offset();
        self.recent.clear();
        self.start
    }

    /// That of the start.
    pub fn at_start(&self) -> Option<Offset> {
        self.start
    }

    /// Seconds by which their clock has gone ahead of ours since the start.
    pub fn drift_s(&self) -> Option<f64> {
        Some((self.offset()?.ahead - self.start?.ahead) as f64 / 1e9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Their clock is 1,000 ahead; the way takes `there` and back `back`.
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
