//! A server whose settings are being changed.
//!
//! Start reading at [`Server::apply`].

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Holds, ServerSettings, SettingState, Target};
use tacho_servers::ServerState;
use tacho_store::Listener;
use tacho_store::journal::{Journal, KeptSetting};

use super::{Access, Pairs, kept};
use crate::{Context, Job, Request};

/// A server and its original settings.
pub(super) struct Server {
    /// A job that connects to the server.
    pub(super) job: Job,
    /// A name that uniquely identifies the server.
    pub(super) name: String,
    /// The name of a private server, which Tacho may restart, or `None` for any other server.
    pub(super) private: Option<String>,
    /// The journal that stores the original settings.
    pub(super) journal: Option<Journal>,
    /// The original settings, by the names that the user specified.
    states: Vec<(String, SettingState)>,
    /// Settings that the server accepts. Each entry contains the name of the setting, its new value, and the form of
    /// this value for starting the server.
    checked: Vec<(String, String, String)>,
    access: Access,
    context: Context,
}

impl Server {
    pub(super) fn open(job: Job, context: &Context) -> Result<Self> {
        let (name, private) =
            (name(Request { job: &job, context }), private(Request { job: &job, context }));
        let (states, checked) = (Vec::new(), Vec::new());
        let access = Access::new(&job)?;
        let (journal, context) = (None, context.clone());
        Ok(Self { job, name, private, journal, states, checked, access, context })
    }

    /// Reads the current settings.
    pub(super) fn keep(&mut self, wanted: &Pairs) -> Result<Vec<KeptSetting>> {
        let mut hands = self.hands()?;
        for (name, _) in wanted {
            let state = self.ask(hands.find(name))?;
            if state.holds == Holds::AfterRestart && self.private.is_none() {
                return Err(needs_start(&state.name, &self.job));
            }
            self.states.push((name.clone(), state));
        }
        self.close(hands);
        Ok(self.states.iter().map(|(_, state)| kept(state)).collect())
    }

