//! What the machine of the client did in an interval, for a front end that wants to see it.
//!
//! It is read where the standing is made, between two intervals, and no figure of the result rests on it.

use std::time::Duration;

use tacho_collect::{MachineLoad, cpu_time, machine_load, processors};
use tacho_store::event::HostLoad;

/// The reading before.
#[derive(Default)]
pub(super) struct HostWatch {
    last: Option<(MachineLoad, Duration)>,
}

impl HostWatch {
    /// Since the last time; `None` at first, and where the system does not say.
    pub(super) fn since_last(&mut self) -> Option<HostLoad> {
        let now = (machine_load()?, cpu_time()?);
        let (before, own_before) = self.last.replace(now)?;
        load(before, now.0, now.1.saturating_sub(own_before), processors()?)
    }
}

fn load(before: MachineLoad, now: MachineLoad, own: Duration, processors: u32) -> Option<HostLoad> {
    let seconds = now.at.checked_sub(before.at)?.as_secs_f64();
    let ticks = now.total.checked_sub(before.total)?;
    let idle = now.idle.saturating_sub(before.idle).min(ticks);
    if seconds <= 0.0 || ticks == 0 {
        return None;
    }
    let per_second = |now: u64, before: u64| now.saturating_sub(before) as f64 / seconds;
    Some(HostLoad {
        busy_cores: (ticks - idle) as f64 / ticks as f64 * f64::from(processors),
        own_cores: own.as_secs_f64() / seconds,
        disk_bytes_per_s: per_second(now.bytes, before.bytes),
        disk_transfers_per_s: per_second(now.transfers, before.transfers),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_ticks_are_processors() {
        let at = Duration::from_secs;
        let before = MachineLoad { at: at(10), idle: 100, total: 1_000, ..MachineLoad::default() };
        let now = MachineLoad {
            at: at(12),
            idle: 200,
            total: 1_400,
            bytes: 4_000,
            transfers: 8,
            ..MachineLoad::default()
        };
        let found = load(before, now, at(3), 4).expect("a load");
        let expected = HostLoad {
            busy_cores: 3.0,
            own_cores: 1.5,
            disk_bytes_per_s: 2_000.0,
            disk_transfers_per_s: 4.0,
        };
        assert_eq!(found, expected);
        assert_eq!(load(now, before, at(0), 4), None, "time does not go back");
    }
}
