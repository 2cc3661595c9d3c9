//! The server after the load: whether it still answers, and whether its settings are as before.
//!
//! A connection that was lost is made again: a server that has started again in between is the one whose
//! settings may have changed. Nothing waits longer than it may. Start reading at [`inspect`].

use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{ServerFacts, Setting};
use tacho_engine::{EndedBy, Measurement};
use tacho_workload::MarkerStore;

use super::start::{facts_after, noted};
use super::started::Started;
use crate::access::{Access, answer_limit};
use crate::{Context, Job};

/// How long a server that has not answered before may take.
const WHEN_SILENT: Duration = Duration::from_secs(5);
/// The setting that differs between a server and the replica that has taken its place.
const PORT: &str = "port";

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
    if measurement.unanswered && stopped(measurement) {
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
        Ok(mut now) => {
            if moves(job) {
                let mut before = started.facts.clone();
                for facts in [&mut before, &mut now] {
                    facts.settings.retain(|own| own.name != PORT);
                }
                return Afterwards { changed: difference(&before, &now), unread: None };
            }
            Afterwards { changed: difference(&started.facts, &now), unread: None }
        }
        Err(error) => Afterwards { changed: None, unread: Some(error) },
    }
}

/// Whether the run has asked for another server in the place of its own.
fn moves(job: &Job) -> bool {
    let judgement = &job.resolved.plan.judgement;
    !judgement.faults.is_empty() || !judgement.fault_commands.is_empty()
}

async fn facts(started: &mut Started) -> Result<ServerFacts> {
    match started.data.as_mut() {
        Some((store, _)) => {
            Ok(MarkerStore::exchange(store).inspector().facts().await?.without_secrets())
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
    let mut facts = session.inspector().facts().await?.without_secrets();
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
    let is_new = |setting: &&Setting| {
        let same = |known: &Setting| known.name == setting.name && known.value == setting.value;
        !before.settings.iter().any(same) && before.unset.get(&setting.name) != Some(&setting.value)
    };
    if let Some(differs) = now.settings.iter().find(is_new) {
        return Some(format!("{} became {}", differs.name, differs.value));
    }
    // What is listed only while it is set, and is so no longer.
    let is_listed = |setting: &Setting| now.settings.iter().any(|own| own.name == setting.name);
    let gone = before.settings.iter().find(|setting| !is_listed(setting))?;
    match now.unset.get(&gone.name) {
        Some(value) if *value == gone.value => None,
        Some(value) => Some(format!("{} became {value}", gone.name)),
        None => Some(format!("{} became its default", gone.name)),
    }
}

/// Whether a user ended the run before its time.
pub(super) fn stopped(measurement: &Measurement) -> bool {
    matches!(measurement.ended_by, EndedBy::Interrupt | EndedBy::Terminate)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(set: &[(&str, &str)], unset: &[(&str, &str)]) -> ServerFacts {
        let setting = |(name, value): &(&str, &str)| Setting {
            name: (*name).into(),
            value: (*value).into(),
            ..Setting::default()
        };
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        ServerFacts {
            settings: set.iter().map(setting).collect(),
            unset: unset.iter().map(owned).collect(),
            ..ServerFacts::default()
        }
    }

    #[test]
    fn only_a_value_that_differs_is_a_change() {
        let before = facts(&[("a", "1"), ("b", "2")], &[("c", "3")]);
        let difference = |now: ServerFacts| difference(&before, &now);
        assert_eq!(difference(before.clone()), None);
        // A session has set `c` for itself, and the one that had set `b` restored it.
        assert_eq!(difference(facts(&[("a", "1"), ("c", "3")], &[("b", "2")])), None);
        let found = |now| difference(now).unwrap_or_default();
        assert_eq!(found(facts(&[("a", "1"), ("b", "2"), ("c", "4")], &[])), "c became 4");
        assert_eq!(found(facts(&[("a", "1"), ("b", "2"), ("d", "4")], &[])), "d became 4");
        assert_eq!(found(facts(&[("a", "1")], &[("b", "9")])), "b became 9");
        assert_eq!(found(facts(&[("a", "1")], &[])), "b became its default");
    }
}
