//! `tacho schema`

use clap::ArgMatches;
use tacho_app::Exit;
use tacho_core::Result;

use super::text;
use crate::printer::Printer;

pub(super) fn call(matches: &ArgMatches, printer: &Printer) -> Result<Exit> {
    let schema = text(matches, "name").and_then(tacho_store::schema).unwrap_or_default();
    printer.answer(&super::json(&schema))?;
    Ok(Exit::Success)
}
