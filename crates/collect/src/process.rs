//! Our own cost, and the calendar.

use std::time::{Duration, SystemTime};

/// CPU time of this process so far, of all its threads; `None` where it cannot be told.
pub fn cpu_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Some(Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
    }
    #[cfg(not(unix))]
    None
}

/// The present date: time since 1970-01-01T00:00:00Z.
#[expect(clippy::disallowed_methods, reason = "the one place where the calendar is read")]
pub fn wall_clock() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
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
    fn cpu_time_grows_with_work() {
        let Some(before) = cpu_time() else { return };
        let sum = (0..3_000_000_u64).fold(0_u64, |sum, n| sum.wrapping_mul(31).wrapping_add(n));
        assert_ne!(sum, 1);
        assert!(cpu_time() > Some(before));
    }
}
