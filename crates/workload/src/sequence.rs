//! Numbers that sessions give to new rows, so that no two sessions take the same one.

/// The numbers of one session: it takes a number and steps over those of the other sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// The next number.
    pub next: i64,
    /// How far it is from one to the next.
    pub step: i64,
}

impl Sequence {
    /// Takes the next number.
    #[inline]
    pub fn take(&mut self) -> i64 {
        let number = self.next;
        self.next = number.wrapping_add(self.step);
        number
    }
}

/// Where a session is among those of its set of tables, which share the numbers of the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceInSet {
    /// The set, from 1; 0 if there is only one.
    pub set: u32,
    /// The place of the session, from 0.
    pub place: u32,
}

impl PlaceInSet {
    /// That of a session, where there are so many sets.
    pub const fn of(session: u32, sets: u32) -> Self {
        match sets {
            1 => Self { set: 0, place: session },
            sets => Self { set: session % sets + 1, place: session / sets },
        }
    }
}
