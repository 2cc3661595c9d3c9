//! The `tacho list` command.

use clap::ArgMatches;
use serde_json::{Value, json};
use tacho_app::Exit;
use tacho_core::Result;
use tacho_report::{Block, Line, Table};
use tacho_servers::ServerState;

use super::{output, request, text, up};
use crate::args::LISTS;
use crate::printer::Printer;
use crate::world::World;

/// The entries in a list, as rows for the terminal and as JSON values.
type Entries = (Table, Vec<Value>);

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    if let Some(what) = text(matches, "what") {
        one(what, entries(what, matches, world)?, output(matches), printer)?;
    } else {
        let list = |what| Ok((what, entries(what, matches, world)?));
        all(LISTS.into_iter().map(list).collect::<Result<_>>()?, output(matches), printer)?;
    }
    Ok(Exit::Success)
}

fn one(what: &str, (table, values): Entries, output: &str, printer: &Printer) -> Result<()> {
    if output == "json" {
        printer.answer(&super::json(&values.into()))
    } else if values.is_empty() {
        printer.tell(&format!("no {what}\n\n  hint: {}", hint(what)));
        Ok(())
    } else {
        printer.page([Block::Table(table.flush())])
    }
}

fn all(lists: Vec<(&str, Entries)>, output: &str, printer: &Printer) -> Result<()> {
    if output == "json" {
        let lists = lists.into_iter().map(|(what, (_, values))| (what.to_owned(), values.into()));
        return printer.answer(&super::json(&Value::Object(lists.collect())));
    }
    printer.page(lists.into_iter().map(|(what, (table, values))| {
        if values.is_empty() {
            Block::lines([Line::new(0, what), Line::new(1, format!("none; {}", hint(what)))])
        } else {
            Block::table(what, table)
        }
    }))
}

fn hint(what: &str) -> &'static str {
    match what {
        "servers" => "to start a private server, use tacho up",
        _ => "define targets in tacho.toml under [targets.NAME]",
    }
}

fn entries(what: &str, matches: &ArgMatches, world: &World) -> Result<Entries> {
    let rows = match what {
        "drivers" => drivers(&request::packs(matches, world)?)?,
        "workloads" => workloads(),
        "servers" => return servers(matches, world),
        _ => targets(matches, world)?,
    };
    let values = rows.iter().map(|[name, about]| json!({ "name": name, "about": about }));
    Ok((Table::words([12, 0], &rows), values.collect()))
}

fn drivers(packs: &[String]) -> Result<Vec<[String; 2]>> {
    let drivers = tacho_registry::drivers();
    let row = |manifest: &tacho_driver::Manifest| {
        [manifest.id.to_owned(), format!("{} ({})", manifest.title, manifest.tested)]
    };
    let mut rows: Vec<_> = drivers.iter().map(|driver| row(driver.manifest())).collect();
    for (driver, listed) in tacho_registry::packs(packs)? {
        let manifest = driver.manifest();
        let folder = listed.folder.display();
        let about = format!("{}, pack based on {} in {folder}", manifest.title, listed.base);
        rows.push([manifest.id.to_owned(), about]);
    }
    Ok(rows)
}

fn workloads() -> Vec<[String; 2]> {
    let workloads = tacho_registry::workloads();
    let row = |manifest: &tacho_workload::Manifest| {
        [manifest.id.to_owned(), format!("{}, scale in {}s", manifest.title, manifest.scale_unit)]
    };
    workloads.iter().map(|workload| row(workload.manifest())).collect()
}

fn servers(matches: &ArgMatches, world: &World) -> Result<Entries> {
    let states = up::server_pool(matches, world).list()?;
    let row = |state: &ServerState| {
        let what = format!("{} {}", state.product, state.server_version);
        [state.name.clone(), state.word().to_owned(), what, state.target.clone()]
    };
    let value = |state: &ServerState| {
        json!({
            "name": state.name,
            "product": state.product,
            "version": state.server_version,
            "state": state.word(),
            "port": state.port,
            "target": state.target,
        })
    };
    let rows: Vec<_> = states.iter().map(row).collect();
    Ok((Table::words([12, 9, 18, 0], &rows), states.iter().map(value).collect()))
}

fn targets(matches: &ArgMatches, world: &World) -> Result<Vec<[String; 2]>> {
    let file = request::config_file(matches, world)?;
    let mut rows = Vec::new();
    for (name, url) in file.iter().flat_map(|file| &file.targets) {
        rows.push([name.clone(), tacho_driver::Target::parse(url)?.redacted()]);
    }
    rows.extend(request::servers(matches, world).into_iter().map(<[String; 2]>::from));
    Ok(rows)
}
