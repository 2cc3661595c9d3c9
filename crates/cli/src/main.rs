//! The `tacho` command: parses, calls the use cases, prints.
//!
//! Nothing is measured here. One file per sub-command in `commands/`; start reading at `args.rs`,
//! the whole command tree.

mod args;
mod commands;
mod export;
mod printer;
mod progress;
mod signals;
mod world;

use std::process::ExitCode;

use tacho_app::Exit;
use tacho_core::Error;

use printer::Printer;
use world::World;

fn main() -> ExitCode {
    let world = World::real();
    let printer = Printer::new(&world);
    let code = match run(&world, &printer) {
        _ if world.unread() => Exit::Success,
        Ok(exit) => world.stopped().unwrap_or(exit),
        Err(error) => {
            printer.error(&error);
            world.stopped().unwrap_or(Exit::of(&error))
        }
    };
    ExitCode::from(code.code())
}

fn run(world: &World, printer: &Printer) -> Result<Exit, Error> {
    let arguments = commands::as_tacho(&world.arguments);
    let matches = match args::command().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => return Ok(printer.usage(&error)),
    };
    let Some((name, matches)) = matches.subcommand() else { return Ok(Exit::Usage) };
    commands::call(name, matches, world, printer)
}