    /// Records in the journal that the sweep is about to set these values. The journal is written to disk before the
    /// settings are changed.
    pub(super) fn expect(&mut self, wanted: &Pairs, context: &Context) -> Result<()> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        let mut is_new = false;
        for (name, value) in wanted {
            let state = self.states.iter().find(|(known, _)| known == name).map(|(_, state)| state);
            let name = state.map_or(name, |state| &state.name);
            let kept = journal.settings.iter_mut().find(|kept| kept.name == *name);
            let ours = kept.and_then(|kept| kept.ours.as_mut());
            if let Some(ours) = ours.filter(|ours| !ours.contains(value)) {
                ours.push(value.clone());
                is_new = true;
            }
        }
        if is_new { context.journals().write(journal).map(drop) } else { Ok(()) }
    }

    /// Returns an error if the server would reject any of the values.
    pub(super) fn check(&mut self, wanted: &Pairs) -> Result<()> {
        let is_new = |(name, value): &&(String, String)| {
            !self.checked.iter().any(|(known, checked, _)| known == name && checked == value)
        };
        let new: Pairs = wanted.iter().filter(is_new).cloned().collect();
        if new.is_empty() {
            return Ok(());
        }
        let mut hands = self.hands()?;
        for (name, value) in new {
            let state = self.state(&name)?;
            let accepted = self.ask(hands.check(state, &value))?;
            self.checked.push((name, value, accepted));
        }
        self.close(hands);
        Ok(())
    }

    /// Applies the settings that differ from the current ones. Returns all settings as reported by the server.
    pub(super) fn apply(
        &mut self,
        wanted: &Pairs,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<Pairs> {
        if self.differ(wanted, Holds::AfterRestart)? {
            self.restart(wanted, context, listener)?;
        }
        let mut hands = self.hands()?;
        for (name, value) in wanted {
            let state = self.state(name)?;
            if state.holds == Holds::AtOnce && !self.ask(hands.is_same(state, value))? {
                self.ask(hands.set(&state.name, value))?;
            }
        }
        self.close(hands);
        self.verified(wanted)
    }

    /// Returns true if any setting of this kind currently has a different value.
    fn differ(&self, wanted: &Pairs, holds: Holds) -> Result<bool> {
        let mut hands = self.hands()?;
        for (name, value) in wanted {
            let state = self.state(name)?;
            if state.holds == holds && !self.ask(hands.is_same(state, value))? {
                return Ok(true);
            }
        }
        self.close(hands);
        Ok(false)
    }

    /// Restarts a private server with different settings. If this fails, restarts it with its original settings, so
    /// that the next point can be measured.
    fn restart(
        &self,
        wanted: &Pairs,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<()> {
        let name = self.private.as_deref().ok_or_else(|| needs_start("a setting", &self.job))?;
        let as_accepted = |(key, value): &(String, String)| {
            let known =
                self.checked.iter().find(|(known, asked, _)| known == key && asked == value);
            let state = self.state(key).ok().filter(|state| state.holds == Holds::AfterRestart)?;
            Some((state.name.clone(), known?.2.clone()))
        };
        let settings: Pairs = wanted.iter().filter_map(as_accepted).collect();
        let words: Vec<String> =
            settings.iter().map(|(key, value)| format!("{key}={value}")).collect();
        listener.note(&format!("restarting {name} with {}", words.join(" ")));
        let pool = context.server_pool();
        pool.restart_with(name, &settings, &|| !context.interrupted()).map_err(|error| {
            if context.interrupted() {
                return error;
            }
            listener.note(&format!(
                "{name} does not start with this value; starting it with the \
                                    previous value"
            ));
            match pool.restart_with(name, &[], &|| true) {
                Ok(()) => error,
                Err(again) => error.hint(format!(
                    "it does not start with the previous value \
                                                  either: {again}"
                )),
            }
        })
    }

    /// Returns the settings as a new session sees them. Returns an error if the server changed a value.
    fn verified(&self, wanted: &Pairs) -> Result<Pairs> {
        let mut hands = self.hands()?;
        let mut found = Pairs::new();
        for (name, value) in wanted {
            let state = self.state(name)?;
            let now = self.ask(hands.find(&state.name))?;
            if !self.ask(hands.is_same(state, value))? {
                return Err(Error::new(
                    ErrorKind::Other,
                    format!(
                        "{name} was set to {value}, but the server changed it to {}",
                        now.value
                    ),
                )
                .hint(format!("if the server's value is acceptable, use {}", now.value)));
            }
            found.push((now.name, now.value));
        }
        self.close(hands);
        Ok(found)
    }

    fn hands(&self) -> Result<Box<dyn ServerSettings>> {
        hands(&self.access, Request { job: &self.job, context: &self.context })
    }

    /// Waits for a response from the server. If the user interrupts the command while a setting is being changed, the
    /// change is completed first.
    fn ask<T>(&self, answer: impl Future<Output = Result<T>>) -> Result<T> {
        self.access.to_the_end(&self.context, answer)
    }

    fn close(&self, hands: Box<dyn ServerSettings>) {
        close(&self.access, &self.context, hands);
    }

    fn state(&self, name: &str) -> Result<&SettingState> {
        let known = self.states.iter().find(|(known, _)| known == name).map(|(_, state)| state);
        known.ok_or_else(|| Error::usage(format!("{name} was not read")))
    }
}

/// Returns an object that reads and changes the settings of a job's server.
pub(super) fn hands(access: &Access, request: Request<'_>) -> Result<Box<dyn ServerSettings>> {
    let Request { job, context } = request;
    access.to_the_end(context, job.driver.settings(&job.target))?.ok_or_else(|| none(job))
}

/// Closes the connection through which settings are read and changed. If the server does not respond, closes the socket
/// without waiting.
pub(super) fn close(access: &Access, context: &Context, hands: Box<dyn ServerSettings>) {
    let closed = async {
        hands.close().await;
        Ok(())
    };
    let _ = access.to_the_end(context, closed);
}

/// Returns a name that identifies the server behind a target.
pub(super) fn name(request: Request<'_>) -> String {
    let job = request.job;
    private(request).unwrap_or_else(|| job.target.redacted())
}

/// Returns the name of the private server to which the job's target refers.
pub(super) fn private(request: Request<'_>) -> Option<String> {
    private_server(request).map(|state| state.name)
}

/// Returns the private server at the address of the job's target. The job's target must also contain all options with
/// which clients connect to the server.
pub(crate) fn private_server(request: Request<'_>) -> Option<ServerState> {
    let Request { job, context } = request;
    let leads_to = |target: &Target| {
        let options = target.options.iter().all(|option| job.target.options.contains(option));
        target.scheme == job.target.scheme && target.place == job.target.place && options
    };
    let states = context.server_pool().list().ok()?.into_iter();
    let mut ours =
        states.filter(|state| Target::parse(&state.target).is_ok_and(|target| leads_to(&target)));
    ours.next()
}

/// Returns the error for a driver that cannot change server settings.
pub(crate) fn none(job: &Job) -> Error {
    let title = job.driver.manifest().title;
    let id = job.driver.manifest().id;
    Error::usage(format!("{title} has no server settings"))
        .hint("use target.OPTION to vary a target option, as in --vary target.OPTION=A,B")
        .hint(format!("tacho describe {id} lists the options"))
}

fn needs_start(name: &str, job: &Job) -> Error {
    Error::usage(format!(
        "{name} requires a restart of the server, but {} was not started with tacho up",
        job.target_text
    ))
    .hint("tacho up starts a private server, which can be restarted")
    .hint("or run one sweep per value, and restart the server in between")
}
