//! The facts about an opened run, and what remains open during its load.

use std::sync::Arc;

use tacho_cluster::Fleet;
use tacho_driver::{ServerFacts, TableParts};
use tacho_engine::{LoadPlan, Setup};
use tacho_store::record::{CheckRecord, Record};
use tacho_store::{Listener, RunWriter};
use tacho_workload::{Choices, Instance, MarkerStore};

use super::acknowledged::{Acknowledged, Marked};
use super::faults::Faults;
use super::observed::HostsWatch;
use super::thresholds::Threshold;
use crate::Request;
use crate::access::Access;

/// The facts about a run whose database has been inspected.
pub(super) struct Opened {
    pub(super) plan: LoadPlan,
    /// The values of which the instance was created, those of the loaded data included.
    pub(super) choices: Choices,
    pub(super) instance: Arc<dyn Instance>,
    pub(super) thresholds: Vec<Threshold>,
    pub(super) facts: ServerFacts,
    /// The parts of the tables of each set before the load; empty where the database does not describe them.
    pub(super) structure: Vec<TableParts>,
    /// The record before the load.
    pub(super) record: Record,
    /// The results of the checks before the load.
    pub(super) checks: Vec<CheckRecord>,
}

/// The connections and files that remain open during the load.
pub(super) struct Live {
    pub(super) access: Access,
    pub(super) writer: RunWriter,
    /// The marker of the first set; `None` if the database keeps no data.
    pub(super) marker: Option<Box<MarkerStore>>,
    pub(super) fleet: Option<Fleet>,
    /// The input of the engine.
    pub(super) setup: Setup,
    pub(super) hosts: HostsWatch,
    /// The faults of the plan, until the load begins.
    pub(super) faults: Option<Faults>,
    pub(super) acknowledged: Option<Acknowledged>,
    /// The marks of acknowledged commits, if they were wanted.
    pub(super) marks: Option<Marked>,
}

impl Live {
    /// Undoes the preparation of a run that did not begin. Its folder disappears with the writer.
    pub(super) fn give_up(&self, request: Request<'_>, listener: &mut dyn Listener) {
        if let Some(marks) = &self.marks {
            marks.put_back(request, &self.access, listener);
        }
    }
}
