//! `tacho attribute`

use clap::ArgMatches;
use tacho_app::{AttributeRequest, Attributing, Exit};
use tacho_core::Result;
use tacho_core::units::span;
use tacho_report::{Text, json};

use super::sweep::listener;
use super::{output, request, text, text_options};
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
    let mut own = Attributing::new(request::resolved(matches, world)?, asked, &context)?;
    let runs = own.runs();
    let time =
        own.duration().map_or_else(String::new, |time| format!(", {} without loads", span(time)));
    say(&format!("{} groups of differences, {runs} runs{time}", own.groups.len()));
    if matches.get_flag("dry_run") {
        if output(matches) == "json" {
            printer.answer(&json(&own.groups)?)?;
        } else {
            for group in &own.groups {
                printer.answer(&format!("{}\n  {}", group.title, group.changes.join("\n  ")))?;
            }
        }
        return Ok(Exit::Success);
    }
    let mut progress = listener(text(matches, "progress").unwrap_or("auto"), world)?;
    let measured = own.measure(&context, progress.as_mut());
    // The terminal is given back before anything is printed.
    drop(progress);
    let (attribution, exit) = measured?;
    match output(matches) {
        "json" => printer.answer(&json(&attribution)?)?,
        "quiet" => {}
        _ => printer.painted(&attribution.text(&text_options(world)))?,
    }
    Ok(exit)
}
