//! Where a virtual user works, who is there before the load or logs in during it.

use std::sync::Arc;

use tacho_core::{Clock, Result};
use tacho_driver::Traffic;
use tacho_workload::Tally;

use crate::lane::Lane;
use crate::link::{Dial, Link};
use crate::user::{Farewell, Leave, Rules, User};

/// A virtual user's place.
pub(crate) enum Seat {
    /// It is connected.
    Taken(Box<User>),
    /// It will log in when its time has come.
    Free(Newcomer),
}

impl Seat {
    /// Runs the virtual user until the load is over.
    pub(crate) async fn run(self, rules: Rules) -> Farewell {
        let newcomer = match self {
            Self::Taken(mut user) => {
                user.rules = rules.of(user.link.session());
                return user.run().await;
            }
            Self::Free(newcomer) => newcomer,
        };
        // Its user says so itself once there is one.
        let rules = rules.of(newcomer.session);
        let leave = Leave::of(&rules.control);
        let joined = newcomer.join(&rules).await;
        rules.control.arrive();
        match joined {
            Ok(Some(mut user)) => {
                leave.hand_over();
                user.rules = rules;
                user.run().await
            }
            other => {
                let tally = Tally::new(rules.audited);
                Farewell { tally, lost: other.err(), ..Farewell::default() }
            }
        }
    }
}

/// A virtual user who has not logged in.
pub(crate) struct Newcomer {
    pub(crate) dial: Arc<Dial>,
    pub(crate) session: u32,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) lane: Arc<Lane>,
}

impl Newcomer {
    /// Logs in now.
    pub(crate) async fn connect(self) -> Result<User> {
        let Self { dial, session, clock, lane } = self;
        Ok(User {
            exchanges: dial.connect_all(session).await?,
            router: dial.router(session),
            place: 0,
            client: dial.setup.instance.client(session),
            timer: clock.timer(),
            clock,
            lane,
            rules: Rules::idle(),
            link: Link::new(dial, session),
            earlier: Traffic::default(),
            own: Vec::new(),
            kept: 0,
            work_before: None,
            work_error: None,
        })
    }

    /// Logs in when its time has come; `None` if the load is over before that.
    async fn join(self, rules: &Rules) -> Result<Option<User>> {
        let due = rules.begin.plus(rules.stagger.saturating_mul(self.session));
        let end = rules.control.load_until();
        self.clock.timer().until(due.min(end)).await;
        if self.clock.now() >= rules.control.load_until() {
            return Ok(None);
        }
        self.connect().await.map(Some)
    }
}
