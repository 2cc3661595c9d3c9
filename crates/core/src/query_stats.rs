//! Statistics that a database reports about the work done for a query.

use serde::{Deserialize, Serialize};

/// A database's counters. [`QueryStats::since`] returns their increase between two readings. A counter that the
/// database does not provide is `None` rather than zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryStats {
    /// Bytes written to temporary files.
    pub temp_bytes: Option<u64>,
    /// Temporary files that were created.
    pub temp_files: Option<u64>,
    /// Temporary tables that were created on disk or moved there.
    pub temp_tables: Option<u64>,
    /// Bytes of pages read into the database's cache, from disk or from the operating system's cache.
    pub read_bytes: Option<u64>,
    /// Bytes of pages found in the database's cache. A page is counted each time it is found.
    pub cached_bytes: Option<u64>,
    /// Rows read from tables, including those in temporary tables.
    pub read_rows: Option<u64>,
}

impl QueryStats {
    /// Returns the increase of each counter since an earlier reading. The result for a counter that has decreased is
    /// `None`, because the counter was reset.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        let between = |now: Option<u64>, before: Option<u64>| {
            now.zip(before).and_then(|(n, b)| n.checked_sub(b))
        };
        Self {
            temp_bytes: between(self.temp_bytes, earlier.temp_bytes),
            temp_files: between(self.temp_files, earlier.temp_files),
            temp_tables: between(self.temp_tables, earlier.temp_tables),
            read_bytes: between(self.read_bytes, earlier.read_bytes),
            cached_bytes: between(self.cached_bytes, earlier.cached_bytes),
            read_rows: between(self.read_rows, earlier.read_rows),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_uncounted_values_are_unknown() {
        let reading =
            |temp, read| QueryStats { temp_bytes: temp, read_bytes: read, ..QueryStats::default() };
        let table = [
            ((Some(7), Some(9)), (Some(3), Some(9)), (Some(4), Some(0))),
            ((Some(7), None), (Some(3), Some(9)), (Some(4), None)),
            ((Some(7), Some(9)), (None, None), (None, None)),
            ((Some(2), Some(9)), (Some(3), Some(8)), (None, Some(1))),
        ];
        for (now, before, expected) in table {
            let between = reading(now.0, now.1).since(reading(before.0, before.1));
            assert_eq!(between, reading(expected.0, expected.1), "{now:?} {before:?}");
        }
    }
}
