//! The rules for a run's tags.

use tacho_core::{Error, Result};

use crate::latest::is_reserved;

const TAG_CHARS_MAX: usize = 64;

/// Returns an error if `tag` could be confused with another selector or would have to be quoted in a shell.
pub fn check_tag(tag: &str) -> Result<()> {
    let bad = |reason: &str| {
        Err(Error::usage(format!("\"{tag}\" cannot be a tag: {reason}"))
            .hint("use one word of at most 64 characters, such as nightly"))
    };
    match tag {
        "" => bad("it is empty"),
        tag if tag.chars().count() > TAG_CHARS_MAX => bad("it is longer than 64 characters"),
        tag if is_reserved(tag) => bad("latest always refers to the newest run"),
        tag if tag.contains(|c: char| c.is_whitespace() || c.is_control() || c == ',') => {
            bad("it contains a space or a comma")
        }
        _ => Ok(()),
    }
}
