//! Runs HammerDB scripts in Tcl and Python. Commands, keys and output are like HammerDB's, but `tacho_app` does the
//! actual work.
//!
//! [`dictionary`] contains the keys, and [`console`] implements the commands as a state machine. `tcl` and `python`
//! implement the languages, and `jobs` stores results. This crate itself does not measure anything.
//!
//! Start reading at [`run`] and [`console::Console::call`].

mod clock;
pub mod console;
mod couple;
pub mod dictionary;
mod interactive;
mod jobs;
mod python;
mod shell;
mod tcl;
mod web;
mod work;
mod xml;

use std::path::{Path, PathBuf};

use tacho_app::Exit;
use tacho_core::{Error, Result, file};

pub use console::Setup;
pub use tcl::Library;
pub use web::routes as web_routes;

use console::Console;
use shell::Shell;

/// The scripting language of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Tcl, using the system's library.
    Tcl,
    /// Python, as installed on the system.
    Python,
}

/// The input of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A script file and its arguments.
    Script(PathBuf, Vec<String>),
    /// Typed or piped input. The value is true if the input is typed on a terminal, where a history and completion are
    /// available.
    Typed(bool),
}

/// The reason why a session ended, which determines the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// One of Tacho's exit codes.
    Exit(Exit),
    /// An exit code chosen by the script.
    Code(u8),
}

/// Runs a session to its end.
///
/// The session loads the Tcl library `tcl`. If the script fails, the usage error contains the error message of the
/// script's language.
pub fn run(setup: Setup, tcl: &Library, language: Language, source: &Source) -> Result<Ending> {
    if let Source::Script(path, _) = source {
        require_file(path)?;
    }
    let interrupt = setup.context.interrupt.clone();
    let mut console = Console::new(setup);
    console.keep_settings()?;
    let shell = Shell::new(console, interrupt);
    match language {
        Language::Tcl => tcl::run(&shell, tcl, source),
        Language::Python => python::run(&shell, tcl, source),
    }
}

/// Translates a Tcl script to a settings file with equivalent commands. Does not access any database, and ignores
/// `exec`.
pub fn import(setup: Setup, tcl: &Library, script: &Path) -> Result<String> {
    require_file(script)?;
    let interrupt = setup.context.interrupt.clone();
    let mut console = Console::new(setup);
    console.only_plan();
    let shell = Shell::new(console, interrupt);
    tcl::translate(&shell, tcl, script)?;
    Ok(shell.console.into_inner().planned())
}

/// Returns an error unless the script is a regular file of limited size. Otherwise, the language's library would read
/// the whole file, however large it is.
fn require_file(path: &Path) -> Result<()> {
    if !path.is_file() {
        return Err(Error::usage(format!("script {} not found", path.display()))
            .hint("specify an existing file, for example: tacho hammerdb auto run.tcl"));
    }
    file::read(path, file::SMALL_MAX).map(drop).map_err(|error| {
        Error::usage(error.to_string())
            .source(error)
            .during(format!("read {}", path.display()))
            .hint("specify a script in Tcl or Python")
    })
}
