//! Putting back what a journal holds.
//!
//! Start reading at [`restore`].

use tacho_config::Resolved;
use tacho_core::{Error, ErrorKind, Result};
use tacho_store::journal::Journal;

use super::server::{close, hands, private};
use super::{lives, state};
use crate::access::Access;
use crate::{Context, Job, Progress};

/// What became of a journal.
#[derive(Debug)]
pub struct Restored {
    /// The journal as it was.
    pub journal: Journal,
    /// Why it could not be put back.
    pub error: Option<Error>,
}

/// Puts back all that journals hold. `base` names the targets; a journal that cannot be put back
/// stays, and does not keep others from it.
pub fn restore(
    base: &Resolved,
    context: &Context,
    progress: &mut dyn Progress,
) -> Result<Vec<Restored>> {
    let journals = context.journals().list()?.into_iter();
    let all = journals.map(|journal| {
        if is_gone(&journal, context) {
            let removed = context.journals().remove(&journal);
            return Restored { journal, error: removed.err() };
        }
        let done = base
            .with("target", vec![journal.target.clone()])
            .and_then(|resolved| Job::new(resolved, context))
            .and_then(|job| left(&job, &journal, context, progress));
        let file = context.journals().path(&journal).display().to_string();
        let gone =
            |error: Error| error.hint(format!("if that server is gone for good, remove {file}"));
        Restored { journal, error: done.err().map(gone) }
    });
    Ok(all.collect())
}

/// Whether a private server is there no more, and its settings with it.
fn is_gone(journal: &Journal, context: &Context) -> bool {
    let there = |name: &String| {
        context.park().list().is_ok_and(|all| all.iter().all(|own| own.name != *name))
    };
    journal.server.as_ref().is_some_and(there)
}

/// Says that a killed sweep has left settings changed on the server of a job.
pub(crate) fn note_leftovers(job: &Job, context: &Context, progress: &mut dyn Progress) {
    // A journal that cannot be read is the business of `tacho restore`.
    let journals = context.journals().list().unwrap_or_default();
    if journals
        .iter()
        .any(|journal| is_of(journal, job, context) && !lives(journal) && !is_own(journal))
    {
        progress.note(
            "settings of this server are as a killed sweep has left them: tacho restore puts them back",
        );
    }
}

/// Whether a journal is of this very process.
fn is_own(journal: &Journal) -> bool {
    journal.process == std::process::id()
}

/// Whether a journal is of the server of a job.
fn is_of(journal: &Journal, job: &Job, context: &Context) -> bool {
    let private = journal.server.is_some() && journal.server == private(job, context);
    private || journal.target == job.target_text
}

/// Puts back what ended sweeps have left on the server of a job.
pub(super) fn leftovers(job: &Job, context: &Context, progress: &mut dyn Progress) -> Result<()> {
    for journal in context.journals().list()? {
        if is_of(&journal, job, context) {
            left(job, &journal, context, progress)?;
        }
    }
    Ok(())
}

/// Puts back what an ended sweep has left.
fn left(
    job: &Job,
    journal: &Journal,
    context: &Context,
    progress: &mut dyn Progress,
) -> Result<()> {
    if lives(journal) {
        let text = format!("sweep {} is changing settings of {}", journal.sweep, journal.target);
        return Err(Error::new(ErrorKind::LockTimeout, text)
            .hint(format!("wait until it has ended, or stop it: process {}", journal.process)));
    }
    progress.note(&format!(
        "putting back the settings of {} that sweep {} has left changed",
        journal.target, journal.sweep
    ));
    put_back(job, journal, context, progress)
}

/// Puts everything of a journal back, makes sure that it is, and removes the journal.
pub(super) fn put_back(
    job: &Job,
    journal: &Journal,
    context: &Context,
    progress: &mut dyn Progress,
) -> Result<()> {
    started_as_it_was(journal, context, progress)?;
    let access = Access::new(job)?;
    let mut own = hands(&access, job, context)?;
    for kept in journal.settings.iter().filter(|kept| !kept.restart) {
        let before = state(kept);
        // What never changed needs no right to be changed.
        if access.to_the_end(context, own.read(&kept.name))?.as_ref() != Some(&before) {
            access.to_the_end(context, own.put_back(&before))?;
        }
    }
    close(&access, context, own);
    let mut own = hands(&access, job, context)?;
    for kept in &journal.settings {
        if !access.to_the_end(context, own.is_same(&state(kept), &kept.value))? {
            return Err(Error::new(
                ErrorKind::Other,
                format!("{} is not {} again", kept.name, kept.value),
            )
            .hint("somebody else may have changed it; look at it in the server's own client"));
        }
    }
    close(&access, context, own);
    context.journals().remove(journal)
}

/// Starts a private server with its own settings, unless it runs with them.
fn started_as_it_was(
    journal: &Journal,
    context: &Context,
    progress: &mut dyn Progress,
) -> Result<()> {
    let Some(name) = &journal.server else { return Ok(()) };
    let park = context.park();
    let server = park.list()?.into_iter().find(|own| own.name == *name);
    let Some(server) = server else { return Ok(()) };
    if server.runs() && server.for_a_while.is_empty() {
        return Ok(());
    }
    progress.note(&format!("starting {name} again as it was"));
    park.restart_with(name, &[], &|| true)
}
