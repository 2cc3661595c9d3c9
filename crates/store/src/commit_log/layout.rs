//! The layout of the commit log. The file contains a header, two copies of the notes (commit counts) about each
//! session, and the commit times.
//!
//! A change to a session's notes overwrites only the older copy, so the newer copy survives if the process is killed.
//!
//! Start reading at [`Layout::write`].

use std::sync::atomic::{AtomicU64, Ordering, fence};

use memmap2::MmapRaw;

use super::notes::{FIELDS, Notes};

/// Number of 64-bit words in each copy of a session's notes. Together, they fill two cache lines of the processor.
const COPY: usize = 16;
/// Positions of the change number and the checksum in a copy. While a copy is being written, [`OPEN`] is added to its
/// change number, so that an unfinished copy is recognized.
const CHANGE: usize = 14;
const SUM: usize = 15;
const OPEN: u64 = 1 << 63;
/// Number of bits that store a commit time in microseconds, enough for nine years. The remaining
/// bits of the word are a checksum.
const MOMENT_BITS: u32 = 48;
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// A mapped commit log. The position of each word depends on the file version.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) map: MmapRaw,
    /// True if the file has checksums and two copies of the notes. Version 1 files have neither.
    pub(super) is_checked: bool,
    pub(super) sessions: u32,
    pub(super) moments: usize,
    pub(super) key: i64,
}

/// The condition of a session's notes, according to their checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// The notes are intact. A change that was being written when the process was killed may be missing.
    Whole,
    /// The notes have been modified by something other than Tacho.
    Damaged,
}

impl Layout {
    /// Returns the number of words in the header.
    pub(super) const fn head(is_checked: bool) -> usize {
        if is_checked { 16 } else { 8 }
    }

    /// Returns the size of a file in bytes.
    pub(super) fn bytes(is_checked: bool, sessions: u64, moments: u64) -> u64 {
        let copies = if is_checked { 2 } else { 1 };
        8 * (Self::head(is_checked) as u64 + sessions * ((copies * COPY) as u64 + moments))
    }

    const fn copies(&self) -> usize {
        if self.is_checked { 2 } else { 1 }
    }

    /// Returns the index of the first word of a copy of a session's notes.
    const fn slot(&self, session: u32, copy: usize) -> usize {
        Self::head(self.is_checked) + (session as usize * self.copies() + copy) * COPY
    }

