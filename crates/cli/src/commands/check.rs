//! `tacho check`

use clap::ArgMatches;
use tacho_app::{Context, Exit, Job};
use tacho_core::{Error, Result};
use tacho_store::record::{CheckRecord, CheckVerdict};

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
            let lines: Vec<String> = report.checks.iter().map(line).collect();
            printer.answer(&lines.join("\n"))?;
            printer.answer(&total(&report.checks))?;
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

/// One condition with what was found.
pub(super) fn line(check: &CheckRecord) -> String {
    let (mark, found) = match check.verdict {
        CheckVerdict::Holds => ("✓", String::new()),
        CheckVerdict::Excused => ("–", format!("\n        not run: {}", check.detail)),
        CheckVerdict::Violated => ("✗", format!("\n        {}", check.detail)),
        CheckVerdict::Failed => ("✗", format!("\n        could not be run: {}", check.detail)),
    };
    format!("{mark} {:4} {}{found}", check.id, check.rule)
}

fn total(checks: &[CheckRecord]) -> String {
    let (samples, conditions): (Vec<&CheckRecord>, Vec<&CheckRecord>) =
        checks.iter().partition(|check| check.sampled);
    let of = |group: &[&CheckRecord], what: &str| {
        let count = |verdict| group.iter().filter(|check| check.verdict == verdict).count();
        let (holds, excused) = (count(CheckVerdict::Holds), count(CheckVerdict::Excused));
        let excused_words = match excused {
            0 => String::new(),
            some => format!(", {some} excused"),
        };
        format!("{holds} of {} {what}{excused_words}", group.len() - excused)
    };
    let conditions = of(&conditions, "hold");
    match samples.as_slice() {
        [] => conditions,
        samples => {
            format!("{conditions}; {}", of(samples, "samples of the loaded rows are unchanged"))
        }
    }
}
