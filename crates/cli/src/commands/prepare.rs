//! The `tacho prepare` command.

use clap::ArgMatches;
use serde_json::json;
use tacho_app::{Exit, Job, LoadedFiles, Preparation, PrepareReport, Request};
use tacho_core::Result;
use tacho_report::{Built, Planned, TextOptions, built, planned};

use super::{agent, output, request, text};
use crate::printer::Printer;
use crate::progress::progress;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let (mut job, context) = request::job_with(&["workload", "target"], matches, world)?;
    job.wanted = agent::wanted(matches, world, &job)?;
    if let Some(folder) = text(matches, "files") {
        job.files = Some(LoadedFiles::read(&world.folder.join(folder))?);
    }
    let wanted = tacho_app::plan_prepare(&job)?;
    let options = printer.options;
    if matches.get_flag("dry_run") {
        printer.answer(&estimate(&job, &wanted, &options))?;
        return Ok(Exit::Success);
    }
    let form = text(matches, "progress").unwrap_or("auto");
    if matches!(form, "auto" | "plain") {
        printer.tell(estimate(&job, &wanted, &options).trim_end());
    }
    let mut progress = progress(form, None, world);
    let report = tacho_app::prepare(Request::new(&job, &context), progress.as_mut())?;
    match output(matches) {
        "json" => printer.answer(&super::json(&as_json(&report)))?,
        "quiet" => {}
        _ if job.driver.capabilities().writes_output => {}
        _ => printer.painted(&as_text(&job, &report, &options))?,
    }
    Ok(report.exit)
}

fn estimate(job: &Job, wanted: &Preparation, options: &TextOptions) -> String {
    let manifest = job.workload.manifest();
    let data = Planned {
        workload: manifest.id,
        size: &manifest.size(wanted.choices.scale),
        sets: job.sets(),
        tables: wanted.instance.schema().tables.len(),
        rows: wanted.rows,
        bytes: wanted.bytes,
        seed: wanted.choices.data_seed.0,
    };
    planned(&data, options)
}

fn as_text(job: &Job, report: &PrepareReport, options: &TextOptions) -> String {
    let done = match report {
        PrepareReport { already: true, .. } => Built::Existing,
        PrepareReport { rows, load, .. } => Built::Loaded { rows: *rows, took: *load },
    };
    let (workload, mut target) = (job.workload_word(), job.target_word());
    if job.sets() > 1 {
        target = format!("{target} --sets {}", job.sets());
    }
    let next = ["run", "check"].map(|command| format!("tacho {command} {workload} {target}"));
    let next = if report.checks.is_empty() { &next[..] } else { &next[..1] };
    built(done, &report.checks, next, options)
}

fn as_json(report: &PrepareReport) -> serde_json::Value {
    json!({
        "already": report.already,
        "resumed": report.resumed,
        "rows": report.rows,
        "load_s": report.load.as_secs_f64(),
        "checks": report.checks,
    })
}
