//! Predefined results for drivers without a database.
//!
//! All drivers without a database return the same results, so a workload that runs with one of them runs with all of
//! them.

use crate::{Catalog, Reply, StatementId, Value, ValueKind};

/// For each statement in a catalog, one row of predefined values.
#[derive(Clone, Debug, Default)]
pub struct Canned {
    rows: Vec<Box<[Value<'static>]>>,
}

impl Canned {
    /// Creates the results for all statements in advance, so that [`Self::answer`] does not allocate memory.
    pub fn new(catalog: &Catalog) -> Self {
        let row =
            |results: &[crate::Field]| results.iter().map(|field| value(field.kind)).collect();
        Self { rows: catalog.statements().iter().map(|each| row(&each.results)).collect() }
    }

    /// Appends a statement's predefined result. The result has one row and one affected row, so that it suits queries
    /// as well as updates.
    ///
    /// # Panics
    /// Panics if the ID belongs to another catalog that has more statements.
    #[inline]
    pub fn answer(&self, statement: StatementId, reply: &mut Reply) {
        let row = &*self.rows[usize::from(statement.0)];
        reply.start(row.len());
        for value in row {
            reply.values().push(*value);
        }
        reply.finish(1);
    }
}

fn value(kind: ValueKind) -> Value<'static> {
    match kind {
        ValueKind::Int => Value::Int(1),
        ValueKind::Decimal(_) => Value::Decimal(1),
        ValueKind::Text => Value::Text(b"noop"),
        ValueKind::Time => Value::Time(0),
    }
}
