//! `tacho import`

use clap::ArgMatches;
use tacho_app::Exit;
use tacho_core::Result;

use super::{hammerdb, text};
use crate::printer::Printer;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let script = world.folder.join(text(matches, "script").unwrap_or_default());
    let setup = hammerdb::setup(matches, world)?;
    printer.answer(&tacho_hammerdb::import(setup, &hammerdb::library(world), &script)?)?;
    Ok(Exit::Success)
}
