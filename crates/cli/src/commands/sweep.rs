//! The `tacho sweep` command.

use std::time::Duration;

use clap::ArgMatches;
use tacho_analysis::SweepView;
use tacho_app::{Context, Exit, Forecast, Sweep, SweepRequest};
use tacho_config::{Design, OnFailure, Order, Source, resolve};
use tacho_core::Result;
use tacho_core::units::{counted, span};
use tacho_report::Text;
use tacho_store::sweep::{Outcome, SweepRecord};
use tacho_store::{Event, Listener, SweepStore};

use super::compare::forecast;
use super::serve::Watchers;
use super::{agent, output, print_result, request, text};
use crate::printer::{Printer, say};
use crate::progress::{Whose, live, point_line, progress, with_web};
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let context = world.context(text(matches, "dir"));
    let store = SweepStore::open(&context.folder);
    if let Some(selector) = text(matches, "show") {
        let record = store.find(selector)?;
        // Return an error if runs of the sweep are missing, because the table shows their results.
        tacho_app::runs_of(&context.store(), &record)?;
        answer(record, matches, world, printer)?;
        return Ok(Exit::Success);
    }
    let mut sweep = match text(matches, "resume") {
        Some(selector) => resumed(&store, selector, matches, world)?,
        None => Sweep::new(request::resolved(matches, world)?, &asked(matches), &context)?,
    };
    let hosts = agent::wanted_if(sweep.asks_for_hosts(), matches, world)?;
    sweep.set_hosts(hosts);
    if matches.get_flag("dry_run") {
        answer(sweep.record.clone(), matches, world, printer)?;
        if output(matches) == "text" {
            printer.answer(&plan(&sweep, &context)?)?;
        }
        return Ok(Exit::Success);
    }
    request::repair(&context);
    let watchers = Watchers::open(matches, world, &context, "sweep")?;
    let mut progress = listener(text(matches, "progress").unwrap_or("auto"), world)?;
    if let Some(watchers) = &watchers {
        progress = with_web(progress, &watchers.hub);
    }
    let measured = sweep.measure(&context, progress.as_mut());
    // Restore the terminal before printing anything.
    drop(progress);
    if let Some(watchers) = watchers {
        watchers.ended(measured.as_ref().copied());
    }
    // Print the results so far even if there was an error, such as a server that does not restart.
    let is_begun = sweep.record.points.iter().any(|point| point.outcome != Outcome::Pending);
    if is_begun || measured.is_ok() {
        answer(sweep.record.clone(), matches, world, printer)?;
    }
    let exit = measured?;
    if exit == Exit::Interrupted {
        say(&format!("\n  hint: to resume it, use tacho sweep --resume {}", sweep.record.id));
    } else {
        if sweep.record.has_failed_points() {
            let id = &sweep.record.id;
            say(&format!("\n  hint: to repeat the failed runs, use tacho sweep --resume {id}"));
        }
        say(&format!("Saved  {}", sweep.path().display()));
        say(&format!("Next   tacho report {} -o profile.html", sweep.record.id));
    }
    Ok(exit)
}

/// Returns a sweep's duration and, if it has several runs, the smallest difference that it can detect.
fn plan(sweep: &Sweep, context: &Context) -> Result<String> {
    let warm_up = sweep.longest_warm_up().filter(|_| sweep.restarts(context));
    let also = besides(warm_up, "restart", "checks and changes to settings.");
    if let Some((searches, runs, time)) = sweep.at_most() {
        let (runs, time) = (counted(runs, "run"), span(time));
        let each = if searches > 1 { format!(" in {searches} searches") } else { String::new() };
        return Ok(format!("At most {runs}{each}, {time} of measurement, {also}"));
    }
    let runs = counted(sweep.left() as u64, "run");
    let time = span(sweep.remaining());
    if sweep.left() < 2 {
        return Ok(format!("{runs}, {time} of measurement, {also}"));
    }
    let shown = forecast(Forecast::of_sweep(context, &sweep.record)?);
    Ok(format!("{runs}, {time} of measurement, {also}\n{shown}"))
}

/// Describes what takes additional time besides the measurement itself, such as warm-ups and checks.
pub(super) fn besides(warm_up: Option<Duration>, start: &str, what: &str) -> String {
    let warm_up = warm_up.map_or_else(String::new, |longest| {
        format!("up to {} of warm-up after each server {start}, and ", span(longest))
    });
    format!("plus {warm_up}the time for {what}")
}

fn asked(matches: &ArgMatches) -> SweepRequest {
    SweepRequest {
        vary: matches.get_many("vary").into_iter().flatten().cloned().collect(),
        repeat: matches.get_one::<u32>("repeat").copied().unwrap_or(1),
        order: text(matches, "order").and_then(Order::from_word).unwrap_or_default(),
        design: text(matches, "design").and_then(Design::from_word).unwrap_or_default(),
        stop_past_peak: matches.get_flag("stop_past_peak"),
        calibrate: matches.get_flag("calibrate"),
        detect: text(matches, "detect").map(str::to_owned),
        stop_on_failure: text(matches, "on_failure") == Some(OnFailure::Stop.word()),
        find_max: text(matches, "find_max").map(str::to_owned),
        metric: None,
    }
}

/// Returns an interrupted sweep with its original settings and the current targets.
fn resumed(
    store: &SweepStore,
    selector: &str,
    matches: &ArgMatches,
    world: &World,
) -> Result<Sweep> {
    let record = store.find(selector)?;
    let file = request::config_file(matches, world)?;
    let flags = Sweep::flags(&record);
    let base = resolve(Source {
        file,
        targets: request::servers(matches, world),
        flags,
        foreign: true,
        ..Source::default()
    })?;
    Sweep::resume(record, base, &world.context(text(matches, "dir")))
}

/// Prints the table of a sweep.
pub(super) fn answer(
    record: SweepRecord,
    matches: &ArgMatches,
    world: &World,
    printer: &Printer,
) -> Result<()> {
    let runs = world.context(text(matches, "dir")).store();
    let view = SweepView::of(record, |id| Some(runs.find(id).ok()?.record));
    print_result(&view, matches, printer, Text::text)
}

/// Returns the listener for a sweep. In plain text, it prints no lines for intervals, because the lines for points
/// would be hard to find among them.
pub(super) fn listener(form: &str, world: &World) -> Result<Box<dyn Listener>> {
    match form {
        "none" | "json" => Ok(progress(form, None, world)),
        _ => live(form, world, Whose::Ours, Box::new(Points::default())),
    }
}

/// Prints a line at the start of each point, and reports problems during its run.
#[derive(Default)]
pub(super) struct Points {
    /// The last note that was printed. The same note is not printed twice in a row, because most notes recur in
    /// every run.
    noted: String,
}

impl Listener for Points {
    fn on(&mut self, event: &Event) {
        match event {
            Event::Note { text } if self.noted != *text => {
                say(text);
                self.noted.clone_from(text);
            }
            Event::Point { point } => say(&point_line(point)),
            _ => {}
        }
    }
}
