//! Rows of `warehouse`, `district`, `item` and `stock`, clause 4.3.3.1.

use tacho_core::Rng;
use tacho_driver::Values;

use super::{Generator, a_string};
use crate::random::{ALPHANUMERIC, DIGITS, LETTERS};
use crate::schema::{CUSTOMERS, DISTRICTS, ITEMS};

/// The characters after the four random digits of a zip code, clause 4.3.2.7.
const ZIP_TAIL: &[u8] = b"11111";
/// Expected number of rows per hundred thousand that contain the mark `original`. It is computed as 1 − (1 −
/// 1/100001)^10000.
///
/// HammerDB draws 10,000 of 100,001 positions, and may draw a position more than once. On average, it therefore marks
/// this fraction of the rows.
///
/// Here, each row is drawn independently.
const HAMMERDB_MARKS: u64 = 9_516;

impl Generator {
    pub(super) fn warehouse(&self, slot: u64, rng: &mut Rng, rows: &mut Values) {
        rows.int(slot as i64 + 1);
        rows.decimal(30_000_000);
        rows.decimal(self.tax(rng));
        a_string(rng, 6, 10, rows);
        self.address(rng, rows);
    }

    pub(super) fn district(&self, slot: u64, rng: &mut Rng, rows: &mut Values) {
        rows.int(slot as i64 / DISTRICTS + 1);
        rows.int(slot as i64 % DISTRICTS + 1);
        rows.decimal(3_000_000);
        rows.decimal(self.tax(rng));
        rows.int(CUSTOMERS + 1);
        a_string(rng, 6, 10, rows);
        self.address(rng, rows);
    }

    pub(super) fn item(&self, slot: u64, rng: &mut Rng, rows: &mut Values) {
        rows.int(slot as i64 + 1);
        rows.int(rng.between(1, 10_000));
        a_string(rng, 14, 24, rows);
        rows.decimal(rng.between(100, 10_000));
        self.marked_data(rng, rows);
    }

    pub(super) fn stock(&self, slot: u64, rng: &mut Rng, rows: &mut Values) {
        rows.int(slot as i64 / ITEMS + 1);
        rows.int(slot as i64 % ITEMS + 1);
        rows.int(rng.between(10, 100));
        for _ in 0..DISTRICTS {
            self.district_text(rng, rows);
        }
        rows.int(0);
        rows.int(0);
        rows.int(0);
        self.marked_data(rng, rows);
    }

    /// Appends one of a stock row's ten district strings.
    #[inline]
    fn district_text(&self, rng: &mut Rng, rows: &mut Values) {
        if self.population.one_letter {
            return self.long_string(rng, (24, 24), rows);
        }
        rows.text_with(|text| rng.string(24, ALPHANUMERIC, text));
    }

    /// Draws a tax rate with four decimal places.
    fn tax(&self, rng: &mut Rng) -> i64 {
        if self.population.tax_coarse { rng.between(10, 20) * 100 } else { rng.between(0, 2_000) }
    }

    /// Appends two street lines, the city, the state and the zip code.
    pub(super) fn address(&self, rng: &mut Rng, rows: &mut Values) {
        for _ in 0..3 {
            a_string(rng, 10, 20, rows);
        }
        let letters = if self.population.state_alphanumeric { ALPHANUMERIC } else { LETTERS };
        rows.text_with(|text| rng.string(2, letters, text));
        if self.population.zip_left {
            let number = rng.between(0, 9_999);
            rows.text_with(|text| overwritten(b"000011111", number, text));
        } else {
            rows.text_with(|text| {
                rng.string(4, DIGITS, text);
                text.extend_from_slice(ZIP_TAIL);
            });
        }
    }

    /// Appends `i_data` or `s_data`, an a-string of 26 to 50 characters, which contains the mark in some rows.
    fn marked_data(&self, rng: &mut Rng, rows: &mut Values) {
        let length = rng.between(26, 50) as usize;
        let hammerdb = self.population.original_lowercase;
        let marked = if hammerdb { rng.chance(HAMMERDB_MARKS, 100_000) } else { rng.chance(1, 10) };
        let Some(word) = self.population.mark.filter(|_| marked) else {
            rows.text_with(|text| rng.string(length, ALPHANUMERIC, text));
            return;
        };
        let start = rng.between(0, length as i64 - 8) as usize;
        // The mark has eight characters. HammerDB removes up to nine characters to make room for it.
        let (mark, kept): (&[u8], usize) = if hammerdb {
            (b"original", length.saturating_sub(start + 9))
        } else {
            (word, length - start - word.len())
        };
        rows.text_with(|text| {
            rng.string(start, ALPHANUMERIC, text);
            text.extend_from_slice(mark);
            rng.string(kept, ALPHANUMERIC, text);
        });
    }
}

/// Appends `base`, and overwrites its first characters with the decimal digits of `number`.
pub(super) fn overwritten(base: &[u8], number: i64, text: &mut Vec<u8>) {
    let start = text.len();
    text.extend_from_slice(base);
    let digits = number.checked_ilog10().unwrap_or(0) as usize + 1;
    let mut rest = number;
    for at in (0..digits).rev() {
        text[start + at] = DIGITS[(rest % 10) as usize];
        rest /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zips_are_overwritten_from_the_left() {
        for (number, zip) in
            [(7, "700011111"), (42, "420011111"), (9_999, "999911111"), (0, "000011111")]
        {
            let mut text = b"x".to_vec();
            overwritten(b"000011111", number, &mut text);
            assert_eq!(String::from_utf8_lossy(&text[1..]), zip);
        }
    }
}
