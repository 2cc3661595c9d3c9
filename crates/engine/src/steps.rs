//! The steps of a varying load, with the times at which they apply in a run.
//!
//! A step determines either which sessions are active or the rate of open arrivals.
//!
//! Start reading at [`StepTable`] and [`Warp`].

use std::time::Duration;

use tacho_config::Step;
use tacho_core::Instant;

use crate::Share;

/// The start time of each step, and the number of sessions that are active in it.
#[derive(Clone, Debug)]
pub(crate) struct StepTable {
    /// The start of each step. The last element is the end of the last step.
    borders: Vec<Instant>,
    /// Number of active sessions in each step, or `None` if all are active.
    sessions: Vec<Option<u32>>,
}

/// The state of a session in a step (active or idle), and the time until which this state does not change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Activity {
    pub(crate) active: bool,
    pub(crate) until: Instant,
}

impl StepTable {
    /// Creates a table of consecutive steps, the first of which starts at `begin`. Returns `None` if there are no
    /// steps.
    pub(crate) fn new(steps: &[Step], begin: Instant) -> Option<Self> {
        let mut borders = vec![begin];
        for step in steps {
            borders.push(borders[borders.len() - 1].plus(step.length));
        }
        let sessions = steps.iter().map(|step| step.sessions).collect();
        (!steps.is_empty()).then_some(Self { borders, sessions })
    }

    /// Returns the step that applies at a time. Times before the first step count towards the first, and times after
    /// the last step count towards the last.
    #[inline]
    pub(crate) fn at(&self, at: Instant) -> u32 {
        let begun = self.borders.partition_point(|border| *border <= at);
        begun.saturating_sub(1).min(self.sessions.len() - 1) as u32
    }

    /// Returns the end of a step.
    pub(crate) fn end(&self, step: u32) -> Instant {
        self.borders[step as usize + 1]
    }

    /// Returns the number of steps.
    pub(crate) fn len(&self) -> u32 {
        self.sessions.len() as u32
    }

    /// Returns how many of a share's `all` sessions are active in a step.
    pub(crate) fn active_in(&self, step: u32, all: u32, share: Share) -> u32 {
        self.sessions[step as usize].map_or(all, |active| share.count(active).min(all))
    }

    /// Returns whether a session is active at a time. The first step also applies to the ramp-up, and the last step to
    /// the ramp-down.
    pub(crate) fn activity(&self, session: u32, at: Instant) -> Activity {
        let is_active =
            |step: u32| self.sessions[step as usize].is_none_or(|active| session < active);
        let first = self.at(at);
        let active = is_active(first);
        let change = (first + 1..self.len()).find(|step| is_active(*step) != active);
        let until = change.map_or(Instant::FAR, |step| self.borders[step as usize]);
        Activity { active, until }
    }
}

/// A clock for open arrivals. Its speed varies in such a way that, measured by this clock, the rate of arrivals is
/// constant. In each step, its speed is the step's rate divided by the highest rate.
#[derive(Clone, Debug)]
pub(crate) struct Warp {
    segments: Vec<Segment>,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    /// Start of the segment, in real nanoseconds after the origin.
    real: u64,
    /// Start of the segment, as shown by the warped clock.
    warped: f64,
    /// Speed of the warped clock relative to real time, between 0 and 1.
    speed: f64,
}

impl Warp {
    /// Creates a clock for these steps, preceded by a ramp-up at the first step's rate. Returns `None` if the steps
    /// have no rates.
    pub(crate) fn new(steps: &[Step], ramp_up: Duration) -> Option<Self> {
        let rate = |step: &Step| step.rate_per_s.unwrap_or_default();
        let highest = steps.iter().map(rate).fold(0.0, f64::max);
        if highest <= 0.0 {
            return None;
        }
        let (mut real, mut warped) = (0, 0.0);
        let mut segments = Vec::with_capacity(steps.len());
        for (place, step) in steps.iter().enumerate() {
            let speed = rate(step) / highest;
            let length = if place == 0 { step.length + ramp_up } else { step.length };
            segments.push(Segment { real, warped, speed });
            real += length.as_nanos() as u64;
            warped += length.as_nanos() as f64 * speed;
        }
        Some(Self { segments })
    }

    /// Converts a time on the warped clock to real nanoseconds after the origin. Returns `None` if the clock never
    /// reaches this time.
    pub(crate) fn real(&self, warped: u64) -> Option<u64> {
        let warped = warped as f64;
        let begun = self.segments.partition_point(|segment| segment.warped <= warped);
        let segment = self.segments[begun.saturating_sub(1)];
        (segment.speed > 0.0)
            .then(|| segment.real + ((warped - segment.warped) / segment.speed) as u64)
    }

    /// Converts real nanoseconds after the origin to a time on the warped clock.
    pub(crate) fn warped(&self, real: u64) -> u64 {
        let begun = self.segments.partition_point(|segment| segment.real <= real);
        let segment = self.segments[begun.saturating_sub(1)];
        (segment.warped + (real - segment.real) as f64 * segment.speed) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(sessions: u32, seconds: u64) -> Step {
        let length = Duration::from_secs(seconds);
        Step { sessions: Some(sessions), rate_per_s: None, length }
    }

    fn at(seconds: u64) -> Instant {
        Instant(0).plus(Duration::from_secs(seconds))
    }

    #[test]
    fn sessions_are_active_by_their_number() {
        let table = StepTable::new(&[step(2, 5), step(4, 5), step(1, 5)], at(3)).expect("steps");
        let activity = |session, seconds| {
            let Activity { active, until } = table.activity(session, at(seconds));
            (active, until)
        };
        assert_eq!(activity(0, 0), (true, Instant::FAR));
        assert_eq!(activity(1, 0), (true, at(13)));
        assert_eq!(
            (activity(3, 0), activity(3, 8), activity(3, 13)),
            ((false, at(8)), (true, at(13)), (false, Instant::FAR))
        );
        assert_eq!(
            [0, 3, 7, 8, 12, 13, 99].map(|seconds| table.at(at(seconds))),
            [0, 0, 0, 1, 1, 2, 2]
        );
        assert!(StepTable::new(&[], at(0)).is_none());
    }

    #[test]
    fn the_clock_of_arrivals_runs_by_the_rates() {
        let rate = |rate_per_s, seconds| Step {
            sessions: None,
            rate_per_s: Some(rate_per_s),
            length: Duration::from_secs(seconds),
        };
        let steps = [rate(50.0, 2), rate(0.0, 4), rate(100.0, 1)];
        let warp = Warp::new(&steps, Duration::from_secs(2)).expect("rates");
        let second = 1_000_000_000;
        // With these steps, the clock runs at half speed for 4 s, stops for 4 s, and then runs at full speed.
        for (real, warped) in [(0, 0), (2, 1), (4, 2), (8, 2), (9, 3), (20, 14)] {
            assert_eq!(warp.warped(real * second), warped * second, "{real}");
        }
        for (warped, real) in [(0, 0), (1, 2), (2, 8), (3, 9), (14, 20)] {
            assert_eq!(warp.real(warped * second), Some(real * second), "{warped}");
        }
        let quiet = Warp::new(&[rate(5.0, 1), rate(0.0, 1)], Duration::ZERO).expect("rates");
        assert_eq!(quiet.real(2 * second), None);
    }
}
