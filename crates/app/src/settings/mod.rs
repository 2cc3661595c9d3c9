//! Changes server settings for a sweep and always restores them.
//!
//! Before a setting is changed, its previous value is saved in a journal. Even a killed sweep can therefore be
//! undone.
//!
//! Start reading at [`Changes::prepare`], [`Changes::apply`], and [`Changes::put_back`].

mod restore;
mod server;

use tacho_core::{Error, Result};
use tacho_servers::Identity;
use tacho_store::Listener;
use tacho_store::journal::{FORMAT, Journal, KeptSetting, VERSION};

use crate::access::Access;
use crate::{Context, Job, Request};
pub(crate) use restore::note_leftovers;
use server::Server;
pub(crate) use server::{none, private_server};

pub use restore::{KeptChange, Restored, restore};

/// Names and values of settings.
pub(crate) type Pairs = Vec<(String, String)>;

/// All servers whose settings a sweep changes.
#[derive(Default)]
pub(crate) struct Changes {
    servers: Vec<Server>,
}

impl Changes {
    /// Checks the settings and values of all points before the first measurement. `points` contains each point's job
    /// and settings.
    pub(crate) fn prepare(
        points: Vec<(Job, Pairs)>,
        sweep: &str,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<Self> {
        let mut changes = Self::default();
        for (job, wanted) in points {
            let at = match changes.at(Request { job: &job, context }) {
                Some(at) => at,
                None => changes.add(job, &wanted, sweep, context, listener)?,
            };
            let server = &mut changes.servers[at];
            if let Err(error) = server.expect(&wanted, context).and_then(|()| server.check(&wanted))
            {
                // Restore the settings that the check has changed. If this fails too, only print a message, because
                // the check's error is more important.
                if let Err(left) = changes.put_back(context, listener) {
                    listener.note(&left.to_string());
                }
                return Err(error);
            }
        }
        Ok(changes)
    }

    /// Returns true if no settings are changed.
    pub(crate) fn is_empty(&self) -> bool {
        self.servers.is_empty()
    }

    fn at(&self, request: Request<'_>) -> Option<usize> {
        let name = server::name(request);
        self.servers.iter().position(|server| server.name == name)
    }

    fn add(
        &mut self,
        job: Job,
        wanted: &Pairs,
        sweep: &str,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<usize> {
        restore::leftovers(Request { job: &job, context }, listener)?;
        let mut server = Server::open(job, context)?;
        let settings = server.keep(wanted)?;
        let process = std::process::id();
        let journal = Journal {
            format: FORMAT.into(),
            version: VERSION,
            sweep: sweep.into(),
            started_at: tacho_collect::local_time(tacho_collect::wall_clock()),
            target: server.job.target_text.clone(),
            server: server.private.clone(),
            process,
            process_started: Identity::of(process)
                .map(|identity| identity.started)
                .unwrap_or_default(),
            settings,
            fault: None,
        };
        context.journals().write(&journal)?;
        server.journal = Some(journal);
        self.servers.push(server);
        Ok(self.servers.len() - 1)
    }

    /// Applies a point's settings and returns them as reported by the server.
    pub(crate) fn apply(
        &mut self,
        request: Request<'_>,
        wanted: &Pairs,
        listener: &mut dyn Listener,
    ) -> Result<Pairs> {
        let at = self.at(request).ok_or_else(|| {
            Error::usage(
                "the settings of this server were \
            not read",
            )
        })?;
        self.servers[at].apply(wanted, request.context, listener)
    }

    /// Restores all settings. If any cannot be restored, keeps them in the journal and returns an error.
    pub(crate) fn put_back(
        &mut self,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<()> {
        let mut outcome = Ok(());
        for server in self.servers.drain(..) {
            let Some(journal) = &server.journal else { continue };
            let done = restore::put_back(Request::new(&server.job, context), journal, listener);
            let done = done.map(|kept| {
                for one in kept {
                    listener.note(&one.sentence());
                }
            });
            outcome = outcome.and(done.map_err(|error| {
                let target = &server.job.target_text;
                error
                    .during(format!("restore the settings of {target}"))
                    .hint("run tacho restore to try again")
            }));
        }
        outcome
    }
}

/// Returns true if the sweep that wrote a journal is still running in another process.
fn lives(journal: &Journal) -> bool {
    journal.process != std::process::id() && crate::repair::lives(journal)
}

fn kept(state: &tacho_driver::SettingState) -> KeptSetting {
    KeptSetting {
        name: state.name.clone(),
        value: state.value.clone(),
        stored: state.stored.clone(),
        restart: state.holds == tacho_driver::Holds::AfterRestart,
        ours: Some(Vec::new()),
    }
}

fn state(kept: &KeptSetting) -> tacho_driver::SettingState {
    tacho_driver::SettingState {
        name: kept.name.clone(),
        value: kept.value.clone(),
        stored: kept.stored.clone(),
        holds: if kept.restart {
            tacho_driver::Holds::AfterRestart
        } else {
            tacho_driver::Holds::AtOnce
        },
    }
}
