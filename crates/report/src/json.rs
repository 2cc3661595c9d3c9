//! JSON for people to read and programs to parse.

use serde::Serialize;
use tacho_core::{Error, ErrorKind, Result};
use tacho_store::record::Record;

/// The record as in `run.json`: indented, with a line break at its end.
pub fn record_json(record: &Record) -> Result<String> {
    pretty(record)
}

pub(crate) fn pretty(value: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Error::new(ErrorKind::Other, "invalid JSON").source(error))?;
    Ok(text + "\n")
}
