//! The `tacho man` command.

use clap::{ArgMatches, Command};
use clap_mangen::Man;
use tacho_app::Exit;
use tacho_core::{Error, Result};

use super::text;
use crate::args;
use crate::printer::Printer;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let mut tree = args::command();
    // Build the tree, which sets the full names of the commands, such as `tacho-run`.
    tree.build();
    if let Some(folder) = text(matches, "all") {
        let folder = world.folder.join(folder);
        let commands = tree.get_subcommands().filter(|command| command.get_name() != "help");
        let mut count = 0;
        for command in commands.chain([&tree]) {
            write(&folder.join(format!("{}.1", title(command))), &page(command)?)?;
            count += 1;
        }
        printer.answer(&format!("✓ Wrote {count} pages to {}", folder.display()))?;
        return Ok(Exit::Success);
    }
    let page = match text(matches, "command") {
        None => page(&tree)?,
        Some(name) => page(named(&tree, name)?)?,
    };
    printer.answer(String::from_utf8_lossy(&page).trim_end())?;
    Ok(Exit::Success)
}

fn named<'a>(tree: &'a Command, name: &str) -> Result<&'a Command> {
    tree.find_subcommand(name).ok_or_else(|| {
        Error::usage(format!("unknown command {name}"))
            .did_you_mean(name, tree.get_subcommands().map(Command::get_name))
    })
}

/// Returns the name of a page, such as `tacho-run`, or `tacho` for the program itself.
fn title(command: &Command) -> String {
    command.get_display_name().unwrap_or(command.get_name()).to_owned()
}

fn page(command: &Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command.clone()).title(title(command).to_uppercase()).render(&mut page)?;
    Ok(page)
}

fn write(path: &std::path::Path, content: &[u8]) -> Result<()> {
    #[expect(clippy::disallowed_methods, reason = "writes a file that the user requested")]
    let written = path
        .parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(path, content));
    written.map_err(|error| Error::from(error).during(format!("write {}", path.display())))
}