    #[inline]
    #[expect(
        unsafe_code,
        clippy::cast_ptr_alignment,
        reason = "the file is mapped as bytes from the start of a page, and several threads write to it"
    )]
    pub(super) fn word(&self, at: usize) -> &AtomicU64 {
        assert!((at + 1) * 8 <= self.map.len(), "word {at} is outside the file");
        // SAFETY: the word is inside the map and aligned, because the map starts at a page. All
        // accesses to the map are atomic 64-bit accesses. The map cannot be removed while the
        // returned reference exists.
        unsafe { AtomicU64::from_ptr(self.map.as_mut_ptr().cast::<u64>().add(at)) }
    }

    #[inline]
    fn get(&self, at: usize) -> u64 {
        self.word(at).load(Ordering::Relaxed)
    }

    /// Returns the index of the copy that was completed last, and the number of the change that it
    /// contains.
    #[inline]
    fn newest(&self, session: u32) -> (usize, u64) {
        if !self.is_checked {
            return (0, 0);
        }
        let change = |copy| match self.get(self.slot(session, copy) + CHANGE) {
            open if open & OPEN != 0 => 0,
            change => change,
        };
        let (first, second) = (change(0), change(1));
        if first > second { (0, first) } else { (1, second) }
    }

    /// Returns the notes of a session.
    #[inline]
    pub(super) fn read(&self, session: u32) -> Notes {
        let at = self.slot(session, self.newest(session).0);
        Notes(std::array::from_fn(|field| self.get(at + field)))
    }

    /// Replaces the notes of a session. Only the thread of that session may call this function.
    #[inline]
    pub(super) fn write(&self, session: u32, notes: &Notes) {
        let (newest, change) = self.newest(session);
        let (copy, change) = ((newest + 1) % self.copies(), change + 1);
        let at = self.slot(session, copy);
        if self.is_checked {
            self.word(at + CHANGE).store(change | OPEN, Ordering::Relaxed);
            fence(Ordering::Release);
        }
        for (field, value) in notes.0.iter().enumerate() {
            self.word(at + field).store(*value, Ordering::Relaxed);
        }
        if self.is_checked {
            self.word(at + SUM).store(self.sum(session, &notes.0, change), Ordering::Relaxed);
            self.word(at + CHANGE).store(change, Ordering::Release);
        }
    }

    /// Computes a checksum that depends on every word, on the session and on the run.
    #[inline]
    fn sum(&self, session: u32, fields: &[u64; FIELDS], change: u64) -> u64 {
        let salt = [self.key.cast_unsigned(), session.into(), change];
        let words = salt.iter().chain(fields);
        let term = |(place, word): (u64, &u64)| (word ^ FACTOR).wrapping_mul(FACTOR ^ (place << 1));
        (0..).zip(words).map(term).fold(FACTOR, u64::wrapping_add)
    }

    /// Verifies a session's notes against their checksum.
    pub(super) fn condition(&self, session: u32) -> Condition {
        if !self.is_checked {
            return Condition::Whole;
        }
        let change = |copy| self.get(self.slot(session, copy) + CHANGE);
        let (newest, number) = self.newest(session);
        let at = self.slot(session, newest);
        let fits = self.get(at + SUM) == self.sum(session, &self.read(session).0, number);
        // The copies differ by exactly one change, unless writing the older one was interrupted.
        let other = change(1 - newest);
        let is_beside = other == number.wrapping_sub(1) || other == (number + 1) | OPEN;
        if fits && is_beside { Condition::Whole } else { Condition::Damaged }
    }

    /// Computes the checksum of the header.
    pub(super) fn head_sum(&self) -> u64 {
        let words = (0..Self::head(true) - 1).map(|at| self.get(at));
        let term = |(place, word): (u64, u64)| (word ^ FACTOR).wrapping_mul(FACTOR ^ (place << 1));
        (0..).zip(words).map(term).fold(FACTOR, u64::wrapping_add)
    }

    /// Sets a header word and updates the header's checksum.
    pub(super) fn set_head(&self, at: usize, value: u64) {
        self.word(at).store(value, Ordering::Relaxed);
        if self.is_checked {
            self.word(Self::head(true) - 1).store(self.head_sum(), Ordering::Release);
        }
    }

    /// Returns true if the header's checksum is correct.
    pub(super) fn has_whole_head(&self) -> bool {
        !self.is_checked || self.get(Self::head(true) - 1) == self.head_sum()
    }

    /// Returns the word with the time of a session's acknowledged commit `number`, counted from 0.
    fn moment_word(&self, session: u32, number: u64) -> &AtomicU64 {
        let first = self.slot(self.sessions, 0) + session as usize * self.moments;
        self.word(first + (number % self.moments as u64) as usize)
    }

    /// Records the time of a commit.
    #[inline]
    pub(super) fn set_moment(&self, session: u32, number: u64, micros: u64) {
        let value = if self.is_checked { checked(micros, session, number) } else { micros };
        self.moment_word(session, number).store(value, Ordering::Relaxed);
    }

    /// Returns a commit's time in microseconds, or `None` if the stored checksum does not match.
    pub(super) fn moment(&self, session: u32, number: u64) -> Option<u64> {
        let value = self.moment_word(session, number).load(Ordering::Relaxed);
        if !self.is_checked {
            return Some(value);
        }
        let micros = value & ((1 << MOMENT_BITS) - 1);
        (value == checked(micros, session, number)).then_some(micros)
    }

    /// Initializes the file by writing two intact copies of each session's notes.
    pub(super) fn begin(&self) {
        for session in 0..self.sessions {
            // The file still contains only zeros. In the first copy, only the checksum is missing, because its change
            // number is also zero. The second copy is written as change 1.
            let at = self.slot(session, 0);
            self.word(at + SUM).store(self.sum(session, &[0; FIELDS], 0), Ordering::Relaxed);
            self.write(session, &Notes([0; FIELDS]));
        }
    }
}

fn checked(micros: u64, session: u32, number: u64) -> u64 {
    let micros = micros & ((1 << MOMENT_BITS) - 1);
    let salt = (u64::from(session) << 32) ^ number;
    let sum = (micros ^ salt.wrapping_mul(FACTOR)).wrapping_mul(FACTOR) >> MOMENT_BITS;
    micros | (sum << MOMENT_BITS)
}
