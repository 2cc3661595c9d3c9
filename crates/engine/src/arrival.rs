//! The schedule of open arrivals. All virtual users take their arrivals from this schedule, without locking it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tacho_core::{Instant, Seed};

use crate::steps::Warp;
use crate::{Share, Spacing};

/// Picoseconds per second. Nanoseconds would not be precise enough: at 3 million arrivals per second, rounding to whole
/// nanoseconds would cause an error of 0.1 %.
const PICOS: f64 = 1e12;

/// The times at which open arrivals become due, for up to 200 days. They depend only on the seed and the rate.
#[derive(Debug)]
pub struct Schedule {
    origin: Instant,
    /// The first arrival of this schedule, in picoseconds after the origin.
    first: u64,
    next: AtomicU64,
    mean_gap: f64,
    spacing: Spacing,
    seed: Seed,
    /// The share of all arrivals that belongs to this schedule.
    share: Share,
    /// The change of the rate over time. If absent, the rate is constant.
    warp: Option<Warp>,
}

impl Schedule {
    /// Creates a schedule of `rate` arrivals per second, starting at `origin`.
    pub fn new(origin: Instant, rate: f64, spacing: Spacing, seed: Seed) -> Self {
        let seed = seed.child("arrival");
        let (next, mean_gap) = (0.into(), PICOS / rate);
        let share = Share::WHOLE;
        Self { origin, first: 0, next, mean_gap, spacing, seed, share, warp: None }.of_share(share)
    }

    /// Returns a schedule with only those arrivals that belong to one host's share.
    #[must_use]
    pub fn of_share(self, share: Share) -> Self {
        let schedule = Self { share, ..self };
        let first = schedule.after(0, share.place + 1);
        schedule.beginning_with(first)
    }

    /// Returns the schedule without the arrivals that are due before `at`.
    #[must_use]
    pub(crate) fn entered(self, at: Instant) -> Self {
        self.take_until(at);
        let first = self.next.load(Ordering::Relaxed);
        self.beginning_with(first)
    }

    fn beginning_with(self, first: u64) -> Self {
        self.next.store(first, Ordering::Relaxed);
        Self { first, ..self }
    }

    /// Returns the next arrival after `at` that belongs to this schedule's share.
    fn next_after(&self, at: u64) -> u64 {
        self.after(at, self.share.of)
    }

    /// Returns the arrival that comes `count` arrivals after the one at `at`.
    fn after(&self, at: u64, count: u32) -> u64 {
        (0..count).fold(at, |at, _| at + self.gap_after(at))
    }

    /// Returns the schedule with a rate that varies over time. `warp` converts between real time and the time of a
    /// clock that runs faster whenever the rate is higher.
    pub(crate) fn warped(self, warp: Option<Warp>) -> Self {
        Self { warp, ..self }
    }

    /// Takes the next arrival and returns its due time.
    pub fn take(&self) -> Instant {
        let step = |at: u64| Some(self.next_after(at));
        let at = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, step);
        self.due(at.unwrap_or(u64::MAX))
    }

    /// Returns the time at which an arrival is due. `at` is the same time on the schedule's own clock, in picoseconds.
    /// This clock runs faster whenever the rate is higher.
    fn due(&self, at: u64) -> Instant {
        let nanos = at / 1_000;
        let real = self.warp.as_ref().map_or(Some(nanos), |warp| warp.real(nanos));
        real.map_or(Instant::FAR, |real| self.origin.plus(Duration::from_nanos(real)))
    }

    /// Returns the time between two instants, as shown by the schedule's own clock. The speed of this clock varies with
    /// the rate of arrivals.
    pub(crate) fn between(&self, from: Instant, to: Instant) -> Duration {
        let Some(warp) = &self.warp else { return to.since(from) };
        let clock = |at: Instant| warp.warped(at.since(self.origin).as_nanos() as u64);
        Duration::from_nanos(clock(to).saturating_sub(clock(from)))
    }

    /// Takes all arrivals that are due before `until` and returns their number.
    pub fn take_until(&self, until: Instant) -> u64 {
        let mut count = 0;
        while self.peek() < until && self.take() < until {
            count += 1;
        }
        count
    }

    /// Returns a counter of due arrivals. It starts with the schedule's first arrival.
    pub(crate) fn count_due(self: &Arc<Self>) -> DueCount {
        DueCount { schedule: self.clone(), next: self.first, count: 0 }
    }

    fn peek(&self) -> Instant {
        self.due(self.next.load(Ordering::Relaxed))
    }

    /// Returns the average time that this many arrivals take.
    pub fn span_of(&self, arrivals: u64) -> Duration {
        Duration::from_nanos((self.mean_gap / 1_000.0 * arrivals as f64) as u64)
    }

    /// Returns the time from the arrival at `at` to the next one. The same `at` and seed always give the same time.
    fn gap_after(&self, at: u64) -> u64 {
        let gap = match self.spacing {
            Spacing::Uniform => self.mean_gap,
            Spacing::Poisson => self.seed.rng(at).exponential(self.mean_gap),
        };
        (gap as u64).max(1)
    }
}

/// A counter of arrivals that have become due, including those that no session has taken. The times that are passed to
/// it must not decrease.
#[derive(Debug)]
pub(crate) struct DueCount {
    schedule: Arc<Schedule>,
    /// Time of the next arrival, in picoseconds after the origin.
    next: u64,
    count: u64,
}

