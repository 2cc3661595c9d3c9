//! Checks whether the commits that an earlier run recorded are in the database, for example after the run was killed.

use tacho_core::{Error, ErrorKind, Result};
use tacho_store::CommitNotes;
use tacho_store::record::AcknowledgedRecord;

use crate::access::Access;
use crate::commit_marks::{compare, record};
use crate::{Exit, Request};

/// Searches the database for the commits that a run recorded. The run is given by its ID or another selector.
///
/// # Errors
/// Returns an error if the run recorded no commits, is in progress, or has no marks in the database.
pub fn check_commits(request: Request<'_>, selector: &str) -> Result<(AcknowledgedRecord, Exit)> {
    let Request { job, context } = request;
    let run = context.store().find(selector)?;
    if run.running {
        let text = format!("run {} has not ended", run.record.id);
        return Err(Error::usage(text).hint("repeat the check after the run has ended"));
    }
    let notes = CommitNotes::open(&run.path)?;
    let recorded = run.record.result.as_ref().and_then(|result| result.acknowledged.as_ref());
    require_recorded(&notes, recorded)?;
    compare(&notes, request, &Access::new(job)?)?;
    let mut found = record(notes.counts());
    found.unread = notes.incomplete();
    found.without_checksums = !notes.has_checksums();
    let exit = if found.is_complete() { Exit::Success } else { Exit::CheckFailed };
    Ok((found, exit))
}

/// Returns an error if the number of commits in a run's files differs from that in its record. Neither changes after
/// a run, so a difference means that a file is damaged or incomplete.
fn require_recorded(notes: &CommitNotes, recorded: Option<&AcknowledgedRecord>) -> Result<()> {
    let sum = |found: &AcknowledgedRecord| {
        let unknown =
            [found.unknown_committed, found.unknown_not_committed, found.unknown_unresolved];
        (found.acknowledged, unknown.into_iter().fold(0_u64, u64::saturating_add))
    };
    let counted = sum(&record(notes.counts()));
    let Some(recorded) = recorded.map(sum).filter(|recorded| *recorded != counted) else {
        return Ok(());
    };
    let path = notes.path().display();
    let text = format!(
        "{path} is damaged: it contains {} acknowledged commits and {} without a response, but \
            the run's record contains {} and {}",
        counted.0, counted.1, recorded.0, recorded.1
    );
    Err(Error::new(ErrorKind::Protocol, text)
        .hint("import the run again from an archive or from a copy of its folder"))
}
