//! Totals over all sessions' notes.

use super::notes::{Field, SOME_TIME};
use super::{BEGIN, CommitNotes};

/// Totals over all sessions' notes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommitCounts {
    /// Commits that the database has acknowledged.
    pub acknowledged: u64,
    /// Unacknowledged commits that were found in the database.
    pub recovered: u64,
    /// Unacknowledged commits that were not found in the database.
    pub absent: u64,
    /// Unacknowledged commits that have not been looked up in the database.
    pub unresolved: u64,
    /// Acknowledged commits that were not found in the database.
    pub lost: u64,
    /// Sessions that lost commits.
    pub sessions_lost: u32,
    /// Time at which the first lost commit was acknowledged, in microseconds since the start of the load.
    pub lost_first_us: Option<u64>,
    /// Time at which the last lost commit was acknowledged, in microseconds since the start of the load.
    pub lost_last_us: Option<u64>,
    /// True if other commits were lost before the one at `lost_first_us`.
    pub lost_earlier: bool,
    /// Marks that were found in the database although Tacho never sent them.
    pub phantom: u64,
}

impl CommitNotes {
    /// Returns the totals over all sessions.
    pub fn counts(&self) -> CommitCounts {
        let mut all = CommitCounts::default();
        let (mut is_first_known, begin) = (true, self.head(BEGIN));
        for session in 0..self.layout.sessions {
            let notes = self.layout.read(session);
            // Do not let the sum overflow, because a damaged file may contain any number.
            let add = |sum: &mut u64, field| *sum = sum.saturating_add(notes.get(field));
            add(&mut all.acknowledged, Field::Acknowledged);
            add(&mut all.recovered, Field::Recovered);
            add(&mut all.absent, Field::Absent);
            add(&mut all.unresolved, Field::Pending);
            add(&mut all.phantom, Field::Phantom);
            let lost = notes.get(Field::Lost);
            if lost == 0 {
                continue;
            }
            all.lost = all.lost.saturating_add(lost);
            all.sessions_lost += 1;
            all.lost_earlier |= notes.get(Field::LostEarlier) > 0;
            is_first_known &= notes.get(Field::LostFirst) != SOME_TIME;
            let moment = |field| Some(notes.get(field).checked_sub(1)?.saturating_sub(begin));
            if let Some(first) = moment(Field::LostFirst) {
                all.lost_first_us = Some(all.lost_first_us.map_or(first, |least| least.min(first)));
            }
            all.lost_last_us = all.lost_last_us.max(moment(Field::LostLast));
        }
        all.lost_first_us = all.lost_first_us.filter(|_| is_first_known);
        all
    }
}
