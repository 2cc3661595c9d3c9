//! Restores the settings saved in a journal.
//!
//! Start reading at [`restore`].

use tacho_config::Resolved;
use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{ServerSettings, SettingState, Target};
use tacho_store::Listener;
use tacho_store::journal::{FaultState, Journal, KeptSetting};

use super::server::{close, hands, private};
use super::{lives, state};
use crate::access::Access;
use crate::repair;
use crate::{Context, Job, Request, trust};

/// The outcome for a journal.
#[derive(Debug)]
pub struct Restored {
    /// The journal as it was before the settings were restored.
    pub journal: Journal,
    /// The error if the settings could not be restored.
    pub error: Option<Error>,
    /// Settings that somebody else changed after the sweep. These keep their current values.
    pub kept: Vec<KeptChange>,
}

/// A setting that another client changed after a sweep had set it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptChange {
    /// The setting's name.
    pub name: String,
    /// The setting's current value, which is kept.
    pub now: String,
    /// The value before the sweep.
    pub before: String,
}

impl KeptChange {
    /// Returns a sentence that describes the change.
    pub fn sentence(&self) -> String {
        let Self { name, now, before } = self;
        format!(
            "{name} keeps the value {now} because it was changed after the sweep had set it; the \
                value before the sweep was {before}"
        )
    }
}

/// Restores the settings in all journals. `base` contains the addresses of named targets. If settings cannot be
/// restored, their journal is kept.
pub fn restore(
    base: &Resolved,
    context: &Context,
    listener: &mut dyn Listener,
) -> Result<Vec<Restored>> {
    let journals = context.journals().list()?.into_iter();
    let all = journals.map(|journal| {
        if let Some(fault) = journal.fault {
            let done = restored_fault(&journal, fault, context);
            return Restored { journal, error: done.err(), kept: Vec::new() };
        }
        if is_gone(&journal, context) {
            let removed = context.journals().remove(&journal);
            return Restored { journal, error: removed.err(), kept: Vec::new() };
        }
        let done = base
            .with_recorded("target", std::slice::from_ref(&journal.target))
            .and_then(|resolved| Job::new(resolved, context))
            .and_then(|job| left(Request::new(&job, context), &journal, listener));
        let file = context.journals().path(&journal).display().to_string();
        let gone =
            |error: Error| error.hint(format!("if that server no longer exists, remove {file}"));
        let (kept, error) = match done {
            Ok(kept) => (kept, None),
            Err(error) => (Vec::new(), Some(gone(error))),
        };
        Restored { journal, error, kept }
    });
    Ok(all.collect())
}

/// Reverts the fault injected by a killed run.
fn restored_fault(journal: &Journal, fault: FaultState, context: &Context) -> Result<()> {
    if repair::lives(journal) {
        let text = format!("a run is keeping {} {}", journal.target, fault.word());
        return Err(Error::new(ErrorKind::LockTimeout, text)
            .hint(format!("wait until the sweep has ended, or stop process {}", journal.process)));
    }
    repair::put_back(journal, fault, context, true)
}

/// Returns true if the private server no longer exists and thus has no settings to restore.
fn is_gone(journal: &Journal, context: &Context) -> bool {
    let there = |name: &String| {
        context.server_pool().list().is_ok_and(|all| all.iter().all(|server| server.name != *name))
    };
    journal.server.as_ref().is_some_and(there)
}

/// Informs the user if a killed sweep left changed settings on the job's server.
pub(crate) fn note_leftovers(request: Request<'_>, listener: &mut dyn Listener) {
    let context = request.context;
    // Skip journals that cannot be read, because `tacho restore` reports them.
    let journals = context.journals().list().unwrap_or_default();
    if journals.iter().any(|journal| is_of(journal, request) && !lives(journal) && !is_own(journal))
    {
        listener.note(
            "a killed sweep left changed settings on this server; restore them with tacho restore",
        );
    }
}

/// Returns true if this process wrote the journal.
fn is_own(journal: &Journal) -> bool {
    journal.process == std::process::id()
}

/// Returns true if a journal contains settings of a job's server.
fn is_of(journal: &Journal, request: Request<'_>) -> bool {
    let job = request.job;
    if journal.fault.is_some() {
        return false;
    }
    let private = journal.server.is_some() && journal.server == private(request);
    private || journal.target == job.target_text || is_same_place(&journal.target, job)
}

/// Returns true if a saved target is the job's target. Saved targets never contain a password.
fn is_same_place(saved: &str, job: &Job) -> bool {
    let saved = Target::parse(saved).map(|saved| saved.without_secrets());
    saved.is_ok_and(|saved| saved == job.target.without_secrets())
}

