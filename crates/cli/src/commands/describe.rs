//! `tacho describe`

use clap::ArgMatches;
use serde_json::{Value, json};
use tacho_app::Exit;
use tacho_core::{Error, Result, StorageOption, nearest};
use tacho_driver::{Driver, StatementId};
use tacho_registry::Listed;
use tacho_workload::{Profile, Workload};

use super::{output, request, text};
use crate::printer::Printer;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let name = text(matches, "name").unwrap_or_default();
    let as_json = output(matches) == "json";
    let packs = request::packs(matches, world)?;
    let found = tacho_registry::workload(name);
    if tacho_registry::is_workload_folder(name)
        && let Err(error) = found
    {
        return Err(error);
    }
    if let Ok(workload) = found {
        let answer = match text(matches, "sql") {
            Some(driver) => sql(workload.as_ref(), driver, &packs)?,
            None if as_json => super::json(&workload_json(workload.as_ref())),
            None => workload_text(workload.as_ref()),
        };
        printer.answer(&answer)?;
        return Ok(Exit::Success);
    }
    let packs = tacho_registry::packs(&packs)?;
    let own = packs.iter().find(|(driver, _)| driver.manifest().id == name);
    let drivers = tacho_registry::drivers();
    let known = drivers.iter().find(|driver| driver.manifest().id == name);
    let Some(driver) = own.map(|(driver, _)| driver).or(known) else {
        let ids = packs.iter().map(|(driver, _)| driver.manifest().id).collect();
        return Err(unknown(name, ids));
    };
    let answer = if let (Some((driver, listed)), false) = (own, as_json) {
        pack_text(driver.as_ref(), listed)
    } else if as_json {
        super::json(&driver_json(driver.as_ref()))
    } else {
        driver_text(driver.as_ref())
    };
    printer.answer(&answer)?;
    Ok(Exit::Success)
}

