//! The `tacho down` command.

use clap::ArgMatches;
use serde_json::{Value, json};
use tacho_app::Exit;
use tacho_core::{Error, Result};
use tacho_report::{Block, Line};
use tacho_servers::{Down, Stop};

use super::{output, text};
use crate::printer::Printer;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let context = world.context(text(matches, "dir"));
    let pool = context.server_pool();
    let repaired = tacho_app::repair(&context, false);
    if output(matches) != "quiet" {
        for line in &repaired {
            printer.tell(line);
        }
    }
    let known = pool.list().map(|states| states.into_iter().map(|state| state.name));
    let name = match (text(matches, "name"), matches.get_flag("all")) {
        (Some(name), _) => Some(name.to_owned()),
        (None, true) => None,
        (None, false) => the_only_one(known?.collect())?,
    };
    let done = pool.down(name.as_deref(), matches.get_flag("keep-data"))?;
    if output(matches) == "json" {
        let rows: Vec<Value> = done.iter().map(described).collect();
        printer.answer(&super::json(&rows.into()))?;
    } else if done.is_empty() {
        printer.answer("there are no private servers; nothing to do")?;
    } else if output(matches) != "quiet" {
        printer.page([Block::lines(done.iter().map(line))])?;
    }
    Ok(Exit::Success)
}

/// Returns the name of the only server, or `None` if there are no servers.
fn the_only_one(mut names: Vec<String>) -> Result<Option<String>> {
    if names.len() > 1 {
        return Err(Error::usage(format!("there are {} servers", names.len()))
            .hint(format!("specify one: {}", names.join(", ")))
            .hint("or use --all for all of them"));
    }
    Ok(names.pop())
}

fn word(stop: Stop) -> &'static str {
    match stop {
        Stop::WasDown => "was not running",
        Stop::Orderly => "stopped",
        Stop::Killed => "killed because it did not stop",
        Stop::Unfinished => "was half-made",
    }
}

fn line(down: &Down) -> Line {
    let Down { name, stop, folder, kept } = down;
    let (stop, folder) = (word(*stop), folder.display());
    let what = if *kept {
        format!("its data remains in {folder}; start it again with tacho up {name}")
    } else {
        format!("removed {folder}")
    };
    Line::new(0, format!("✓ {name} {stop}; {what}"))
}

fn described(down: &Down) -> Value {
    json!({
        "name": down.name,
        "stop": match down.stop {
            Stop::WasDown => "was_down",
            Stop::Orderly => "orderly",
            Stop::Killed => "killed",
            Stop::Unfinished => "unfinished",
        },
        "folder": down.folder,
        "kept": down.kept,
    })
}
