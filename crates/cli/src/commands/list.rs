//! `tacho list`

use clap::ArgMatches;
use serde_json::{Value, json};
use tacho_app::Exit;
use tacho_core::Result;

use super::{output, request, text, up};
use crate::printer::Printer;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let rows = match text(matches, "what") {
        Some("drivers") => drivers(&request::packs(matches, world)?)?,
        Some("workloads") => workloads(),
        Some("servers") => return servers(matches, world, printer),
        _ => targets(matches, world)?,
    };
    if output(matches) == "json" {
        let rows: Vec<Value> =
            rows.iter().map(|(name, about)| json!({ "name": name, "about": about })).collect();
        printer.answer(&super::json(&rows.into()))?;
    } else if rows.is_empty() {
        printer.tell("there is none; write them in tacho.toml as [targets.NAME]");
    } else {
        let lines: Vec<String> =
            rows.iter().map(|(name, about)| format!("{name:12} {about}")).collect();
        printer.answer(&lines.join("\n"))?;
    }
    Ok(Exit::Success)
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

fn servers(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let states = up::server_pool(matches, world).list()?;
    if output(matches) == "json" {
        let rows: Vec<Value> = states
            .iter()
            .map(|state| {
                json!({
                    "name": state.name,
                    "product": state.product,
                    "version": state.server_version,
                    "state": state.word(),
                    "port": state.port,
                    "target": state.target,
                })
            })
            .collect();
        printer.answer(&super::json(&rows.into()))?;
    } else if states.is_empty() {
        printer.tell("there is none\n\n  hint: tacho up --help shows how to start one");
    } else {
        let lines: Vec<String> = states
            .iter()
            .map(|state| {
                let what = format!("{} {}", state.product, state.server_version);
                format!("{:12} {:9} {what:18} {}", state.name, state.word(), state.target)
            })
            .collect();
        printer.answer(&lines.join("\n"))?;
    }
    Ok(Exit::Success)
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
