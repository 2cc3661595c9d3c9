//! JSON output that people can read as easily as programs.

use serde::Serialize;
use tacho_core::{Error, ErrorKind, Result};

/// Formats a value as indented JSON. A record looks the same as in `run.json`.
pub fn json(value: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Error::new(ErrorKind::Other, "invalid JSON").source(error))?;
    Ok(text + "\n")
}
