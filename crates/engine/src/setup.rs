//! The inputs of a run.

use std::ops::Range;
use std::sync::Arc;

use tacho_driver::{ADMINISTRATION, CommitLog, Driver, Form, HistoryLog, Output, Target};
use tacho_workload::Instance;

use crate::{Gate, LoadPlan, Routes, Share, Step};

/// Everything that a run needs.
#[derive(Clone)]
pub struct Setup {
    /// The database's driver.
    pub driver: Arc<dyn Driver>,
    /// The database.
    pub target: Target,
    /// The workload.
    pub instance: Arc<dyn Instance>,
    /// The way in which transactions are sent to the server.
    pub form: Form,
    /// The load.
    pub plan: LoadPlan,
    /// The output for drivers that write text instead of connecting to a database.
    pub output: Output,
    /// The routes of the transactions, if there are several targets.
    pub routes: Option<Arc<Routes>>,
    /// Steps of a varying load. Empty if the load is constant.
    pub steps: Arc<[Step]>,
    /// Number of complete sets of tables. If it is 1, the tables are directly in the target's database.
    pub sets: u32,
    /// The log of acknowledged commits, if transactions write commit marks.
    pub commits: Option<Arc<dyn CommitLog>>,
    /// The log of all attempts, if the workload reports their operations.
    pub history: Option<Arc<dyn HistoryLog>>,
    /// The share of the sessions and arrivals that runs on this host.
    pub share: Share,
    /// Makes this host wait until the load starts, so that several hosts start it at the same time. Absent if the host
    /// need not wait. Not used in virtual time.
    pub gate: Option<Arc<dyn Gate>>,
}

impl Setup {
    /// Returns the databases to which each session connects.
    pub(crate) fn targets(&self) -> &[Target] {
        self.routes.as_ref().map_or(std::slice::from_ref(&self.target), |routes| &routes.targets)
    }

    pub(crate) fn sessions_here(&self) -> u32 {
        self.share.count(self.plan.sessions)
    }

    /// Returns the number of sessions on all hosts that run transactions. Query streams follow them.
    pub(crate) fn transaction_sessions(&self) -> u32 {
        let streams = self.instance.streams().map_or(0, |streams| streams.count);
        self.plan.sessions.saturating_sub(streams)
    }

    /// Returns the indexes of the terminals that share the sessions with these indexes on this host, or `None` if there
    /// are no terminals.
    pub(crate) fn terminals_of(&self, sessions: &Range<u32>) -> Option<Range<u32>> {
        let terminals = u64::from(self.share.count(self.plan.terminals?));
        let count = u64::from(self.share.count(self.transaction_sessions()).max(1));
        let border = |session: u32| (terminals * u64::from(session).min(count) / count) as u32;
        Some(border(sessions.start)..border(sessions.end))
    }

    /// Returns the number of a session's client. The numbers of query streams follow those of the terminals.
    pub(crate) fn client_of(&self, session: u32) -> u32 {
        let first = self.transaction_sessions();
        match (self.plan.terminals, session.checked_sub(first)) {
            (Some(terminals), Some(stream)) => terminals + stream,
            _ => session,
        }
    }

    /// Returns true if this session logs in before the load. If logins are staggered, only the first session does this.
    pub(crate) fn logs_in_first(&self, session: u32) -> bool {
        self.plan.stagger.is_zero() || session == 0
    }

    /// Returns the number of sessions on this host that log in before the load.
    pub(crate) fn first(&self) -> u32 {
        let sessions = if self.plan.stagger.is_zero() { self.plan.sessions } else { 1 };
        self.share.count(sessions.min(self.plan.sessions))
    }

    /// Returns the set of tables that a session uses. Sets are assigned in turn to the sessions of the load. They are
    /// also assigned in turn to the other sessions, whose numbers start at [`ADMINISTRATION`].
    pub(crate) fn set_of(&self, session: u32) -> u32 {
        if self.sets > 1 { session % ADMINISTRATION % self.sets + 1 } else { 0 }
    }
}
