//! Progress on standard error: bars or a live view on a terminal, lines in a log, or JSON for a program.

mod build;
mod json;
mod plain;
mod tui;

use tacho_core::Result;
use tacho_core::units::span;
use tacho_store::Listener;
use tacho_store::event::PointState;

use crate::world::World;

/// Returns a listener that prints progress in the given format. `auto` prints plain lines.
pub(crate) fn progress(form: &str, headline: Option<&str>, world: &World) -> Box<dyn Listener> {
    match form {
        "none" => Box::new(()),
        "json" => Box::new(json::JsonLines::open()),
        _ => Box::new(plain::Plain::new(headline, world)),
    }
}

/// The process that executes the displayed run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// This process, so a key can stop the run.
    Ours,
    /// Another process.
    Another,
}

/// Returns a listener like [`progress`], but also supports the live view as the format `tui`. A terminal that is too
/// small gets `plain` instead.
pub(crate) fn live(
    form: &str,
    world: &World,
    whose: Whose,
    plain: Box<dyn Listener>,
) -> Result<Box<dyn Listener>> {
    match form {
        "tui" => tui::Tui::open(plain, whose, world),
        "auto" if world.is_for_people && tacho_tui::fits() => tui::Tui::open(plain, whose, world),
        _ => Ok(plain),
    }
}

/// Sends every event both to `progress` and to the hub of a web view.
pub(crate) fn with_web(progress: Box<dyn Listener>, hub: &tacho_web::Hub) -> Box<dyn Listener> {
    let both: Vec<Box<dyn Listener>> = vec![progress, Box::new(hub.clone())];
    Box::new(both)
}

/// Describes the next point of a sweep in one line.
pub(crate) fn point_line(point: &PointState) -> String {
    let remaining = point
        .remaining
        .filter(|remaining| !remaining.is_zero())
        .map_or_else(String::new, |rest| format!(", about {} left", span(build::whole(rest))));
    format!("{} of {}: {}{remaining}", point.number, point.count, point.values)
}
