//! The `tacho pipeline` command.

use std::path::Path;

use clap::ArgMatches;
use tacho_analysis::Reported;
use tacho_app::{Context, Exit, Forecast, Pipeline, PipelineRequest, PipelineStage, noise};
use tacho_config::PipelineFile;
use tacho_core::units::{counted, grouped, span};
use tacho_core::{Error, Result};
use tacho_report::{Format, PipelineReport, Text, TextOptions, render_pipeline};
use tacho_store::{Event, Listener};

use super::serve::Watchers;
use super::sweep::{Points, besides};
use super::{compare, output, request, text};
use crate::export::{self, Format as Wanted};
use crate::printer::{Printer, say};
use crate::progress::{Whose, live, progress, with_web};
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let context = world.context(text(matches, "dir"));
    let path = request::named_file(text(matches, "file").unwrap_or_default(), world);
    let go_on = || world.interrupt.interrupt_count() == 0;
    let mut pipeline = Pipeline::new(
        PipelineRequest {
            file: PipelineFile::read(&path, &go_on)?,
            folder: path.parent().unwrap_or(Path::new(".")).to_owned(),
            targets: targets(matches, world)?,
            restart: matches.get_flag("restart"),
        },
        &context,
    )?;
    if matches.get_flag("dry_run") {
        let shown = forecasts(&pipeline, &context)?;
        printer.answer(&[vec![plan(&pipeline)], shown].concat().join("\n"))?;
        return Ok(Exit::Success);
    }
    let names: Vec<String> = matches.get_many("export").into_iter().flatten().cloned().collect();
    require_forms(&names)?;
    let exports = export::create(&names)?;
    if text(matches, "progress") != Some("none") && output(matches) != "quiet" {
        printer.tell(&plan(&pipeline));
    }
    let watchers = Watchers::open(matches, world, &context, "pipeline")?;
    let mut progress = listener(text(matches, "progress").unwrap_or("auto"), world)?;
    if let Some(watchers) = &watchers {
        progress = with_web(progress, &watchers.hub);
    }
    let measured = pipeline.measure(&context, progress.as_mut());
    // Restore the terminal before printing anything.
    drop(progress);
    if let Some(watchers) = watchers {
        watchers.ended(measured.as_ref().copied());
    }
    if context.interrupted() || measured.is_err() {
        say(&format!("  hint: to resume it, use tacho pipeline {}", path.display()));
    }
    // Report the results so far, even if the pipeline was interrupted or failed.
    let report = report(&pipeline, &context, measured.as_ref().err());
    if measured.is_err() && report.workloads.is_empty() {
        return measured;
    }
    let write = |format: Wanted| match format {
        Wanted::Json => render_pipeline(&report, Format::Json),
        Wanted::Text => Ok(as_text(&report, &TextOptions { width: 100, color: false })),
        Wanted::Report(name) => render_pipeline(&report, form(name)),
    };
    let shown = answer(&report, matches, printer)
        .and_then(|()| exports.into_iter().try_for_each(|export| export.write(write)));
    if let (Err(_), Err(error)) = (&measured, &shown) {
        say(&error.to_string());
    }
    measured.and_then(|exit| shown.map(|()| exit))
}

fn report(pipeline: &Pipeline, context: &Context, error: Option<&Error>) -> PipelineReport {
    let (workloads, failure) = pipeline.reports(context);
    let error = error.or(failure.as_ref()).map(Error::to_string);
    PipelineReport { name: pipeline.record.name.clone(), workloads, error }
}

fn answer(report: &PipelineReport, matches: &ArgMatches, printer: &Printer) -> Result<()> {
    match output(matches) {
        "json" => printer.answer(&render_pipeline(report, Format::Json)?),
        "quiet" => Ok(()),
        _ => printer.painted(&as_text(report, &printer.options)),
    }
}

/// Returns the comparisons for each workload. If there is only one server, returns the workload's table instead.
fn as_text(report: &PipelineReport, options: &TextOptions) -> String {
    let of = |(name, reported): &(String, Reported)| {
        let compared = reported.sweep_comparisons.iter().map(|one| one.text(options));
        let alone = reported.sweep().map(|side| side.view.text(options));
        let parts: Vec<String> = compared.chain(alone).collect();
        format!("── {name} ──\n{}", parts.join("\n"))
    };
    let error = report.error.iter().map(|error| format!("INCOMPLETE: {error}\n"));
    match &report.workloads[..] {
        [] => "nothing was measured".into(),
        all => {
            let over_all = report.over_all_words().into_iter();
            error.chain(all.iter().map(of)).chain(over_all).collect::<Vec<_>>().join("\n")
        }
    }
}

