//! The `tacho compare` command.

use clap::ArgMatches;
use tacho_app::{Comparisons, Exit, FailOn, compare};
use tacho_core::Result;
use tacho_report::{Text, json};

use super::{output, text};
use crate::printer::Printer;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let context = world.context(text(matches, "dir"));
    let baseline = text(matches, "baseline").unwrap_or("latest~1");
    let others: Vec<String> = match matches.get_many::<String>("runs") {
        Some(runs) => runs.cloned().collect(),
        None => vec!["latest".into()],
    };
    let comparisons = compare(&context, baseline, &others, matches.get_flag("force"))?;
    let options = printer.options;
    let is_json = output(matches) == "json";
    let answer = match &comparisons {
        Comparisons::Runs(all) if is_json => json(all)?,
        Comparisons::Sweeps(all) if is_json => json(all)?,
        Comparisons::Runs(all) => joined(all.iter().map(|one| one.text(&options))),
        Comparisons::Sweeps(all) => joined(all.iter().map(|one| one.text(&options))),
    };
    if is_json {
        printer.answer(&answer)?;
    } else {
        printer.painted(&answer)?;
    }
    Ok(match text(matches, "fail_on") {
        Some("throughput") => FailOn::Throughput.judge(&comparisons),
        Some(_) => FailOn::Regression.judge(&comparisons),
        None => Exit::Success,
    })
}

fn joined(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<String>>().join("\n")
}
