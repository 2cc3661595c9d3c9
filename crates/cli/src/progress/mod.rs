//! Progress on standard error: bars or a live view for a terminal, lines for a log, JSON for a program.

mod build;
mod json;
mod plain;
mod tui;

use tacho_core::Result;
use tacho_core::units::span;
use tacho_store::Listener;
use tacho_store::event::PointState;

use crate::world::World;

/// The progress of this form; `auto` is plain on a terminal and in logs, and none without a reader.
pub(crate) fn progress(form: &str, headline: Option<&str>, world: &World) -> Box<dyn Listener> {
    match form {
        "none" => Box::new(()),
        "json" => Box::new(json::JsonLines::open()),
        _ => Box::new(plain::Plain::new(headline, world)),
    }
}

/// Whose run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// That of this process, which a key stops.
    Ours,
    /// That of another process.
    Another,
}

/// As [`progress`], and `tui` is the live view, with `plain` wherever it cannot be. Fails if it can be
/// shown nowhere. `auto` is the view where standard error is a terminal that is large enough.
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

/// `progress`, and the hub of a web view hears the same.
pub(crate) fn with_web(progress: Box<dyn Listener>, hub: &tacho_web::Hub) -> Box<dyn Listener> {
    let both: Vec<Box<dyn Listener>> = vec![progress, Box::new(hub.clone())];
    Box::new(both)
}

/// A point of a sweep that begins, in a line.
pub(crate) fn point_line(point: &PointState) -> String {
    let remaining = point
        .remaining
        .filter(|remaining| !remaining.is_zero())
        .map_or_else(String::new, |rest| format!(", about {} left", span(build::whole(rest))));
    format!("{} of {}: {}{remaining}", point.number, point.count, point.values)
}
