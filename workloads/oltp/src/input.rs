//! An event's input: numbers and text, in the order in which statements use them.
//!
//! All input must come from the given random number generator. Start reading at [`Input::draw`].

use tacho_core::{ErrorKind, Result, Rng};
use tacho_workload::{Outcome, Sequence};

use crate::event::Group;
use crate::setup::Setup;

/// Number of digit groups in the columns c and pad.
const C_GROUPS: usize = 10;
const PAD_GROUPS: usize = 5;
/// Number of digits in a group.
const DIGITS: usize = 11;
/// Length of c in characters, which are the digit groups separated by dashes.
pub const C_LENGTH: usize = C_GROUPS * (DIGITS + 1) - 1;
/// Length of pad in characters.
pub const PAD_LENGTH: usize = PAD_GROUPS * (DIGITS + 1) - 1;

/// Input of an event. The buffers are reused for later events.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// For each group of statements, the zero-based table index, followed by the IDs and the values
    /// of k that the statements use.
    pub numbers: Vec<i64>,
    /// Values of c and pad.
    pub text: Vec<u8>,
}

/// The part of an event's input that differs between sessions.
#[derive(Debug)]
pub struct Source {
    /// The session's range of k values, from which it draws random points and ranges.
    pub segment: (i64, i64),
    /// Zero-based index of the table for a bulk insert.
    pub table: i64,
    /// Ids of the inserted rows.
    pub ids: Sequence,
}

impl Source {
    /// Records whether a bulk insert was committed. If it failed, its row numbers are used again,
    /// so that the numbers have no gaps.
    pub fn note(&mut self, setup: &Setup, ended: &Result<Outcome>) {
        // If a repeated insert finds its own rows, the first attempt was committed, but its response was lost.
        let committed = match ended {
            Ok(_) => true,
            Err(error) => error.kind() == ErrorKind::UniqueViolation,
        };
        if setup.event.is_bulk() && committed {
            self.ids.next += setup.lists.rows as i64;
        }
    }
}

impl Input {
    /// Draws all values that the groups need, in execution order.
    #[inline]
    pub fn draw(&mut self, setup: &Setup, source: &mut Source, rng: &mut Rng) {
        self.numbers.clear();
        self.text.clear();
        for (group, count) in &setup.groups {
            if *group == Group::BulkInsert {
                self.numbers.extend([source.table, source.ids.next]);
                continue;
            }
            let table = rng.below(setup.tables as u64) as i64;
            self.numbers.push(table);
            for _ in 0..*count {
                self.statement(*group, setup, source, rng);
            }
        }
    }

    #[inline]
    fn statement(&mut self, group: Group, setup: &Setup, source: &mut Source, rng: &mut Rng) {
        match group {
            Group::NonIndexUpdate => {
                self.id(setup, rng);
                digits(C_GROUPS, rng, &mut self.text);
            }
            Group::DeleteInsert => {
                self.id(setup, rng);
                self.rest(setup, rng);
            }
            Group::Insert => self.new_row(setup, source, rng),
            Group::RandomPoints => self.segment(setup, source, setup.lists.points, rng),
            Group::RandomRanges => self.segment(setup, source, setup.lists.ranges, rng),
            _ => self.id(setup, rng),
        }
    }

    #[inline]
    fn id(&mut self, setup: &Setup, rng: &mut Rng) {
        self.numbers.push(setup.ids.draw(1, setup.size, rng));
    }

    fn new_row(&mut self, setup: &Setup, source: &mut Source, rng: &mut Rng) {
        self.numbers.push(source.ids.take());
        self.rest(setup, rng);
    }

    /// Draws the other columns of a row.
    fn rest(&mut self, setup: &Setup, rng: &mut Rng) {
        self.numbers.push(setup.ids.draw(1, setup.size, rng));
        row_text(rng, &mut self.text);
    }

    fn segment(&mut self, setup: &Setup, source: &Source, count: u64, rng: &mut Rng) {
        let (low, high) = source.segment;
        for _ in 0..count {
            self.numbers.push(setup.segment.draw(low, high, rng));
        }
    }
}

/// Appends values of c and pad.
#[inline]
pub fn row_text(rng: &mut Rng, out: &mut Vec<u8>) {
    digits(C_GROUPS, rng, out);
    digits(PAD_GROUPS, rng, out);
}

/// Appends dash-separated groups of uniformly distributed decimal digits.
#[inline]
fn digits(groups: usize, rng: &mut Rng, out: &mut Vec<u8>) {
    const BELOW: u64 = 10_u64.pow(DIGITS as u32);
    for group in 0..groups {
        if group > 0 {
            out.push(b'-');
        }
        let (mut number, mut text) = (rng.below(BELOW), [b'0'; DIGITS]);
        for digit in text.iter_mut().rev() {
            *digit += (number % 10) as u8;
            number /= 10;
        }
        out.extend_from_slice(&text);
    }
}

#[cfg(test)]
mod tests {
    use tacho_core::Seed;

    use super::*;

    #[test]
    fn texts_have_their_lengths_and_all_digits() {
        let (mut text, mut rng) = (Vec::new(), Seed(3).rng(0));
        row_text(&mut rng, &mut text);
        assert_eq!((C_LENGTH, PAD_LENGTH), (119, 59));
        assert_eq!(text.len(), C_LENGTH + PAD_LENGTH);
        for (at, letter) in text[..C_LENGTH].iter().enumerate() {
            assert_eq!(*letter == b'-', at % (DIGITS + 1) == DIGITS, "{at}");
        }
        for _ in 0..100 {
            row_text(&mut rng, &mut text);
        }
        for digit in b'0'..=b'9' {
            let share = text.iter().map(|byte| f64::from(u8::from(*byte == digit))).sum::<f64>()
                / text.len() as f64;
            assert!((share - 0.0926).abs() < 0.01, "{digit}: {share}");
        }
    }
}
