//! Checks the isolation between transactions. All sessions log their operations, and the history is searched for
//! anomalies after the load.
//!
//! Start reading at [`Isolation::create`] and [`Isolation::check`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tacho_core::units::{counted, grouped};
use tacho_core::{AttemptOutcome, Error, ErrorKind, Form, Instant, Result};
use tacho_driver::{Attempt, Exchange, HistoryLog, Isolation as Level, Session};
use tacho_engine::Measurement;
use tacho_isolation::{Anomaly, FINAL_READ, Findings};
use tacho_store::HistoryFile;
use tacho_store::record::{IsolationRecord, NoticeRecord};
use tacho_workload::Instance;

use super::notices::Notice;
use crate::access::{Access, answer_limit};
use crate::{Job, Request};

/// The option of a target that sets the isolation level of all transactions.
const OPTION: &str = "isolation";
/// Number of examples in a notice. The record contains more.
const EXAMPLES: usize = 1;

/// The history of a run.
pub(super) struct Isolation {
    log: Arc<HistoryFile>,
    folder: PathBuf,
}

impl Isolation {
    /// Creates the history in the run's folder if the workload reports its operations and the database stores data.
    pub(super) fn create(
        job: &Job,
        instance: &dyn Instance,
        sessions: u32,
        folder: &Path,
    ) -> Result<Option<Self>> {
        if !instance.has_history() || !job.driver.capabilities().stores_data {
            return Ok(None);
        }
        let log = Arc::new(HistoryFile::create(folder, sessions)?);
        Ok(Some(Self { log, folder: folder.to_owned() }))
    }

    /// Returns the log in which sessions record their attempts.
    pub(super) fn log(&self) -> Arc<dyn HistoryLog> {
        Arc::clone(&self.log) as Arc<dyn HistoryLog>
    }

    /// Reads all lists, completes the history and checks it. All sessions must have ended.
    pub(super) fn check(
        &self,
        request: Request<'_>,
        access: &Access,
        measurement: &Measurement,
        instance: &dyn Instance,
    ) -> IsolationRecord {
        let mut record = IsolationRecord::default();
        if let Err(error) = self.read_lists(request, access, instance, &mut record) {
            record.incomplete.push(format!("the lists could not be read after the load: {error}"));
        }
        if let Err(error) = self.log.finish() {
            record.incomplete.push(format!("the history could not be written: {error}"));
        }
        record.left_out = self.log.left_out();
        if record.left_out > 0 {
            let left_out = counted(record.left_out, "attempt");
            record.incomplete.push(format!("the history does not contain {left_out}"));
        }
        let unlogged = u64::from(measurement.abandoned) + u64::from(measurement.panics);
        if unlogged > 0 {
            let sessions = counted(unlogged, "session");
            record.incomplete.push(format!("the last attempt of {sessions} was not logged"));
        }
        let checked = HistoryFile::read(&self.folder).and_then(|mut history| {
            if unlogged > 0 {
                history.set_partial();
            }
            tacho_isolation::check(&history)
        });
        match checked {
            Ok(findings) => record.findings = Some(since(measurement.origin, findings)),
            Err(error) => {
                record.incomplete.push(format!("the history could not be checked: {error}"));
            }
        }
        record
    }

    /// Reads the sessions' isolation level and all lists.
    fn read_lists(
        &self,
        request: Request<'_>,
        access: &Access,
        instance: &dyn Instance,
        record: &mut IsolationRecord,
    ) -> Result<()> {
        let Request { job, context } = request;
        let dialect = job.driver.dialect();
        let catalog = instance.catalog(dialect)?;
        let form = match job.resolved.plan.data.form {
            Form::Simple => Form::Simple,
            _ => Form::Sql,
        };
        access.within(answer_limit(job), context, async {
            let mut session = access.open(request).await?;
            match level(job, &mut *session).await {
                Ok(found) => {
                    record.asked = Some(found.asked).filter(|asked| !asked.is_empty());
                    record.promised = found.promised;
                }
                Err(error) => {
                    record
                        .incomplete
                        .push(format!("the isolation level could not be read: {error}"));
                }
            }
            let mut exchange = Exchange::new(session, catalog, form).await?;
            let lists = instance.final_reads(&mut exchange).await?;
            let (outcome, at) = (AttemptOutcome::Committed, Instant::default());
            let attempt = Attempt { session: FINAL_READ, outcome, begun: at, ended: at };
            for operations in &lists {
                self.log.record(attempt, operations);
            }
            let _ = exchange.into_session().close().await;
            Ok(())
        })
    }
}

