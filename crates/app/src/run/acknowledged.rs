//! Verifies acknowledged commits. The client records each acknowledgment, and each transaction writes a mark to the
//! database. At the end of the run, the records and the marks must agree, even if there was an outage.
//!
//! Start reading at [`Acknowledged::create`] and [`Acknowledged::verify`].

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tacho_cluster::Fleet;
use tacho_config::Verify;
use tacho_core::units::{counted, grouped, span};
use tacho_core::{Error, ErrorKind, Form, Result, Seed};
use tacho_driver::CommitLog;
use tacho_driver::lexer::{self, Syntax};
use tacho_engine::{LoadPlan, Measurement};
use tacho_metrics::{Phase, Series};
use tacho_store::record::{
    AcknowledgedRecord, CommitsRecord, HeadlineRecord, MarkedRecord, NoticeRecord,
};
use tacho_store::{CommitNotes, Listener};
use tacho_workload::{CommitMarks, Instance, Marks};

use super::claim::Claim;
use super::notices::Notice;
use crate::access::{Access, answer_limit};
use crate::commit_marks::{compare, read, record, store};
use crate::job::routines;
use crate::{Job, Request};

/// The commits that a run recorded. The claim is an entry in the database that keeps other runs from replacing this
/// run's commit marks before they are verified.
pub(super) struct Acknowledged {
    notes: Arc<CommitNotes>,
    claim: Option<Claim>,
}

/// The commit marks in the database. The table that contains them must exist before the sessions connect.
pub(super) struct Marked {
    pub(super) key: i64,
    /// The marks of an earlier run, which this run's marks replaced.
    before: Option<Marks>,
    made: bool,
    claim: Option<Claim>,
}

impl Marked {
    /// Returns this run's marks if its commits will be verified. Creates nothing in the database yet.
    pub(super) fn of(job: &Job, seed: Seed) -> Option<Self> {
        let key = (seed.child("commits").0 >> 1).cast_signed();
        let wanted = job.resolved.plan.judgement.verify != Verify::None;
        wanted.then_some(Self { key, before: None, made: false, claim: None })
    }

    /// Creates the marks, unless another run is using the existing marks.
    pub(super) fn make(
        &mut self,
        request: Request<'_>,
        access: &Access,
        plan: &LoadPlan,
    ) -> Result<()> {
        let Request { job, context } = request;
        let claim = Claim::of(plan);
        let take = async {
            let mut store = store(request, access).await?;
            claim.take(&mut store).await?;
            store.into_session().close().await
        };
        access.unless_stopped(context, take)?;
        self.claim = Some(claim);
        // If there are no marks of an earlier run, reading them fails. In this case, nothing needs to be restored
        // later.
        self.before = read(request, access).ok();
        let marks = Marks::new(self.key, plan.sessions);
        let create = async {
            let mut store = store(request, access).await?;
            CommitMarks::create(&mut store, job.driver.dialect(), &marks).await?;
            store.into_session().close().await
        };
        let made = access.unless_stopped(context, create);
        // An authorization error means that the table with this name belongs to somebody else, so Tacho has not
        // changed it.
        self.made = !made.as_ref().is_err_and(|error| error.kind() == ErrorKind::Auth);
        made.map_err(|error| error.during("create the commit mark table"))
    }

    /// Restores an earlier run's marks, because this run could not start.
    pub(super) fn put_back(
        &self,
        request: Request<'_>,
        access: &Access,
        listener: &mut dyn Listener,
    ) {
        let Request { job, context } = request;
        let Some(claim) = &self.claim else { return };
        let put = access.to_the_end(context, async {
            let mut store = store(request, access).await?;
            if let Some(before) = self.before.as_ref().filter(|_| self.made) {
                CommitMarks::create(&mut store, job.driver.dialect(), before).await?;
            }
            claim.release(&mut store).await?;
            store.into_session().close().await
        });
        if let Err(error) = put.map_err(|error| error.during("restore the commit marks"))
            && self.made
            && self.before.is_some()
        {
            let text = "the previous run's marks were replaced, so its commits can no longer be \
                compared";
            listener.note(&format!("{text}: {error}"));
        }
    }
}

impl Acknowledged {
    /// Creates the files that record commits, in the run's folder. If the sessions run on other hosts, commits cannot
    /// be verified until these hosts have sent their files.
    pub(super) fn create(
        marked: &Marked,
        plan: &LoadPlan,
        folder: &Path,
        has_hosts: bool,
    ) -> Result<Self> {
        let notes = CommitNotes::create(folder, plan.sessions, marked.key)?;
        if has_hosts {
            notes.are_elsewhere();
        }
        Ok(Self { notes: Arc::new(notes), claim: marked.claim.clone() })
    }

