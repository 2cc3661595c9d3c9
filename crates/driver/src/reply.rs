//! The results of a batch. Each executed statement has one result.

use std::sync::Arc;

use tacho_core::{Clock, Error, ErrorKind, Instant, Result};

use crate::{Value, Values};

/// The maximum size of an exchange's results in bytes. A workload with larger results is faulty, and keeping them would
/// exhaust memory.
pub(crate) const BYTES_MAX: usize = 256 << 20;

#[derive(Clone, Copy, Debug, Default)]
struct ResultSet {
    first: u32,
    columns: u32,
    rows: u32,
    affected: u64,
    /// The number of rows returned or written, including rows that were not kept.
    counted: Option<u64>,
}

/// The way in which a statement's result is passed to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A result.
    Own,
    /// A continuation of the previous result.
    Follows,
    /// A result that the caller does not need.
    Hidden,
}

/// The results of an exchange's statements, in order. Clearing a reply keeps the allocated memory for reuse.
///
/// A session calls [`Reply::start`], appends received values to [`Reply::values`], and finally calls [`Reply::finish`].
#[derive(Clone, Default)]
pub struct Reply {
    sets: Vec<ResultSet>,
    values: Values,
    /// A buffer for further rows when the results are too large. Its contents are discarded.
    discarded: Values,
    is_too_large: bool,
    /// True if the arrival time of the next row must be recorded.
    awaits_row: bool,
    clock: Option<Arc<dyn Clock>>,
    first_row: Option<Instant>,
}

impl std::fmt::Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reply")
            .field("sets", &self.sets)
            .field("values", &self.values)
            .finish_non_exhaustive()
    }
}

impl Reply {
    /// Starts recording the arrival time of the first row after each [`Reply::clear`].
    pub fn time_first_row(&mut self, clock: Arc<dyn Clock>) {
        self.clock = Some(clock);
        self.awaits_row = true;
    }

    /// Returns the arrival time of the first row since [`Reply::clear`], or `None` if there were no rows or times are
    /// not recorded.
    pub fn first_row(&self) -> Option<Instant> {
        self.first_row
    }

    /// Removes all results.
    #[inline]
    pub fn clear(&mut self) {
        self.sets.clear();
        self.values.clear();
        self.is_too_large = false;
        self.first_row = None;
        self.awaits_row = self.clock.is_some();
    }

    /// Starts the result of a statement with this number of columns.
    #[inline]
    pub fn start(&mut self, columns: usize) {
        let first = self.values.len() as u32;
        self.sets.push(ResultSet { first, columns: columns as u32, ..ResultSet::default() });
    }

    /// Returns the buffer for a row's values. Call this only once the row has arrived, because the first call records
    /// the current time as the row's arrival.
    #[inline]
    pub fn values(&mut self) -> &mut Values {
        if self.awaits_row {
            self.note_first_row();
        }
        if self.values.bytes() > BYTES_MAX {
            return self.no_room();
        }
        &mut self.values
    }

    #[cold]
    fn no_room(&mut self) -> &mut Values {
        self.is_too_large = true;
        self.discarded.clear();
        &mut self.discarded
    }

    /// Returns an error if the results were too large to keep. Must be called after all results have arrived.
    #[inline]
    pub(crate) fn require_whole(&mut self) -> Result<()> {
        if self.is_too_large { Err(self.too_large()) } else { Ok(()) }
    }

    #[cold]
    fn too_large(&mut self) -> Error {
        // Release the memory.
        *self = Self { clock: self.clock.take(), ..Self::default() };
        let text = format!("the server returned more than {} MiB", BYTES_MAX >> 20);
        Error::new(ErrorKind::Resource, text).hint(
            "change the statement to return fewer or \
            shorter rows",
        )
    }

    #[cold]
    fn note_first_row(&mut self) {
        self.awaits_row = false;
        self.first_row = self.clock.as_ref().map(|clock| clock.now());
    }

    /// Ends a statement's result. `affected` is the number of rows written.
    #[inline]
    pub fn finish(&mut self, affected: u64) {
        let end = self.values.len() as u32;
        if let Some(set) = self.sets.last_mut() {
            set.rows = (end - set.first).checked_div(set.columns).unwrap_or(0);
            set.affected = affected;
        }
    }

    /// Sets the number of rows that the last statement returned or wrote. The rows themselves are kept only if the
    /// statement's signature has results.
    #[inline]
    pub fn count(&mut self, rows: u64) {
        if let Some(set) = self.sets.last_mut() {
            set.counted = Some(rows);
        }
    }

