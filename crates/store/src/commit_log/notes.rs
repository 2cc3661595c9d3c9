//! The numbers in a session's notes.

/// Replaces the time of the first lost commit if that time is unknown.
pub(super) const SOME_TIME: u64 = u64::MAX;

/// The numbers that the log stores for each session.
#[derive(Clone, Copy)]
pub(super) enum Field {
    /// Commits that the database has acknowledged.
    Acknowledged,
    /// Commits that were sent but neither acknowledged nor rejected so far.
    Pending,
    /// Number of the session's commits that the client expects to be in the database.
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
    /// Acknowledgement times of the first and the last lost commit, in microseconds. They are
    /// stored plus one, because 0 means that no commit was lost. The first time is [`SOME_TIME`] if
    /// it is unknown.
    LostFirst,
    LostLast,
    /// Set to 1 if some lost commits are older than every commit whose time is stored.
    LostEarlier,
    /// Set to 1 if the session runs on another host, and that host has not sent its numbers yet.
    Elsewhere,
    /// Number of the last commit mark that was sent. If the server rejects a mark, the next mark
    /// gets the same number.
    Sent,
    /// Set to 1 if several commit marks were waiting for acknowledgement at the same time. The
    /// server may have rejected any of them, so mark numbers no longer show which commits are in
    /// the database.
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

    /// Moves up to `count` commits from field `from` to field `to`. If there are fewer in `from`,
    /// returns the number of commits that could not be moved.
    pub(super) fn shift(&mut self, count: u64, from: Field, to: Option<Field>) -> u64 {
        let moved = count.min(self.get(from));
        self.take(from, moved);
        if let Some(to) = to {
            self.add(to, moved);
        }
        count - moved
    }
}
