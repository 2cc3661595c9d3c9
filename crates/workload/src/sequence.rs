//! Numbers for new rows, assigned so that no two sessions use the same number.

/// The numbers reserved for one session. Consecutive numbers differ by `step`, because the numbers
/// between them belong to other sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// The next number.
    pub next: i64,
    /// Distance between two numbers.
    pub step: i64,
}

impl Sequence {
    /// Returns the next number and advances the sequence.
    #[inline]
    pub fn take(&mut self) -> i64 {
        let number = self.next;
        self.next = number.wrapping_add(self.step);
        number
    }
}

/// A session's position among all sessions that use the same set of tables. It determines which numbers the session's
/// new rows get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceInSet {
    /// The number of the table set, starting at 1, or 0 if there is only one set.
    pub set: u32,
    /// Zero-based position of the session.
    pub place: u32,
}

impl PlaceInSet {
    /// Returns a session's set and its position in that set, given the number of sets.
    pub const fn of(session: u32, sets: u32) -> Self {
        match sets {
            1 => Self { set: 0, place: session },
            sets => Self { set: session % sets + 1, place: session / sets },
        }
    }
}
