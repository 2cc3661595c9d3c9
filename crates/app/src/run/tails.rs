//! The 99th percentile of each interval, which shows when latency returns to normal.
//!
//! After a fault, a server may accept commits long before latency is back to normal.
//!
//! Start reading at [`Tails::normal_after`].

use std::time::Duration;

/// Maximum normal latency, as a multiple of the median latency in the intervals before the fault.
const NORMAL_MAX: f64 = 2.0;
/// Number of successive intervals whose latency must be normal. A single interval may be fast by chance.
const SUCCESSIVE: usize = 3;
/// Maximum number of intervals before a fault that are used to determine the normal latency. The load may have been
/// different in earlier intervals.
const BEFORE_MAX: usize = 60;

/// The percentiles of all intervals, in order.
#[derive(Default)]
pub(super) struct Tails(Vec<Tail>);

/// An interval and its percentile, both in seconds.
struct Tail {
    from: f64,
    to: f64,
    /// The percentile, or `None` if no transactions ended.
    p99: Option<f64>,
}

impl Tails {
    /// Adds an interval, with the 99th percentile of the transactions that ended in it.
    pub(super) fn note(&mut self, from: Duration, to: Duration, p99: Option<Duration>) {
        let p99 = p99.map(|p99| p99.as_secs_f64());
        self.0.push(Tail { from: from.as_secs_f64(), to: to.as_secs_f64(), p99 });
    }

    /// Returns the time from `at_s` to the first of three successive intervals with normal latency, or `None` if there
    /// are none.
    pub(super) fn normal_after(&self, at_s: f64) -> Option<f64> {
        let first = self.0.iter().position(|interval| interval.to > at_s)?;
        let (before, after) = self.0.split_at(first);
        let recent = &before[before.len().saturating_sub(BEFORE_MAX)..];
        let mut usual: Vec<f64> = recent.iter().filter_map(|interval| interval.p99).collect();
        usual.sort_by(f64::total_cmp);
        let limit = NORMAL_MAX * usual.get(usual.len() / 2)?;
        let is_normal = |interval: &Tail| interval.p99.is_some_and(|p99| p99 <= limit);
        let normal = after.windows(SUCCESSIVE).find(|three| three.iter().all(is_normal))?;
        Some((normal[0].from - at_s).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates one interval per second with these percentiles in milliseconds. 0 stands for an interval without a
    /// percentile.
    fn tails(percentiles: &[u64]) -> Tails {
        let mut tails = Tails::default();
        for (at, ms) in percentiles.iter().enumerate() {
            let from = Duration::from_secs(at as u64);
            let p99 = (*ms > 0).then(|| Duration::from_millis(*ms));
            tails.note(from, from + Duration::from_secs(1), p99);
        }
        tails
    }

    #[test]
    fn latency_is_normal_in_three_successive_intervals() {
        let table: [(&[u64], Option<f64>); 6] = [
            // The server is unavailable for two seconds and then slow. One fast interval is not enough.
            (&[9, 10, 11, 10, 0, 0, 900, 50, 15, 40, 20, 12, 10, 10], Some(6.5)),
            // The fault at 3.5 s had no effect.
            (&[9, 10, 11, 10, 10, 12, 10], Some(0.0)),
            (&[9, 10, 11, 10, 30, 30, 30, 30], None),
            // The run ends too early.
            (&[9, 10, 11, 90, 10, 10], None),
            // No transactions ended before the fault.
            (&[0, 0, 0, 10, 10, 10, 10], None),
            (&[9, 10, 11, 90, 20, 20, 20], Some(0.5)),
        ];
        for (percentiles, expected) in table {
            assert_eq!(tails(percentiles).normal_after(3.5), expected, "{percentiles:?}");
        }
        assert_eq!(tails(&[10; 9]).normal_after(99.0), None, "after the run");
    }
}
