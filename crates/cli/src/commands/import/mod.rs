//! The `tacho import` command.

mod options;
mod sysbench;
mod words;

use clap::ArgMatches;
use tacho_app::Exit;
use tacho_core::{Error, Result};

use super::hammerdb;
use crate::printer::{Printer, say};
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let given: Vec<String> = matches.get_many("words").into_iter().flatten().cloned().collect();
    match &given[..] {
        [tool, script] if tool == "hammerdb" => {
            let setup = hammerdb::setup(matches, world)?;
            let script = world.folder.join(script);
            let text = tacho_hammerdb::import(setup, &hammerdb::library(world), &script)?;
            printer.answer(&text)?;
        }
        [tool, ..] if tool == "hammerdb" => {
            return Err(Error::usage("import hammerdb accepts one script")
                .hint("tacho import hammerdb run.tcl > tacho.toml"));
        }
        _ => {
            // A single argument may contain a whole command line.
            let split = match &given[..] {
                [line] => words::split(line)?,
                words => words.to_vec(),
            };
            let found = sysbench::translated(&split)?;
            found.notes.iter().for_each(|note| say(&format!("note: {note}")));
            printer.answer(&found.command)?;
        }
    }
    Ok(Exit::Success)
}