    /// Merges the results of statements from the same section into the section's result. If a result continues the
    /// previous one, its rows replace the previous rows. Results that the caller does not need are removed.
    pub(crate) fn join(&mut self, mut parts: impl Iterator<Item = Part>) {
        let mut kept = 0;
        for at in 0..self.sets.len() {
            let set = self.sets[at];
            match parts.next() {
                Some(Part::Hidden) => {}
                Some(Part::Follows) if kept > 0 => {
                    let affected = self.sets[kept - 1].affected;
                    self.sets[kept - 1] = ResultSet { affected, ..set };
                }
                _ => {
                    self.sets[kept] = set;
                    kept += 1;
                }
            }
        }
        self.sets.truncate(kept);
    }

    /// Returns the number of results.
    #[inline]
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Returns true if there are no results.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// Returns the number of rows in a result. `set` is the index of the result.
    #[inline]
    pub fn rows(&self, set: usize) -> usize {
        self.sets.get(set).map_or(0, |set| set.rows as usize)
    }

    /// Returns the number of rows written by the statement at `set`.
    #[inline]
    pub fn affected(&self, set: usize) -> u64 {
        self.sets.get(set).map_or(0, |set| set.affected)
    }

    /// Returns the number of rows that a statement returned or wrote, or `None` if the session does not count rows.
    #[inline]
    pub fn counted(&self, set: usize) -> Option<u64> {
        self.sets.get(set).and_then(|set| set.counted)
    }

    /// Returns the row at `row` of the result at `set`, or `None` if there is none.
    #[inline]
    pub fn get(&self, set: usize, row: usize) -> Option<Row<'_>> {
        let set = self.sets.get(set).filter(|set| row < set.rows as usize)?;
        let first = set.first as usize + row * set.columns as usize;
        Some(Row { values: &self.values, first, columns: set.columns as usize })
    }

    /// Returns the first row of the result at `set`, or an error if it has no rows.
    #[inline]
    pub fn one(&self, set: usize) -> Result<Row<'_>> {
        self.get(set, 0)
            .ok_or_else(|| Error::new(ErrorKind::Missing, "the server returned no rows"))
    }
}

/// A row of a result.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    values: &'a Values,
    first: usize,
    columns: usize,
}

impl<'a> Row<'a> {
    /// Returns the number of columns.
    #[inline]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the value in this column.
    ///
    /// # Panics
    /// Panics if the statement's signature does not have this column.
    #[inline]
    pub fn get(&self, column: usize) -> Value<'a> {
        assert!(column < self.columns, "column {column} of {}", self.columns);
        self.values.get(self.first + column)
    }

    /// Returns true if the server did not return this column at all.
    ///
    /// # Panics
    /// Panics like [`Row::get`].
    #[inline]
    pub fn is_absent(&self, column: usize) -> bool {
        assert!(column < self.columns, "column {column} of {}", self.columns);
        self.values.is_absent(self.first + column)
    }

    /// Returns the value of a column as a number if it is an integer, decimal or time. NULL is an error.
    #[inline]
    pub fn number(&self, column: usize) -> Result<i64> {
        match self.get(column) {
            Value::Int(number) | Value::Decimal(number) | Value::Time(number) => Ok(number),
            other => Err(unexpected(column, other)),
        }
    }

    /// Like [`Row::number`], but returns `None` for NULL.
    #[inline]
    pub fn maybe_number(&self, column: usize) -> Result<Option<i64>> {
        match self.get(column) {
            Value::Null => Ok(None),
            _ => self.number(column).map(Some),
        }
    }

    /// Returns a string. NULL is an error.
    #[inline]
    pub fn text(&self, column: usize) -> Result<&'a [u8]> {
        match self.get(column) {
            Value::Text(text) => Ok(text),
            other => Err(unexpected(column, other)),
        }
    }
}

#[cold]
fn unexpected(column: usize, value: Value<'_>) -> Error {
    Error::new(ErrorKind::Protocol, format!("column {column} contains {value:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_result_row_and_column() -> Result<()> {
        let mut reply = Reply::default();
        reply.start(0);
        reply.finish(3);
        reply.start(2);
        for (number, text) in [(1, b"a"), (2, b"b")] {
            reply.values().int(number);
            reply.values().text(text);
        }
        reply.finish(0);
        assert_eq!((reply.len(), reply.affected(0), reply.rows(0), reply.rows(1)), (2, 3, 0, 2));
        let row = reply.get(1, 1).ok_or_else(|| Error::usage("no row"))?;
        assert_eq!((row.number(0)?, row.text(1)?), (2, b"b".as_slice()));
        assert!(row.text(0).is_err());
        assert!(reply.get(1, 2).is_none());
        assert!(reply.one(0).is_err());
        reply.start(0);
        reply.finish(1);
        reply.join([Part::Own, Part::Follows, Part::Hidden].into_iter());
        assert_eq!((reply.len(), reply.affected(0), reply.rows(0)), (1, 3, 2));
        assert_eq!(reply.one(0)?.number(0)?, 1);
        Ok(())
    }
}
