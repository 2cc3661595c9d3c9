//! The `tacho describe` command.

use clap::ArgMatches;
use serde_json::{Value, json};
use tacho_app::{Exit, WorkloadView};
use tacho_core::{Error, Parameter, Result, StorageOption};
use tacho_driver::{Driver, StatementId};
use tacho_registry::Listed;
use tacho_report::{Block, Line, Table};
use tacho_workload::{Profile, Workload};

use super::{output, request, text};
use crate::printer::Printer;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let name = text(matches, "name").unwrap_or_default();
    let as_json = output(matches) == "json";
    let packs = request::packs(matches, world)?;
    let families = tacho_registry::families();
    let family = families.into_iter().find(|family| family.manifest().id == name);
    let found = family.map_or_else(|| tacho_registry::workload(name), Ok);
    if tacho_registry::is_workload_folder(name)
        && let Err(error) = found
    {
        return Err(error);
    }
    if let Ok(workload) = found {
        match text(matches, "sql") {
            Some(driver) => printer.answer(&sql(workload.as_ref(), driver, &packs)?)?,
            None if as_json => {
                printer.answer(&tacho_report::json(&WorkloadView::of(workload.as_ref()))?)?;
            }
            None => printer.page(workload_blocks(workload.as_ref()))?,
        }
        return Ok(Exit::Success);
    }
    let packs = tacho_registry::packs(&packs)?;
    let pack = packs.iter().find(|(driver, _)| driver.manifest().id == name);
    let drivers = tacho_registry::drivers();
    let known = drivers.iter().find(|driver| driver.manifest().id == name);
    let Some(driver) = pack.map(|(driver, _)| driver).or(known) else {
        let ids = packs.iter().map(|(driver, _)| driver.manifest().id).collect();
        return Err(unknown(name, ids));
    };
    if as_json {
        printer.answer(&super::json(&driver_json(driver.as_ref())))?;
    } else {
        printer.page(driver_blocks(driver.as_ref(), pack.map(|(_, listed)| listed)))?;
    }
    Ok(Exit::Success)
}

fn unknown(name: &str, packs: Vec<&'static str>) -> Error {
    let (workloads, drivers) = (tacho_registry::workloads(), tacho_registry::drivers());
    let families = tacho_registry::families();
    let known = workloads.iter().chain(&families).map(|workload| workload.manifest().id);
    let known = known.chain(drivers.iter().map(|driver| driver.manifest().id)).chain(packs);
    Error::usage(format!("unknown workload or driver \"{name}\""))
        .did_you_mean(name, known)
        .hint("to describe a pack, specify its folder with --pack or in tacho.toml")
}

fn sql(workload: &dyn Workload, driver: &str, packs: &[String]) -> Result<String> {
    let driver = tacho_registry::driver_in(driver, packs)?;
    let catalog = workload.catalog(driver.dialect())?;
    let text = |id: StatementId| {
        let all = std::iter::successors(Some(id), |id| catalog.next(*id));
        let texts: Vec<String> = all.map(|id| format!("{};\n", catalog.get(id).sql)).collect();
        format!("-- {}\n{}", catalog.get(id).name, texts.join("-- then\n"))
    };
    let ids = (0..catalog.statements().len()).map(|number| StatementId(number as u16));
    let statements: Vec<String> = ids.filter(|id| !catalog.follows(*id)).map(text).collect();
    Ok(statements.join("\n"))
}

fn workload_blocks(workload: &dyn Workload) -> Vec<Block> {
    let (manifest, quirks) = (workload.manifest(), workload.quirks());
    let profiles = workload.profiles().iter().enumerate().map(|(index, profile)| {
        let default = if index == 0 { " (default)" } else { "" };
        Line::new(1, format!("{:13} {}{default}", profile.id, profile.about))
    });
    let mut blocks = vec![
        section(format!("{}  {}", manifest.id, manifest.title), [Line::new(0, manifest.notice)]),
        section(format!("Scale: {}", manifest.scale_range()), []),
        section("Profiles", profiles),
    ];
    blocks.extend(workload.profiles().iter().filter_map(|profile| switches(workload, profile)));
    let is_quirk = |key: &str| quirks.iter().any(|quirk| quirk.key == key);
    let parameters = workload.parameters().iter().filter(|parameter| !is_quirk(parameter.key));
    let parameters = parameters.flat_map(|parameter| {
        [Line::new(1, format!("{} = {}", parameter.key, parameter.default)), meaning(parameter)]
    });
    blocks.push(section("Parameters (--set key=value)", parameters));
    let deviations = quirks.iter().filter_map(|quirk| {
        let parameter =
            workload.parameters().iter().find(|parameter| parameter.key == quirk.key)?;
        let values = Line::new(1, format!("{}{}", parameter.key, per_profile(workload, parameter)));
        let standard = Line::new(3, format!("standard: {}", quirk.clause));
        Some([values, meaning(parameter), standard])
    });
    if !quirks.is_empty() {
        blocks.push(section("Deviations, each a separate parameter", deviations.flatten()));
    }
    blocks.push(Block::Code { text: manifest.docs.to_owned() });
    blocks
}