/// Restores any settings that earlier sweeps left changed on a job's server.
pub(super) fn leftovers(request: Request<'_>, listener: &mut dyn Listener) -> Result<()> {
    let context = request.context;
    for journal in context.journals().list()? {
        if is_of(&journal, request) {
            let kept = left(request, &journal, listener)?;
            for one in kept {
                listener.note(&one.sentence());
            }
        }
    }
    Ok(())
}

fn left(
    request: Request<'_>,
    journal: &Journal,
    listener: &mut dyn Listener,
) -> Result<Vec<KeptChange>> {
    if lives(journal) {
        let text =
            format!("sweep {} is changing the settings of {}", journal.sweep, journal.target);
        return Err(Error::new(ErrorKind::LockTimeout, text)
            .hint(format!("wait until it has ended, or stop process {}", journal.process)));
    }
    // The journal may have been copied from another machine, or forged.
    let settings = journal.settings.iter();
    let kept: Vec<(String, String)> = settings
        .map(|kept| (kept.name.clone(), kept.stored.as_ref().unwrap_or(&kept.value).clone()))
        .collect();
    trust::require_server_settings(&kept, &request.context.trust)?;
    listener.note(&format!(
        "restoring the settings of {} that sweep {} changed",
        journal.target, journal.sweep
    ));
    put_back(request, journal, listener)
}

/// Restores the settings in a journal, unless another client has changed them, and removes the journal. Returns the
/// settings that another client changed.
pub(super) fn put_back(
    request: Request<'_>,
    journal: &Journal,
    listener: &mut dyn Listener,
) -> Result<Vec<KeptChange>> {
    let Request { job, context } = request;
    started_as_it_was(journal, context, listener)?;
    let access = Access::new(job)?;
    let mut settings = hands(&access, request)?;
    let mut changed = Vec::new();
    for kept in &journal.settings {
        let before = state(kept);
        // Skip a setting that already has its previous value, because changing it may need a privilege.
        let now = access.to_the_end(context, settings.read(&kept.name))?;
        let Some(now) = now.filter(|now| *now != before) else { continue };
        if access.to_the_end(context, is_of_another(settings.as_mut(), kept, &now))? {
            let (name, now) = (kept.name.clone(), now.value);
            changed.push(KeptChange { name, now, before: kept.value.clone() });
        } else if !kept.restart {
            access.to_the_end(context, settings.put_back(&before))?;
        }
    }
    close(&access, context, settings);
    let mut settings = hands(&access, Request { job, context })?;
    let ours = |kept: &&KeptSetting| changed.iter().all(|one| one.name != kept.name);
    for kept in journal.settings.iter().filter(ours) {
        if !access.to_the_end(context, settings.is_same(&state(kept), &kept.value))? {
            return Err(Error::new(
                ErrorKind::Other,
                format!("{} was not restored to {}", kept.name, kept.value),
            )
            .hint("another client may have changed the setting; check its value with the server's own client"));
        }
    }
    close(&access, context, settings);
    context.journals().remove(journal)?;
    Ok(changed)
}

/// Returns true if another client, not the sweep, set the current value of a setting. If a setting takes effect only
/// after a restart, this is always true: the restart has already removed the sweep's value.
async fn is_of_another(
    settings: &mut dyn ServerSettings,
    kept: &KeptSetting,
    now: &SettingState,
) -> Result<bool> {
    let Some(ours) = &kept.ours else { return Ok(false) };
    if kept.restart {
        return Ok(true);
    }
    for our in ours {
        if settings.is_same(now, our).await? {
            return Ok(false);
        }
    }
    let before = state(kept);
    let stored = now.stored.as_ref().filter(|_| now.stored != before.stored);
    Ok(now.value != before.value || stored.is_some_and(|stored| !ours.contains(stored)))
}

/// Restarts a private server with its original settings, unless it already has them.
fn started_as_it_was(
    journal: &Journal,
    context: &Context,
    listener: &mut dyn Listener,
) -> Result<()> {
    let Some(name) = &journal.server else { return Ok(()) };
    let pool = context.server_pool();
    let server = pool.list()?.into_iter().find(|server| server.name == *name);
    let Some(server) = server else { return Ok(()) };
    if server.runs() && server.for_a_while.is_empty() {
        return Ok(());
    }
    listener.note(&format!("restarting {name} with its previous settings"));
    pool.restart_with(name, &[], &|| true)
}
