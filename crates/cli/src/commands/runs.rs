//! The `tacho runs` command.

use std::path::Path;
use std::time::{Duration, SystemTime};

use clap::ArgMatches;
use tacho_app::Exit;
use tacho_core::units::{bytes, counted, parse_duration};
use tacho_core::{Error, Result};
use tacho_report::{Block, Line, json, runs_json, runs_table, sweep_rows, sweeps_table};
use tacho_store::record::Record;
use tacho_store::{Entry, HistoryFile, PrunePolicy, Store};

use super::{output, text};
use crate::printer::Printer;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let store = world.context(text(matches, "dir")).store();
    match matches.subcommand() {
        Some(("tag", matches)) => tag(matches, &store, printer)?,
        Some(("note", matches)) => note(matches, &store, printer)?,
        Some(("repair", matches)) => repair(matches, &store, printer)?,
        Some(("prune", matches)) => prune(matches, &store, printer)?,
        Some(("export", matches)) => export(matches, world, printer)?,
        Some(("import", matches)) => return import(matches, &store, world, printer),
        Some((_, matches)) => list(matches, &store, printer)?,
        None => list(matches, &store, printer)?,
    }
    Ok(Exit::Success)
}

fn list(matches: &ArgMatches, store: &Store, printer: &Printer) -> Result<()> {
    let entries = store.list()?;
    if matches.get_flag("sweeps") {
        return list_sweeps(&entries, matches, store, printer);
    }
    if output(matches) == "json" {
        return printer.answer(&runs_json(&entries)?);
    }
    if entries.is_empty() {
        printer.tell(&format!("no runs in {}", store.path().display()));
        printer.tell("\n  hint: to create one, use tacho run");
        return Ok(());
    }
    printer.painted(&runs_table(&entries, &printer.options))
}

fn list_sweeps(
    runs: &[Entry],
    matches: &ArgMatches,
    store: &Store,
    printer: &Printer,
) -> Result<()> {
    let sweeps = store.sweeps().list()?;
    if output(matches) == "json" {
        return printer.answer(&json(&sweep_rows(&sweeps, runs))?);
    }
    if sweeps.is_empty() {
        printer.tell(&format!("no sweeps in {}", store.sweeps().folder().display()));
        printer.tell("\n  hint: to create one, use tacho sweep --vary sessions=1,2,4,8");
        return Ok(());
    }
    printer.painted(&sweeps_table(&sweeps, runs, &printer.options))
}

fn tag(matches: &ArgMatches, store: &Store, printer: &Printer) -> Result<()> {
    let run = text(matches, "run").unwrap_or("latest");
    // Use the run's ID from here on, because the tag that selected it may be removed.
    let id = store.find(run)?.record.id;
    let mut record = None;
    for tag in matches.get_many::<String>("tags").into_iter().flatten() {
        let changed = if matches.get_flag("remove") {
            store.remove_tag(&id, tag)?
        } else {
            store.add_tag(&id, tag)?
        };
        record = Some(changed.record);
    }
    let Some(record) = record else { return Ok(()) };
    let tags = if record.tags.is_empty() { "no tags".into() } else { record.tags.join(", ") };
    labels(matches, &record, &tags, printer)
}

/// Prints a run's tags and note after they have been changed.
fn labels(matches: &ArgMatches, record: &Record, text: &str, printer: &Printer) -> Result<()> {
    let Record { id, tags, note, .. } = record;
    match output(matches) {
        "quiet" => Ok(()),
        "json" => {
            printer.answer(&json(&serde_json::json!({ "id": id, "tags": tags, "note": note }))?)
        }
        _ => printer.answer(&format!("{id}: {text}")),
    }
}

fn note(matches: &ArgMatches, store: &Store, printer: &Printer) -> Result<()> {
    let run = text(matches, "run").unwrap_or("latest");
    let note = text(matches, "text").filter(|text| !text.is_empty());
    let changed = store.set_note(run, note)?;
    labels(matches, &changed.record, note.unwrap_or("no note"), printer)
}

fn repair(matches: &ArgMatches, store: &Store, printer: &Printer) -> Result<()> {
    let repaired = store.repair(text(matches, "run").unwrap_or("latest"))?;
    let id = &repaired.record.id;
    printer.answer(&format!("{id}: INVALID, rebuilt from its intervals and histograms"))?;
    printer.tell(&format!("  hint: to print what remains, use tacho show {id}"));
    Ok(())
}

