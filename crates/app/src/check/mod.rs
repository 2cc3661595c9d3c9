//! Checks the consistency conditions in several sessions. Returns the results in the workload's order.

mod asking;
mod commits;
mod foreign;
mod hosts;

pub use commits::check_commits;
pub use foreign::{TableRows, check_foreign, count_foreign};

use std::sync::Arc;

use tacho_core::Result;
use tacho_core::units::counted;
use tacho_driver::Form;
use tacho_engine::Share;
use tacho_store::Listener;
use tacho_store::record::{CheckRecord, CheckVerdict};
use tacho_workload::{Check, Finding, Instance, Marker, Purpose, Verdict, Violations, questions};

use crate::access::{Access, inspect_data};
use crate::adopt::excuse_samples;
use crate::lock_watch::LockWatch;
use crate::{Exit, Job, Request, cluster};
pub(crate) use asking::{Asking, without};
pub(crate) use hosts::part as part_of_host;

/// Number of parts per session into which a large query is split. With two parts, a session that is finished does not
/// wait long for the others. With more parts, whole tables would be scanned more often.
const PARTS_PER_SESSION: usize = 2;
/// Minimum number of parts. With fewer, there would be too little progress to estimate the remaining time from.
const PARTS_MIN: usize = 8;

/// The value of `when` in the results of checks that follow a run.
const AFTER_RUN: &str = "after";
/// The value of `when` for checks that are not part of a run.
pub(crate) const NOW: &str = "now";

/// The results of the checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckReport {
    /// One entry per condition.
    pub checks: Vec<CheckRecord>,
    /// The exit code of the command.
    pub exit: Exit,
}

/// Checks the data of a job.
pub fn check(request: Request<'_>, listener: &mut dyn Listener) -> Result<CheckReport> {
    let Request { job, context } = request;
    job.require_data("check")?;
    if !job.driver.capabilities().stores_data {
        return Err(tacho_core::Error::usage(format!(
            "{} stores no data, so there is nothing to check",
            job.driver.manifest().title
        ))
        .hint("use a database that stores data"));
    }
    require_hosts(job)?;
    let mut checks = Vec::new();
    for set in job.all_sets() {
        let instance = instance(request, set)?;
        checks.extend(run_checks(Request { job, context }, instance.as_ref(), set, NOW, listener)?);
    }
    let exit = if context.interrupted() {
        Exit::Interrupted
    } else if checks.iter().all(passed) {
        Exit::Success
    } else {
        Exit::CheckFailed
    };
    Ok(CheckReport { checks, exit })
}

/// Returns the workload instance that created the data of a table set.
fn instance(request: Request<'_>, set: u32) -> Result<Arc<dyn Instance>> {
    let Request { job, context } = request;
    let access = Access::of(set)?;
    let session = access.connect(request)?;
    let (store, marker) = access.require_ready(request, session)?;
    let choices = job.choices(Some(&marker))?;
    let instance = job.workload.instance(&choices)?;
    crate::access::require_match(job, &marker, &choices, instance.as_ref())?;
    access.unless_stopped(context, store.into_session().close())?;
    Ok(instance)
}

/// Returns true if a check found no violations, or if it does not apply to the data.
pub(crate) fn passed(check: &CheckRecord) -> bool {
    matches!(check.verdict, CheckVerdict::Holds | CheckVerdict::Excused)
}

/// Runs all checks of a workload in separate sessions. If there are several table sets, the set number is prepended to
/// the name of each check.
pub(crate) fn run_checks(
    request: Request<'_>,
    instance: &dyn Instance,
    set: u32,
    when: &str,
    listener: &mut dyn Listener,
) -> Result<Vec<CheckRecord>> {
    let job = request.job;
    let inspect = || inspect_data(request, instance, set, Purpose::Check);
    if let Some(words) = LockWatch::new(request, set).during(listener, inspect)? {
        listener.note(&words);
    }
    let mut checks = match when {
        AFTER_RUN => instance.checks_after_run(),
        _ => instance.checks(),
    };
    if job.adopted.is_some() {
        excuse_samples(&mut checks);
    }
    // A setup without prepared statements suggests a connection pooler, so do not use them for the checks either.
    let form = match job.resolved.plan.data.form {
        Form::Simple => Form::Simple,
        _ => Form::Sql,
    };
    ask_checks(request, instance, set, CheckRun { checks, when, form }, listener)
}

