//! The `tacho report` command.

use std::path::Path;
use std::time::Duration;

use clap::ArgMatches;
use tacho_app::{Context, Exit, ReportRequest};
use tacho_core::units::{bytes, counted, span};
use tacho_core::{Error, Result};
use tacho_report::PipelineReport;
use tacho_web::save_site;

use super::text;
use crate::export;
use crate::forms::{by_extension, form};
use crate::printer::Printer;
use crate::world::World;

/// Default name of the file for an HTML report. The report is not printed, because a terminal cannot display HTML.
const FILE: &str = "report.html";
/// The file name that represents standard output.
const STDOUT: &str = "-";

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    if let Some(folder) = text(matches, "site") {
        return site(folder, matches, world, printer);
    }
    let file = text(matches, "file");
    let table = text(matches, "table");
    let name = match (text(matches, "format"), file) {
        (Some(name), _) => name,
        (None, _) if table.is_some() => "csv",
        (None, Some(file)) if file != STDOUT => by_extension(Path::new(file))?,
        (None, _) => "html",
    };
    if table.is_some() && name != "csv" {
        return Err(Error::usage(format!(
            "--table requires the format csv, but the format is {name}"
        ))
        .hint("add --format csv, or omit --table"));
    }
    let what = matches.get_many::<String>("runs").into_iter().flatten().cloned();
    let request = ReportRequest {
        what: what.collect(),
        baseline: text(matches, "baseline").map(str::to_owned),
        force: matches.get_flag("force"),
        redact: matches.get_flag("redact"),
        intervals: name == "csv",
        title: text(matches, "title").map(str::to_owned),
        summary: text(matches, "summary")
            .map(|file| summary(&world.folder.join(file)))
            .transpose()?,
    };
    let content = content(name, table, &request, &world.context(text(matches, "dir")))?;
    match file.unwrap_or(if name == "html" { FILE } else { STDOUT }) {
        STDOUT => printer.file(&content)?,
        file => {
            export::replace(Path::new(file), &content)?;
            printer.tell(&format!("Saved  {file} ({})", bytes(content.len() as u64)));
        }
    }
    Ok(Exit::Success)
}

/// Maximum size of a summary in bytes. Nobody would read a longer one.
const SUMMARY_MAX: u64 = 1 << 20;

/// Reads the sender's summary.
fn summary(file: &Path) -> Result<String> {
    tacho_core::file::text(file, SUMMARY_MAX).map_err(|error| {
        Error::usage(format!("cannot read the summary {}: {error}", file.display()))
            .hint("--summary requires a Markdown file")
    })
}

/// Renders the report. A report on sweeps of several workloads has one part for each workload.
fn content(
    name: &str,
    table: Option<&str>,
    request: &ReportRequest,
    context: &Context,
) -> Result<String> {
    let Some(workloads) = tacho_app::reports_by_workload(context, request)? else {
        let report = tacho_app::report(context, request)?;
        return tacho_report::render(&report, form(name, table, &report));
    };
    if name == "csv" {
        return Err(Error::usage("the tables of several workloads do not fit in one CSV file")
            .hint("specify the sweeps of one workload at a time"));
    }
    let form = form(name, table, &workloads[0].1);
    let report = PipelineReport { name: String::new(), workloads, error: None };
    tacho_report::render_pipeline(&report, form)
}

/// Interval between two progress messages.
const TELL: Duration = Duration::from_secs(2);

/// Writes all saved runs to a folder of HTML pages.
fn site(folder: &str, matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let context = world.context(text(matches, "dir"));
    let begun = tacho_collect::wall_clock();
    let mut reported = begun;
    let mut tell = |done: usize, all: usize| {
        let now = tacho_collect::wall_clock();
        if done > 0 && now.saturating_sub(reported) >= TELL {
            reported = now;
            let left = now.saturating_sub(begun).mul_f64((all - done) as f64 / done as f64);
            printer.tell(&format!("{done} of {all} runs, about {} left", span(left)));
        }
    };
    let saved =
        save_site(&context, &world.folder.join(folder), matches.get_flag("redact"), &mut tell)?;
    let count = |count: usize, word: &str| counted(count as u64, word);
    printer.tell(&format!(
        "Saved  {folder}: {}, {}, {}, {} ({}); open {folder}/index.html",
        count(saved.runs, "run"),
        count(saved.sweeps, "sweep"),
        count(saved.comparisons, "comparison"),
        count(saved.trends, "trend"),
        bytes(saved.bytes),
    ));
    if !saved.kept.is_empty() {
        printer.tell(&format!(
            "note: not written by Tacho and therefore kept in {folder}: {}",
            saved.kept.join(", ")
        ));
    }
    Ok(Exit::Success)
}