/// Makes all times relative to the start of the load.
fn since(origin: Instant, mut findings: Findings) -> Findings {
    let origin_s = origin.since(Instant::default()).as_secs_f64();
    let examples = findings.anomalies.iter_mut().flat_map(|anomaly| &mut anomaly.examples);
    for transaction in examples.flat_map(|example| &mut example.transactions) {
        transaction.begun_s -= origin_s;
        transaction.ended_s -= origin_s;
    }
    findings
}

/// Returns the isolation level that all sessions use. It is read from the server or, if the server cannot be asked,
/// from the target.
async fn level(job: &Job, session: &mut dyn Session) -> Result<Level> {
    let dialect = job.driver.dialect();
    let values: Vec<String> = if let Some(query) = dialect.isolation_query() {
        session.text_rows(query).await?.rows.into_iter().flatten().flatten().collect()
    } else {
        let options = job.target.options.iter();
        options.filter(|(key, _)| key == OPTION).map(|(_, value)| value.clone()).collect()
    };
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    Ok(dialect.isolation(&values))
}

/// Rejects jobs whose history would be incomplete.
pub(super) fn require_checkable(job: &Job, instance: &dyn Instance) -> Result<()> {
    if !instance.has_history() {
        return Ok(());
    }
    let refusal = |with: &str, hint: &str| {
        let text = format!("workload {} is not supported {with}", job.workload.manifest().id);
        Err(Error::new(ErrorKind::Usage, text).hint(hint))
    };
    if job.wanted.is_some() {
        return refusal("with --hosts", "run all sessions in this process");
    }
    if job.sets() > 1 {
        return refusal("with --sets", "use a single table set");
    }
    if job.adopted.is_some() {
        return refusal("on data that Tacho did not create", "create the data with tacho prepare");
    }
    if job.resolved.plan.load.shared {
        return refusal("with --shared yes", "make sure that only one run uses the data at a time");
    }
    Ok(())
}

/// Returns the notices of a check.
pub(super) fn notices(found: &IsolationRecord) -> Vec<NoticeRecord> {
    let (violations, _) = found.by_promise();
    let mut notices = Vec::new();
    if !violations.is_empty() {
        let level = match (&found.asked, found.promised) {
            (Some(asked), Some(promised)) => format!("{asked} promises {promised}"),
            _ => format!("every database must keep {}", found.required()),
        };
        let all: Vec<String> = violations.iter().map(|anomaly| words(anomaly)).collect();
        notices.push(Notice::IsolationViolated.found(format!("{level}, but: {}", all.join("; "))));
    }
    let mut reasons = found.incomplete.clone();
    if found.promised.is_none() {
        reasons.push(match &found.asked {
            Some(asked) => format!("the promise of the sessions' level, {asked}, is unknown"),
            None => "the sessions' level is unknown".into(),
        });
    }
    if !reasons.is_empty() {
        notices.push(Notice::IsolationUnchecked.found(reasons.join("; ")));
    }
    notices
}

/// Describes an anomaly with examples:
/// `3 × aborted read (G1a): T1 (session 4, 1.250 s): append 5 9; T2 (session 2, 1.251 s): r 5 [9]: 9 was read …`
fn words(anomaly: &Anomaly) -> String {
    let at_least = if anomaly.is_limited { "at least " } else { "" };
    let mut text = format!("{at_least}{} × {}", grouped(anomaly.count), anomaly.class.name());
    for example in anomaly.examples.iter().take(EXAMPLES) {
        for (at, transaction) in example.transactions.iter().enumerate() {
            text.push_str(if at == 0 { ": " } else { "; " });
            text.push_str(&transaction.words(at + 1));
        }
        text.push_str(": ");
        text.push_str(&example.reasons.join("; "));
    }
    text
}
