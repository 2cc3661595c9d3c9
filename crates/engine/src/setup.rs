//! Everything that a run is made of.

use std::sync::Arc;

use tacho_driver::{ADMINISTRATION, CommitLog, Driver, Form, Output, Target};
use tacho_workload::Instance;

use crate::{Gate, LoadPlan, Routes, Share, Step};

/// Everything a run needs.
#[derive(Clone)]
pub struct Setup {
    /// The database's driver.
    pub driver: Arc<dyn Driver>,
    /// The database.
    pub target: Target,
    /// The workload.
    pub instance: Arc<dyn Instance>,
    /// How transactions reach the server.
    pub form: Form,
    /// The load.
    pub plan: LoadPlan,
    /// Where drivers that write text write it.
    pub output: Output,
    /// Where the transactions go, if not all to the target.
    pub routes: Option<Arc<Routes>>,
    /// Steps of a load that changes; none of one that stays the same.
    pub steps: Arc<[Step]>,
    /// Complete sets of tables; 1 for those at the place itself that the target names.
    pub sets: u32,
    /// Where acknowledged commits are noted, if transactions are to be marked.
    pub commits: Option<Arc<dyn CommitLog>>,
    /// The part of the sessions and of the arrivals that runs here.
    pub share: Share,
    /// Says when the load begins, if others begin at the same moment; on virtual time it begins at once.
    pub gate: Option<Arc<dyn Gate>>,
}

impl Setup {
    /// Returns the databases that each session uses.
    pub(crate) fn targets(&self) -> &[Target] {
        self.routes.as_ref().map_or(std::slice::from_ref(&self.target), |routes| &routes.targets)
    }

    /// Returns how many sessions run on this host.
    pub(crate) fn sessions_here(&self) -> u32 {
        self.share.count(self.plan.sessions)
    }

    /// Returns true if a session logs in before the load: all do, or only the first if there is time between two.
    pub(crate) fn logs_in_first(&self, session: u32) -> bool {
        self.plan.stagger.is_zero() || session == 0
    }

    /// Returns how many sessions log in on this host before the load.
    pub(crate) fn first(&self) -> u32 {
        let sessions = if self.plan.stagger.is_zero() { self.plan.sessions } else { 1 };
        self.share.count(sessions.min(self.plan.sessions))
    }

    /// Returns the set that a session works in: they are spread evenly, one after the other. Those for
    /// administration continue counting.
    pub(crate) fn set_of(&self, session: u32) -> u32 {
        if self.sets > 1 { session % ADMINISTRATION % self.sets + 1 } else { 0 }
    }
}
