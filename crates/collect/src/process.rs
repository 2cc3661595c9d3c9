//! Our own cost, and the calendar.

use std::time::{Duration, Instant, SystemTime};

/// CPU time of this process so far, of all its threads; `None` where it cannot be reported.
pub fn cpu_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Some(Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
    }
    #[cfg(not(unix))]
    crate::other::cpu_time()
}

/// The present date: time since 1970-01-01T00:00:00Z.
#[expect(clippy::disallowed_methods, reason = "the one place where the calendar is read")]
pub fn wall_clock() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// The calendar and a clock that only goes forward, read at the same moment.
#[derive(Clone, Copy, Debug)]
pub struct ClockPair {
    wall: Duration,
    steady: Instant,
}

impl ClockPair {
    /// Both at the present moment.
    #[expect(clippy::disallowed_methods, reason = "compares two clocks; measures nothing else")]
    pub fn now() -> Self {
        Self { wall: wall_clock(), steady: Instant::now() }
    }

    /// The time since an earlier pair, by the calendar and by the clock.
    pub fn since(self, earlier: Self) -> [Duration; 2] {
        let steady = self.steady.saturating_duration_since(earlier.steady);
        [self.wall.saturating_sub(earlier.wall), steady]
    }
}

/// A date as RFC 3339 in local time with its offset, such as `2026-03-02T10:14:05.123+01:00`.
pub fn local_time(date: Duration) -> String {
    let timestamp = jiff::Timestamp::try_from(SystemTime::UNIX_EPOCH + date).unwrap_or_default();
    let zoned = timestamp.to_zoned(jiff::tz::TimeZone::system());
    zoned.strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_clocks_agree_unless_one_is_set() {
        let before = ClockPair::now();
        let [wall, steady] = ClockPair::now().since(before);
        assert!(wall.abs_diff(steady) < Duration::from_secs(1), "{wall:?} {steady:?}");
        let set = ClockPair { wall: before.wall + Duration::from_hours(1), ..before };
        assert_eq!(set.since(before), [Duration::from_hours(1), Duration::ZERO]);
    }

    #[test]
    fn cpu_time_grows_with_work() {
        let Some(before) = cpu_time() else { return };
        let sum = (0..3_000_000_u64).fold(0_u64, |sum, n| sum.wrapping_mul(31).wrapping_add(n));
        assert_ne!(sum, 1);
        assert!(cpu_time() > Some(before));
    }
}
