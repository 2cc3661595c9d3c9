//! Measures the latency of each statement.
//!
//! Only runs that request these times wrap their sessions, so all other runs pay nothing.
//!
//! Start reading at [`TimedSession`].

use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tacho_core::{Clock, Instant, Result};
use tacho_driver::{BoxFuture, Catalog, Reply, Session, Step, Steps, forwards};
use tacho_metrics::Phase;

use crate::control::Control;
use crate::lane::Lane;

/// Records statements in a worker's lane.
#[derive(Clone)]
pub(crate) struct StatementTimes {
    pub(crate) lane: Arc<Lane>,
    pub(crate) control: Arc<Control>,
    pub(crate) clock: Arc<dyn Clock>,
    /// Number of statements in the catalog. The commands that control transactions follow them.
    pub(crate) statements: usize,
}

impl StatementTimes {
    /// Returns a session that records its statements.
    pub(crate) fn around(&self, session: Box<dyn Session>) -> Box<dyn Session> {
        Box::new(TimedSession { session, times: self.clone(), sent: None })
    }

    /// Records the statements of a round trip.
    fn record(&self, steps: Steps<'_>, at: Instant, took: Duration, failed: bool) {
        if self.control.phase(at) != Phase::Measure {
            return;
        }
        self.lane.record(|recorder| {
            for step in steps.steps {
                let place = match step {
                    Step::Execute { statement, .. } => usize::from(statement.0),
                    Step::Begin(_) => self.statements,
                    Step::Commit => self.statements + 1,
                    Step::Rollback => self.statements + 2,
                };
                recorder.statements.record(place, took, failed);
            }
        });
    }
}

/// Names of the commands that control transactions, in the order of their numbers after the catalog.
pub const CONTROLS: [&str; 3] = ["BEGIN", "COMMIT", "ROLLBACK"];

/// A session that records how long each of its round trips takes.
struct TimedSession {
    session: Box<dyn Session>,
    times: StatementTimes,
    /// The time when the current request was sent, or `None` between requests.
    sent: Option<Instant>,
}

impl Session for TimedSession {
    forwards!(session: simple, script, text_rows, load, slow_load, drop_set, inspector, close);

    fn prepare(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        self.session.prepare(catalog)
    }

    fn poll_exchange(
        &mut self,
        steps: Steps<'_>,
        reply: &mut Reply,
        context: &mut Context<'_>,
    ) -> Poll<Result<()>> {
        let sent = *self.sent.get_or_insert_with(|| self.times.clock.now());
        let result = ready!(self.session.poll_exchange(steps, reply, context));
        self.sent = None;
        let at = self.times.clock.now();
        self.times.record(steps, at, at.since(sent), result.is_err());
        Poll::Ready(result)
    }
}
