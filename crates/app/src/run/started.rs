//! A run between its preparation and its end.

use std::sync::Arc;

use tacho_core::Form;
use tacho_driver::{ServerFacts, TableParts};
use tacho_engine::{LoadPlan, Routes, Step};
use tacho_store::record::Record;
use tacho_workload::{Choices, Instance, Marker, MarkerStore};

use super::thresholds::Threshold;
use crate::cluster::Briefed;

/// A run that is ready to go.
pub(super) struct Started {
    pub(super) plan: LoadPlan,
    pub(super) form: Form,
    pub(super) instance: Arc<dyn Instance>,
    pub(super) thresholds: Vec<Threshold>,
    /// Where transactions go, if not all to the target.
    pub(super) routes: Option<Arc<Routes>>,
    pub(super) facts: ServerFacts,
    /// The marker, if the database keeps data.
    pub(super) data: Option<(Box<MarkerStore>, Marker)>,
    /// Those of further sets of tables, until the run has been noted in them.
    pub(super) others: Vec<(Box<MarkerStore>, Marker)>,
    /// The parts of the tables of each set before the load; none where the database does not describe them.
    pub(super) structure: Vec<TableParts>,
    pub(super) record: Record,
    /// What the instance was made of.
    pub(super) choices: Choices,
}

impl Started {
    /// What other hosts receive of it.
    pub(super) fn briefed(&self, commits: Option<i64>) -> Briefed<'_> {
        let marker = self.data.as_ref().map(|(_, marker)| marker);
        Briefed { record: &self.record, marker, choices: &self.choices, commits }
    }

    /// The steps of a load that changes; none of one that stays the same.
    pub(super) fn steps(&self) -> Arc<[Step]> {
        self.record.plan.steps.iter().flat_map(|own| &own.steps).copied().collect()
    }
}
