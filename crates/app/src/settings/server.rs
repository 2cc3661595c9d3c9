//! One server whose settings are changed.
//!
//! Start reading at [`Server::apply`].

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Holds, ServerSettings, SettingState, Target};
use tacho_store::Listener;
use tacho_store::journal::{Journal, KeptSetting};

use super::{Access, Pairs, kept};
use crate::{Context, Job, Request};

/// A server with its settings as they stood.
pub(super) struct Server {
    /// A job that leads to it.
    pub(super) job: Job,
    /// What tells it from other servers.
    pub(super) name: String,
    /// The name of a private server, which we may start again.
    pub(super) private: Option<String>,
    /// Where its settings are kept.
    pub(super) journal: Option<Journal>,
    /// The settings as they stood, by the name that the user gave.
    states: Vec<(String, SettingState)>,
    /// Names and values that were checked, and the value in the form that a start of the server takes.
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

    /// Reads how the settings stand.
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

    /// Notes in the journal, durably, that these values will be ours.
    pub(super) fn expect(&mut self, wanted: &Pairs, context: &Context) -> Result<()> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        let mut is_new = false;
        for (name, value) in wanted {
            let state = self.states.iter().find(|(own, _)| own == name).map(|(_, state)| state);
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

    /// Fails if the server would not take one of the values.
    pub(super) fn check(&mut self, wanted: &Pairs) -> Result<()> {
        let is_new = |(name, value): &&(String, String)| {
            !self.checked.iter().any(|(own, checked, _)| own == name && checked == value)
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

    /// Lets the settings hold that do not yet; returns all of them as the server prints them.
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

    /// Whether any setting of this kind has another value now.
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

    /// Starts our own server with other settings. One that does not come up is started as it was,
    /// so that the next point finds it.
    fn restart(
        &self,
        wanted: &Pairs,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<()> {
        let name = self.private.as_deref().ok_or_else(|| needs_start("a setting", &self.job))?;
        let as_accepted = |(key, value): &(String, String)| {
            let known = self.checked.iter().find(|(own, asked, _)| own == key && asked == value);
            let state = self.state(key).ok().filter(|own| own.holds == Holds::AfterRestart)?;
            Some((state.name.clone(), known?.2.clone()))
        };
        let settings: Pairs = wanted.iter().filter_map(as_accepted).collect();
        let words: Vec<String> =
            settings.iter().map(|(key, value)| format!("{key}={value}")).collect();
        listener.note(&format!("starting {name} again with {}", words.join(" ")));
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

    /// The settings as a new session has them. Fails if the server made something else of a value.
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
                        "{name} was set to {value}, and the server changed it to {}",
                        now.value
                    ),
                )
                .hint(format!("use {}, if that is intended", now.value)));
            }
            found.push((now.name, now.value));
        }
        self.close(hands);
        Ok(found)
    }

    fn hands(&self) -> Result<Box<dyn ServerSettings>> {
        hands(&self.access, Request { job: &self.job, context: &self.context })
    }

    /// What the server answers; a value that is being set comes to its end when the user wants to stop.
    fn ask<T>(&self, answer: impl Future<Output = Result<T>>) -> Result<T> {
        self.access.to_the_end(&self.context, answer)
    }

    fn close(&self, hands: Box<dyn ServerSettings>) {
        close(&self.access, &self.context, hands);
    }

    fn state(&self, name: &str) -> Result<&SettingState> {
        let known = self.states.iter().find(|(own, _)| own == name).map(|(_, state)| state);
        known.ok_or_else(|| Error::usage(format!("{name} was not read")))
    }
}

/// Access to the settings of a job's server.
pub(super) fn hands(access: &Access, request: Request<'_>) -> Result<Box<dyn ServerSettings>> {
    let Request { job, context } = request;
    access.to_the_end(context, job.driver.settings(&job.target))?.ok_or_else(|| none(job))
}

/// Ends it. The server sees a closed socket where it does not hear us.
pub(super) fn close(access: &Access, context: &Context, hands: Box<dyn ServerSettings>) {
    let closed = async {
        hands.close().await;
        Ok(())
    };
    let _ = access.to_the_end(context, closed);
}

/// What tells the server behind a target from others.
pub(super) fn name(request: Request<'_>) -> String {
    let job = request.job;
    private(request).unwrap_or_else(|| job.target.redacted())
}

/// The private server behind a target: all that its own target says, this one says too.
pub(super) fn private(request: Request<'_>) -> Option<String> {
    let Request { job, context } = request;
    let leads_to = |own: &Target| {
        let options = own.options.iter().all(|option| job.target.options.contains(option));
        own.scheme == job.target.scheme && own.place == job.target.place && options
    };
    let states = context.server_pool().list().ok()?.into_iter();
    let mut ours =
        states.filter(|state| Target::parse(&state.target).is_ok_and(|own| leads_to(&own)));
    ours.next().map(|state| state.name)
}

/// That a driver has no settings that could be changed.
pub(crate) fn none(job: &Job) -> Error {
    let title = job.driver.manifest().title;
    let id = job.driver.manifest().id;
    Error::usage(format!("{title} has no server settings"))
        .hint("target.OPTION varies an option of the target, as in --vary target.OPTION=A,B")
        .hint(format!("tacho describe {id} names its options"))
}

fn needs_start(name: &str, job: &Job) -> Error {
    Error::usage(format!(
        "{name} requires a restart of the server, and {} is not a server of tacho up",
        job.target_text
    ))
    .hint("tacho up starts a private server, which can be restarted")
    .hint("make one sweep for each value, and restart the server in between")
}
