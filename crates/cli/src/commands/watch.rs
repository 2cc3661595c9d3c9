//! `tacho watch`

use clap::ArgMatches;
use tacho_app::Exit;
use tacho_core::{Error, ErrorKind, Result};
use tacho_web::{Address, Notice, TOKEN_VARIABLE, follow};

use super::text;
use crate::printer::Printer;
use crate::progress::{live, progress, replay};
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let context = world.context(text(matches, "dir"));
    let ca = text(matches, "ca").map(|file| world.folder.join(file));
    let address = if let Some(url) = text(matches, "url") {
        Address::read(url, world.variable(TOKEN_VARIABLE), ca)?
    } else {
        let (url, token) = Notice::find(&context.folder).ok_or_else(nothing)?;
        Address::read(&url, Some(&token), ca)?
    };
    let form = text(matches, "progress").unwrap_or("auto");
    let mut shown = live(form, world, progress(form, None, world))?;
    let go_on = || !context.interrupted();
    let ended = follow(&address, &go_on, &mut |event| replay(event, shown.as_mut()));
    // The terminal is given back before anything is printed.
    drop(shown);
    match ended? {
        None if context.interrupted() => Ok(Exit::Success),
        None => Err(nothing()),
        Some(code) => {
            printer.tell(&format!("the measurement ended with exit code {code}"));
            Ok(u8::try_from(code).ok().and_then(Exit::from_code).unwrap_or(Exit::Internal))
        }
    }
}

fn nothing() -> Error {
    Error::new(ErrorKind::Missing, "no measurement is running that could be watched")
        .hint("tacho serve, and tacho run --web, print the address of one")
}
