//! The `tacho restore` command.

use clap::ArgMatches;
use serde_json::{Value, json};
use tacho_app::{Exit, Restored, restore};
use tacho_config::{Source, resolve};
use tacho_core::Result;
use tacho_report::{Block, Line};
use tacho_store::journal::{Journal, KeptSetting};

use super::{output, request, text};
use crate::printer::{Printer, say};
use crate::progress::progress;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let context = world.context(text(matches, "dir"));
    let form = output(matches);
    if matches.get_flag("list") {
        let journals = context.journals().list()?;
        let rows: Vec<Value> = journals.iter().map(described).collect();
        match form {
            "json" => printer.answer(&super::json(&rows.into()))?,
            _ if journals.is_empty() => nothing(printer)?,
            _ => printer.page([Block::lines(journals.iter().flat_map(lines))])?,
        }
        return Ok(Exit::Success);
    }
    let file = request::config_file(matches, world)?;
    let targets = request::servers(matches, world);
    let base = resolve(Source { file, targets, ..Source::default() })?;
    let mut progress = progress("plain", None, world);
    for ended in tacho_app::end_limits() {
        say(&ended);
    }
    let done = restore(&base, &context, progress.as_mut())?;
    match form {
        "json" => {
            let rows: Vec<Value> = done.iter().map(outcome).collect();
            printer.answer(&super::json(&rows.into()))?;
        }
        _ if done.is_empty() => nothing(printer)?,
        _ => done.iter().try_for_each(|one| tell(one, printer))?,
    }
    let failed = done.iter().find_map(|one| one.error.as_ref());
    Ok(failed.map_or(Exit::Success, Exit::of))
}

fn nothing(printer: &Printer) -> Result<()> {
    printer.answer("there are no changes to undo; nothing to do")
}

fn tell(one: &Restored, printer: &Printer) -> Result<()> {
    let Some(error) = &one.error else {
        if let Some(fault) = one.journal.fault {
            let target = &one.journal.target;
            let text = format!("✓ {target}: restored; a killed run had left it {}", fault.word());
            return printer.page([Block::text(text)]);
        }
        let count = one.journal.settings.len();
        let target = &one.journal.target;
        let settings = tacho_core::units::counted(count as u64, "setting");
        let stay = one.kept.iter().map(|kept| Line::new(1, format!("! {}", kept.sentence())));
        let settings = match one.kept.len() {
            0 => format!("{settings} restored"),
            kept => format!("{} of {settings} restored", count - kept),
        };
        let done = Line::new(0, format!("✓ {target}: {settings}"));
        return printer.page([Block::lines(std::iter::once(done).chain(stay))]);
    };
    printer.page([Block::text(format!("✗ {}: {error}", one.journal.target))])?;
    error.hints().iter().for_each(|hint| say(&format!("  hint: {hint}")));
    Ok(())
}

/// Describes the changes that have not been reverted yet.
fn lines(journal: &Journal) -> impl Iterator<Item = Line> {
    let Journal { target, sweep, started_at, .. } = journal;
    let title = match journal.fault {
        Some(fault) => format!("{target}, {} by a run that started at {started_at}", fault.word()),
        None => format!("{target}, changed by sweep {sweep}, which started at {started_at}"),
    };
    let title = Line::new(0, title);
    let setting = |kept: &KeptSetting| {
        let start = if kept.restart { "  (requires a restart of the server)" } else { "" };
        Line::new(1, format!("{} was {}{start}", kept.name, kept.value))
    };
    std::iter::once(title).chain(journal.settings.iter().map(setting))
}

fn described(journal: &Journal) -> Value {
    json!({
        "target": journal.target,
        "server": journal.server,
        "sweep": journal.sweep,
        "started_at": journal.started_at,
        "settings": journal.settings,
        "fault": journal.fault,
    })
}

fn outcome(one: &Restored) -> Value {
    let mut row = described(&one.journal);
    row["restored"] = one.error.is_none().into();
    let kept = one.kept.iter();
    row["kept"] = kept
        .map(|setting| json!({ "name": setting.name, "value": setting.now, "before": setting.before }))
        .collect();
    row["error"] = one.error.as_ref().map(ToString::to_string).into();
    row
}
