//! The `tacho` command. It parses the arguments, calls the use cases and prints the results.
//!
//! Nothing is measured here. Each command has a file in `commands/`.
//!
//! Start reading at `args.rs`, which contains the command tree.

mod args;
mod arguments;
mod commands;
mod export;
mod forms;
mod printer;
mod progress;
mod reading;
mod system;
mod world;

use std::panic::UnwindSafe;
use std::process::ExitCode;

use tacho_app::Exit;
use tacho_core::Error;

use printer::Printer;
use world::World;

/// Replaces musl's allocator, which is too slow. A report on 36,000 intervals takes 4.9 s of system time with musl's
/// allocator, but only 0.2 s with glibc's.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The text printed below the panic message.
const BUG: &str = concat!(
    "error: internal error: this is a bug in Tacho\n\n  hint: please report it, with the lines \
     above and the command: ",
    env!("CARGO_PKG_REPOSITORY"),
    "/issues\n  hint: earlier runs are kept; to list them, use tacho runs"
);

fn main() -> ExitCode {
    ExitCode::from(guarded(command).code())
}

/// Runs a command and returns its exit code, even if the command panics.
fn guarded(command: impl FnOnce() -> Exit + UnwindSafe) -> Exit {
    std::panic::catch_unwind(command).unwrap_or_else(|_| {
        printer::say(BUG);
        Exit::Internal
    })
}

fn command() -> Exit {
    // Read the arguments before doing anything else, because this may restart the process.
    let arguments = arguments::of_this_process();
    let mut world = World::real(arguments.words, reading::reading());
    let printer = Printer::new(&world);
    // Do not print the warning if standard error may be a stream of JSON that another program reads.
    if !world.arguments.iter().any(|word| word.to_string_lossy().ends_with("json")) {
        arguments.warning.into_iter().for_each(printer::say);
    }
    match run(&mut world, &printer) {
        _ if world.unread() => Exit::Success,
        Ok(exit) => Exit::first_of(&[exit, stopped(&world)]),
        Err(error) => {
            printer.error(&error);
            Exit::first_of(&[Exit::of(&error), stopped(&world)])
        }
    }
}

/// Returns the exit code for the signal that was received, if any.
fn stopped(world: &World) -> Exit {
    world.stopped().unwrap_or(Exit::Success)
}

fn run(world: &mut World, printer: &Printer) -> Result<Exit, Error> {
    let arguments = commands::as_tacho(&world.arguments);
    if arguments.len() < 2 && world.terminal_in && world.terminal_out {
        return commands::welcome::call(world, printer);
    }
    let tree = args::tree_for(&arguments);
    let arguments = args::as_settings(arguments, &tree);
    let matches = match tree.try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(mut error) => {
            args::suggest(&mut error);
            return Ok(printer.usage(&error));
        }
    };
    let Some((name, matches)) = matches.subcommand() else { return Ok(Exit::Usage) };
    // Read the values of `--allow` from the innermost sub-command, where Clap stores the values of all global
    // options.
    let allowed = innermost(matches).try_get_many::<String>("allow").ok().flatten();
    world.allow(allowed.into_iter().flatten().cloned());
    commands::call(name, matches, world, printer)
}

/// Returns the arguments of the innermost sub-command.
fn innermost(matches: &clap::ArgMatches) -> &clap::ArgMatches {
    matches.subcommand().map_or(matches, |(_, matches)| innermost(matches))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_internal_error() {
        assert_eq!(guarded(|| panic!("a broken invariant")), Exit::Internal);
        assert_eq!(guarded(|| Exit::Usage), Exit::Usage);
    }
}
