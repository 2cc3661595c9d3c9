//! The slot of a virtual user, who is connected before the load or logs in during it.

use std::sync::Arc;

use tacho_core::{Clock, Result};
use tacho_workload::Tally;

use crate::connections::Connections;
use crate::control::Leave;
use crate::lane::Lane;
use crate::link::Dial;
use crate::rules::Rules;
use crate::session_kind::SessionKind;
use crate::user::{Connected, SessionReport, User};

/// The slot of a virtual user.
pub(crate) enum SessionSlot {
    /// It is connected.
    Connected(Box<Connected>),
    /// It logs in when its time has come.
    Pending(PendingSession),
}

impl SessionSlot {
    /// Runs the virtual user until the load is over.
    pub(crate) async fn run(self, rules: Rules) -> SessionReport {
        let pending = match self {
            Self::Connected(connected) => return User::new(*connected, rules).run().await,
            Self::Pending(pending) => pending,
        };
        // Its user says so itself once there is one.
        let leave = Leave::of(&rules.control);
        let joined = pending.join(&rules).await;
        rules.control.arrive();
        match joined {
            Ok(Some(connected)) => {
                leave.hand_over();
                User::new(connected, rules).run().await
            }
            other => {
                let tally = Tally::new(rules.audited);
                SessionReport { tally, lost: other.err(), ..SessionReport::default() }
            }
        }
    }
}

/// A virtual user who has not logged in.
pub(crate) struct PendingSession {
    pub(crate) dial: Arc<Dial>,
    pub(crate) session: u32,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) lane: Arc<Lane>,
}

impl PendingSession {
    /// Logs in now.
    pub(crate) async fn connect(self) -> Result<Connected> {
        let Self { dial, session, clock, lane } = self;
        let kind = SessionKind::of(&dial.setup, session);
        let connections = Connections::open(dial.clone(), session).await?;
        let (client, timer) = (dial.setup.instance.client(session), clock.timer());
        Ok(Connected { kind, connections, client, clock, timer, lane })
    }

    /// Logs in when its time has come; `None` if the load is over before that.
    async fn join(self, rules: &Rules) -> Result<Option<Connected>> {
        let due = rules.logins.begin.plus(rules.logins.stagger.saturating_mul(self.session));
        let end = rules.control.load_until();
        self.clock.timer().until(due.min(end)).await;
        if self.clock.now() >= rules.control.load_until() {
            return Ok(None);
        }
        self.connect().await.map(Some)
    }
}