fn unknown(name: &str, packs: Vec<&'static str>) -> Error {
    let (workloads, drivers) = (tacho_registry::workloads(), tacho_registry::drivers());
    let known = workloads.iter().map(|workload| workload.manifest().id);
    let known = known.chain(drivers.iter().map(|driver| driver.manifest().id)).chain(packs);
    let close = nearest(name, known).join(", ");
    Error::usage(format!("unknown workload or driver \"{name}\""))
        .hint(format!("did you mean {close}?"))
        .hint("a pack is described if --pack or tacho.toml names its folder")
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

fn workload_text(workload: &dyn Workload) -> String {
    let manifest = workload.manifest();
    let mut lines = vec![
        format!("{}  {}", manifest.id, manifest.title),
        manifest.notice.to_owned(),
        String::new(),
        format!("Scale: {}", manifest.scale_range()),
        String::new(),
        "Profiles".to_owned(),
    ];
    for (index, profile) in workload.profiles().iter().enumerate() {
        let default = if index == 0 { " (default)" } else { "" };
        lines.push(format!("  {:13} {}{default}", profile.id, profile.about));
    }
    lines.extend(workload.profiles().iter().flat_map(|own| switches(workload, own)));
    let quirks = workload.quirks();
    let is_quirk = |key: &str| quirks.iter().any(|quirk| quirk.key == key);
    lines.extend([String::new(), "Parameters (--set key=value)".to_owned()]);
    for parameter in workload.parameters().iter().filter(|p| !is_quirk(p.key)) {
        lines.push(format!("  {} = {}", parameter.key, parameter.default));
        lines.push(format!("      {} ({})", parameter.help, parameter.kind.words()));
    }
    if !quirks.is_empty() {
        lines.extend([String::new(), "Deviations, each a separate parameter".to_owned()]);
    }
    for quirk in quirks {
        let Some(parameter) = workload.parameters().iter().find(|p| p.key == quirk.key) else {
            continue;
        };
        lines.push(format!("  {}{}", parameter.key, per_profile(workload, parameter)));
        lines.push(format!("      {} ({})", parameter.help, parameter.kind.words()));
        lines.push(format!("      the standard: {}", quirk.clause));
    }
    lines.extend([String::new(), manifest.docs.trim_end().to_owned()]);
    lines.join("\n")
}

/// The value of a parameter in the first profile and in those that have another one:
/// `  spec=false  hammerdb=true`.
fn per_profile(workload: &dyn Workload, parameter: &tacho_core::Parameter) -> String {
    let value = |(at, profile): (usize, &Profile)| {
        let set = profile.values.iter().find(|(key, _)| *key == parameter.key);
        let value = set.map_or(parameter.default, |(_, value)| value);
        (at == 0 || value != parameter.default).then(|| format!("  {}={value}", profile.id))
    };
    workload.profiles().iter().enumerate().filter_map(value).collect()
}

/// The switches of a profile, each with what the standard says: a heading and a line for each.
fn switches(workload: &dyn Workload, profile: &Profile) -> Vec<String> {
    let mut lines = Vec::new();
    for (key, value) in profile.values {
        let default = workload.parameters().iter().find(|own| own.key == *key);
        if default.is_none_or(|own| own.default == *value) {
            continue;
        }
        let clause = workload.quirks().iter().find(|quirk| quirk.key == *key);
        let clause = clause.map_or_else(String::new, |own| format!("  ({})", own.clause));
        lines.push(format!("  {key}={value}{clause}"));
    }
    if !lines.is_empty() {
        let title = format!("Profile {}, in addition to the defaults", profile.id);
        lines.splice(0..0, [String::new(), title]);
    }
    lines
}

fn workload_json(workload: &dyn Workload) -> Value {
    let manifest = workload.manifest();
    let profiles: Vec<Value> = workload
        .profiles()
        .iter()
        .map(|profile| {
            let values: serde_json::Map<String, Value> =
                profile.values.iter().map(|(key, value)| ((*key).into(), json!(value))).collect();
            json!({ "id": profile.id, "about": profile.about, "values": values })
        })
        .collect();
    let parameters: Vec<Value> = workload
        .parameters()
        .iter()
        .map(|parameter| {
            let clause = workload.quirks().iter().find(|quirk| quirk.key == parameter.key);
            json!({
                "key": parameter.key,
                "default": parameter.default,
                "allowed": parameter.kind.words(),
                "help": parameter.help,
                "deviates_from": clause.map(|quirk| quirk.clause),
                "shapes_data": workload.data_parameters().contains(&parameter.key),
            })
        })
        .collect();
    json!({
        "id": manifest.id,
        "title": manifest.title,
        "notice": manifest.notice,
        "scale_unit": manifest.scale_unit,
        "scale_min": manifest.scale_amount(1),
        "scale_max": manifest.scale_amount(manifest.scale_max),
        "profiles": profiles,
        "parameters": parameters,
    })
}

fn driver_text(driver: &dyn Driver) -> String {
    let manifest = driver.manifest();
    let mut lines = vec![
        format!("{}  {}", manifest.id, manifest.title),
        format!("Tested with: {}", manifest.tested),
    ];
    let mut options = storage_options(driver).peekable();
    if options.peek().is_some() {
        lines.extend([String::new(), "Storage options (--storage key=value)".to_owned()]);
        lines.extend(options.map(|option| format!("  {:13} {}", option.key, option.help)));
    }
    lines.extend([String::new(), manifest.docs.trim_end().to_owned()]);
    lines.join("\n")
}

/// The ways of keeping a table that this database alone has.
fn storage_options(driver: &dyn Driver) -> impl Iterator<Item = &'static StorageOption> {
    driver.dialect().storage().iter().filter(|option| !option.help.is_empty())
}

/// A pack: what it is over, what it changes, and its page.
fn pack_text(driver: &dyn Driver, listed: &Listed) -> String {
    let manifest = driver.manifest();
    let mut lines = vec![
        format!("{}  {}", manifest.id, manifest.title),
        format!("Tested with: {}", manifest.tested),
        format!("Pack in {}, over {}", listed.folder.display(), listed.base),
    ];
    lines.extend(listed.changes.iter().cloned());
    lines.extend([String::new(), manifest.docs.trim_end().to_owned()]);
    lines.join("\n").trim_end().to_owned()
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