    /// Returns the log in which sessions record their commits.
    pub(super) fn log(&self) -> Arc<dyn CommitLog> {
        Arc::clone(&self.notes) as Arc<dyn CommitLog>
    }

    /// Searches the database for every recorded commit. All sessions must have ended.
    pub(super) fn verify(
        &self,
        request: Request<'_>,
        access: &Access,
        measurement: &Measurement,
        instance: &dyn Instance,
        fleet: Option<&Fleet>,
    ) -> Verified {
        let Request { job, context } = request;
        match fleet {
            Some(fleet) => self.take_over(fleet),
            None => self.notes.begins(measurement.origin),
        }
        let missing = if fleet.is_some() { self.missing() } else { 0 };
        // If some sessions did not report their commits, the recorded commits cannot be compared with the database.
        let unread = if missing > 0 {
            self.notes.incomplete()
        } else {
            compare(&self.notes, request, access).err().map(|error| error.to_string())
        };
        if let Some(claim) = self.claim.as_ref().filter(|_| unread.is_none()) {
            // Errors do not matter here: once this process has ended, other runs ignore its claim on the commit marks
            // anyway.
            let _ = access.within(answer_limit(job), context, async {
                let mut store = store(request, access).await?;
                claim.release(&mut store).await?;
                store.into_session().close().await
            });
        }
        let mut record = record(self.notes.counts());
        record.unread = unread;
        let kinds = kinds(measurement, instance);
        // Compare the totals only if all sessions reported theirs. An abandoned session, for example, may have
        // recorded a commit without reporting it.
        let all_reported = measurement.abandoned == 0 && measurement.panics == 0 && missing == 0;
        let imbalance = imbalance(&kinds, all_reported.then_some(record.acknowledged));
        record.transactions = kinds.into_iter().map(|(kind, _)| kind).collect();
        Verified { record, imbalance }
    }
}

impl Acknowledged {
    /// Imports the commits recorded on the load hosts.
    fn take_over(&self, fleet: &Fleet) {
        let mut taken = vec![false; self.notes.sessions() as usize];
        for (session, numbers) in &fleet.commits() {
            if self.notes.take_over(*session, numbers) {
                taken[*session as usize] = true;
            }
        }
        let missing = (0..).zip(taken).filter(|(_, is_taken)| !is_taken);
        missing.for_each(|(session, _)| self.notes.is_elsewhere(session));
    }

    /// Returns the number of sessions whose commits no host has reported.
    fn missing(&self) -> u64 {
        (0..self.notes.sessions()).filter(|session| !self.notes.has(*session)).count() as u64
    }
}

/// The result of the verification.
pub(super) struct Verified {
    pub(super) record: AcknowledgedRecord,
    /// A description of counts that contradict each other, which is a bug in Tacho; `None` if all counts agree.
    pub(super) imbalance: Option<String>,
}

/// Rejects jobs whose commits cannot be verified.
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
            &format!("by {title}, because it stores no data"),
            "use a database that stores data",
        );
    }
    if job.workload.without_data().is_some() {
        let text = format!("by workload {}, because it has no data", job.workload.manifest().id);
        return refusal(&text, "use a workload that has data");
    }
    if instance.ends() {
        return refusal("for a fixed list of queries", "use a transaction workload");
    }
    if job.sets() > 1 || !job.resolved.plan.data.routes.is_empty() {
        return refusal("with --sets and --route", "use a single table set on a single target");
    }
    if job.resolved.plan.load.shared {
        // Only one run can use the table of commit marks, because runs replace each other's marks.
        return refusal("with --shared yes", "make sure that only one run uses the data at a time");
    }
    if job.resolved.plan.data.form == Form::Procedures
        && routines(instance, &*job.driver)?
            .create
            .iter()
            .any(|routine| ends_transactions(routine, job.driver.dialect().syntax()))
    {
        return refusal(
            "with stored routines that commit by themselves, because their transactions cannot be \
                marked",
            "use --form sql",
        );
    }
    Ok(())
}

/// Returns true if a routine contains a commit.
fn ends_transactions(routine: &str, syntax: Syntax) -> bool {
    lexer::has_word(routine, syntax, "commit")
}

