//! `tacho schema`

use clap::ArgMatches;
use tacho_app::Exit;
use tacho_core::Result;

use super::text;
use crate::printer::Printer;

pub(super) fn call(matches: &ArgMatches, printer: &Printer) -> Result<Exit> {
    let known = |name| tacho_store::schema(name).or_else(|| tacho_report::schema(name));
    let schema = text(matches, "name").and_then(known).unwrap_or_default();
    printer.answer(&super::json(&schema))?;
    Ok(Exit::Success)
}
