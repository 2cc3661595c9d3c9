//! `tacho check`

use clap::ArgMatches;
use tacho_app::{Context, Exit, Job};
use tacho_core::{Error, Result};

use super::{agent, output, request, text};
use crate::printer::Printer;
use crate::progress::progress;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let (mut job, context) = request::job(matches, world)?;
    request::adopt(&mut job, &context, matches)?;
    job.wanted = agent::wanted(matches, world, &job)?;
    if let Some(run) = text(matches, "commits") {
        if job.wanted.is_some() {
            return Err(Error::usage("--commits is given with --hosts")
                .hint("leave --hosts out: this process looks for the commits"));
        }
        return commits(run, &job, &context, matches, printer);
    }
    let form = text(matches, "progress").unwrap_or("auto");
    let mut progress = progress(form, None, world);
    let report = tacho_app::check(&job, &context, progress.as_mut())?;
    match output(matches) {
        "json" => printer.answer(&super::json(&serde_json::json!({ "checks": report.checks })))?,
        "quiet" => {}
        _ => {
            printer.answer(&tacho_report::check_lines(&report.checks).join("\n"))?;
            printer.answer(&tacho_report::check_total(&report.checks))?;
        }
    }
    Ok(report.exit)
}

/// The acknowledged commits of a run.
fn commits(
    run: &str,
    job: &Job,
    context: &Context,
    matches: &ArgMatches,
    printer: &Printer,
) -> Result<Exit> {
    let (found, exit) = tacho_app::check_commits(job, context, run)?;
    match output(matches) {
        "json" => printer.answer(&super::json(&serde_json::json!({ "acknowledged": found })))?,
        "quiet" => {}
        _ => printer.answer(&tacho_report::acknowledged_lines(&found).join("\n"))?,
    }
    Ok(exit)
}
