//! `tacho list`

use clap::ArgMatches;
use serde_json::{Value, json};
use tacho_app::Exit;
use tacho_core::Result;
use tacho_servers::ServerState;

use super::{output, request, text, up};
use crate::args::LISTS;
use crate::printer::Printer;
use crate::world::World;

/// Entries of one list: a line for the terminal and a value for JSON each.
type Entries = Vec<(String, Value)>;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    if let Some(what) = text(matches, "what") {
        one(what, entries(what, matches, world)?, output(matches), printer)?;
    } else {
        let list = |what| Ok((what, entries(what, matches, world)?));
        all(LISTS.into_iter().map(list).collect::<Result<_>>()?, output(matches), printer)?;
    }
    Ok(Exit::Success)
}

fn one(what: &str, entries: Entries, output: &str, printer: &Printer) -> Result<()> {
    let (lines, values): (Vec<String>, Vec<Value>) = entries.into_iter().unzip();
    if output == "json" {
        printer.answer(&super::json(&values.into()))
    } else if lines.is_empty() {
        printer.tell(&format!("no {what}\n\n  hint: {}", hint(what)));
        Ok(())
    } else {
        printer.answer(&lines.join("\n"))
    }
}

fn all(lists: Vec<(&str, Entries)>, output: &str, printer: &Printer) -> Result<()> {
    if output == "json" {
        let values = |entries: Entries| entries.into_iter().map(|(_, value)| value).collect();
        let lists = lists.into_iter().map(|(what, entries)| (what.to_owned(), values(entries)));
        return printer.answer(&super::json(&Value::Object(lists.collect())));
    }
    let mut text = Vec::new();
    for (what, entries) in lists {
        text.push(what.to_owned());
        if entries.is_empty() {
            text.push(format!("  none; {}", hint(what)));
        }
        text.extend(entries.into_iter().map(|(line, _)| format!("  {line}")));
        text.push(String::new());
    }
    printer.answer(text.join("\n").trim_end())
}

/// How to get an entry of a list.
fn hint(what: &str) -> &'static str {
    match what {
        "servers" => "tacho up starts a private server; see tacho up --help",
        _ => "write them in tacho.toml as [targets.NAME]",
    }
}

fn entries(what: &str, matches: &ArgMatches, world: &World) -> Result<Entries> {
    let rows = match what {
        "drivers" => drivers(&request::packs(matches, world)?)?,
        "workloads" => workloads(),
        "servers" => return servers(matches, world),
        _ => targets(matches, world)?,
    };
    let entry = |(name, about): (String, String)| {
        (format!("{name:12} {about}"), json!({ "name": name, "about": about }))
    };
    Ok(rows.into_iter().map(entry).collect())
}

fn drivers(packs: &[String]) -> Result<Vec<(String, String)>> {
    let drivers = tacho_registry::drivers();
    let row = |manifest: &tacho_driver::Manifest| {
        (manifest.id.to_owned(), format!("{} ({})", manifest.title, manifest.tested))
    };
    let mut rows: Vec<_> = drivers.iter().map(|driver| row(driver.manifest())).collect();
    for (driver, listed) in tacho_registry::packs(packs)? {
        let manifest = driver.manifest();
        let folder = listed.folder.display();
        let about = format!("{}, pack over {} in {folder}", manifest.title, listed.base);
        rows.push((manifest.id.to_owned(), about));
    }
    Ok(rows)
}

fn workloads() -> Vec<(String, String)> {
    let workloads = tacho_registry::workloads();
    let row = |manifest: &tacho_workload::Manifest| {
        (manifest.id.to_owned(), format!("{}, scale in {}s", manifest.title, manifest.scale_unit))
    };
    workloads.iter().map(|workload| row(workload.manifest())).collect()
}

fn servers(matches: &ArgMatches, world: &World) -> Result<Entries> {
    let states = up::server_pool(matches, world).list()?;
    let entry = |state: &ServerState| {
        let what = format!("{} {}", state.product, state.server_version);
        let line = format!("{:12} {:9} {what:18} {}", state.name, state.word(), state.target);
        let value = json!({
            "name": state.name,
            "product": state.product,
            "version": state.server_version,
            "state": state.word(),
            "port": state.port,
            "target": state.target,
        });
        (line, value)
    };
    Ok(states.iter().map(entry).collect())
}

fn targets(matches: &ArgMatches, world: &World) -> Result<Vec<(String, String)>> {
    let file = request::config_file(matches, world)?;
    let mut rows = Vec::new();
    for (name, url) in file.iter().flat_map(|file| &file.targets) {
        rows.push((name.clone(), tacho_driver::Target::parse(url)?.redacted()));
    }
    rows.extend(request::servers(matches, world));
    Ok(rows)
}
