//! Finds the longest period without finished transactions, for example during an outage or a table lock.

use std::collections::BTreeMap;
use std::time::Duration;

use tacho_core::WaitKind;
use tacho_store::record::{ServerLoadRecord, StallRecord, WaitRecord};

/// The minimum length of an idle period that is reported.
const SHORTEST: Duration = Duration::from_secs(2);
/// Maximum length of a normal gap between transactions, as a multiple of the mean gap.
const GAPS: f64 = 20.0;

/// The idle periods in the measured phase.
#[derive(Default)]
pub(super) struct Idle {
    current: Streak,
    longest: Streak,
}

/// Consecutive intervals in which no transactions ended.
#[derive(Clone, Default)]
struct Streak {
    from: Duration,
    to: Duration,
    intervals: u32,
    /// The number of sessions that waited for each event, summed over the intervals.
    waits: BTreeMap<String, f64>,
}

impl Streak {
    fn length(&self) -> Duration {
        self.to.saturating_sub(self.from)
    }
}

impl Idle {
    /// Adds the next interval of the measured phase.
    pub(super) fn note(&mut self, from: Duration, to: Duration, idle: bool) {
        if !idle {
            self.current = Streak::default();
            return;
        }
        if self.current.intervals == 0 {
            self.current.from = from;
        }
        self.current.to = to;
        self.current.intervals += 1;
        self.keep();
    }

    /// Adds the server's waits during the latest interval.
    pub(super) fn waited(&mut self, load: &ServerLoadRecord) {
        if self.current.intervals == 0 {
            return;
        }
        let is_server = |wait: &&WaitRecord| wait.kind != Some(WaitKind::Client);
        for wait in load.waits.iter().filter(is_server) {
            let name = [wait.class.as_str(), wait.event.as_str()].join(" ");
            *self.current.waits.entry(name.trim().to_owned()).or_default() += wait.sessions;
        }
        self.keep();
    }

    fn keep(&mut self) {
        if self.current.length() >= self.longest.length() {
            self.longest = self.current.clone();
        }
    }

    /// Returns the longest idle period. Returns `None` if an idle period of this length is normal, given the mean time
    /// between completed transactions.
    pub(super) fn stall(&self, ended: u64, measured_s: f64) -> Option<StallRecord> {
        let longest = &self.longest;
        let gap = measured_s / ended.max(1) as f64;
        let ordinary = ended > 0 && longest.length().as_secs_f64() < GAPS * gap;
        if longest.length() < SHORTEST || longest.intervals < 2 || ordinary {
            return None;
        }
        let most = longest.waits.iter().max_by(|a, b| a.1.total_cmp(b.1));
        Some(StallRecord {
            at_s: longest.from.as_secs_f64(),
            length_s: longest.length().as_secs_f64(),
            waited_for: most.map(|(name, _)| name.clone()).unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(idle: [bool; 10]) -> Idle {
        let mut seen = Idle::default();
        for (second, idle) in (0..).zip(idle) {
            seen.note(Duration::from_secs(second), Duration::from_secs(second + 1), idle);
            let wait = WaitRecord {
                class: "Lock".into(),
                event: "relation".into(),
                kind: Some(WaitKind::TableLock),
                sessions: 4.0,
                share: 1.0,
            };
            seen.waited(&ServerLoadRecord { waits: vec![wait], ..ServerLoadRecord::default() });
        }
        seen
    }

    #[test]
    fn the_longest_time_without_an_end_is_kept_with_its_wait() {
        let idle = seen([false, true, false, true, true, true, true, false, true, false]);
        let expected = StallRecord { at_s: 3.0, length_s: 4.0, waited_for: "Lock relation".into() };
        assert_eq!(idle.stall(1_000, 10.0), Some(expected));
        assert_eq!(
            idle.stall(6, 10.0),
            None,
            "gaps of this length are normal with six transactions in ten seconds"
        );
        assert_eq!(seen([true; 10]).stall(0, 10.0).map(|stall| stall.length_s), Some(10.0));
        let short = seen([false, true, false, true, false, true, false, true, false, true]);
        assert_eq!(short.stall(1_000, 10.0), None);
    }
}
