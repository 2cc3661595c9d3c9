//! Compares a run's record of acknowledged commits with the commit marks in the database.

use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::CommitLog;
use tacho_store::record::AcknowledgedRecord;
use tacho_store::{CommitCounts, CommitNotes};
use tacho_workload::{CommitMarks, MarkerStore, Marks};

use crate::Request;
use crate::access::{Access, Data, answer_limit, data};

/// Opens the data marker.
pub(crate) async fn store(request: Request<'_>, access: &Access) -> Result<Box<MarkerStore>> {
    let job = request.job;
    match data(job, access.open(request).await?).await? {
        Data::Ours(store, _) => Ok(store),
        Data::Empty(_) | Data::Foreign(_) => {
            Err(Error::new(ErrorKind::Missing, format!("{} contains no data", job.target_text)))
        }
    }
}

/// Reads the commit marks in the database.
pub(crate) fn read(request: Request<'_>, access: &Access) -> Result<Marks> {
    let Request { job, context } = request;
    let marks = access.within(answer_limit(job), context, async {
        let session = access.open(request).await?;
        let mut marks = CommitMarks::open(session, job.driver.dialect()).await?;
        let found = marks.read().await?;
        let _ = marks.close().await;
        Ok(found)
    });
    marks.map_err(|error| error.during("read the commit marks"))
}

pub(crate) fn compare(notes: &CommitNotes, request: Request<'_>, access: &Access) -> Result<()> {
    let marks = read(request, access)?;
    if marks.key != notes.key() {
        let text = "the commit marks in the database belong to another run";
        return Err(Error::new(ErrorKind::Missing, text).during("read the commit marks"));
    }
    let mut present = vec![None; notes.sessions() as usize];
    for (session, marked) in marks.sessions {
        let Some(mark) = present.get_mut(session as usize) else {
            let text = format!(
                "the database contains commit marks of session {session}, but the run had \
                no such session"
            );
            let error = Error::new(ErrorKind::WrongAnswer, text);
            return Err(error.during("read the commit marks"));
        };
        *mark = Some(marked);
    }
    let sessions = (0..).zip(present).filter(|(session, _)| notes.has(*session));
    let sessions: Vec<_> = sessions.collect();
    // Tacho stored a row for each session before the load. If a session's row is missing, somebody has removed it, so
    // this session's commits cannot be verified.
    if let Some((session, _)) = sessions.iter().find(|(_, marked)| marked.is_none()) {
        let text = format!("the commit marks of session {session} were removed");
        return Err(Error::new(ErrorKind::Missing, text).during("read the commit marks"));
    }
    for (session, marked) in sessions {
        if let Some(marked) = marked {
            notes.found(session, marked);
        }
    }
    Ok(())
}

/// Returns the commit counts in the form used in a run record.
pub(crate) fn record(counts: CommitCounts) -> AcknowledgedRecord {
    let seconds = |micros: u64| Duration::from_micros(micros).as_secs_f64();
    AcknowledgedRecord {
        acknowledged: counts.acknowledged,
        transactions: Vec::new(),
        unknown_committed: counts.recovered,
        unknown_not_committed: counts.absent,
        unknown_unresolved: counts.unresolved,
        lost: counts.lost,
        sessions_lost: counts.sessions_lost,
        lost_first_s: counts.lost_first_us.map(seconds),
        lost_last_s: counts.lost_last_us.map(seconds),
        lost_earlier: counts.lost_earlier,
        phantom: counts.phantom,
        unread: None,
        contradicted: None,
        without_checksums: false,
    }
}
