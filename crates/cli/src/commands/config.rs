//! `tacho config`

use clap::ArgMatches;
use serde_json::json;
use tacho_app::Exit;
use tacho_core::{Error, Result};

use super::{output, request};
use crate::printer::Printer;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    match matches.subcommand() {
        Some(("path", matches)) => path(matches, world, printer)?,
        Some(("check", matches)) => check(matches, world, printer)?,
        Some((_, matches)) => show(matches, world, printer)?,
        None => {}
    }
    Ok(Exit::Success)
}

fn path(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<()> {
    match request::config_path(matches, world) {
        Some(path) => printer.answer(&path.display().to_string()),
        None => Err(none()),
    }
}

fn none() -> Error {
    Error::new(tacho_core::ErrorKind::Usage, "there is no tacho.toml here or above")
        .hint("none is needed; --config names one elsewhere")
}

fn check(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<()> {
    let file = request::config_file(matches, world)?.ok_or_else(none)?;
    for url in file.targets.values() {
        let target = tacho_driver::Target::parse(url)?;
        tacho_registry::driver(&target.scheme)?.check(&target)?;
    }
    printer.answer(&format!("✓ {} is good", file.path.display()))
}

fn show(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<()> {
    let resolved = request::resolved(matches, world)?;
    if output(matches) == "json" {
        let rows: serde_json::Map<String, serde_json::Value> = resolved
            .entries()
            .map(|(key, given)| {
                let row = json!({ "values": given.values, "origin": given.origin.words() });
                (key.to_owned(), row)
            })
            .collect();
        return printer.answer(&super::json(&rows.into()));
    }
    let origin = matches.get_flag("origin");
    let width = resolved.entries().map(|(key, _)| key.len()).max().unwrap_or_default();
    let lines: Vec<String> = resolved
        .entries()
        .map(|(key, given)| {
            let value =
                if given.values.is_empty() { "–".into() } else { given.values.join("; ") };
            if origin {
                format!("{key:width$}  {value:24} {}", given.origin.words())
            } else {
                format!("{key:width$}  {value}")
            }
        })
        .collect();
    printer.answer(&lines.join("\n"))
}
