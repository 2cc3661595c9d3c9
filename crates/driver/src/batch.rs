//! Batches of requests that are sent to the server together.

use std::ops::Range;

use crate::{Catalog, StatementId, Values};

/// The access mode of a database transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The transaction only reads.
    Read,
    /// The transaction writes. A database that allows only one writer should acquire its lock immediately.
    Write,
}

/// A request in a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Begin a database transaction.
    Begin(Access),
    /// Execute a prepared statement, with a range of the batch's values as its parameters.
    Execute {
        /// The statement.
        statement: StatementId,
        /// The range of its parameters.
        params: Range<u32>,
    },
    /// Commit the database transaction.
    Commit,
    /// Roll back the database transaction.
    Rollback,
}

/// Requests and their parameters. Clearing a batch keeps the allocated memory for reuse.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    steps: Vec<Step>,
    values: Values,
}

impl Batch {
    /// Removes all requests.
    #[inline]
    pub fn clear(&mut self) {
        self.steps.clear();
        self.values.clear();
    }

    /// Returns the number of requests.
    #[inline]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns true if there are no requests.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Appends a request without parameters.
    #[inline]
    pub fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Appends a statement. Use [`Batch::bound`] to append its parameters.
    #[inline]
    pub fn execute(&mut self, statement: StatementId) {
        let at = self.values.len() as u32;
        self.steps.push(Step::Execute { statement, params: at..at });
    }

    /// Appends a statement, with the same parameters as the previous one.
    #[inline]
    pub fn execute_again(&mut self, statement: StatementId) {
        if let Some(Step::Execute { params, .. }) = self.steps.last() {
            let params = params.clone();
            self.steps.push(Step::Execute { statement, params });
        }
    }

    /// Returns true if the batch contains only one statement. If a section of a SQL file has several statements, they
    /// count as one.
    pub(crate) fn is_one_statement(&self, catalog: &Catalog) -> bool {
        let is_first = |step: &Step| matches!(step, Step::Execute { statement, .. } if !catalog.follows(*statement));
        let is_later = |step: &Step| matches!(step, Step::Execute { statement, .. } if catalog.follows(*statement));
        self.steps.first().is_some_and(is_first) && self.steps[1..].iter().all(is_later)
    }

    /// Inserts the request that starts a writing transaction before all other requests.
    pub(crate) fn begin_first(&mut self) {
        self.steps.insert(0, Step::Begin(Access::Write));
    }

    /// Appends a parameter to the last statement.
    #[inline]
    pub fn bound(&mut self, bind: impl FnOnce(&mut Values)) {
        bind(&mut self.values);
        if let Some(Step::Execute { params, .. }) = self.steps.last_mut() {
            params.end = self.values.len() as u32;
        }
    }

    /// Returns the requests at these positions.
    #[inline]
    pub fn steps(&self, range: Range<usize>) -> Steps<'_> {
        Steps { steps: &self.steps[range], values: &self.values }
    }
}

/// The requests sent in one round trip, borrowed from a [`Batch`].
#[derive(Clone, Copy, Debug)]
pub struct Steps<'a> {
    /// The requests.
    pub steps: &'a [Step],
    /// The buffer that contains the requests' parameters.
    pub values: &'a Values,
}
