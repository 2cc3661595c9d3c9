//! The `tacho attribute` command.

use std::path::Path;

use clap::ArgMatches;
use tacho_app::{AttributeRequest, Attributing, Exit};
use tacho_core::units::{counted, span};
use tacho_core::{Error, Result};
use tacho_report::{
    AttributionReport, Block, Format, Line, Text, TextOptions, json, render_attribution,
};

use super::sweep::listener;
use super::{output, print_result, request, text};
use crate::export::{self, Format as Wanted};
use crate::printer::{Printer, say};
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let context = world.context(text(matches, "dir"));
    let asked = AttributeRequest {
        from: text(matches, "first").unwrap_or_default().to_owned(),
        to: text(matches, "last").unwrap_or_default().to_owned(),
        rounds: matches.get_one::<u32>("rounds").copied().unwrap_or(4),
        one_order: matches.get_flag("one_order"),
    };
    let mut attributing = Attributing::new(request::resolved(matches, world)?, asked, &context)?;
    let runs = attributing.runs();
    let time = attributing
        .duration()
        .map_or_else(String::new, |time| format!(", {} without loads", span(time)));
    let groups = counted(attributing.groups.len() as u64, "group");
    say(&format!("{groups} of differences, {}{time}", counted(runs as u64, "run")));
    if matches.get_flag("dry_run") {
        if output(matches) == "json" {
            printer.answer(&json(&attributing.groups)?)?;
        } else {
            printer.page(attributing.groups.iter().flat_map(|group| {
                let changes = group.changes.iter().map(|change| Line::new(1, change));
                [Block::heading(&group.title), Block::lines(changes)]
            }))?;
        }
        return Ok(Exit::Success);
    }
    let names: Vec<String> = matches.get_many("export").into_iter().flatten().cloned().collect();
    require_forms(&names)?;
    let exports = export::create(&names)?;
    let mut progress = listener(text(matches, "progress").unwrap_or("auto"), world)?;
    let measured = attributing.measure(&context, progress.as_mut());
    // Restore the terminal before the result is printed.
    drop(progress);
    let (attribution, exit) = measured?;
    print_result(&attribution, matches, printer, Text::text)?;
    let options = TextOptions { width: 100, color: false };
    let workload = tacho_registry::workload(&attribution.workload)?;
    let report = AttributionReport {
        attribution: &attribution,
        notice: workload.manifest().notice,
        tool_version: env!("CARGO_PKG_VERSION"),
    };
    let write = |format: Wanted| match format {
        Wanted::Json => render_attribution(&report, Format::Json),
        Wanted::Text => Ok(attribution.text(&options)),
        Wanted::Report("md") => render_attribution(&report, Format::Markdown),
        Wanted::Report(_) => render_attribution(&report, Format::Html),
    };
    exports.into_iter().try_for_each(|export| export.write(write))?;
    Ok(exit)
}

/// Returns an error if a file is requested in an unsupported format.
fn require_forms(names: &[String]) -> Result<()> {
    let is_other = |name: &&String| {
        Path::new(name)
            .extension()
            .is_some_and(|extension| extension == "csv" || extension == "xml")
    };
    match names.iter().find(is_other) {
        Some(name) => {
            Err(Error::usage(format!("{name}: an attribution cannot be written in this format"))
                .hint("use the extension .html, .md, .json or .txt"))
        }
        None => Ok(()),
    }
}
