//! `tacho prepare`

use clap::ArgMatches;
use serde_json::json;
use tacho_app::{Exit, Job, Preparation, PrepareReport};
use tacho_core::Result;
use tacho_core::units::{bytes, counted, grouped, significant, span};

use super::{agent, output, request, text};
use crate::printer::Printer;
use crate::progress::progress;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let (mut job, context) = request::job(matches, world)?;
    job.wanted = agent::wanted(matches, world, &job)?;
    let wanted = tacho_app::plan_prepare(&job)?;
    if matches.get_flag("dry_run") {
        printer.answer(&estimate(&job, &wanted))?;
        return Ok(Exit::Success);
    }
    let form = text(matches, "progress").unwrap_or("auto");
    if matches!(form, "auto" | "plain") {
        printer.tell(&estimate(&job, &wanted));
    }
    let mut progress = progress(form, None, world);
    let report = tacho_app::prepare(&job, &context, progress.as_mut())?;
    match output(matches) {
        "json" => printer.answer(&super::json(&as_json(&report)))?,
        "quiet" => {}
        _ if job.driver.capabilities().writes_output => {}
        _ => printer.answer(&as_text(&job, &report))?,
    }
    Ok(report.exit)
}

fn estimate(job: &Job, wanted: &Preparation) -> String {
    let manifest = job.workload.manifest();
    let sets = match job.sets() {
        1 => String::new(),
        sets => format!("{sets} sets of "),
    };
    format!(
        "Plan: {sets}{} of {}, {}, about {} rows and {} of values, seed {}",
        manifest.size(wanted.choices.scale),
        manifest.id,
        counted(wanted.instance.schema().tables.len() as u64, "table"),
        grouped(wanted.rows),
        bytes(wanted.bytes),
        wanted.choices.data_seed.0
    )
}

fn as_text(job: &Job, report: &PrepareReport) -> String {
    let mut lines = Vec::new();
    if report.already {
        lines.push("✓ The data is there already; nothing to do".to_owned());
    } else {
        let rate = report.rows as f64 / report.load.as_secs_f64().max(1e-3);
        lines.push(format!(
            "✓ Loaded {} rows in {} ({} rows/s)",
            grouped(report.rows),
            span(report.load),
            significant(rate)
        ));
    }
    lines.extend(tacho_report::check_lines(&report.checks));
    let (workload, mut target) = (job.workload_word(), job.target_word());
    if job.sets() > 1 {
        target = format!("{target} --sets {}", job.sets());
    }
    lines.push(format!("Next   tacho run {workload} {target}"));
    if report.checks.is_empty() {
        lines.push(format!("       tacho check {workload} {target}"));
    }
    lines.join("\n")
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
