//! The acknowledged commits of an earlier run, looked for in the database: of a run that was killed, or
//! whose server did not answer at its end.

use tacho_core::{Error, Result};
use tacho_store::CommitNotes;
use tacho_store::record::AcknowledgedRecord;

use crate::access::Access;
use crate::run::{acknowledged, compare_commits};
use crate::{Context, Exit, Job};

/// Looks for each commit that the run which `selector` names has noted.
///
/// # Errors
/// If the run has no notes, still runs, or if the marks in the database are not its own or cannot be read.
pub fn check_commits(
    job: &Job,
    context: &Context,
    selector: &str,
) -> Result<(AcknowledgedRecord, Exit)> {
    let run = context.store().find(selector)?;
    if run.running {
        let text = format!("run {} has not ended", run.record.id);
        return Err(Error::usage(text).hint("repeat the check when it has"));
    }
    let notes = CommitNotes::open(&run.path)?;
    compare_commits(&notes, job, context, &Access::new(job)?)?;
    let found = acknowledged(notes.counts());
    let exit = if found.is_complete() { Exit::Success } else { Exit::CheckFailed };
    Ok((found, exit))
}
