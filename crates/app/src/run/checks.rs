//! Runs the data checks before and after the load.

use tacho_config::CheckWhen;
use tacho_core::{Error, ErrorKind, Result};
use tacho_store::Listener;
use tacho_store::record::{CheckRecord, CheckVerdict, Record};
use tacho_workload::Instance;

use crate::Request;
use crate::check::{passed, run_checks};

/// Runs the checks if the user requested them at this point and there is data.
pub(super) fn checks(
    request: Request<'_>,
    instance: &dyn Instance,
    record: &Record,
    when: CheckWhen,
    listener: &mut dyn Listener,
) -> Result<Vec<CheckRecord>> {
    let asked = record.plan.judgement.check;
    if !asked.is_some_and(|asked| asked.includes(when)) || record.data.is_none() {
        return Ok(Vec::new());
    }
    let mut records = Vec::new();
    for set in request.job.all_sets() {
        records.extend(run_checks(request, instance, set, when.word(), listener)?);
    }
    Ok(records)
}

/// Returns an error if a check failed before the load. Otherwise, the run could later be blamed for the inconsistent
/// data.
pub(super) fn require_consistent(checks: &[CheckRecord]) -> Result<()> {
    let failed: Vec<&str> =
        checks.iter().filter(|check| !passed(check)).map(|check| check.id.as_str()).collect();
    if failed.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Constraint,
        format!("the data was inconsistent before the run: {}", failed.join(", ")),
    )
    .during("start run")
    .hint("tacho check shows the details; use tacho clean and tacho prepare to rebuild the data"))
}

/// Returns a failed check with the reason why the checks could not be run after the load.
pub(super) fn not_run(error: &Error) -> CheckRecord {
    CheckRecord {
        when: CheckWhen::After.word().into(),
        id: "all".into(),
        rule: "the checks can be run".into(),
        verdict: CheckVerdict::Failed,
        detail: error.to_string(),
        sampled: false,
    }
}