/// A set of checks, along with the time at which they run and the form of their statements.
struct CheckRun<'a> {
    checks: Vec<Check>,
    when: &'a str,
    form: Form,
}

/// Runs the given checks.
fn ask_checks(
    request: Request<'_>,
    instance: &dyn Instance,
    set: u32,
    CheckRun { checks, when, form }: CheckRun<'_>,
    listener: &mut dyn Listener,
) -> Result<Vec<CheckRecord>> {
    let Request { job, context } = request;
    // After a run, the coordinator runs all checks itself, because it also handles the run's marker and counters.
    let over_hosts = job.wanted.is_some() && when == NOW;
    let hosts = if over_hosts { job.resolved.plan.load.hosts as usize } else { 1 };
    let sessions = sessions(job, Share::WHOLE);
    let parts = (hosts * sessions * PARTS_PER_SESSION).max(PARTS_MIN);
    let questions = questions(&checks, parts);
    let answers = if over_hosts {
        let marker = marker(request, set)?;
        hosts::answers(request, &marker, set, parts, &questions, listener)?
    } else {
        let catalog = instance.catalog(job.driver.dialect())?;
        let sessions = sessions.min(questions.len());
        Asking { job, context, set, catalog, form, questions }.ask(sessions, listener)?
    };
    let mut outcomes: Vec<Result<Violations, String>> =
        vec![Ok(Violations::default()); checks.len()];
    for (at, answer) in answers {
        match (&mut outcomes[at], answer) {
            (Ok(sum), Ok(violations)) => sum.add(violations),
            (outcome @ Ok(_), Err(reason)) => *outcome = Err(reason),
            (Err(_), _) => {}
        }
    }
    let records = checks.iter().zip(outcomes).map(|(check, outcome)| match outcome {
        Ok(violations) => record(when, check.finding(violations)),
        Err(reason) => not_run(when, check, &reason),
    });
    let named = |record: CheckRecord| match set {
        0 => record,
        set => CheckRecord { id: format!("{set}:{}", record.id), ..record },
    };
    Ok(records.map(named).collect())
}

/// Returns an error if the checks cannot be distributed over the requested hosts.
pub(crate) fn require_hosts(job: &Job) -> Result<()> {
    cluster::require_broker(job)?;
    if job.wanted.is_none() {
        return Ok(());
    }
    if job.adopted.is_some() {
        let text = "tables created by another tool cannot be checked by several hosts";
        return Err(tacho_core::Error::usage(text).hint("omit --hosts"));
    }
    let hosts = job.resolved.plan.load.hosts;
    let sessions = job.resolved.plan.judgement.check_sessions.unwrap_or(hosts);
    cluster::require_reachable(job, sessions, "--check-sessions")
}

/// Returns the marker of the data, which must be complete.
fn marker(request: Request<'_>, set: u32) -> Result<Marker> {
    let context = request.context;
    let access = Access::of(set)?;
    let session = access.connect(request)?;
    let (store, marker) = access.require_ready(request, session)?;
    access.unless_stopped(context, store.into_session().close()).map(|()| marker)
}

/// Returns the number of concurrent check sessions on a host. This is the host's share of the requested number, or
/// by default, one per core.
pub(crate) fn sessions(job: &Job, share: Share) -> usize {
    let asked = job.resolved.plan.judgement.check_sessions;
    asked.map_or_else(tacho_collect::cores, |all| share.count(all)).max(1) as usize
}

fn not_run(when: &str, check: &Check, reason: &str) -> CheckRecord {
    CheckRecord {
        when: when.into(),
        id: check.id.into(),
        rule: check.rule.into(),
        verdict: CheckVerdict::Failed,
        detail: reason.into(),
        sampled: !check.samples.is_empty(),
    }
}

fn record(when: &str, finding: Finding) -> CheckRecord {
    let (verdict, detail) = match finding.verdict {
        Verdict::Holds => (CheckVerdict::Holds, String::new()),
        Verdict::Violated { count, first } => {
            (CheckVerdict::Violated, format!("{}, the first: {first}", counted(count, "violation")))
        }
        Verdict::Excused(reason) => (CheckVerdict::Excused, reason),
    };
    let check = finding.check;
    CheckRecord {
        when: when.into(),
        id: check.id.into(),
        rule: format!("{} ({})", check.rule, check.clause),
        verdict,
        detail,
        sampled: !check.samples.is_empty(),
    }
}
