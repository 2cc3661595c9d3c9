//! Selects a run or a sweep by age, using `latest` or `latest~N`.

use tacho_core::{Error, Result};

/// Returns true if a tag could be confused with `latest` or `latest~N`.
pub(crate) fn is_reserved(word: &str) -> bool {
    word == "latest" || word.starts_with("latest~")
}

/// Returns the N in `latest~N`, or `None` for any other selector.
pub(crate) fn back_from_latest(selector: &str) -> Result<Option<usize>> {
    if !is_reserved(selector) {
        return Ok(None);
    }
    let back = selector.trim_start_matches("latest");
    let back = back.strip_prefix('~').unwrap_or("0");
    back.parse().map(Some).map_err(|_| {
        Error::usage(format!("invalid selector \"{selector}\""))
            .hint("use latest, or latest~1 for the second most recent")
    })
}
