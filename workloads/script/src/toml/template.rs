//! The example that a new workload begins with: complete, commented, and runs as it is.
//!
//! Start reading at [`template`]; the files are in `template/`.

use tacho_core::{Error, Result};

/// A file of the example: its name and its text.
pub type Template = (&'static str, String);

/// The files of a new workload of this name.
///
/// # Errors
/// Usage, if it cannot be a name.
pub fn template(name: &str) -> Result<Vec<Template>> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(plain) {
        return Err(Error::usage(format!("invalid name of a workload \"{name}\""))
            .hint("a name begins with a letter and has lower-case letters, digits, _ and -"));
    }
    Ok(vec![
        (super::FILE, include_str!("../../template/workload.toml").replace("@name@", name)),
        ("statements.sql", include_str!("../../template/statements.sql").to_owned()),
        ("statements.sqlite.sql", include_str!("../../template/statements.sqlite.sql").to_owned()),
        // Named in the first line of the definition, where editors look for it.
        ("workload.schema.json", super::SCHEMA.to_owned()),
        ("checks.sql", include_str!("../../template/checks.sql").to_owned()),
    ])
}
