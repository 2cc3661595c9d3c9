//! The CPU time of Tacho's own process, and the wall clock.

use std::time::{Duration, Instant, SystemTime};

/// Returns the total CPU time of all threads of this process, or `None` if the system does not report it.
pub fn cpu_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Some(Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
    }
    #[cfg(not(unix))]
    crate::other::cpu_time()
}

/// Returns the current time as the time elapsed since 1970-01-01T00:00:00Z.
#[expect(clippy::disallowed_methods, reason = "the only place where the wall clock is read")]
pub fn wall_clock() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// The wall clock and the steady clock, read at the same moment.
#[derive(Clone, Copy, Debug)]
pub struct ClockPair {
    wall: Duration,
    steady: Instant,
}

impl ClockPair {
    /// Reads both clocks.
    #[expect(clippy::disallowed_methods, reason = "compares two clocks; measures nothing else")]
    pub fn now() -> Self {
        Self { wall: wall_clock(), steady: Instant::now() }
    }

    /// Returns the time since an earlier pair of readings, measured once by the wall clock and once by the steady
    /// clock.
    pub fn since(self, earlier: Self) -> [Duration; 2] {
        let steady = self.steady.saturating_duration_since(earlier.steady);
        [self.wall.saturating_sub(earlier.wall), steady]
    }
}

/// Formats a date according to RFC 3339, in local time with the UTC offset. Example: `2026-03-02T10:14:05.123+01:00`.
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
