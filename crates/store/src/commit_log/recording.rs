//! Records commits while the sessions run, and compares them with the marks in the database.

use tacho_core::Instant;
use tacho_driver::{CommitLog, Marked};

use super::CommitNotes;
use super::notes::{Field, Notes, SOME_TIME};

impl CommitNotes {
    /// Records that `count` acknowledged commits are lost. `latest` is the number of the last mark in the database. If
    /// it is low enough, the lost commits are the most recent ones of the session.
    #[cold]
    fn note_lost(&self, session: u32, notes: &mut Notes, count: u64, latest: Option<u64>) {
        let [acknowledged, timed] =
            [Field::Acknowledged, Field::Timed].map(|field| notes.get(field));
        notes.add(Field::Lost, count);
        if timed == 0 {
            return;
        }
        let at = |number: u64| {
            let moment = self.layout.moment(session, number.min(timed - 1));
            moment.map_or(SOME_TIME, |micros| micros.saturating_add(1))
        };
        let before = notes.get(Field::Sent).saturating_sub(notes.get(Field::Pending) + count);
        let are_last = latest.is_some_and(|latest| latest <= before);
        let oldest = timed.saturating_sub(self.layout.moments as u64);
        let first = acknowledged.saturating_sub(count);
        if are_last && first < oldest {
            notes.set(Field::LostEarlier, 1);
        }
        // Do not replace an earlier first lost commit.
        if notes.get(Field::LostFirst) == 0 {
            let first = if are_last { at(first.max(oldest)) } else { SOME_TIME };
            notes.set(Field::LostFirst, first);
        }
        let last = at(timed - 1);
        notes.set(Field::LostLast, if last == SOME_TIME { 0 } else { last });
    }

    /// Returns how many unacknowledged commits are in the database, according to the mark numbers.
    fn committed(&self, notes: &Notes, present: Marked) -> u64 {
        let pending = notes.get(Field::Pending);
        let is_numbered = self.layout.is_checked && notes.get(Field::Mixed) == 0;
        let count = match present.latest.filter(|_| is_numbered) {
            Some(latest) => {
                let before = notes.get(Field::Sent).saturating_sub(pending);
                latest.saturating_sub(before).min(present.commits)
            }
            None => present.commits.saturating_sub(notes.get(Field::Expected)),
        };
        count.min(pending)
    }
}

impl CommitLog for CommitNotes {
    fn key(&self) -> i64 {
        self.layout.key
    }

    #[inline]
    fn last_number(&self, session: u32) -> u64 {
        self.layout.read(session).get(Field::Sent)
    }

    #[inline]
    fn sent(&self, session: u32, marks: u64) {
        self.change(session, |notes| {
            if notes.get(Field::Pending) > 0 {
                notes.set(Field::Mixed, 1);
            }
            notes.add(Field::Pending, marks);
            notes.add(Field::Sent, marks);
        });
    }

    /// Records acknowledged commits. If the process is killed before this call, the commits are looked up in the
    /// database later.
    #[inline]
    fn acknowledged(&self, session: u32, marks: u64) {
        self.change(session, |notes| {
            notes.add(Field::Expected, marks);
            notes.add(Field::Acknowledged, marks);
            notes.take(Field::Pending, marks);
        });
    }

    fn refused(&self, session: u32, marks: u64) {
        self.change(session, |notes| {
            notes.take(Field::Pending, marks);
            notes.take(Field::Sent, marks);
        });
    }

    #[inline]
    fn timed(&self, session: u32, at: Instant) {
        let micros = at.since(Instant::default()).as_micros() as u64;
        self.change(session, |notes| {
            let until = notes.get(Field::Acknowledged);
            for number in notes.get(Field::Timed)..until {
                self.layout.set_moment(session, number, micros);
            }
            notes.set(Field::Timed, until);
        });
    }

    fn found(&self, session: u32, present: Marked) {
        if session >= self.layout.sessions {
            return;
        }
        self.change(session, |notes| {
            let [expected, pending] =
                [Field::Expected, Field::Pending].map(|field| notes.get(field));
            let came = self.committed(notes, present);
            let kept = present.commits - came;
            if kept < expected {
                self.note_lost(session, notes, expected - kept, present.latest);
            }
            // If there are more commit marks than expected, some of them may belong to commits that arrived late, after
            // they had been counted as absent or lost. The remaining ones belong to no known commit.
            let surplus = kept.saturating_sub(expected);
            let surplus = notes.shift(surplus, Field::Absent, Some(Field::Recovered));
            let surplus = notes.shift(surplus, Field::Lost, None);
            notes.add(Field::Phantom, surplus);
            notes.add(Field::Recovered, came);
            notes.add(Field::Absent, pending - came);
            notes.set(Field::Expected, present.commits);
            notes.set(Field::Pending, 0);
            notes.set(Field::Mixed, 0);
        });
    }
}
