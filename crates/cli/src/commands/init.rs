//! The `tacho init` command, which asks five questions and writes `tacho.toml`, or creates a new workload's folder.

mod questions;

use std::path::Path;

use clap::ArgMatches;
use tacho_app::Exit;
use tacho_core::{Error, Result};
use tacho_report::{Block, Table};

use super::text;
use crate::printer::Printer;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let Some(name) = text(matches, "name") else { return questions::call(world, printer) };
    let files = tacho_registry::workload_template(name)?;
    if tacho_registry::workloads().iter().any(|known| known.manifest().id == name) {
        return Err(Error::usage(format!("{name} is the name of a built-in workload"))
            .hint("choose another name"));
    }
    let folder = world.folder.join(name);
    if folder.exists() {
        return Err(Error::usage(format!("{name} already exists")).hint("choose another name"));
    }
    let written = std::fs::create_dir_all(&folder).map_err(Error::from);
    written.map_err(|error| error.during(format!("create the folder {}", folder.display())))?;
    for (file, content) in files {
        write(&folder.join(file), &content)?;
    }
    let target = tacho_registry::TARGET_EXAMPLE;
    let next = ["prepare", "run"].map(|command| format!("tacho {command} ./{name} {target}"));
    let wrote = format!("✓ Created the folder {name}");
    printer.page([Block::table(wrote, Table::labelled("Next", 6, next))])?;
    Ok(Exit::Success)
}

pub(super) fn write(path: &Path, content: &str) -> Result<()> {
    #[expect(clippy::disallowed_methods, reason = "writes a file that the user requested")]
    let written = std::fs::write(path, content);
    written.map_err(|error| Error::from(error).during(format!("write {}", path.display())))
}
