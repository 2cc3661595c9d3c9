//! HammerDB scripts, in Tcl and Python, run by Tacho: the same commands, keys and printed lines, and
//! behind them the use cases of `tacho_app`.
//!
//! Four parts know each other no more than they must: [`dictionary`], the keys as data;
//! [`console`], the commands as a state machine without any language; `tcl` and `python`, the two
//! languages; and `jobs`, what earlier commands have left. It must never measure anything itself.
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
use tacho_core::{Error, Result};

pub use console::Setup;
pub use tcl::Library;
pub use web::routes as web_routes;

use console::Console;
use shell::Shell;

/// The language of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Real Tcl, from the system's library.
    Tcl,
    /// The system's Python.
    Python,
}

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file, and what it is called with.
    Script(PathBuf, Vec<String>),
    /// Typed input, with history and completion if `true`: a terminal.
    Typed(bool),
}

/// How a session has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// In one of our own ways.
    Exit(Exit),
    /// With the code that the script chose.
    Code(u8),
}

/// Runs a session to its end.
///
/// `tcl` is the library to load, or the usual ones. A script that fails is a usage error with the
/// language's own words.
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

/// Translates a Tcl script: what it would do, as a settings file with commands. Nothing is done on
/// a database, and `exec` does nothing.
pub fn import(setup: Setup, tcl: &Library, script: &Path) -> Result<String> {
    require_file(script)?;
    let interrupt = setup.context.interrupt.clone();
    let mut console = Console::new(setup);
    console.only_plan();
    let shell = Shell::new(console, interrupt);
    tcl::translate(&shell, tcl, script)?;
    Ok(shell.console.into_inner().planned())
}

fn require_file(path: &Path) -> Result<()> {
    if path.is_file() {
        return Ok(());
    }
    Err(Error::usage(format!("script {} not found", path.display()))
        .hint("name an existing file, as in: tacho hammerdb auto run.tcl"))
}