/// Returns the targets by name. A target in `tacho.toml` takes precedence over a private server.
fn targets(
    matches: &ArgMatches,
    world: &World,
) -> Result<std::collections::BTreeMap<String, String>> {
    let mut all = request::servers(matches, world);
    let Some(file) = request::config_file(matches, world)? else { return Ok(all) };
    let trust = world.trust();
    for (name, url) in file.targets {
        let code = tacho_app::program_in("target", &url, &[]);
        if let Some((key, text)) = code.filter(|(key, _)| !file.trusted && !trust.allows(key)) {
            let path = file.path.display();
            let what = format!("targets.{name} in {path} would load code: {text}");
            return Err(Error::usage(what)
                .hint(format!(
                    "to trust the file in its current state, use tacho config trust \
                               {path}"
                ))
                .hint(format!("or allow it for this command with --allow {key}")));
        }
        let url = all.get(&url).cloned().unwrap_or(url);
        all.insert(name, url);
    }
    Ok(all)
}

/// Returns an error if a file in this format cannot contain more than one table.
fn require_forms(names: &[String]) -> Result<()> {
    match names
        .iter()
        .find(|name| Path::new(name).extension().is_some_and(|extension| extension == "csv"))
    {
        Some(name) => Err(Error::usage(format!(
            "{name}: CSV is not supported, because a pipeline has one table per workload"
        ))
        .hint("to write the tables of one workload, use tacho report SWEEP --format csv")
        .hint("use the extension .html, .xml, .md, .json or .txt")),
        None => Ok(()),
    }
}

fn form(name: &str) -> Format {
    match name {
        "md" => Format::Markdown,
        "json" => Format::Json,
        "junit" => Format::Junit,
        _ => Format::Html,
    }
}

/// Returns the planned runs and their total duration.
fn plan(pipeline: &Pipeline) -> String {
    let stages = pipeline.plan();
    let runs: usize = stages.iter().map(|stage| stage.left).sum();
    let remaining = stages.iter().map(|stage| stage.remaining).sum();
    let warm_up = stages.iter().filter_map(|stage| stage.warm_up).max();
    let how = if pipeline.is_resumed() { ", continued" } else { "" };
    let mut lines = vec![format!(
        "Pipeline {}{how}: {}, {} of measurement, {}",
        pipeline.record.name,
        counted(runs as u64, "run"),
        span(remaining),
        besides(warm_up, "start", "server starts, loads and checks"),
    )];
    lines.extend(stages.iter().map(line));
    lines.join("\n")
}

/// Formats the smallest differences that each workload's repetitions can detect.
fn forecasts(pipeline: &Pipeline, context: &Context) -> Result<Vec<String>> {
    let stages = pipeline.plan().into_iter().filter(|stage| stage.layout.0 > 0);
    let each = stages.map(|stage| {
        let (points, repeats) = stage.layout;
        let forecast = Forecast { noise: noise(context, &stage.id)?, points, repeats };
        Ok(format!("  {}: {}", stage.workload, compare::forecast(forecast)))
    });
    each.collect()
}

fn line(stage: &PipelineStage) -> String {
    let PipelineStage { workload, id, servers, vary, runs, left, rows, remaining, .. } = stage;
    let name = if workload == id { workload.clone() } else { format!("{workload} ({id})") };
    let vary = if vary.is_empty() { String::new() } else { format!(", {}", vary.join(" × ")) };
    let done = runs - left;
    let done = if done > 0 { format!(", {done} already done") } else { String::new() };
    let rows = rows.map_or_else(String::new, |rows| {
        format!("; loads about {} rows on each server that lacks them", grouped(rows as i64))
    });
    format!(
        "  {name} on {}{vary}: {}{done}, {}{rows}",
        servers.join(", "),
        counted(*left as u64, "run"),
        span(*remaining)
    )
}

fn listener(form: &str, world: &World) -> Result<Box<dyn Listener>> {
    match form {
        "none" | "json" => Ok(progress(form, None, world)),
        _ => {
            let loads = progress("plain", None, world);
            live(form, world, Whose::Ours, Box::new(Lines { points: Points::default(), loads }))
        }
    }
}

/// Prints the points of a pipeline in the same way as `sweep`, and its data loads in the same way as `prepare`.
struct Lines {
    points: Points,
    loads: Box<dyn Listener>,
}

impl Listener for Lines {
    fn on(&mut self, event: &Event) {
        match event {
            Event::Build { .. } | Event::BuildOver => self.loads.on(event),
            _ => self.points.on(event),
        }
    }
}
