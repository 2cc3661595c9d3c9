//! Acknowledged commits: noted on the client while they happen, marked in the database by the transactions
//! themselves, and compared after an outage and at the end.
//!
//! Start reading at [`Acknowledged::create`] and [`Acknowledged::verify`].

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tacho_config::Verify;
use tacho_core::units::{counted, grouped, span};
use tacho_core::{Error, ErrorKind, Form, Result, Seed};
use tacho_driver::CommitLog;
use tacho_engine::{LoadPlan, Measurement};
use tacho_metrics::Phase;
use tacho_store::record::{AcknowledgedRecord, MarkedRecord, NoticeRecord};
use tacho_store::{CommitCounts, CommitNotes};
use tacho_workload::{CommitMarks, Instance};

use super::notices::Notice;
use crate::access::{Access, answer_limit};
use crate::job::routines;
use crate::{Context, Job};

/// The notes of a run and what they are compared with.
pub(super) struct Acknowledged {
    notes: Arc<CommitNotes>,
}

impl Acknowledged {
    /// Makes the marks in the database and the notes in the folder of the run, if they are wanted.
    pub(super) fn create(
        (job, context, access): (&Job, &Context, &Access),
        plan: &LoadPlan,
        folder: &Path,
        seed: Seed,
    ) -> Result<Option<Self>> {
        if job.resolved.plan.judgement.verify == Verify::None {
            return Ok(None);
        }
        let key = (seed.child("commits").0 >> 1).cast_signed();
        let session = access.connect(job, context)?;
        let made = CommitMarks::create(session, job.driver.dialect(), key, plan.sessions);
        let marks = access.unless_stopped(context, made);
        let marks = marks.map_err(|error| error.during("make the table of marks"))?;
        access.unless_stopped(context, marks.close())?;
        let notes = Arc::new(CommitNotes::create(folder, plan.sessions, key)?);
        Ok(Some(Self { notes }))
    }

    /// Where sessions note their commits.
    pub(super) fn log(&self) -> Arc<dyn CommitLog> {
        Arc::clone(&self.notes) as Arc<dyn CommitLog>
    }

    /// Looks for each commit in the database, now that no session works any more.
    pub(super) fn verify(
        &self,
        (job, context, access): (&Job, &Context, &Access),
        measurement: &Measurement,
        instance: &dyn Instance,
    ) -> AcknowledgedRecord {
        let unread = compare(&self.notes, (job, context, access)).err();
        let mut record = record(self.notes.counts());
        record.unread = unread.map(|error| error.to_string());
        record.transactions = transactions(measurement, instance);
        record
    }
}

/// Refuses what cannot be verified.
pub(super) fn require_verifiable(job: &Job, instance: &dyn Instance) -> Result<()> {
    if job.resolved.plan.judgement.verify == Verify::None {
        return Ok(());
    }
    let refusal = |text: &str, hint: &str| {
        Err(Error::usage(format!("--verify commits is not supported {text}")).hint(hint))
    };
    if !job.driver.capabilities().stores_data {
        let title = job.driver.manifest().title;
        return refusal(
            &format!("by {title}, which keeps no data"),
            "name a database that keeps its data",
        );
    }
    if job.workload.without_data().is_some() {
        let text = format!("by the workload {}, which has no data", job.workload.manifest().id);
        return refusal(&text, "use a workload with data of its own");
    }
    if instance.ends() {
        return refusal("for a fixed list of queries", "use a workload of transactions");
    }
    if job.sets() > 1 || !job.resolved.plan.data.routes.is_empty() {
        return refusal("with --sets and --route", "use one set of tables on one target");
    }
    if job.resolved.plan.load.shared {
        // There is one table of marks: that of another run would be replaced.
        return refusal("with --shared yes", "let one run work on the data");
    }
    if job.resolved.plan.data.form == Form::Procedures
        && routines(instance, &*job.driver)?.create.iter().any(|routine| ends_transactions(routine))
    {
        return refusal(
            "with stored routines that commit on their own: their transaction takes no mark",
            "use --form sql",
        );
    }
    Ok(())
}

/// Whether a routine begins or ends a transaction, outside of its comments.
fn ends_transactions(routine: &str) -> bool {
    let code = routine.lines().map(|line| line.split("--").next().unwrap_or_default());
    let code = code.collect::<Vec<&str>>().join(" ").to_ascii_uppercase();
    let mut words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.any(|word| word == "COMMIT")
}

