//! The `tacho compare` command.

use clap::ArgMatches;
use tacho_analysis::Gate;
use tacho_app::{Comparisons, Exit, FailOn, Forecast, compare, compared};
use tacho_core::Result;
use tacho_report::{Text, json, power_before};

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
    if matches.get_flag("dry_run") {
        printer.answer(&forecast(compared(&context, baseline, &others)?))?;
        return Ok(Exit::Success);
    }
    let (fail_on, gate) = fail_on(matches)?;
    let force = matches.get_flag("force");
    let comparisons = compare(&context, baseline, &others, force, gate.as_ref())?;
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
    Ok(fail_on.map_or(Exit::Success, |condition| condition.judge(&comparisons)))
}

/// Returns the value of `--fail-on`. If the value is a condition, also returns the gate for it.
fn fail_on(matches: &ArgMatches) -> Result<(Option<FailOn>, Option<Gate>)> {
    let pass_undecided = matches.get_flag("pass_undecided");
    Ok(match text(matches, "fail_on") {
        None => (None, None),
        Some("regression") => (Some(FailOn::Regression), None),
        Some("throughput") => (Some(FailOn::Throughput), None),
        Some(condition) => {
            let gate = Gate::parse(condition)
                .map_err(|error| error.hint("or use --fail-on regression or throughput"))?;
            (Some(FailOn::Condition { pass_undecided }), Some(gate))
        }
    })
}

/// Describes the smallest differences that can be detected with the planned number of repetitions.
pub(super) fn forecast(forecast: Forecast) -> String {
    power_before(forecast.noise, forecast.points, forecast.repeats)
}

fn joined(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<String>>().join("\n")
}
