//! The sub-commands, each in a separate file.

mod agent;
mod attribute;
mod check;
mod clean;
mod compare;
mod completions;
mod config;
mod describe;
mod doctor;
mod down;
mod found;
mod generate;
mod hammerdb;
mod import;
mod init;
mod list;
mod man;
mod memory;
mod piped;
mod pipeline;
mod prepare;
pub(crate) mod report;
mod request;
mod restore;
mod run;
mod runs;
mod schema;
mod serve;
mod show;
mod sweep;
mod timing;
mod trend;
mod up;
mod version;
mod watch;
pub(crate) mod welcome;

use std::ffi::OsString;
use std::path::Path;

use clap::ArgMatches;
use serde::Serialize;
use tacho_app::Exit;
use tacho_core::{Error, Result};
use tacho_report::TextOptions;

use crate::printer::Printer;
use crate::world::World;

/// Commands whose memory use increases with the amount of work that the user requests.
const MEASURING: [&str; 7] =
    ["run", "sweep", "pipeline", "prepare", "check", "generate", "hammerdb"];

/// Runs a sub-command.
pub(crate) fn call(
    name: &str,
    matches: &ArgMatches,
    world: &World,
    printer: &Printer,
) -> Result<Exit> {
    if MEASURING.contains(&name) {
        memory::require()?;
    }
    match name {
        "run" => run::call(matches, world, printer),
        "prepare" => prepare::call(matches, world, printer),
        "check" => check::call(matches, world, printer),
        "generate" => generate::call(matches, world, printer),
        "clean" => clean::call(matches, world, printer),
        "describe" => describe::call(matches, world, printer),
        "doctor" => doctor::call(matches, world, printer),
        "list" => list::call(matches, world, printer),
        "runs" => runs::call(matches, world, printer),
        "show" => show::call(matches, world, printer),
        "config" => config::call(matches, world, printer),
        "schema" => schema::call(matches, printer),
        "report" => report::call(matches, world, printer),
        "attribute" => attribute::call(matches, world, printer),
        "compare" => compare::call(matches, world, printer),
        "man" => man::call(matches, world, printer),
        "completions" => completions::call(matches, printer),
        "sweep" => sweep::call(matches, world, printer),
        "pipeline" => pipeline::call(matches, world, printer),
        "restore" => restore::call(matches, world, printer),
        "timing" => timing::call(matches, world, printer),
        "trend" => trend::call(matches, world, printer),
        "up" => up::call(matches, world, printer),
        "down" => down::call(matches, world, printer),
        "hammerdb" => hammerdb::call(matches, world),
        "import" => import::call(matches, world, printer),
        "agent" => agent::call(matches, world, printer),
        "serve" => serve::call(matches, world, printer),
        "watch" => watch::call(matches, world, printer),
        "init" => init::call(matches, world, printer),
        "version" => version::call(matches, printer),
        other => Err(Error::usage(format!("unknown command {other}"))),
    }
}

/// Returns the arguments for `tacho`. If the program was called by HammerDB's name, these are arguments for `tacho
/// hammerdb`.
pub(crate) fn as_tacho(arguments: &[OsString]) -> Vec<OsString> {
    let mut arguments = arguments.to_vec();
    let name = arguments.first().map(Path::new).and_then(Path::file_stem);
    if name.is_some_and(|name| name == "hammerdbcli") {
        arguments[0] = "tacho".into();
        arguments.insert(1, "hammerdb".into());
    }
    joined(arguments)
}

/// Joins pgbench scripts that follow each other on the command line, because together they are one workload.
fn joined(arguments: Vec<OsString>) -> Vec<OsString> {
    let is_script = |word: &OsString| word.to_string_lossy().starts_with(tacho_registry::PGBENCH);
    let mut all: Vec<OsString> = Vec::new();
    for word in arguments {
        match all.last_mut() {
            Some(last) if is_script(last) && is_script(&word) => {
                last.push(",");
                last.push(word);
            }
            _ => all.push(word),
        }
    }
    all
}

/// Returns the output format: `text`, `json` or `quiet`.
fn output(matches: &ArgMatches) -> &str {
    matches.get_one::<String>("output").map_or("text", String::as_str)
}

/// Returns the value of a string argument.
fn text<'a>(matches: &'a ArgMatches, name: &str) -> Option<&'a str> {
    matches.try_get_one::<String>(name).ok().flatten().map(String::as_str)
}

/// Prints a result in the format requested by `--output`: as text, as JSON, or not at all.
fn print_result<T: Serialize>(
    result: &T,
    matches: &ArgMatches,
    printer: &Printer,
    text: impl FnOnce(&T, &TextOptions) -> String,
) -> Result<()> {
    match output(matches) {
        "json" => printer.answer(&tacho_report::json(result)?),
        "quiet" => Ok(()),
        _ => printer.painted(&text(result, &printer.options)),
    }
}

/// Formats a value as indented JSON.
fn json(value: &serde_json::Value) -> String {
    format!("{value:#}")
}
