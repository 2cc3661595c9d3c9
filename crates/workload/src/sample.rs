//! Samples of the rows that the load made: asked of the database, made again from their seed, compared.
//!
//! Ranges of keys are sampled and not single rows, so that each costs one search of an index. Nothing here
//! compares what transactions change. Start reading at [`Loaded`].

use std::sync::Arc;

use tacho_driver::{Field, Reply, Row, StatementId, Value, Values};

use crate::judge::in_words;
use crate::{Judge, Violations};

/// One question of a check that samples.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The statement.
    pub statement: StatementId,
    /// What its parameters are bound to.
    pub bound: Values,
    /// How its answer is judged.
    pub judge: Judge,
}

/// One row as the load made it.
#[derive(Clone, Copy, Debug)]
pub struct LoadedRow<'a> {
    values: &'a Values,
    first: usize,
}

impl<'a> LoadedRow<'a> {
    /// The value in this column of the table.
    pub fn get(&self, column: usize) -> Value<'a> {
        self.values.get(self.first + column)
    }
}

/// Whether a found row may follow from the loaded one; for what transactions change by a rule.
pub type RowRule = fn(Row<'_>, LoadedRow<'_>) -> bool;

/// Returns true if a row with this key is not compared, because the load did not make it or transactions have removed
/// it. The answer's first row shows how far they have come.
pub type Gone = Box<dyn Fn(Row<'_>, i64) -> bool + Send + Sync>;

/// What a range of a table was when it was loaded, and which columns of an answer show it.
pub struct Loaded {
    /// The rows, in the order of the answer; made when they are compared.
    pub rows: Box<dyn Fn() -> Values + Send + Sync>,
    /// Columns of the table.
    pub width: usize,
    /// The column of the table that each column of the answer shows, unless it may change.
    pub columns: Vec<Option<usize>>,
    /// What holds of the others, with a name for it.
    pub rule: Option<(&'static str, RowRule)>,
    /// Rows that are not compared, by the key in their first column.
    pub gone: Option<Gone>,
}

impl Loaded {
    /// Compares an answer with the rows: each that differs is a violation.
    pub fn judge(self) -> Judge {
        Judge::Compare(Arc::new(move |fields, reply| self.compare(fields, reply)))
    }

    fn compare(&self, fields: &[Field], reply: &Reply) -> Violations {
        let values = (self.rows)();
        let (found, loaded) = (self.found(reply), self.loaded(reply, &values));
        if found.len() != loaded.len() {
            let (name, found, loaded) =
                (fields.first().map_or("", |field| &field.name), found.len(), loaded.len());
            let first = format!("{found} rows from {name} on, {loaded} were loaded");
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

    /// The rows of an answer that are compared.
    fn found<'a>(&self, reply: &'a Reply) -> Vec<Row<'a>> {
        let rows = (0..reply.rows(0)).filter_map(|at| reply.get(0, at));
        rows.filter(|row| self.is_kept(reply, row.get(0))).collect()
    }

    /// The rows that must be there.
    fn loaded<'a>(&self, reply: &Reply, values: &'a Values) -> Vec<LoadedRow<'a>> {
        let rows =
            (0..values.len() / self.width).map(|at| LoadedRow { values, first: at * self.width });
        rows.filter(|row| self.is_kept(reply, row.get(0))).collect()
    }

    fn is_kept(&self, reply: &Reply, key: Value<'_>) -> bool {
        match (&self.gone, reply.get(0, 0), key) {
            (Some(gone), Some(first), Value::Int(key)) => !gone(first, key),
            // A row without a key stands for an empty range.
            (Some(_), _, Value::Null) => false,
            _ => true,
        }
    }

    /// What differs in a row, in words.
    fn difference(&self, fields: &[Field], row: Row<'_>, loaded: LoadedRow<'_>) -> Option<String> {
        let key = || format!("{} {}", fields[0].name, in_words(row.get(0), fields[0].kind));
        for (column, field) in fields.iter().enumerate() {
            let Some(Some(own)) = self.columns.get(column) else { continue };
            let (found, loaded) = (row.get(column), loaded.get(*own));
            if !is_same(found, loaded) {
                let [found, loaded] = [found, loaded].map(|value| in_words(value, field.kind));
                return Some(format!(
                    "{}: {} is {found}, was loaded as {loaded}",
                    key(),
                    field.name
                ));
            }
        }
        let (name, rule) = self.rule?;
        (!rule(row, loaded)).then(|| format!("{}: {name} does not follow from the load", key()))
    }
}

/// Blanks at the end are part of a CHAR in some databases.
fn is_same(found: Value<'_>, loaded: Value<'_>) -> bool {
    match (found, loaded) {
        (Value::Text(found), Value::Text(loaded)) => {
            found.trim_ascii_end() == loaded.trim_ascii_end()
        }
        (found, loaded) => found == loaded,
    }
}

/// Makes the first `count` rows or a few more of a source, whole batches of it.
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
