//! The `tacho check` command.

use clap::ArgMatches;
use serde_json::json;
use tacho_app::{Exit, Request};
use tacho_core::{Error, Result};
use tacho_report::{acknowledged_commits, checked};

use super::{agent, print_result, request, text};
use crate::printer::Printer;
use crate::progress::progress;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let (mut job, context) = request::job_with(&["workload", "target"], matches, world)?;
    request::adopt(&mut job, &context, matches)?;
    job.wanted = agent::wanted(matches, world, &job)?;
    if let Some(run) = text(matches, "commits") {
        if job.wanted.is_some() {
            return Err(Error::usage("--commits cannot be combined with --hosts")
                .hint("omit --hosts, because this process looks up the commits itself"));
        }
        let (found, exit) = tacho_app::check_commits(Request::new(&job, &context), run)?;
        print_result(&json!({ "acknowledged": found }), matches, printer, |_, options| {
            acknowledged_commits(&found, options)
        })?;
        return Ok(exit);
    }
    let form = text(matches, "progress").unwrap_or("auto");
    let mut progress = progress(form, None, world);
    let report = tacho_app::check(Request::new(&job, &context), progress.as_mut())?;
    print_result(&json!({ "checks": report.checks }), matches, printer, |_, options| {
        checked(&report.checks, options)
    })?;
    Ok(report.exit)
}
