//! The consistency conditions, one after the other.

use std::sync::Arc;

use tacho_core::Result;
use tacho_core::units::counted;
use tacho_driver::{Exchange, Form, Session, ValueKind};
use tacho_engine::EventLoop;
use tacho_store::record::CheckRecord;
use tacho_workload::{Check, Finding, Instance, Verdict, run_check};

use crate::access::Access;
use crate::{Context, Exit, Job, Progress};

/// What the checks found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckReport {
    /// One entry for each condition.
    pub checks: Vec<CheckRecord>,
    /// How the command ends.
    pub exit: Exit,
}

/// Checks the data of a job.
pub fn check(job: &Job, context: &Context, progress: &mut dyn Progress) -> Result<CheckReport> {
    let access = Access::new()?;
    let session = access.connect(job, context)?;
    if !job.driver.capabilities().stores_data {
        return Err(tacho_core::Error::usage(format!(
            "{} keeps no data, so there is nothing to check",
            job.driver.manifest().title
        ))
        .hint("name a database that keeps its data"));
    }
    let (store, marker) = access.require_ready(job, session)?;
    let choices = job.choices(Some(&marker))?;
    let instance = job.workload.instance(&choices)?;
    crate::access::require_match(job, &marker, &choices, instance.as_ref())?;
    let session = store.into_session();
    let (checks, _) = run_checks(
        &access.event_loop,
        job,
        (context, instance.as_ref()),
        session,
        "now",
        progress,
    )?;
    let exit = if context.interrupted() {
        Exit::Interrupted
    } else if checks.iter().all(passed) {
        Exit::Success
    } else {
        Exit::CheckFailed
    };
    Ok(CheckReport { checks, exit })
}

/// Whether a check found nothing wrong.
pub(crate) fn passed(check: &CheckRecord) -> bool {
    matches!(check.verdict.as_str(), "holds" | "excused")
}

/// Runs all checks of an instance on a session, and gives the session back.
pub(crate) fn run_checks(
    event_loop: &EventLoop,
    job: &Job,
    (context, instance): (&Context, &dyn Instance),
    session: Box<dyn Session>,
    when: &str,
    progress: &mut dyn Progress,
) -> Result<(Vec<CheckRecord>, Box<dyn Session>)> {
    let catalog = instance.catalog(job.driver.dialect())?;
    let checks = instance.checks();
    let mut exchange =
        event_loop.block_on(Exchange::new(session, Arc::clone(&catalog), Form::Sql))?;
    let mut records = Vec::with_capacity(checks.len());
    for (index, check) in checks.iter().enumerate() {
        if context.interrupted() {
            records.push(not_run(when, check, "stopped by the user"));
            continue;
        }
        progress.checking(index, checks.len(), check.id);
        let fields = &catalog.get(check.statement).results;
        let columns: Vec<(String, ValueKind)> =
            fields.iter().map(|field| (field.name.clone(), field.kind)).collect();
        records.push(match event_loop.block_on(run_check(&mut exchange, check, &columns)) {
            Ok(finding) => record(when, finding),
            Err(error) => not_run(when, check, &error.to_string()),
        });
    }
    progress.checked();
    Ok((records, exchange.into_session()))
}

fn not_run(when: &str, check: &Check, reason: &str) -> CheckRecord {
    CheckRecord {
        when: when.into(),
        id: check.id.into(),
        rule: check.rule.into(),
        verdict: "failed".into(),
        detail: reason.into(),
    }
}

fn record(when: &str, finding: Finding) -> CheckRecord {
    let (verdict, detail) = match finding.verdict {
        Verdict::Holds => ("holds", String::new()),
        Verdict::Violated { count, first } => {
            ("violated", format!("{}, the first: {first}", counted(count, "violation")))
        }
        Verdict::Excused(reason) => ("excused", reason),
    };
    let check = finding.check;
    CheckRecord {
        when: when.into(),
        id: check.id.into(),
        rule: format!("{} ({})", check.rule, check.clause),
        verdict: verdict.into(),
        detail,
    }
}
