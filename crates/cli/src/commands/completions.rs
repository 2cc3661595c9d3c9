//! The `tacho completions` command.

use clap::ArgMatches;
use clap_complete::{Shell, generate};
use tacho_app::Exit;
use tacho_core::Result;

use crate::args;
use crate::printer::Printer;

pub(super) fn call(matches: &ArgMatches, printer: &Printer) -> Result<Exit> {
    if let Some(shell) = matches.get_one::<Shell>("shell") {
        let mut text = Vec::new();
        generate(*shell, &mut args::command(), "tacho", &mut text);
        printer.answer(&String::from_utf8_lossy(&text))?;
    }
    Ok(Exit::Success)
}
