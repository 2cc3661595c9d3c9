//! Checks, after the load, if the server still responds and if its settings have changed.
//!
//! Settings are read through a new connection, because an old one may return outdated values. Every request has a time
//! limit.
//!
//! Start reading at [`inspect`].

use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{ServerFacts, Setting};
use tacho_workload::{Instance, MarkerStore};

use super::inspect::{facts_after, noted};
use super::measure::Measured;
use super::opened::{Live, Opened};
use crate::access::{Access, answer_limit};
use crate::{Job, Request};

/// The time limit for a server that has already failed to respond once.
const WHEN_SILENT: Duration = Duration::from_secs(5);
/// The port may change when a replica replaces a server. All other settings must remain the same.
const PORT: &str = "port";

/// The state of the server after the load.
#[derive(Default)]
pub(super) struct Afterwards {
    /// The changes in version and settings since the start, if any.
    pub(super) changed: Option<String>,
    /// The error if a new session could not read the settings.
    pub(super) unread: Option<Error>,
    /// True if the connection that was opened before the load still worked, but no new connection could be opened.
    old_answered: bool,
}

impl Afterwards {
    /// Returns true if further requests can be sent to the server.
    pub(super) fn is_reachable(&self) -> bool {
        self.unread.is_none() || self.old_answered
    }
}

/// If the database stores data, inspects its server again.
pub(super) fn inspect(
    request: Request<'_>,
    opened: &Opened,
    measured: &Measured,
    live: &mut Live,
) -> Afterwards {
    let Request { job, context } = request;
    let unanswered = measured.measurement.unanswered;
    let Some(marker) = live.marker.as_deref_mut() else { return Afterwards::default() };
    if unanswered && measured.was_stopped() {
        // The user has stopped the run and should not have to wait for a server that does not respond.
        return Afterwards { unread: Some(silent()), ..Afterwards::default() };
    }
    let usual = answer_limit(job);
    let limit = if unanswered { usual.min(WHEN_SILENT) } else { usual };
    let access = &live.access;
    let renewed = facts_on_new_connection(request, access, opened.instance.as_ref(), marker);
    match access.within(limit, context, renewed) {
        Ok((now, old)) => {
            if let Some(old) = old {
                // Ignore errors, because the connection may have been lost long ago.
                let closing = old.into_session().close();
                let _ = access.within(limit.min(WHEN_SILENT), context, closing);
            }
            Afterwards { changed: changed(&opened.facts, job, now), ..Afterwards::default() }
        }
        Err(error) => {
            // Only a connection from before the load is left, and it may return outdated values. A different value
            // means that the setting has certainly changed. An equal value proves nothing.
            let limit = limit.min(WHEN_SILENT);
            let known = access.within(limit, context, facts(marker)).ok();
            Afterwards {
                old_answered: known.is_some(),
                changed: known.and_then(|now| changed(&opened.facts, job, now)),
                unread: Some(error.during("read the settings again")),
            }
        }
    }
}

/// Returns a description of the changes between the start and the end of the run.
fn changed(before: &ServerFacts, job: &Job, mut now: ServerFacts) -> Option<String> {
    let mut before = before.clone();
    if moves(job) {
        for facts in [&mut before, &mut now] {
            facts.settings.retain(|setting| setting.name != PORT);
            facts.changes.clear();
        }
    }
    difference(&before, &now)
}

/// Returns true if a fault injected by this run may have replaced the server with another one.
pub(super) fn moves(job: &Job) -> bool {
    let judgement = &job.resolved.plan.judgement;
    !judgement.faults.is_empty() || !judgement.fault_commands.is_empty()
}

async fn facts(marker: &mut MarkerStore) -> Result<ServerFacts> {
    Ok(MarkerStore::exchange(marker).inspector().facts().await?.without_secrets())
}

