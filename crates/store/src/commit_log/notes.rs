//! The numbers in a session's notes.

/// Stored instead of the time of the first lost commit if that time is unknown.
pub(super) const SOME_TIME: u64 = u64::MAX;

/// The numbers that the log stores for each session.
#[derive(Clone, Copy)]
pub(super) enum Field {
    /// Commits that the database has acknowledged.
    Acknowledged,
    /// Commits that were sent but neither acknowledged nor rejected so far.
    Pending,
    /// Number of the session's commits that the database should contain, as far as is known.
    Expected,
    /// Unacknowledged commits that were found in the database.
    Recovered,
    /// Unacknowledged commits that were not found in the database.
    Absent,
    /// Acknowledged commits that were not found in the database.
    Lost,
    /// Marks that were found in the database although Tacho never sent them.
    Phantom,
    /// Acknowledged commits whose times are known.
    Timed,
    /// Acknowledgement times of the first and the last lost commit, in microseconds plus one. 0
    /// means that there is none. That of the first one may be [`SOME_TIME`].
    LostFirst,
    LostLast,
    /// 1 if commits were lost before the oldest commit whose time is stored.
    LostEarlier,
    /// 1 if another host keeps the session's notes and has not sent them yet.
    Elsewhere,
    /// Number of the last mark that was sent. The number of a mark that the server rejects is used
    /// again.
    Sent,
    /// 1 if several marks were waiting for acknowledgement at the same time. Their commits can then
    /// not be told apart by mark numbers.
    Mixed,
}

/// Number of [`Field`] variants.
pub(super) const FIELDS: usize = 14;

/// The notes about one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Notes(pub(super) [u64; FIELDS]);

impl Notes {
    #[inline]
    pub(super) fn get(&self, field: Field) -> u64 {
        self.0[field as usize]
    }

    #[inline]
    pub(super) fn set(&mut self, field: Field, value: u64) {
        self.0[field as usize] = value;
    }

    #[inline]
    pub(super) fn add(&mut self, field: Field, by: u64) {
        self.set(field, self.get(field).wrapping_add(by));
    }

    #[inline]
    pub(super) fn take(&mut self, field: Field, by: u64) {
        self.set(field, self.get(field).saturating_sub(by));
    }

    /// Subtracts up to `count` commits from field `from` and adds them to field `to`. Returns the
    /// rest of `count`.
    pub(super) fn shift(&mut self, count: u64, from: Field, to: Option<Field>) -> u64 {
        let moved = count.min(self.get(from));
        self.take(from, moved);
        if let Some(to) = to {
            self.add(to, moved);
        }
        count - moved
    }
}
