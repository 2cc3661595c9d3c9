//! The `tacho config` command.

use std::collections::{BTreeMap, BTreeSet};

use clap::ArgMatches;
use serde_json::json;
use tacho_app::{Exit, Job};
use tacho_config::{ConfigFile, Resolved, Source, resolve};
use tacho_core::{Error, Result};

use super::{output, request, text};
use crate::printer::Printer;
use crate::world::World;

/// Target URLs by private server name.
type Targets = BTreeMap<String, String>;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    match matches.subcommand() {
        Some(("path", matches)) => path(matches, world, printer)?,
        Some(("trust", matches)) => trust(matches, world, printer)?,
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

/// Trusts a file as long as its content does not change. Prints the programs that the file may now run.
fn trust(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<()> {
    let named = text(matches, "file").map(|file| world.folder.join(file));
    let path = named.or_else(|| request::config_path(matches, world)).ok_or_else(none)?;
    let file = ConfigFile::read(&path, &|| world.interrupt.interrupt_count() == 0)?;
    let store = world.trusted_files().ok_or_else(|| {
        Error::new(
            tacho_core::ErrorKind::Missing,
            "the operating system does not provide a folder for user state",
        )
        .hint("set XDG_STATE_HOME or HOME to a folder that you can write to")
        .hint("or use --config FILE; a file specified this way does not have to be trusted")
    })?;
    store.trust(&path, &file.text)?;
    printer.answer(&format!("✓ {} is trusted in its current state", path.display()))?;
    for line in programs(&file)? {
        printer.tell(&format!("  {line}"));
    }
    Ok(())
}

/// Returns the programs that a file would run, without duplicates.
fn programs(file: &ConfigFile) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    let mut file = file.clone();
    file.trusted = false;
    for run in std::iter::once(None).chain(file.run_names().map(|run| Some(run.to_owned()))) {
        let resolved = resolve(Source { file: Some(file.clone()), run, ..Source::default() })?;
        lines.extend(tacho_app::programs(&resolved).into_iter().map(|program| program.text));
        let packs = &resolved.plan.data.packs;
        let targets = file.targets.values();
        let codes = targets.filter_map(|url| tacho_app::program_in("target", url, packs));
        lines.extend(codes.map(|(_, text)| text));
    }
    let mut known = std::collections::HashSet::new();
    lines.retain(|line| known.insert(line.clone()));
    Ok(lines)
}

fn none() -> Error {
    Error::new(
        tacho_core::ErrorKind::Usage,
        "tacho.toml was not found in this folder or any parent folder",
    )
    .hint(
        "to use a settings file in another folder, use --config FILE; a settings file is optional",
    )
}

fn check(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<()> {
    let file = request::config_file(matches, world)?.ok_or_else(none)?;
    let servers = request::servers(matches, world);
    let packs = packs(&servers, &file)?;
    for (name, url) in &file.targets {
        check_target(url, &packs).map_err(|error| error.during(format!("use targets.{name}")))?;
    }
    let runs: Vec<String> = file.run_names().map(str::to_owned).collect();
    // Each run is checked together with the settings for all runs. If the file defines no runs, check these settings
    // on their own.
    let sections = if runs.is_empty() { vec![None] } else { runs.into_iter().map(Some).collect() };
    for run in sections {
        let section =
            run.as_ref().map_or_else(|| "defaults".to_owned(), |run| format!("run.{run}"));
        check_run(run.as_deref(), matches, world, (&servers, &file))
            .map_err(|error| error.during(format!("use {section} of {}", file.path.display())))?;
    }
    printer.answer(&format!("✓ {} is valid", file.path.display()))
}

/// Returns the folders of all driver packs that the runs in the file use. A target may need a pack that only one of
/// the runs mentions.
fn packs(servers: &Targets, file: &ConfigFile) -> Result<Vec<String>> {
    let mut packs = BTreeSet::new();
    for run in std::iter::once(None).chain(file.run_names().map(Some)) {
        packs.extend(resolved(run, servers, file)?.plan.data.packs);
    }
    Ok(packs.into_iter().collect())
}

/// Returns the settings of one run in the file. Does not copy the other runs, because the total time would be
/// quadratic in their number.
fn resolved(run: Option<&str>, servers: &Targets, file: &ConfigFile) -> Result<Resolved> {
    let file = Some(file.only(run.unwrap_or_default()));
    let (targets, run) = (servers.clone(), run.map(str::to_owned));
    resolve(Source { file, targets, run, ..Source::default() })
}

pub(super) fn check_target(url: &str, packs: &[String]) -> Result<()> {
    let target = tacho_driver::Target::parse(url)?;
    tacho_registry::driver_in(&target.scheme, packs)?.check(&target)
}

/// Plans a run from the file alone, without environment variables, flags, and databases. These must not affect the
/// result of the check.
fn check_run(
    run: Option<&str>,
    matches: &ArgMatches,
    world: &World,
    (servers, file): (&Targets, &ConfigFile),
) -> Result<()> {
    let resolved = resolved(run, servers, file)?;
    let mut context = world.context(text(matches, "dir"));
    // Allow programs, because planning a run does not start them. Do not allow libraries, because planning a run
    // loads them.
    context.trust.allowed.extend(["fault_command", "pack", "workload"].map(str::to_owned));
    tacho_app::dry_run(&Job::new(resolved, &context)?).map(drop)
}

fn show(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<()> {
    let resolved = request::resolved(matches, world)?;
    if output(matches) == "json" {
        let rows: serde_json::Map<String, serde_json::Value> = resolved
            .entries()
            .map(|given| {
                let values: Vec<String> = given.values.iter().map(|value| shown(value)).collect();
                let row = json!({ "values": values, "origin": given.origin.words() });
                (given.key.to_owned(), row)
            })
            .collect();
        return printer.answer(&super::json(&rows.into()));
    }
    let origin = matches.get_flag("origin");
    let width = resolved.entries().map(|given| given.key.len()).max().unwrap_or_default();
    let lines: Vec<String> = resolved
        .entries()
        .map(|given| {
            let key = given.key;
            let value = if given.values.is_empty() {
                "–".into()
            } else {
                shown(&given.values.join("; "))
            };
            if origin {
                format!("{key:width$}  {value:24} {}", given.origin.words())
            } else {
                format!("{key:width$}  {value}")
            }
        })
        .collect();
    printer.answer(&lines.join("\n"))
}

/// Returns the value of a setting. Removes the password if the value is a target.
fn shown(value: &str) -> String {
    tacho_core::masked(value).into_owned()
}