/// Reads the server's facts through a new connection. Also returns the old connection.
async fn facts_on_new_connection(
    request: Request<'_>,
    access: &Access,
    instance: &dyn Instance,
    marker: &mut MarkerStore,
) -> Result<(ServerFacts, Option<MarkerStore>)> {
    let mut session = access.open(request).await?;
    let dialect = request.job.driver.dialect();
    let mut facts = session.inspector().facts().await?.without_secrets();
    let script = instance.session_script(dialect)?;
    if !script.is_empty() {
        facts = noted(&facts, facts_after(&script, session.as_mut()).await?);
    }
    // Use the new connection from now on.
    let store = match MarkerStore::open(session, dialect).await? {
        Ok(store) => Some(store),
        Err(session) if !marker.has_marker() => Some(MarkerStore::adopted(session, dialect).await?),
        Err(_) => None,
    };
    let old = store.map(|store| std::mem::replace(marker, store));
    Ok((facts, old))
}

fn silent() -> Error {
    Error::new(ErrorKind::Cancelled, "the run was stopped while the server was not responding")
        .during("read the settings again")
}

fn difference(before: &ServerFacts, now: &ServerFacts) -> Option<String> {
    if now.version != before.version {
        return Some(format!("the version changed from {} to {}", before.version, now.version));
    }
    let is_new = |setting: &&Setting| {
        let same = |known: &Setting| known.name == setting.name && known.value == setting.value;
        !before.settings.iter().any(same) && before.unset.get(&setting.name) != Some(&setting.value)
    };
    if let Some(differs) = now.settings.iter().find(is_new) {
        return Some(format!("{} changed to {}", differs.name, differs.value));
    }
    gone(before, now).or_else(|| changed_back(before, now))
}

/// Describes a setting that was reset during the run. Some settings are listed by servers only while they are set.
fn gone(before: &ServerFacts, now: &ServerFacts) -> Option<String> {
    let is_listed =
        |setting: &Setting| now.settings.iter().any(|listed| listed.name == setting.name);
    let gone = before.settings.iter().filter(|setting| !is_listed(setting));
    let mut gone = gone.filter_map(|gone| match now.unset.get(&gone.name) {
        Some(value) if *value == gone.value => None,
        Some(value) => Some(format!("{} changed to {value}", gone.name)),
        None => Some(format!("{} changed to its default", gone.name)),
    });
    gone.next()
}

/// Returns a setting that was changed during the run and then set back to its previous value, if the server records
/// such changes. Returns `None` if the server was restarted.
fn changed_back(before: &ServerFacts, now: &ServerFacts) -> Option<String> {
    if before.start != now.start {
        return None;
    }
    let is_new = |(name, noted): &(&String, &String)| before.changes.get(*name) != Some(*noted);
    let (name, _) = now.changes.iter().find(is_new)?;
    Some(format!(
        "{name} was set or reloaded during the run and has its previous value again; it may have \
            been different in between"
    ))
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
        // Setting a default value explicitly, or removing such a setting, does not change the value.
        assert_eq!(difference(facts(&[("a", "1"), ("c", "3")], &[("b", "2")])), None);
        let found = |now| difference(now).unwrap_or_default();
        assert_eq!(found(facts(&[("a", "1"), ("b", "2"), ("c", "4")], &[])), "c changed to 4");
        assert_eq!(found(facts(&[("a", "1"), ("b", "2"), ("d", "4")], &[])), "d changed to 4");
        assert_eq!(found(facts(&[("a", "1")], &[("b", "9")])), "b changed to 9");
        assert_eq!(found(facts(&[("a", "1")], &[])), "b changed to its default");
    }

    #[test]
    fn a_change_that_was_taken_back_is_one() {
        let noted = |start: &str, notes: &[(&str, &str)]| ServerFacts {
            changes: notes.iter().map(|(name, at)| ((*name).into(), (*at).into())).collect(),
            start: start.into(),
            ..ServerFacts::default()
        };
        let before = noted("1", &[("a", "5")]);
        let found = |now| difference(&before, &now);
        assert_eq!(found(before.clone()), None);
        let text = found(noted("1", &[("a", "6")])).expect("a later time");
        assert!(text.starts_with("a was set or reloaded"), "{text}");
        let text = found(noted("1", &[("a", "5"), ("b", "SQL")])).expect("a new note");
        assert!(text.starts_with("b was set"), "{text}");
        assert_eq!(found(noted("2", &[("a", "6")])), None, "a restart loads everything again");
    }
}
