//! Samples of loaded rows, read from the database and compared with rows regenerated from the seed.
//!
//! A sample is a range of keys that can be read with one index search. Columns that transactions
//! may change are not compared.
//!
//! Start reading at [`Loaded`].

use std::sync::Arc;

use tacho_driver::{Field, Reply, Row, StatementId, Value, Values};

use crate::judge::in_words;
use crate::{Judge, Violations};

/// A query for a sample of loaded rows, and the rule that evaluates its result.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The statement.
    pub statement: StatementId,
    /// Values of the statement's parameters.
    pub bound: Values,
    /// Rule that evaluates the result.
    pub judge: Judge,
}

/// A row as the load created it.
#[derive(Clone, Copy, Debug)]
pub struct LoadedRow<'a> {
    values: &'a Values,
    first: usize,
}

impl<'a> LoadedRow<'a> {
    /// Returns the value in column `column` of the table.
    pub fn get(&self, column: usize) -> Value<'a> {
        self.values.get(self.first + column)
    }
}

/// A function that compares a row in the database with the loaded one. Returns true if transactions
/// may have changed the loaded row into this one.
pub type RowRule = fn(Row<'_>, LoadedRow<'_>) -> bool;

/// A function that returns true if a row must be skipped, because the row was inserted after the
/// load or was removed.
///
/// The function gets the first row of the query's result, which shows how far the transactions have
/// progressed, and the key of the row to be checked.
pub type Gone = Box<dyn Fn(Row<'_>, i64) -> bool + Send + Sync>;

/// The loaded rows in a range of keys, with the information needed to compare them with a query's
/// result.
pub struct Loaded {
    /// The loaded rows, in the same order as the result. They are generated only for the
    /// comparison.
    pub rows: Box<dyn Fn() -> Values + Send + Sync>,
    /// Number of columns in the table.
    pub width: usize,
    /// For each column of the result, the index of the table's column to compare. `None` if
    /// transactions can change the column.
    pub columns: Vec<Option<usize>>,
    /// The rule that checks the columns that transactions can change, and its name.
    pub rule: Option<(&'static str, RowRule)>,
    /// A function that selects rows to be skipped, using the key in their first column.
    pub gone: Option<Gone>,
}

impl Loaded {
    /// Returns a judge that compares a result with the rows. Each difference is a violation.
    pub fn judge(self) -> Judge {
        Judge::Compare(Arc::new(move |fields, reply| self.compare(fields, reply)))
    }

    fn compare(&self, fields: &[Field], reply: &Reply) -> Violations {
        let values = (self.rows)();
        let (found, loaded) = (self.found(reply), self.loaded(reply, &values));
        if found.len() != loaded.len() {
            let (name, found, loaded) =
                (fields.first().map_or("", |field| &field.name), found.len(), loaded.len());
            let first = format!("{found} rows starting at {name}, but {loaded} were loaded");
            return Violations { count: found.abs_diff(loaded) as u64, first };
        }
        let mut violations = Violations::default();
        for (row, loaded) in found.into_iter().zip(loaded) {
            if let Some(words) = self.difference(fields, row, loaded) {
                violations.add(Violations { count: 1, first: words });
            }
        }
        violations
    }

    /// Returns the rows of the result that must be compared, without those that are skipped.
    fn found<'a>(&self, reply: &'a Reply) -> Vec<Row<'a>> {
        let rows = (0..reply.rows(0)).filter_map(|at| reply.get(0, at));
        rows.filter(|row| self.is_kept(reply, row.get(0))).collect()
    }

    /// Returns the loaded rows that must exist.
    fn loaded<'a>(&self, reply: &Reply, values: &'a Values) -> Vec<LoadedRow<'a>> {
        let rows =
            (0..values.len() / self.width).map(|at| LoadedRow { values, first: at * self.width });
        rows.filter(|row| self.is_kept(reply, row.get(0))).collect()
    }

    fn is_kept(&self, reply: &Reply, key: Value<'_>) -> bool {
        match (&self.gone, reply.get(0, 0), key) {
            (Some(gone), Some(first), Value::Int(key)) => !gone(first, key),
            // A row whose key is null means that there are no rows in the range.
            (Some(_), _, Value::Null) => false,
            _ => true,
        }
    }

    /// Describes the difference between two rows.
    fn difference(&self, fields: &[Field], row: Row<'_>, loaded: LoadedRow<'_>) -> Option<String> {
        let key = || format!("{} {}", fields[0].name, in_words(row.get(0), fields[0].kind));
        for (column, field) in fields.iter().enumerate() {
            let Some(Some(index)) = self.columns.get(column) else { continue };
            let (found, loaded) = (row.get(column), loaded.get(*index));
            if !is_same(found, loaded) {
                let [found, loaded] = [found, loaded].map(|value| in_words(value, field.kind));
                return Some(format!(
                    "{}: {} is {found}, but was loaded as {loaded}",
                    key(),
                    field.name
                ));
            }
        }
        let (name, rule) = self.rule?;
        (!rule(row, loaded)).then(|| format!("{}: {name} is not consistent with the load", key()))
    }
}

/// Compares two values without trailing blanks, which some databases add to CHAR values.
fn is_same(found: Value<'_>, loaded: Value<'_>) -> bool {
    match (found, loaded) {
        (Value::Text(found), Value::Text(loaded)) => {
            found.trim_ascii_end() == loaded.trim_ascii_end()
        }
        (found, loaded) => found == loaded,
    }
}

/// Generates at least `count` rows from a row source. The number may be higher, because the source
/// returns rows in batches.
pub fn made(mut source: Box<dyn tacho_driver::RowSource>, count: usize) -> Values {
    let mut values = Values::default();
    let mut rows = 0;
    while rows < count {
        match source.next_batch(&mut values) {
            0 => break,
            more => rows += more,
        }
    }
    values
}