impl DueCount {
    /// Returns the number of arrivals that were due at or before `at`.
    pub(crate) fn at(&mut self, at: Instant) -> u64 {
        let schedule = &self.schedule;
        while schedule.due(self.next) <= at {
            self.next = schedule.next_after(self.next);
            self.count += 1;
        }
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_become_due_regardless_of_who_takes_them() {
        let schedule = Arc::new(Schedule::new(Instant(5), 1_000.0, Spacing::Poisson, Seed(3)));
        let mut count = schedule.count_due();
        let dues: Vec<Instant> = (0..500).map(|_| schedule.take()).collect();
        assert_eq!(count.at(Instant(5)), 0);
        assert_eq!((count.at(dues[99]), count.at(dues[99])), (100, 100));
        assert_eq!(count.at(dues[499]), 500);
    }

    fn dues(spacing: Spacing, rate: f64, count: usize) -> Vec<u64> {
        let schedule = Schedule::new(Instant(5), rate, spacing, Seed(1));
        (0..count).map(|_| schedule.take().0 - 5).collect()
    }

    #[test]
    fn uniform_arrivals_are_even_and_keep_their_rate() {
        assert_eq!(dues(Spacing::Uniform, 1_000.0, 3), [1_000_000, 2_000_000, 3_000_000]);
        let last = dues(Spacing::Uniform, 3e6, 3_000_000)[2_999_999];
        assert!(last.abs_diff(1_000_000_000) < 10_000, "{last}");
    }

    #[test]
    fn poisson_arrivals_have_mean_and_deviation_of_an_exponential() {
        let dues = dues(Spacing::Poisson, 1_000.0, 100_000);
        let gaps: Vec<f64> = dues.windows(2).map(|w| (w[1] - w[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((mean / 1e6 - 1.0).abs() < 0.02, "{mean}");
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.02, "{variance}");
    }

    #[test]
    fn threads_share_the_schedule_without_losing_or_doubling_an_arrival() {
        let schedule = Schedule::new(Instant(0), 1e6, Spacing::Poisson, Seed(7));
        let mut all: Vec<u64> = std::thread::scope(|scope| {
            let take = || (0..20_000).map(|_| schedule.take().0).collect::<Vec<_>>();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(take)).collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
        });
        all.sort_unstable();
        let alone = Schedule::new(Instant(0), 1e6, Spacing::Poisson, Seed(7));
        let expected: Vec<u64> = (0..80_000).map(|_| alone.take().0).collect();
        assert_eq!(all, expected);
    }

    #[test]
    fn hosts_share_the_arrivals_of_one() {
        let of =
            |share| Schedule::new(Instant(5), 1_000.0, Spacing::Poisson, Seed(3)).of_share(share);
        let whole = of(Share::WHOLE);
        let expected: Vec<u64> = (0..300).map(|_| whole.take().0).collect();
        let shares = (0..3).map(|place| of(Share { place, of: 3 }));
        let mut all: Vec<u64> =
            shares.flat_map(|share| (0..100).map(move |_| share.take().0)).collect();
        all.sort_unstable();
        assert_eq!(all, expected);
    }

    #[test]
    fn late_host_takes_only_later_arrivals() {
        let of = |share| Schedule::new(Instant(5), 1e3, Spacing::Poisson, Seed(3)).of_share(share);
        let share = Share { place: 1, of: 3 };
        let (whole, moment) = (of(share), Instant(200_000_000));
        let before = whole.take_until(moment);
        let later = Arc::new(of(share).entered(moment));
        let mut due = later.count_due();
        let expected: Vec<u64> = (0..100).map(|_| whole.take().0).collect();
        let taken: Vec<u64> = (0..100).map(|_| later.take().0).collect();
        assert!(before > 40 && taken == expected, "{before} before, then {taken:?}");
        assert_eq!((due.at(moment), due.at(Instant(expected[99]))), (0, 100));
    }

    #[test]
    fn the_rate_changes_with_the_steps() {
        let step = |rate, seconds| crate::Step {
            sessions: None,
            rate_per_s: Some(rate),
            length: Duration::from_secs(seconds),
        };
        let warp = Warp::new(&[step(100.0, 3), step(0.0, 2), step(1_000.0, 5)], Duration::ZERO);
        let schedule = Schedule::new(Instant(0), 1_000.0, Spacing::Poisson, Seed(1)).warped(warp);
        let second = |at: u64| Instant(at * 1_000_000_000);
        let counts = [3, 5, 10].map(|at| schedule.take_until(second(at)));
        assert!(counts[0].abs_diff(300) < 60 && counts[2].abs_diff(5_000) < 250, "{counts:?}");
        assert!(counts[1] <= 1, "an arrival may straddle the pause: {counts:?}");
        assert_eq!(schedule.between(second(1), second(4)), Duration::from_millis(200));
    }

    #[test]
    fn take_until_counts_the_remaining_arrivals() {
        let schedule = Schedule::new(Instant(0), 1_000.0, Spacing::Uniform, Seed(1));
        schedule.take();
        assert_eq!(schedule.take_until(Instant(10_000_001)), 9);
    }
}