/// Returns three numbers for each transaction type: commits with a mark, commits without a mark, and transactions
/// that committed.
fn kinds(measurement: &Measurement, instance: &dyn Instance) -> Vec<(MarkedRecord, u64)> {
    let total = &measurement.total;
    let kinds = instance.transactions().iter().enumerate();
    let kind = |(at, kind): (usize, &tacho_workload::Transaction)| {
        // The series for the ramp-up phase also contains the ramp-down phase. Together with the series for the
        // measured phase, it covers the whole run.
        let whole = [Phase::Measure, Phase::RampUp].map(|phase| &total.series(phase)[at]);
        let sum = |value: fn(&Series) -> u64| whole.iter().map(|series| value(series)).sum::<u64>();
        let marked = sum(|series| series.marked);
        let unmarked = sum(|series| series.unmarked);
        let committed = sum(|series| series.ledger.committed + series.late_commits);
        (MarkedRecord { transaction: kind.name.into(), marked, unmarked }, committed)
    };
    kinds.map(kind).collect()
}

/// Returns a message if the counts contradict each other. Each committed transaction has at least one commit, and
/// every marked commit must have been recorded.
fn imbalance(kinds: &[(MarkedRecord, u64)], noted: Option<u64>) -> Option<String> {
    let unbalanced = kinds.iter().find_map(|(kind, committed)| {
        // There may be more commits than transactions, because one transaction may consist of several commits.
        (*committed > kind.marked + kind.unmarked).then(|| {
            format!(
                "{} {} transactions committed, but only {} marked and {} unmarked commits were counted",
                grouped(*committed),
                kind.transaction,
                grouped(kind.marked),
                grouped(kind.unmarked)
            )
        })
    });
    let marked: u64 = kinds.iter().map(|(kind, _)| kind.marked).sum();
    let uncounted = noted.filter(|noted| *noted != marked).map(|noted| {
        format!(
            "{} acknowledged commits were recorded, but {} were counted",
            grouped(noted),
            grouped(marked)
        )
    });
    unbalanced.or(uncounted)
}

/// Returns the reason why the workload's tables contradict the commit marks. A database that loses a transaction also
/// loses its mark. If a mark is missing but the tables contain the transaction, this is a contradiction.
pub(super) fn contradiction(
    found: &AcknowledgedRecord,
    headline: Option<&HeadlineRecord>,
    commits: &[CommitsRecord],
    counted_kind: Option<&str>,
) -> Option<String> {
    if found.lost == 0 {
        return None;
    }
    let counts = headline.and_then(|headline| {
        Some((headline.whole_run_schema_count?, headline.whole_run_client_count))
    });
    let mut evidence = Vec::new();
    for kind in found.transactions.iter().filter(|kind| kind.marked > 0) {
        let of_kind = |sum: &&CommitsRecord| sum.transaction == kind.transaction;
        let mut sums = commits.iter().filter(of_kind).peekable();
        if let Some((schema, client)) = counts.filter(|_| counted_kind == Some(&kind.transaction)) {
            if schema < client {
                return None;
            }
            evidence.push(format!(
                "{} {} transactions recorded, {} acknowledged",
                grouped(schema),
                kind.transaction,
                grouped(client)
            ));
        } else if sums.peek().is_some() && sums.all(CommitsRecord::matches) {
            evidence.push(format!("the sums for {}", kind.transaction));
        } else {
            return None;
        }
    }
    (!evidence.is_empty()).then(|| {
        format!(
            "the workload's tables contain all of them ({}), although each mark is part of its \
                transaction: the database contains partial transactions, or another client has \
                changed the marks; see the database's recovery log",
            evidence.join(", ")
        )
    })
}

/// Returns the notices that make a run `INVALID`.
pub(super) fn notices(found: &AcknowledgedRecord) -> Vec<NoticeRecord> {
    let mut notices = Vec::new();
    if found.lost > 0 {
        let but = found.contradicted.as_ref().map(|why| format!("; but {why}"));
        notices.push(Notice::CommitsLost.found(lost_words(found) + &but.unwrap_or_default()));
    }
    if found.phantom > 0 {
        let marks = counted(found.phantom, "commit");
        let text = format!(
            "the database contains {marks} that no session sent or that were committed twice"
        );
        notices.push(Notice::CommitsLost.found(text));
    }
    if let Some(why) = &found.unread {
        notices.push(Notice::CommitsUnverified.found(format!(
            "{} acknowledged, but the marks could not be read: {why}",
            counted(found.acknowledged, "commit")
        )));
    }
    notices
}

