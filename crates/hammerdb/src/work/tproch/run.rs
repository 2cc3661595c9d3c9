//! Implements `vurun` for TPROC-H. Each virtual user is a query stream, and there is no monitor.
//!
//! All results come from the run record.

use tacho_app::{Context, Exit, Job, Request, RunReport};
use tacho_core::{Error, ErrorKind, Result};
use tacho_store::record::ResultRecord;

use super::super::absent::explained;
use super::super::run::{epilogue, exit_of, run_job, tell_errors};
use super::super::transcript::{State, Transcript};
use super::super::{theirs, words};
use super::StreamsTask;
use super::lines::{StreamLines, Texts};
use crate::dictionary::Benchmark;

pub(in crate::work) fn run(task: &StreamsTask, context: &Context, transcript: &Transcript) -> Exit {
    task.repeat.run(context, |last| once(task, context, transcript, last))
}

fn once(task: &StreamsTask, context: &Context, transcript: &Transcript, last: bool) -> Exit {
    for note in &task.plan.notes {
        transcript.says(1, note);
    }
    let mut lines = StreamLines::new(task, transcript, context.interrupt.clone());
    let outcome = measure(task, context, &mut lines);
    let exit = match outcome {
        Ok(report) => {
            let exit = tell(task, &report, &mut lines, transcript);
            transcript.epilogue(epilogue(&report, None));
            exit
        }
        Err(error) => {
            let error = explained(error, &task.plan.flags, context);
            transcript.fails(1, &error).1
        }
    };
    if last || exit != Exit::Success {
        for user in 1..=task.plan.users {
            let good = exit == Exit::Success && lines.is_complete(user);
            transcript.is(user, if good { State::Success } else { State::Failed });
        }
    }
    exit
}

fn measure(
    task: &StreamsTask,
    context: &Context,
    lines: &mut StreamLines<'_>,
) -> Result<RunReport> {
    let job = run_job(&task.plan.flags, &task.tags, context, Benchmark::TprocH)?;
    if let Some(adopted) = &job.adopted {
        lines.adopt(theirs::found(adopted, Benchmark::TprocH));
        if task.plan.refreshes {
            let text = "refresh functions are not supported on a schema built by HammerDB";
            return Err(Error::new(ErrorKind::Unsupported, text)
                .hint("set refresh_on to false, or build the schema with Tacho"));
        }
    }
    if task.plan.verbose {
        lines.show(texts(&job, task.plan.degree)?);
    }
    tacho_app::run(Request::new(&job, context), lines)
}

/// Returns the text of each query on this database, by name.
fn texts(job: &Job, degree: Option<u64>) -> Result<Texts> {
    let dialect = job.driver.dialect();
    let mut catalog = job.workload.catalog(dialect)?;
    if let Some(hint) = degree.and_then(|workers| dialect.parallel_hint(workers)) {
        catalog.end_with(&hint, |_| true);
    }
    Ok(catalog.statements().iter().map(|one| (one.name.clone(), one.sql.clone())).collect())
}

/// Prints the results. Returns success only if all the requested work was done.
fn tell(
    task: &StreamsTask,
    report: &RunReport,
    lines: &mut StreamLines<'_>,
    transcript: &Transcript,
) -> Exit {
    let Some(result) = &report.record.result else { return Exit::Internal };
    // Queries that have finished in the latest interval.
    lines.rest(&result.executions);
    tell_errors(result, transcript);
    if let Some(user) = lines.raised() {
        transcript.error(user, format!("Query Error : {}", words(&raised(result))));
        return Exit::Target;
    }
    let complete = (1..=task.plan.users).all(|user| lines.is_complete(user));
    if !complete {
        transcript.says(1, format!("Test stopped by {}: no result", result.ended_by));
    }
    exit_of(report, complete)
}

/// Returns the query error that ended a run because of `raise_query_error`.
fn raised(result: &ResultRecord) -> Error {
    let first = result.errors.first();
    let text = first.map_or_else(
        || "a query failed".into(),
        |error| format!("{}: {}", error.transaction, error.example),
    );
    Error::new(ErrorKind::Other, text)
        .hint("raise_query_error is set, so a failed query ends the run")
}
