//! The files that a `generate` command has written, and the portion of the rows that they contain.

use std::ops::Range;
use std::path::PathBuf;

use tacho_core::{Error, Result};

/// One of several equal portions of the rows. Each portion can be generated on a different machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portion {
    /// The portion number, starting at 1.
    pub number: u64,
    /// The number of portions.
    pub of: u64,
}

impl Portion {
    /// All rows.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// Returns those of the given units that belong to this portion.
    pub(crate) fn part(self, units: Range<u64>) -> Result<Range<u64>> {
        let Self { number, of } = self;
        if number == 0 || number > of {
            return Err(Error::usage(format!("part {number} of {of} does not exist"))
                .hint("use --part 1/4 to --part 4/4"));
        }
        let count = u128::from(units.end - units.start);
        // If the units cannot be divided equally, the first portions get one unit more than the others. This keeps
        // the work balanced, because the first unit is small.
        let border =
            |part: u64| units.start + (count * u128::from(part)).div_ceil(u128::from(of)) as u64;
        Ok(border(number - 1)..border(number))
    }
}

/// A file of rows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WrittenFile {
    /// The final path of the file. While the worker writes it, the file has a temporary name.
    pub path: PathBuf,
    /// The table.
    pub table: &'static str,
    /// The number of rows.
    pub rows: u64,
    /// The size of the file.
    pub bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_are_the_whole_and_none_twice() -> Result<()> {
        for (count, parts) in [(7, 3), (100_001, 8), (2, 5), (0, 2)] {
            let mut end = 10;
            for part in 1..=parts {
                let range = Portion { number: part, of: parts }.part(10..10 + count)?;
                assert_eq!(range.start, end);
                end = range.end;
            }
            assert_eq!(end, 10 + count);
        }
        assert_eq!(Portion { number: 3, of: 3 }.part(0..u64::MAX)?.end, u64::MAX);
        for number in [0, 2] {
            assert!(Portion { number, of: 1 }.part(0..1).is_err());
        }
        Ok(())
    }
}