/// Compares notes with the marks in the database.
pub(crate) fn compare(
    notes: &CommitNotes,
    (job, context, access): (&Job, &Context, &Access),
) -> Result<()> {
    let marks = access.within(answer_limit(job), context, async {
        let session = access.open(job, context).await?;
        let mut marks = CommitMarks::open(session, job.driver.dialect()).await?;
        let found = marks.read().await?;
        let _ = marks.close().await;
        Ok(found)
    });
    let marks = marks.map_err(|error| error.during("read the marks of the commits"))?;
    if marks.key != notes.key() {
        let text = "the marks in the database are those of another run";
        return Err(Error::new(ErrorKind::Missing, text).during("read the marks of the commits"));
    }
    let mut present = vec![0; notes.sessions() as usize];
    for (session, commits) in marks.sessions {
        let Some(own) = present.get_mut(session as usize) else {
            let text = format!("session {session} has marks, and the run had no such session");
            let error = Error::new(ErrorKind::WrongAnswer, text);
            return Err(error.during("read the marks of the commits"));
        };
        *own = commits;
    }
    (0..).zip(present).for_each(|(session, commits)| notes.found(session, commits));
    Ok(())
}

/// What the notes say, for a record.
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
    }
}

/// How many commits of each kind carry a mark, over the whole run.
fn transactions(measurement: &Measurement, instance: &dyn Instance) -> Vec<MarkedRecord> {
    let total = &measurement.total;
    let kinds = instance.transactions().iter().enumerate();
    let kind = |(at, kind): (usize, &tacho_workload::Transaction)| {
        // Ramp-up and ramp-down share one series: two lookups cover the whole run.
        let whole = [Phase::Measure, Phase::RampUp].map(|phase| &total.series(phase)[at]);
        let marked = whole.iter().map(|series| series.marked).sum();
        let committed: u64 = whole
            .iter()
            .map(|own| own.ledger.committed + own.late_commits + own.wrong_commits)
            .sum();
        let unmarked = committed.saturating_sub(marked);
        MarkedRecord { transaction: kind.name.into(), marked, unmarked }
    };
    kinds.map(kind).collect()
}

/// What makes a run INVALID.
pub(super) fn notices(found: &AcknowledgedRecord) -> Vec<NoticeRecord> {
    let mut notices = Vec::new();
    if found.lost > 0 {
        notices.push(Notice::CommitsLost.found(lost_words(found)));
    }
    if found.phantom > 0 {
        let marks = counted(found.phantom, "commit");
        let text = format!("{marks} in the database that no session sent, or that committed twice");
        notices.push(Notice::CommitsLost.found(text));
    }
    if let Some(why) = &found.unread {
        notices.push(Notice::CommitsUnverified.found(format!(
            "{} acknowledged, and the marks could not be read: {why}",
            counted(found.acknowledged, "commit")
        )));
    }
    notices
}

/// `12 of 3 400 acknowledged commits lost by 4 sessions, acknowledged from 5.2s to 5.4s of the load`
fn lost_words(found: &AcknowledgedRecord) -> String {
    let moment = |seconds: f64| span(Duration::from_millis((seconds * 1e3) as u64));
    let when = match (found.lost_first_s, found.lost_last_s) {
        (Some(first), Some(last)) => {
            let from = if found.lost_earlier { "before" } else { "from" };
            format!(", acknowledged {from} {} to {} of the load", moment(first), moment(last))
        }
        _ => String::new(),
    };
    format!(
        "{} of {} lost by {}{when}",
        grouped(found.lost),
        counted(found.acknowledged, "acknowledged commit"),
        counted(found.sessions_lost.into(), "session"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_routine_that_commits_is_found_by_its_words() {
        assert!(ends_transactions("BEGIN\n  UPDATE a SET b = 1;\n  commit;\nEND"));
        for other in ["BEGIN\n  -- no COMMIT here\n  UPDATE a SET committed = 1;\nEND", ""] {
            assert!(!ends_transactions(other), "{other}");
        }
    }

    #[test]
    fn what_is_lost_twice_there_or_unread_is_a_notice() {
        let found = AcknowledgedRecord {
            acknowledged: 3_400,
            lost: 12,
            sessions_lost: 4,
            lost_first_s: Some(5.2),
            lost_last_s: Some(5.4),
            phantom: 1,
            unread: Some("gone".into()),
            ..AcknowledgedRecord::default()
        };
        let notices = notices(&found);
        let ids: Vec<&str> = notices.iter().map(|notice| notice.id.as_str()).collect();
        assert_eq!(ids, ["V06", "V06", "V13"]);
        let words = notices[0].text.replace('\u{202f}', " ");
        assert!(
            words.starts_with("12 of 3 400 acknowledged commits lost by 4 sessions, "),
            "{words}"
        );
        assert!(notices.iter().all(|notice| notice.invalidates));
        assert!(super::notices(&AcknowledgedRecord::default()).is_empty());
    }
}
