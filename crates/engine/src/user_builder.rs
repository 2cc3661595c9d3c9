//! A virtual user that has not started yet. It connects immediately or logs in during the load.
//!
//! Start reading at [`UserBuilder::run`].

use std::ops::Range;
use std::sync::{Arc, Mutex};

use tacho_core::{Clock, Result};
use tacho_workload::{Client, Tally};

use crate::Gathered;
use crate::connections::Connections;
use crate::connector::Connector;
use crate::control::Leave;
use crate::lane::Lane;
use crate::rules::Rules;
use crate::session_kind::SessionKind;
use crate::terminals::{Seat, Terminals};
use crate::user::User;

/// A virtual user that has not yet started.
pub(crate) struct UserBuilder {
    connector: Arc<Connector>,
    session: u32,
    clock: Arc<dyn Clock>,
    lane: Arc<Lane>,
    /// The terminals that share the worker's sessions, if there are any.
    terminals: Option<Arc<Mutex<Terminals>>>,
    /// The user's connections and client, or `None` until the user logs in.
    connected: Option<(Connections, Box<dyn Client>)>,
}

impl UserBuilder {
    /// Creates the users for `sessions` on this host. Connects those that log in before the load, one after another.
    pub(crate) async fn connect_all(
        connector: Connector,
        sessions: Range<u32>,
        clock: Arc<dyn Clock>,
        lane: Arc<Lane>,
    ) -> Result<Vec<Self>> {
        let connector = Arc::new(connector);
        let setup = &connector.setup;
        let terminals = Terminals::new(setup, &sessions).map(|all| Arc::new(Mutex::new(all)));
        let mut builders = Vec::with_capacity(sessions.len());
        for number in sessions {
            let session = setup.share.session(number);
            let mut builder = Self {
                connector: connector.clone(),
                session,
                clock: clock.clone(),
                lane: lane.clone(),
                terminals: terminals.clone(),
                connected: None,
            };
            if setup.logs_in_first(session) {
                builder.connect().await?;
            }
            builders.push(builder);
        }
        Ok(builders)
    }

    async fn connect(&mut self) -> Result<()> {
        let connections = Connections::open(self.connector.clone(), self.session).await?;
        let setup = &self.connector.setup;
        let client = setup.instance.client(setup.client_of(self.session));
        self.connected = Some((connections, client));
        Ok(())
    }

    /// Logs in when the user's login is due, unless the load ends first.
    async fn log_in(&mut self, rules: &Rules) -> Result<()> {
        let due = rules.logins.begin.plus(rules.logins.stagger.saturating_mul(self.session));
        self.clock.timer().until(due.min(rules.control.load_until())).await;
        if self.clock.now() < rules.control.load_until() { self.connect().await } else { Ok(()) }
    }

    /// Runs the virtual user until the load is over.
    ///
    /// The builder is boxed, because the compiler would otherwise reserve memory for it three times in a session's
    /// future.
    pub(crate) async fn run(mut self: Box<Self>, rules: Arc<Rules>) -> Gathered {
        let mut lost = None;
        if self.connected.is_none() {
            // Record the end of the session here if the login fails. Once a user is connected, the user itself records
            // it.
            let leave = Leave::of(&rules.control);
            lost = Box::pin(self.log_in(&rules)).await.err();
            rules.control.arrive();
            if self.connected.is_some() {
                leave.hand_over();
            }
        }
        let Some((connections, client)) = self.connected.take() else {
            let (lost, tally) = (lost.into_iter().collect(), Tally::new(rules.audited));
            return Gathered { lost, tally, ..Gathered::default() };
        };
        let Self { connector, session, clock, lane, terminals, .. } = *self;
        let begin = rules.logins.begin;
        let kind = SessionKind::of(&connector.setup, session);
        let mut user = User::new(kind, connections, client, clock, lane, rules);
        if let Some(terminals) = terminals.filter(|_| kind != SessionKind::Stream) {
            user.serve(Seat::new(terminals, begin));
        }
        user.run().await
    }
}
