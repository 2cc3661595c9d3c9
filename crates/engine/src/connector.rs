//! Opens the connections for a run's sessions.
//!
//! Start reading at [`Connector::connect`].

use std::sync::Arc;

use tacho_core::{Clock, Result};
use tacho_driver::{Cancels, Catalog, Environment, Exchange, Mark, StatementId};

use crate::Setup;
use crate::route::Router;
use crate::session_kind::SessionKind;
use crate::statement_times::StatementTimes;

/// Everything that is needed to open a connection.
pub(crate) struct Connector {
    pub(crate) setup: Setup,
    pub(crate) catalog: Arc<Catalog>,
    /// The ID of the first commit mark statement. There are three of these statements, with consecutive IDs. Absent if
    /// transactions are not marked.
    pub(crate) marks: Option<StatementId>,
    /// The drivers' clock. When the load ends, waits on this clock continue, so that transactions in flight can finish.
    pub(crate) clock: Arc<dyn Clock>,
    /// Handles for cancelling the statements of sessions that block their thread.
    pub(crate) cancels: Cancels,
    /// Measures each statement, if requested.
    pub(crate) statement_times: Option<StatementTimes>,
}

impl Connector {
    /// Connects a session to one of the targets and prepares its statements. `place` is the target's index.
    pub(crate) async fn connect(&self, session: u32, place: usize) -> Result<Exchange> {
        let setup = &self.setup;
        let cancels = self.cancels.clone();
        let environment = environment(setup, self.clock.clone(), session, cancels);
        let mut connection = setup.driver.connect(&setup.targets()[place], environment).await?;
        let script = setup.instance.session_script(setup.driver.dialect())?;
        if !script.is_empty() {
            connection.script(&script).await?;
        }
        if let Some(times) = &self.statement_times {
            connection = times.around(connection);
        }
        let mut exchange = Exchange::new(connection, self.catalog.clone(), setup.form).await?;
        exchange.keep_time(self.clock.clone());
        let kind = SessionKind::of(setup, session);
        if kind.times_first_row() {
            exchange.time_first_row(self.clock.clone());
        }
        if let Some(mark) = self.mark(session).filter(|_| kind == SessionKind::Transactions) {
            exchange.mark(mark);
        }
        Ok(exchange)
    }

    /// Replaces a lost connection, and finds out which commits succeeded although their responses were lost. Fails if
    /// the server is a replica that has not been promoted to a primary.
    pub(crate) async fn connect_again(&self, session: u32, place: usize) -> Result<Exchange> {
        let mut exchange = self.connect(session, place).await?;
        exchange.find_marks().await?;
        Ok(exchange)
    }

    /// Returns the settings for a session's commit marks, if transactions are marked.
    fn mark(&self, session: u32) -> Option<Mark> {
        let (first, log) = (self.marks?, self.setup.commits.clone()?);
        let at = |offset| StatementId(first.0 + offset);
        let (statement, settle, read) = (at(0), at(1), at(2));
        let can = self.setup.driver.capabilities();
        let with_commit = can.pipelining || can.joins_commit;
        Some(Mark { statement, settle, read, session, with_commit, log })
    }

    /// Returns a session's router, if the run has several targets.
    pub(crate) fn router(&self, session: u32) -> Option<Router> {
        let routes = self.setup.routes.clone()?;
        Some(Router::new(routes, self.setup.plan.seed, session))
    }
}

pub(crate) fn environment(
    setup: &Setup,
    clock: Arc<dyn Clock>,
    session: u32,
    cancels: Cancels,
) -> Environment {
    let (output, seed) = (setup.output.clone(), setup.plan.seed.child("driver"));
    let set = setup.set_of(session);
    Environment { clock, output, seed, session, create: false, set, cancels }
}
