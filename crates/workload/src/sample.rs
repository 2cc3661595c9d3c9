//! Samples of the rows that the load made: asked of the database, made again from their seed, compared.
//!
//! Ranges of keys are sampled and not single rows, so that each costs one search of an index. Nothing here
//! compares what transactions change. Start reading at [`Loaded`].

use std::sync::Arc;

use tacho_driver::{Field, Reply, Row, StatementId, Value, Values};

use crate::check::in_words;
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
}

impl Loaded {
    /// Compares an answer with the rows: each that differs is a violation.
    pub fn judge(self) -> Judge {
        Judge::Compare(Arc::new(move |fields, reply| self.compare(fields, reply)))
    }

    fn compare(&self, fields: &[Field], reply: &Reply) -> Violations {
        let values = (self.rows)();
        let (found, loaded) = (reply.rows(0), values.len() / self.width);
        if found != loaded {
            let name = fields.first().map_or("", |field| &field.name);
            let first = format!("{found} rows from {name} on, {loaded} were loaded");
            return Violations { count: found.abs_diff(loaded) as u64, first };
        }
        let mut violations = Violations::default();
        for (at, row) in (0..found).filter_map(|at| Some((at, reply.get(0, at)?))) {
            let loaded = LoadedRow { values: &values, first: at * self.width };
            if let Some(words) = self.difference(fields, row, loaded) {
                violations.add(Violations { count: 1, first: words });
            }
        }
        violations
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
