//! The `tacho import` command.

mod benchbase;
mod conninfo;
mod draft;
mod getopt;
mod go_tpc;
mod line;
mod options;
mod pgbench;
mod sysbench;
mod words;

use clap::ArgMatches;
use tacho_app::Exit;
use tacho_core::{Error, Result};

use super::hammerdb;
use crate::printer::{Printer, say};
use crate::world::World;
use draft::Translation;
use line::{Call, Tool, explained, has_variable};

/// Words that may precede the script in a HammerDB command line.
const BEFORE_A_SCRIPT: [&str; 4] = ["auto", "tcl", "python", "py"];

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let given: Vec<String> = matches.get_many("words").into_iter().flatten().cloned().collect();
    let mut line = line::read(&given)?;
    if line.calls.is_empty() {
        // If the line calls no tool, assume sysbench, whose name may be omitted.
        let words = if let [text] = &given[..] { words::plain(text)? } else { given };
        line.calls.push(Call { tool: Tool::Sysbench, words, variables: Vec::new() });
        line.omitted.clear();
    }
    if line.is_typographic {
        say("note: replaced typographic quotation marks and dashes");
    }
    if !line.omitted.is_empty() {
        say(&format!("note: omitted from the command line: {}", line.omitted.join(", ")));
    }
    for mut call in line.calls {
        if call.tool == Tool::HammerDb {
            printer.answer(&script(&call.words, matches, world)?)?;
            continue;
        }
        let found = translated(&mut call, world).map_err(|error| explained(error, &call.words))?;
        found.notes.iter().for_each(|note| say(&format!("note: {note}")));
        for command in &found.commands {
            printer.answer(command)?;
        }
    }
    Ok(Exit::Success)
}

fn translated(call: &mut Call, world: &World) -> Result<Translation> {
    let mut found = match call.tool {
        Tool::Pgbench => pgbench::translated(call)?,
        Tool::BenchBase => benchbase::translated(&call.words, &world.folder)?,
        Tool::GoTpc => go_tpc::translated(&call.words)?,
        Tool::Sysbench | Tool::HammerDb => sysbench::translated(&call.words, &world.folder)?,
    };
    let unknown = |command: &String| has_variable(command) || command.contains("%24");
    if call.words.iter().any(|word| has_variable(word)) && found.commands.iter().any(unknown) {
        return Err(Error::usage("the command contains text that a shell replaces"));
    }
    let names: Vec<&str> = call.variables.iter().map(|(name, _)| name.as_str()).collect();
    if !names.is_empty() {
        found.notes.push(format!("omitted environment variables: {}", names.join(", ")));
    }
    Ok(found)
}

/// Converts a HammerDB script to a settings file.
fn script(words: &[String], matches: &ArgMatches, world: &World) -> Result<String> {
    let mut words = words.iter().filter(|word| !BEFORE_A_SCRIPT.contains(&word.as_str()));
    let (Some(script), None) = (words.next(), words.next()) else {
        return Err(Error::usage("import hammerdb accepts one script")
            .hint("tacho import hammerdb run.tcl > tacho.toml"));
    };
    let setup = hammerdb::setup(matches, world)?;
    tacho_hammerdb::import(setup, &hammerdb::library(world), &world.folder.join(script))
}
