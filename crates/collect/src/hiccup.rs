//! Detects periods during which this process was not running. A thread repeatedly sleeps and measures how late it wakes
//! up.
//!
//! Anything that stops this thread, such as a CPU quota, also stops the sessions. The database would then seem to
//! respond slowly.
//!
//! Start reading at [`HiccupMeter`].

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tacho_core::{Error, Result};

/// Time between two wake-ups. This results in 200 wake-ups per second, which use a thousandth of a core.
const PERIOD: Duration = Duration::from_millis(5);
/// Minimum length of a delay to be counted. The operating system's scheduler often causes shorter delays.
const SHORTEST: Duration = Duration::from_millis(10);

/// Delays of at least 10 ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hiccups {
    /// Number of delays.
    pub count: u64,
    /// Sum of the delays.
    pub total: Duration,
    /// Longest delay.
    pub longest: Duration,
}

impl Hiccups {
    /// Adds the delays from another measurement.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.total += other.total;
        self.longest = self.longest.max(other.longest);
    }
}

/// Measures delays until it is dropped.
#[derive(Debug)]
pub struct HiccupMeter {
    seen: Arc<Mutex<Seen>>,
    /// Dropping this sender ends the thread.
    _stop: Sender<()>,
}

impl HiccupMeter {
    /// Starts the measurement.
    pub fn start() -> Result<Self> {
        let seen = Arc::new(Mutex::new(Seen { last: now(), hiccups: Hiccups::default() }));
        let (stop, stopped) = channel::<()>();
        let shared = seen.clone();
        let wake = move || {
            while stopped.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                shared.lock().unwrap_or_else(PoisonError::into_inner).wake(now());
            }
        };
        let thread = std::thread::Builder::new().name("hiccups".into());
        thread.spawn(wake).map_err(|error| Error::from(error).during("start the hiccup meter"))?;
        Ok(Self { seen, _stop: stop })
    }

    /// Returns the delays since the previous call. A delay that is still in progress is included.
    pub fn take(&mut self) -> Hiccups {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.wake(now());
        std::mem::take(&mut seen.hiccups)
    }
}

#[derive(Debug)]
struct Seen {
    last: Instant,
    hiccups: Hiccups,
}

impl Seen {
    fn wake(&mut self, now: Instant) {
        let late = now.saturating_duration_since(self.last).saturating_sub(PERIOD);
        self.last = now;
        if late >= SHORTEST {
            self.hiccups.merge(&Hiccups { count: 1, total: late, longest: late });
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "measures delays in real time")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_wake_up_is_a_hiccup() {
        let start = now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut seen = Seen { last: start, hiccups: Hiccups::default() };
        for wake in [5, 11, 17, 4_022, 4_027, 4_062] {
            seen.wake(at(wake));
        }
        let expected = Hiccups {
            count: 2,
            total: Duration::from_millis(4_030),
            longest: Duration::from_secs(4),
        };
        assert_eq!(seen.hiccups, expected);
    }

    #[test]
    fn a_delay_that_lasts_is_taken_and_counts_once() -> Result<()> {
        let mut meter = HiccupMeter::start()?;
        {
            // Hold the lock, so that the thread cannot record a wake-up in the meantime.
            let mut seen = meter.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.last -= Duration::from_secs(3);
        }
        let taken = meter.take();
        assert!(taken.longest > Duration::from_secs(2), "{taken:?}");
        assert!(meter.take().longest < Duration::from_secs(2));
        Ok(())
    }
}
