//! `tacho compare`

use clap::ArgMatches;
use tacho_app::{Exit, FailOn, compare};
use tacho_core::Result;
use tacho_report::Comparison;

use super::{output, text, text_options};
use crate::printer::Printer;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let store = world.context(text(matches, "dir")).store();
    let baseline = text(matches, "baseline").unwrap_or("latest~1");
    let others: Vec<String> = match matches.get_many::<String>("runs") {
        Some(runs) => runs.cloned().collect(),
        None => vec!["latest".into()],
    };
    let comparisons = compare(&store, baseline, &others, matches.get_flag("force"))?;
    if output(matches) == "json" {
        printer.answer(&Comparison::json(&comparisons)?)?;
    } else {
        let options = text_options(world);
        let texts: Vec<String> = comparisons.iter().map(|one| one.text(&options)).collect();
        printer.answer(&texts.join("\n"))?;
    }
    Ok(match text(matches, "fail_on") {
        Some("throughput") => FailOn::Throughput.judge(&comparisons),
        Some(_) => FailOn::Regression.judge(&comparisons),
        None => Exit::Success,
    })
}
