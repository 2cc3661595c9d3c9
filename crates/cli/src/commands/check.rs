//! `tacho check`

use clap::ArgMatches;
use serde_json::json;
use tacho_app::Exit;
use tacho_core::{Error, Result};
use tacho_report::{acknowledged_commits, checked};

use super::{agent, output, request, text, text_options};
use crate::printer::Printer;
use crate::progress::progress;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let (mut job, context) = request::job(matches, world)?;
    request::adopt(&mut job, &context, matches)?;
    job.wanted = agent::wanted(matches, world, &job)?;
    let options = text_options(world);
    if let Some(run) = text(matches, "commits") {
        if job.wanted.is_some() {
            return Err(Error::usage("--commits is given with --hosts")
                .hint("leave --hosts out: this process looks for the commits"));
        }
        let (found, exit) = tacho_app::check_commits(&job, &context, run)?;
        match output(matches) {
            "json" => printer.answer(&super::json(&json!({ "acknowledged": found })))?,
            "quiet" => {}
            _ => printer.painted(&acknowledged_commits(&found, &options))?,
        }
        return Ok(exit);
    }
    let form = text(matches, "progress").unwrap_or("auto");
    let mut progress = progress(form, None, world);
    let report = tacho_app::check(&job, &context, progress.as_mut())?;
    match output(matches) {
        "json" => printer.answer(&super::json(&json!({ "checks": report.checks })))?,
        "quiet" => {}
        _ => printer.painted(&checked(&report.checks, &options))?,
    }
    Ok(report.exit)
}
