//! Made-up answers, for drivers that have no database behind them.
//!
//! They must be the same for every such driver, so that a workload that runs on one runs on all.

use crate::{Catalog, Reply, StatementId, Value, ValueKind};

/// One row of made-up values for each statement of a catalog.
#[derive(Clone, Debug, Default)]
pub struct Canned {
    rows: Vec<Box<[Value<'static>]>>,
}

impl Canned {
    /// Makes the answers to all statements of a catalog, so that giving one allocates nothing.
    pub fn new(catalog: &Catalog) -> Self {
        let row =
            |results: &[crate::Field]| results.iter().map(|field| value(field.kind)).collect();
        Self { rows: catalog.statements().iter().map(|each| row(&each.results)).collect() }
    }

    /// Appends the answer to one statement: one row, which also counts as written.
    ///
    /// # Panics
    /// If the id belongs to another catalog with more statements.
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
