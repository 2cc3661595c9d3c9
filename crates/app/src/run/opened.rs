//! An opened run: facts about it, and the connections and files that stay open during the load.

use std::sync::Arc;

use tacho_cluster::Fleet;
use tacho_driver::{ServerFacts, TableParts};
use tacho_engine::{LoadPlan, Setup};
use tacho_store::record::{CheckRecord, Record};
use tacho_store::{Listener, RunWriter};
use tacho_workload::{Choices, Instance, MarkerStore};

use super::acknowledged::{Acknowledged, Marked};
use super::faults::Faults;
use super::isolation::Isolation;
use super::observed::HostsWatch;
use super::thresholds::Threshold;
use crate::Request;
use crate::access::Access;

/// The facts about a run after its database has been inspected.
pub(super) struct Opened {
    pub(super) plan: LoadPlan,
    /// The options with which `instance` was created. Some of them come from the loaded data.
    pub(super) choices: Choices,
    pub(super) instance: Arc<dyn Instance>,
    pub(super) thresholds: Vec<Threshold>,
    pub(super) facts: ServerFacts,
    /// The structure of each set's tables before the load; empty if the database does not report it.
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
    /// The marker of the first set, or `None` if the database does not store data.
    pub(super) marker: Option<Box<MarkerStore>>,
    pub(super) fleet: Option<Fleet>,
    /// The input of the engine.
    pub(super) setup: Setup,
    pub(super) hosts: HostsWatch,
    /// The planned faults, until the load starts and takes them.
    pub(super) faults: Option<Faults>,
    pub(super) acknowledged: Option<Acknowledged>,
    /// The history, if the workload reports its operations.
    pub(super) isolation: Option<Isolation>,
    /// The marks of acknowledged commits, if commits will be verified.
    pub(super) marks: Option<Marked>,
}

impl Live {
    /// Undoes the preparation of a run that did not start. Dropping the writer removes the run's folder.
    pub(super) fn give_up(&self, request: Request<'_>, listener: &mut dyn Listener) {
        if let Some(marks) = &self.marks {
            marks.put_back(request, &self.access, listener);
        }
    }
}
