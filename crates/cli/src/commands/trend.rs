//! The `tacho trend` command.

use clap::ArgMatches;
use tacho_app::{Exit, judge_trend, trend};
use tacho_core::Result;
use tacho_report::{Text, json};

use super::{output, text};
use crate::printer::Printer;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let store = world.context(text(matches, "dir")).store();
    let trend = trend(&store, text(matches, "runs"), text(matches, "metric"))?;
    if output(matches) == "json" {
        printer.answer(&json(&trend)?)?;
    } else {
        printer.painted(&trend.text(&printer.options))?;
    }
    Ok(if text(matches, "fail_on").is_some() { judge_trend(&trend) } else { Exit::Success })
}
