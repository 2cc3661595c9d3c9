//! The `tacho show` command.

use clap::ArgMatches;
use tacho_app::Exit;
use tacho_core::{Error, Result};
use tacho_report::{Footer, TextOptions, json, summary};
use tacho_store::sweep::SweepRecord;
use tacho_store::{Run, read_intervals};

use super::{output, text};
use crate::printer::Printer;
use crate::world::World;

type Part = fn(&Run, &TextOptions) -> Result<String>;

const PARTS: [(&str, Part); 8] = [
    ("timeline", |run, options| {
        let intervals = read_intervals(&run.path)?;
        Ok(tacho_report::timeline(&run.record, &intervals, options))
    }),
    ("transactions", |run, options| Ok(tacho_report::transactions(&run.record, options))),
    ("errors", |run, options| Ok(tacho_report::errors(&run.record, options))),
    ("plan", |run, options| Ok(tacho_report::plan(&run.record, options))),
    ("conditions", |run, options| Ok(tacho_report::conditions(&run.record, options))),
    ("audit", |run, options| Ok(tacho_report::audit(&run.record, options))),
    ("checks", |run, options| Ok(tacho_report::checks(&run.record, options))),
    ("server", |run, options| Ok(tacho_report::server(&run.record, options))),
];

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let context = world.context(text(matches, "dir"));
    let selector = text(matches, "run").unwrap_or("latest");
    if let Some(sweep) = tacho_app::named_sweep(&context, selector)? {
        return show_sweep(sweep, selector, matches, world, printer);
    }
    let run = context.store().find(selector)?;
    if output(matches) == "json" {
        printer.answer(&json(&run.record)?)?;
        return Ok(Exit::Success);
    }
    let options = printer.options;
    let mut shown = false;
    for (name, part) in PARTS {
        if matches.get_flag(name) {
            printer.painted(&part(&run, &options)?)?;
            shown = true;
        }
    }
    if !shown {
        printer.painted(&whole(&run, &options))?;
    }
    Ok(Exit::Success)
}

/// Prints a sweep's table. Returns an error if an option selects a part of a run.
fn show_sweep(
    sweep: SweepRecord,
    selector: &str,
    matches: &ArgMatches,
    world: &World,
    printer: &Printer,
) -> Result<Exit> {
    if let Some((name, _)) = PARTS.iter().find(|(name, _)| matches.get_flag(name)) {
        return Err(Error::usage(format!("--{name} requires a run, but {selector} is a sweep"))
            .hint(format!("to list the sweep's runs, use tacho show {selector} -o json")));
    }
    // Return an error if runs of the sweep are missing, because the table shows their results.
    tacho_app::runs_of(&world.context(text(matches, "dir")).store(), &sweep)?;
    super::sweep::answer(sweep, matches, world, printer)?;
    Ok(Exit::Success)
}

fn whole(run: &Run, options: &TextOptions) -> String {
    let saved = run.path.display().to_string();
    // The record contains a summary, so it can be shown even if this program does not include the workload.
    let notice = tacho_registry::recorded_workload(&run.record.plan.workload)
        .map_or("", |workload| workload.manifest().notice);
    let next = [format!("tacho show {} --timeline", run.record.id)];
    summary(&run.record, &Footer { notice, saved: Some(&saved), next: &next }, options)
}
