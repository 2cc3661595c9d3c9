//! What is sent to the server in one go.

use std::ops::Range;

use crate::{Catalog, StatementId, Values};

/// What a database transaction will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It only reads.
    Read,
    /// It writes, so a database that locks as a whole should lock at once.
    Write,
}

/// One request of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Begin a database transaction.
    Begin(Access),
    /// Run a prepared statement with the parameters at these indexes of the batch's values.
    Execute {
        /// Which statement.
        statement: StatementId,
        /// Its parameters.
        params: Range<u32>,
    },
    /// Commit the database transaction.
    Commit,
    /// Roll it back.
    Rollback,
}

/// Requests and their parameters; keeps its memory when cleared.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    steps: Vec<Step>,
    values: Values,
}

impl Batch {
    /// Forgets all requests.
    #[inline]
    pub fn clear(&mut self) {
        self.steps.clear();
        self.values.clear();
    }

    /// How many requests there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Appends a request without parameters.
    #[inline]
    pub fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Appends a statement; its parameters are then appended to the returned buffer by
    /// [`Batch::bound`].
    #[inline]
    pub fn execute(&mut self, statement: StatementId) {
        let at = self.values.len() as u32;
        self.steps.push(Step::Execute { statement, params: at..at });
    }

    /// Appends a statement with the parameters of the one before it.
    #[inline]
    pub fn execute_again(&mut self, statement: StatementId) {
        if let Some(Step::Execute { params, .. }) = self.steps.last() {
            let params = params.clone();
            self.steps.push(Step::Execute { statement, params });
        }
    }

    /// Whether it is one statement, with what follows it in its section, and nothing else.
    pub(crate) fn is_one_statement(&self, catalog: &Catalog) -> bool {
        let is_first = |step: &Step| matches!(step, Step::Execute { statement, .. } if !catalog.follows(*statement));
        let is_later = |step: &Step| matches!(step, Step::Execute { statement, .. } if catalog.follows(*statement));
        self.steps.first().is_some_and(is_first) && self.steps[1..].iter().all(is_later)
    }

    /// Puts the begin of a transaction that writes before all of it.
    pub(crate) fn begin_first(&mut self) {
        self.steps.insert(0, Step::Begin(Access::Write));
    }

    /// Appends one parameter to the last statement.
    #[inline]
    pub fn bound(&mut self, bind: impl FnOnce(&mut Values)) {
        bind(&mut self.values);
        if let Some(Step::Execute { params, .. }) = self.steps.last_mut() {
            params.end = self.values.len() as u32;
        }
    }

    /// The requests at these positions.
    #[inline]
    pub fn steps(&self, range: Range<usize>) -> Steps<'_> {
        Steps { steps: &self.steps[range], values: &self.values }
    }
}

/// Requests of one round trip, borrowed from a [`Batch`].
#[derive(Clone, Copy, Debug)]
pub struct Steps<'a> {
    /// The requests.
    pub steps: &'a [Step],
    /// The buffer that their parameters lie in.
    pub values: &'a Values,
}
