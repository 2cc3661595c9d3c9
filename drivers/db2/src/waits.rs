//! Calculates the number of waiting sessions from the wait times that the server accumulates.
//!
//! The server reports only its sessions' total waiting time. If this total grows by 20 seconds within 10 seconds, two
//! sessions were waiting on average.
//!
//! Start reading at [`Spent::since`].

use tacho_core::{Instant, WaitKind};
use tacho_driver::Wait;

/// For each column of the query in `waits.sql`, the class, event and kind of the waits that the column counts.
const COLUMNS: [(&str, &str, WaitKind); 9] = [
    ("CPU", "", WaitKind::Running),
    ("Lock", "lock_wait_time", WaitKind::Lock),
    ("Log", "log_disk_wait_time", WaitKind::Log),
    ("Log", "log_buffer_wait_time", WaitKind::Log),
    ("IO", "pool_read_time, direct_read_time", WaitKind::DataFiles),
    ("IO", "pool_write_time, direct_write_time", WaitKind::DataFiles),
    ("IO", "prefetch_wait_time", WaitKind::DataFiles),
    ("Latch", "total_extended_latch_wait_time", WaitKind::Latch),
    ("Network", "tcpip_send_wait_time", WaitKind::Client),
];

/// The totals from the previous reading.
#[derive(Default)]
pub struct Spent {
    last: Option<(Instant, Vec<u64>)>,
    /// Remainders that are left after averages are rounded down. Each is added to the next average, so that no waiting
    /// time is lost.
    owed: [f64; COLUMNS.len()],
}

impl Spent {
    /// Returns the average number of waiting sessions since the previous reading. `totals` are wait times in
    /// milliseconds.
    pub fn since(&mut self, now: Instant, totals: &[u64]) -> Vec<Wait> {
        let before = self.last.replace((now, totals.to_vec()));
        let Some((then, earlier)) = before else { return Vec::new() };
        let millis = now.since(then).as_secs_f64() * 1_000.0;
        if millis <= 0.0 {
            return Vec::new();
        }
        let mut waits = Vec::new();
        for (at, (class, event, kind)) in COLUMNS.into_iter().enumerate() {
            let sum = |sums: &[u64]| sums.get(at).copied().unwrap_or_default();
            self.owed[at] += sum(totals).saturating_sub(sum(&earlier)) as f64 / millis;
            let sessions = self.owed[at] as u32;
            self.owed[at] -= f64::from(sessions);
            if sessions > 0 {
                waits.push(Wait { class: class.into(), event: event.into(), kind, sessions });
            }
        }
        waits
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn fractions_of_sessions_are_not_lost() {
        let (mut spent, start) = (Spent::default(), Instant::default());
        let mut totals = [0; COLUMNS.len()];
        assert_eq!(spent.since(start, &totals), []);
        let mut locked = 0;
        for second in 1..=10 {
            totals[1] += 2_300;
            let waits = spent.since(start.plus(Duration::from_secs(second)), &totals);
            assert!(waits.iter().all(|wait| wait.kind == WaitKind::Lock), "{waits:?}");
            locked += waits.iter().map(|wait| wait.sessions).sum::<u32>();
        }
        // On average, 2.3 sessions wait during each of the ten seconds, which adds up to 23.
        assert!((22..=23).contains(&locked), "{locked}");
        // A session has ended.
        assert_eq!(spent.since(start.plus(Duration::from_secs(11)), &[0; COLUMNS.len()]), []);
    }

    #[test]
    fn each_column_has_a_name() {
        let sql = include_str!("../sql/waits.sql");
        assert_eq!(sql.split("SUM(").count() - 1, COLUMNS.len());
    }
}
