//! Keeps track of the private servers that have been warmed up since they were started.
//!
//! Start reading at [`Warmth::of_running`] and [`Warmth::warm_up`].

use std::collections::BTreeMap;

use tacho_store::Listener;

use crate::settings::private_server;
use crate::{Context, Request, run};

/// The process IDs of the private servers that need no warm-up, by server name.
#[derive(Default)]
pub(super) struct Warmth(BTreeMap<String, u32>);

impl Warmth {
    /// Creates the list of servers that are already warm. At first, it contains all private servers that are running.
    pub(super) fn of_running(context: &Context) -> Self {
        let states = context.server_pool().list().unwrap_or_default().into_iter();
        let running = states.filter_map(|state| Some((state.name, state.process?.pid)));
        Self(running.collect())
    }

    /// Warms up the job's private server, unless the same server process has been warmed up before.
    pub(super) fn warm_up(&mut self, request: Request<'_>, listener: &mut dyn Listener) {
        let Some(state) = private_server(request) else { return };
        let Some(process) = state.process else { return };
        if self.0.insert(state.name, process.pid) == Some(process.pid) {
            return;
        }
        if let Err(error) = run::warm_up(request, listener) {
            listener.note(&format!("this run starts without a warm-up: {error}"));
        }
    }
}