fn prune(matches: &ArgMatches, store: &Store, printer: &Printer) -> Result<()> {
    let number = |name: &str| matches.get_one::<u64>(name).copied();
    let dry_run = matches.get_flag("dry_run");
    let policy = PrunePolicy {
        keep: number("keep").map(|keep| keep as usize),
        older_than: text(matches, "older_than").map(parse_duration).transpose()?,
        now: SystemTime::UNIX_EPOCH + now(),
        max_bytes: number("max_size").map(|mebibytes| mebibytes.saturating_mul(1 << 20)),
        dry_run,
    };
    let removed = store.prune(&policy)?;
    let each = removed
        .iter()
        .map(|entry| format!("{}  {}  {}", entry.id, bytes(entry.bytes), entry.path.display()));
    let (sweeps, runs): (Vec<_>, Vec<_>) = removed.iter().partition(|entry| entry.is_sweep);
    let mut what = counted(runs.len() as u64, "run");
    if !sweeps.is_empty() {
        what = format!("{what} and {}", counted(sweeps.len() as u64, "sweep"));
    }
    let verb = if dry_run { "would be removed" } else { "removed" };
    let size = bytes(removed.iter().map(|run| run.bytes).sum());
    let lines = each.chain([format!("{what} {verb}, {size}")]);
    printer.page([Block::lines(lines.map(|line| Line::new(0, line)))])
}

/// Exports the given runs and sweeps, or all sweeps and finished runs by default.
fn export(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<()> {
    let context = world.context(text(matches, "dir"));
    let named: Vec<&str> =
        matches.get_many::<String>("runs").into_iter().flatten().map(String::as_str).collect();
    let file = text(matches, "file").unwrap_or_default();
    if matches.get_flag("history") {
        return export_history(&context.store(), &named, &world.folder.join(file), printer);
    }
    let chosen = tacho_app::chosen(&context, &named)?;
    let mut archive = Vec::new();
    context.store().export(&chosen.runs, &chosen.sweeps, &mut archive)?;
    crate::export::replace(&world.folder.join(file), &archive)?;
    let sweeps = match chosen.sweeps.len() as u64 {
        0 => String::new(),
        some => format!(" and {}", counted(some, "sweep")),
    };
    let runs = counted(chosen.runs.len() as u64, "run");
    printer.tell(&format!("Saved  {file} ({runs}{sweeps}, {})", bytes(archive.len() as u64)));
    if chosen.left_out > 0 {
        let left_out = counted(chosen.left_out as u64, "run");
        printer.tell(&format!("omitted {left_out} that did not finish or cannot be read"));
    }
    Ok(())
}

/// Exports one run's history in Elle's format.
fn export_history(store: &Store, named: &[&str], to: &Path, printer: &Printer) -> Result<()> {
    let name = match named {
        [] => "latest",
        [name] => name,
        _ => {
            return Err(Error::usage("--history exports a single run")
                .hint("export each run to a file of its own"));
        }
    };
    let run = store.find(name)?;
    let history = HistoryFile::read(&run.path)?;
    let mut text = Vec::new();
    tacho_isolation::write_elle(&history, &mut text)?;
    crate::export::replace(to, &text)?;
    let transactions = counted(history.transactions().len() as u64, "transaction");
    printer.tell(&format!(
        "Saved  {} ({transactions}, {})",
        to.display(),
        bytes(text.len() as u64)
    ));
    Ok(())
}

fn import(matches: &ArgMatches, store: &Store, world: &World, printer: &Printer) -> Result<Exit> {
    let path = world.folder.join(text(matches, "file").unwrap_or_default());
    if path.extension().is_some_and(|end| end == "jsonl") {
        let context = world.context(text(matches, "dir"));
        let report = tacho_app::import(&path, &context, &mut ())?;
        printer.answer(&report.record.id)?;
        printer.tell("1 imported: an INVALID run that contains only one agent's share");
        return Ok(Exit::Success);
    }
    let imported = store.import(&path)?;
    for id in &imported.added {
        printer.answer(id)?;
    }
    let (added, known) = (imported.added.len() as u64, imported.known.len() as u64);
    printer.tell(&format!("{added} imported, {known} already present"));
    for (id, reason) in &imported.refused {
        printer.tell(&format!("! {id} was not imported: {reason}"));
    }
    Ok(if imported.refused.is_empty() { Exit::Success } else { Exit::Target })
}

fn now() -> Duration {
    tacho_collect::wall_clock()
}
