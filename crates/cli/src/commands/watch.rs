//! The `tacho watch` command.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use clap::ArgMatches;
use tacho_app::{Context, Exit, Followed, Job, exit_of, saved_plan};
use tacho_config::{Source, Stop, resolve};
use tacho_core::{Error, ErrorKind, Result};
use tacho_metrics::Phase;
use tacho_store::{Entry, Run, Tail};
use tacho_web::{Address, Notice, TOKEN_VARIABLE, follow};

use super::text;
use crate::printer::Printer;
use crate::progress::{Whose, live, progress};
use crate::world::World;

/// Interval between two readings of a run's folder.
const LOOK: Duration = Duration::from_millis(500);

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let context = world.context(text(matches, "dir"));
    let ca = text(matches, "ca").map(|file| world.folder.join(file));
    let form = text(matches, "progress").unwrap_or("auto");
    if let Some(named) = text(matches, "url") {
        if !named.contains("://") {
            let run = context.store().find(named)?;
            return folder(&run, form, &context, world, printer);
        }
        let address = Address::read(named, world.variable(TOKEN_VARIABLE), ca)?;
        return server(&address, form, &context, world, printer)?.ok_or_else(nothing);
    }
    if let Some((url, token)) = Notice::find(&context.folder) {
        let address = Address::read(&url, Some(&token), ca)?;
        if let Some(exit) = server(&address, form, &context, world, printer)? {
            return Ok(exit);
        }
    }
    let run = running(&context)?.ok_or_else(nothing)?;
    folder(&run, form, &context, world, printer)
}

/// Follows the command that is running on a Tacho server. Returns `None` if none is running.
fn server(
    address: &Address,
    form: &str,
    context: &Context,
    world: &World,
    printer: &Printer,
) -> Result<Option<Exit>> {
    let mut shown = live(form, world, Whose::Another, progress(form, None, world))?;
    let go_on = || !context.interrupted();
    let ended = follow(address, &go_on, &mut |event| shown.on(event));
    // Restore the terminal before printing anything.
    drop(shown);
    match ended? {
        None if context.interrupted() => Ok(Some(Exit::Success)),
        None => Ok(None),
        Some(code) => {
            printer.tell(&format!("the measurement ended with exit code {code}"));
            let exit = u8::try_from(code).ok().and_then(Exit::from_code);
            Ok(Some(exit.unwrap_or(Exit::Internal)))
        }
    }
}

/// Returns the most recent run in the data folder that is still in progress.
fn running(context: &Context) -> Result<Option<Run>> {
    let loaded = context.store().list()?.into_iter().filter_map(|entry| match entry {
        Entry::Loaded(run) => Some(*run),
        Entry::Broken(_) => None,
    });
    Ok(loaded.into_iter().find(|run| run.state() == "running"))
}

/// Follows a run by reading its folder, until the run ends. The run is not affected.
fn folder(
    run: &Run,
    form: &str,
    context: &Context,
    world: &World,
    printer: &Printer,
) -> Result<Exit> {
    let id = run.record.id.clone();
    if run.state() != "running" {
        return Err(Error::new(ErrorKind::Missing, format!("run {id} is {}", run.state()))
            .hint(format!("to print it, use tacho show {id}")));
    }
    let figure = headline(run, context);
    let mut shown = live(form, world, Whose::Another, progress(form, figure.as_deref(), world))?;
    shown.begins(&run.record);
    let mut followed = Followed::new(figure);
    let (mut tail, mut server) = (Tail::open(&run.path)?, None);
    let (_keep, pause): (_, Receiver<()>) = channel();
    loop {
        // Read the run's state before its intervals. If the state says that the run has finished, all of its
        // intervals are then read.
        let now = run.again().ok_or_else(|| {
            Error::new(
                ErrorKind::Missing,
                format!("run {id} no longer exists or can no longer be read"),
            )
            .hint("to list all runs, use tacho runs")
        })?;
        while let Some(interval) = tail.interval()? {
            if let Some(phase) = followed.add(&interval) {
                shown.phase(phase, length(phase, run));
            }
            shown.interval(&interval);
            // Do not print the standings as JSON. They contain zeros for unknown durations, which the program that
            // reads them would mistake for results.
            if form != "json" {
                shown.standing(followed.standing().clone());
            }
        }
        if server.is_none() {
            server = Tail::of_server(&run.path)?;
        }
        while let Some(interval) = server.as_mut().map_or(Ok(None), Tail::interval)? {
            shown.server(&interval);
        }
        if now.state() != "running" {
            // Restore the terminal before printing anything.
            drop(shown);
            printer.tell(&format!("run {id} is {}: tacho show {id}", now.state()));
            return Ok(exit_of(&now.record));
        }
        if context.interrupted() {
            return Ok(Exit::Success);
        }
        let _ = pause.recv_timeout(LOOK);
    }
}

/// Returns the headline metric of the run's workload, if this build includes the workload.
fn headline(run: &Run, context: &Context) -> Option<String> {
    let saved = Some(saved_plan(context, &run.record.id).ok()?);
    let resolved = resolve(Source { saved, ..Source::default() }).ok()?;
    Some(Job::new(resolved, context).ok()?.headline()?.name.to_owned())
}

/// Returns the planned length of a phase.
fn length(phase: Phase, run: &Run) -> Option<Duration> {
    let load = &run.record.plan.load;
    match (phase, &load.stop) {
        (Phase::RampUp, _) => Some(load.ramp_up),
        (Phase::Measure, Stop::After(length)) => Some(*length),
        (Phase::Measure, Stop::Count(_) | Stop::Done) => None,
        (Phase::RampDown, _) => Some(load.ramp_down),
    }
}

fn nothing() -> Error {
    Error::new(ErrorKind::Missing, "no measurement is running")
        .hint("use the address that tacho serve or tacho run --web printed")
        .hint("or, for a measurement on this machine, specify its data folder with --dir or TACHO_DIR")
}