/// Describes lost commits, for example `12 of 3 400 acknowledged commits lost by 4 sessions, acknowledged from 5.2s to
/// 5.4s of the load`.
fn lost_words(found: &AcknowledgedRecord) -> String {
    let moment = |seconds: f64| span(Duration::from_millis((seconds * 1e3) as u64));
    let when = match (found.lost_first_s, found.lost_last_s) {
        (Some(first), Some(last)) => {
            let from = if found.lost_earlier { "before" } else { "from" };
            format!(", acknowledged {from} {} to {} of the load", moment(first), moment(last))
        }
        (None, Some(last)) => {
            format!(", acknowledged by {} of the load at the latest", moment(last))
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
        let ends = |routine: &str| ends_transactions(routine, Syntax::STANDARD);
        assert!(ends("BEGIN\n  UPDATE a SET b = 1;\n  commit;\nEND"));
        assert!(ends("CREATE PROCEDURE p() AS $$ -- it's\nBEGIN COMMIT; END $$"));
        for other in ["BEGIN\n  -- no COMMIT here\n  UPDATE a SET committed = 1;\nEND", ""] {
            assert!(!ends(other), "{other}");
        }
    }

    #[test]
    fn each_commit_has_a_mark_or_none_and_each_mark_is_counted() {
        let kind = |marked, unmarked, committed| {
            (MarkedRecord { transaction: "payment".into(), marked, unmarked }, committed)
        };
        // There are three transaction types: one only reads, one commits once, and one commits ten times per
        // transaction.
        let good = [kind(0, 7, 7), kind(5, 0, 5), kind(30, 0, 3)];
        assert_eq!(imbalance(&good, Some(35)), None);
        assert_eq!(imbalance(&good, None), None);
        let noted = imbalance(&good, Some(36)).expect("one too few");
        assert!(
            noted.starts_with("36 acknowledged commits were recorded, but 35 were counted"),
            "{noted}"
        );
        let unbalanced = imbalance(&[kind(5, 1, 7)], Some(5)).expect("one without a word");
        assert!(
            unbalanced.contains("7 payment transactions committed, but only 5 marked"),
            "{unbalanced}"
        );
    }

    #[test]
    fn marks_that_miss_what_the_tables_hold_are_contradicted() {
        let kind = |name: &str, marked, unmarked| MarkedRecord {
            transaction: name.into(),
            marked,
            unmarked,
        };
        let said = |schema, sum, kinds: &[MarkedRecord]| {
            let headline = HeadlineRecord {
                whole_run_schema_count: schema,
                whole_run_client_count: 818,
                ..HeadlineRecord::default()
            };
            let commits = [CommitsRecord {
                transaction: "payment".into(),
                low: 5,
                high: 6,
                schema: sum,
                ..CommitsRecord::default()
            }];
            let found = AcknowledgedRecord {
                lost: 19,
                transactions: kinds.to_vec(),
                ..AcknowledgedRecord::default()
            };
            contradiction(&found, Some(&headline), &commits, Some("simple_update"))
        };
        let (update, payment) = (kind("simple_update", 818, 0), kind("payment", 9, 0));
        let words = said(Some(824), 0, std::slice::from_ref(&update)).expect("a contradiction");
        assert!(
            words.contains("(824 simple_update transactions recorded, 818 acknowledged)"),
            "{words}"
        );
        let both = [update.clone(), payment, kind("reads", 0, 7)];
        assert!(said(Some(818), 6, &both).is_some_and(|words| words.contains("sums for payment")));
        // There is no contradiction if the tables lack the commits too, or if they cannot be read. The same is true
        // if a sum is too high, or if a transaction type has no tables to compare.
        for (schema, sum) in [(Some(817), 5), (None, 5), (Some(818), 4), (Some(818), 7)] {
            assert_eq!(said(schema, sum, &both), None);
        }
        assert_eq!(said(Some(824), 5, &[update, kind("delivery", 1, 0)]), None);
        assert_eq!(said(Some(824), 5, &[]), None);
    }

    #[test]
    fn lost_phantom_and_unread_commits_give_notices() {
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
        let some_time = AcknowledgedRecord { lost_first_s: None, ..found };
        let words = lost_words(&some_time);
        assert!(words.ends_with(", acknowledged by 5.4s of the load at the latest"), "{words}");
        assert!(super::notices(&AcknowledgedRecord::default()).is_empty());
    }
}
