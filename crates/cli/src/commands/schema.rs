//! The `tacho schema` command.

use clap::ArgMatches;
use serde_json::{Value, json};
use tacho_app::Exit;
use tacho_core::{Error, Result};

use super::text;
use crate::printer::Printer;

/// The name of the schema for `workload.toml`.
const WORKLOAD: &str = "workload";
/// The name of the schema for pipeline files.
const PIPELINE: &str = "pipeline";

/// Returns the schema for workloads, with a list of the functions that expressions can use.
fn workload() -> Result<Value> {
    let mut schema: Value = serde_json::from_str(tacho_registry::WORKLOAD_SCHEMA)
        .map_err(|error| Error::usage(error.to_string()))?;
    let functions = tacho_registry::workload_functions();
    schema["x-functions"] =
        functions.map(|(usage, about)| json!({ "usage": usage, "about": about })).collect();
    Ok(schema)
}

pub(super) fn call(matches: &ArgMatches, printer: &Printer) -> Result<Exit> {
    let name = text(matches, "name").unwrap_or_default();
    let schema = match name {
        WORKLOAD => workload()?,
        PIPELINE => tacho_config::PipelineFile::schema(),
        _ => tacho_store::schema(name).or_else(|| tacho_report::schema(name)).unwrap_or_default(),
    };
    printer.answer(&super::json(&schema))?;
    Ok(Exit::Success)
}
