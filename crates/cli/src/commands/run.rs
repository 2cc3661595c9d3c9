//! The `tacho run` command.

use clap::ArgMatches;
use tacho_app::{Context, Exit, Job, ReportRequest, Request, RunReport};
use tacho_core::Result;
use tacho_report::{Footer, TextOptions, json, summary};

use super::serve::Watchers;
use super::{agent, print_result, request, text};
use crate::export::{self, Format};
use crate::printer::Printer;
use crate::progress::{Whose, live, progress, with_web};
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let (mut job, context) = request::job(matches, world)?;
    job.hosts = agent::observed(matches, world)?;
    job.wanted = agent::wanted(matches, world, &job)?;
    if matches.get_flag("dry_run") {
        return dry_run(matches, &job, printer);
    }
    request::adopt(&mut job, &context, matches)?;
    let exports: Vec<String> = matches.get_many("export").into_iter().flatten().cloned().collect();
    let exports = export::create(&exports)?;
    let headline = headline(&job);
    let form = text(matches, "progress").unwrap_or("auto");
    let plain = progress(form, headline.as_deref(), world);
    let watchers = Watchers::open(matches, world, &context, "run")?;
    let mut progress = live(form, world, Whose::Ours, plain)?;
    if let Some(watchers) = &watchers {
        progress = with_web(progress, &watchers.hub);
    }
    let report = tacho_app::run(Request::new(&job, &context), progress.as_mut());
    // Restore the terminal before printing anything.
    drop(progress);
    if let Some(watchers) = watchers {
        watchers.ended(report.as_ref().map(|report| report.exit));
    }
    let report = report?;
    print_result(&report.record, matches, printer, |_, options| write_summary(&report, options))?;
    let export_as = |format: Format| match format {
        Format::Json => json(&report.record),
        Format::Text => Ok(write_summary(&report, &TextOptions { width: 100, color: false })),
        Format::Report(name) => as_report(name, &report, &context),
    };
    exports.into_iter().try_for_each(|export| export.write(export_as))?;
    Ok(report.exit)
}

/// Returns the name of the workload's headline metric, for the header of the progress lines.
fn headline(job: &Job) -> Option<String> {
    job.headline().map(|headline| headline.name.to_owned())
}

/// Returns the run in the format of `tacho report`.
fn as_report(name: &str, report: &RunReport, context: &Context) -> Result<String> {
    let what = vec![report.record.id.clone()];
    let report = tacho_app::report(context, &ReportRequest { what, ..ReportRequest::default() })?;
    tacho_report::render(&report, crate::forms::form(name, None, &report))
}

fn write_summary(report: &RunReport, options: &TextOptions) -> String {
    let saved = report.folder.display().to_string();
    let next = [
        "tacho show latest --timeline".to_owned(),
        "tacho report latest -o report.html".to_owned(),
    ];
    let saved = (!saved.is_empty()).then_some(saved.as_str());
    summary(&report.record, &Footer { notice: report.notice, saved, next: &next }, options)
}

fn dry_run(matches: &ArgMatches, job: &Job, printer: &Printer) -> Result<Exit> {
    let record = tacho_app::dry_run(job)?;
    print_result(&record, matches, printer, tacho_report::plan)?;
    Ok(Exit::Success)
}
