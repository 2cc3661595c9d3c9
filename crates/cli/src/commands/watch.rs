//! `tacho watch`

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use clap::ArgMatches;
use tacho_app::{Context, Exit, exit_of};
use tacho_core::{Error, ErrorKind, Result};
use tacho_store::{Entry, Run, Tail};
use tacho_web::{Address, Notice, TOKEN_VARIABLE, follow};

use super::text;
use crate::printer::Printer;
use crate::progress::{live, progress, replay};
use crate::world::World;

/// Between two looks at the folder of a run.
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

/// Follows what goes on at a server; `None` if nothing does.
fn server(
    address: &Address,
    form: &str,
    context: &Context,
    world: &World,
    printer: &Printer,
) -> Result<Option<Exit>> {
    let mut shown = live(form, world, progress(form, None, world))?;
    let go_on = || !context.interrupted();
    let ended = follow(address, &go_on, &mut |event| replay(event, shown.as_mut()));
    // The terminal is given back before anything is printed.
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

/// The newest run of the data folder that goes on.
fn running(context: &Context) -> Result<Option<Run>> {
    let loaded = context.store().list()?.into_iter().filter_map(|entry| match entry {
        Entry::Loaded(run) => Some(*run),
        Entry::Broken(_) => None,
    });
    Ok(loaded.into_iter().find(|run| run.state() == "running"))
}

/// Follows a run by what it writes into its folder, until it ends; the run knows nothing of it.
fn folder(
    run: &Run,
    form: &str,
    context: &Context,
    world: &World,
    printer: &Printer,
) -> Result<Exit> {
    if form == "tui" {
        return Err(Error::usage(
            "the folder of a run has its intervals, and not all of a live view",
        )
        .hint("leave out --progress tui, or start the run with --web"));
    }
    let id = run.record.id.clone();
    if run.state() != "running" {
        return Err(Error::new(ErrorKind::Missing, format!("run {id} is {}", run.state()))
            .hint(format!("tacho show {id} prints it")));
    }
    let mut shown = progress(form, None, world);
    shown.begins(&run.record);
    let mut tail = Tail::open(&run.path)?;
    let (_keep, pause): (_, Receiver<()>) = channel();
    loop {
        // Asked before the intervals: what was written until the end is read after it.
        let now = run.again().ok_or_else(|| {
            Error::new(ErrorKind::Missing, format!("run {id} is gone, or cannot be read any more"))
                .hint("tacho runs lists what there is")
        })?;
        while let Some(interval) = tail.interval()? {
            shown.interval(&interval);
        }
        if now.state() != "running" {
            printer.tell(&format!("run {id} is {}: tacho show {id}", now.state()));
            return Ok(exit_of(&now.record));
        }
        if context.interrupted() {
            return Ok(Exit::Success);
        }
        let _ = pause.recv_timeout(LOOK);
    }
}

fn nothing() -> Error {
    Error::new(ErrorKind::Missing, "no measurement is running that could be watched")
        .hint("tacho serve, and tacho run --web, print the address of one")
        .hint("--dir or TACHO_DIR names the data folder of one on this machine")
}
