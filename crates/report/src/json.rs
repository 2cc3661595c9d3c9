//! JSON for people to read and programs to parse.

use serde::Serialize;
use tacho_core::{Error, ErrorKind, Result};

/// Indented, with a line break at its end; a record is as in `run.json`.
pub fn json(value: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Error::new(ErrorKind::Other, "invalid JSON").source(error))?;
    Ok(text + "\n")
}