fn meaning(parameter: &Parameter) -> Line {
    Line::new(3, format!("{} ({})", parameter.help, parameter.kind.words()))
}

/// Returns lines below a title.
fn section(title: impl Into<String>, lines: impl IntoIterator<Item = Line>) -> Block {
    Block::lines(std::iter::once(Line::new(0, title)).chain(lines))
}

/// Returns the value of a parameter in the first profile. Appends the value in each profile that changes it, for
/// example ` spec=false hammerdb=true`.
fn per_profile(workload: &dyn Workload, parameter: &Parameter) -> String {
    let value = |(at, profile): (usize, &Profile)| {
        let set = profile.values.iter().find(|(key, _)| *key == parameter.key);
        let value = set.map_or(parameter.default, |(_, value)| value);
        (at == 0 || value != parameter.default).then(|| format!("  {}={value}", profile.id))
    };
    workload.profiles().iter().enumerate().filter_map(value).collect()
}

/// Returns the parameters that a profile changes, with their values and the clauses of the standard. Returns
/// `None` if it changes none.
fn switches(workload: &dyn Workload, profile: &Profile) -> Option<Block> {
    let differs = |(key, value): &&(&str, &str)| {
        let default = workload.parameters().iter().find(|parameter| parameter.key == *key);
        default.is_some_and(|parameter| parameter.default != *value)
    };
    let line = |(key, value): &(&str, &str)| {
        let clause = workload.quirks().iter().find(|quirk| quirk.key == *key);
        let clause = clause.map_or_else(String::new, |quirk| format!("  ({})", quirk.clause));
        Line::new(1, format!("{key}={value}{clause}"))
    };
    let mut lines = profile.values.iter().filter(differs).map(line).peekable();
    lines.peek()?;
    Some(section(format!("Profile {}: values that differ from the defaults", profile.id), lines))
}

/// Describes a driver: the versions it was tested with, its documentation page, and what its pack changes if it comes
/// from a pack.
fn driver_blocks(driver: &dyn Driver, pack: Option<&Listed>) -> Vec<Block> {
    let manifest = driver.manifest();
    let tested = format!("Tested with: {}", manifest.tested);
    let pack_lines = pack.into_iter().flat_map(|listed| {
        let over = format!("Pack in {}, based on {}", listed.folder.display(), listed.base);
        std::iter::once(over).chain(listed.changes.iter().cloned())
    });
    let lines = std::iter::once(tested).chain(pack_lines).map(|text| Line::new(0, text));
    let options: Vec<_> = storage_options(driver).map(|option| [option.key, option.help]).collect();
    let mut blocks = vec![section(format!("{}  {}", manifest.id, manifest.title), lines)];
    if pack.is_none() && !options.is_empty() {
        let table = Table::words([13, 0], &options);
        blocks.push(Block::table("Storage options (--storage key=value)", table));
    }
    blocks.push(Block::Code { text: manifest.docs.to_owned() });
    blocks
}

/// Returns the storage options that only this database has.
fn storage_options(driver: &dyn Driver) -> impl Iterator<Item = &'static StorageOption> {
    driver.dialect().storage().iter().filter(|option| !option.help.is_empty())
}

fn driver_json(driver: &dyn Driver) -> Value {
    let (manifest, can) = (driver.manifest(), driver.capabilities());
    json!({
        "id": manifest.id,
        "title": manifest.title,
        "tested": manifest.tested,
        "capabilities": {
            "stores_data": can.stores_data,
            "procedures": can.procedures,
            "pipelining": can.pipelining,
            "simple": can.simple,
            "concurrent_writers": can.concurrent_writers,
            "embedded": can.embedded,
            "counters": can.counters,
        },
        "storage": storage_options(driver)
            .map(|option| json!({ "key": option.key, "help": option.help }))
            .collect::<Vec<Value>>(),
    })
}
