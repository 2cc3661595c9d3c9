//! The server after the load: whether it still answers, and whether its settings are as before.
//!
//! A connection that was lost is made again: a server that has started again in between is the one whose
//! settings may have changed. Nothing waits longer than it may. Start reading at [`inspect`].

use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::ServerFacts;
use tacho_engine::Measurement;
use tacho_workload::MarkerStore;

use super::judge;
use super::start::{Started, facts_after, noted};
use crate::access::{Access, answer_limit};
use crate::{Context, Job};

/// How long a server that has not answered before may take.
const WHEN_SILENT: Duration = Duration::from_secs(5);

/// What was found after the load.
#[derive(Default)]
pub(super) struct Afterwards {
    /// What changed of version and settings since the start, in words.
    pub(super) changed: Option<String>,
    /// Why they could not be read again.
    pub(super) unread: Option<Error>,
}

impl Afterwards {
    /// Whether the server can be asked something more.
    pub(super) fn is_reachable(&self) -> bool {
        self.unread.is_none()
    }
}

/// Looks at the server again, if it holds data.
pub(super) fn inspect(
    started: &mut Started,
    measurement: &Measurement,
    access: &Access,
    job: &Job,
    context: &Context,
) -> Afterwards {
    if started.data.is_none() {
        return Afterwards::default();
    }
    if measurement.unanswered && judge::stopped(measurement) {
        // Whoever stops a run does not want to wait for a server that is silent.
        return Afterwards { changed: None, unread: Some(silent()) };
    }
    let usual = answer_limit(job);
    let limit = if measurement.unanswered { usual.min(WHEN_SILENT) } else { usual };
    // First on the connection that has been there since the start, then on a new one.
    let known = access.within(limit, context, facts(started));
    let now = known.or_else(|_| {
        let limit = limit.min(WHEN_SILENT);
        access.within(limit, context, facts_on_new_connection(started, access, job, context))
    });
    match now.map_err(|error| error.during("read the settings again")) {
        Ok(now) => Afterwards { changed: difference(&started.facts, &now), unread: None },
        Err(error) => Afterwards { changed: None, unread: Some(error) },
    }
}

async fn facts(started: &mut Started) -> Result<ServerFacts> {
    match started.data.as_mut() {
        Some((store, _)) => {
            Ok(MarkerStore::exchange(store).session().facts().await?.without_secrets())
        }
        None => Ok(started.facts.clone()),
    }
}

async fn facts_on_new_connection(
    started: &mut Started,
    access: &Access,
    job: &Job,
    context: &Context,
) -> Result<ServerFacts> {
    let mut session = access.open(job, context).await?;
    let dialect = job.driver.dialect();
    let mut facts = session.facts().await?.without_secrets();
    let script = started.instance.session_script(dialect)?;
    if !script.is_empty() {
        facts = noted(&facts, facts_after(&script, session.as_mut()).await?);
    }
    // What comes later asks on this one too.
    if let (Ok(store), Some((known, _))) =
        (MarkerStore::open(session, dialect).await?, started.data.as_mut())
    {
        **known = store;
    }
    Ok(facts)
}

fn silent() -> Error {
    Error::new(ErrorKind::Cancelled, "the run was stopped, and the server had not answered")
        .during("read the settings again")
}

fn difference(before: &ServerFacts, now: &ServerFacts) -> Option<String> {
    if now.version != before.version {
        return Some(format!("version {} became {}", before.version, now.version));
    }
    let differs = now.settings.iter().find(|setting| !before.settings.contains(setting))?;
    Some(format!("{} became {}", differs.name, differs.value))
}
