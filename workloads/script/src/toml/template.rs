//! Example files for a new workload. They are complete, commented, and ready to run.
//!
//! Start reading at [`template`]; the files are in `template/`.

use tacho_core::{Error, Result};

/// An example file's name and contents.
pub type Template = (&'static str, String);

/// Returns the files for a new workload called `name`.
///
/// # Errors
/// Returns a usage error if the name is not valid.
pub fn template(name: &str) -> Result<Vec<Template>> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(plain) {
        return Err(Error::usage(format!("invalid workload name \"{name}\"")).hint(
            "a name begins with a letter and consists of lower-case letters, digits, _ and -",
        ));
    }
    Ok(vec![
        (super::FILE, include_str!("../../template/workload.toml").replace("@name@", name)),
        ("statements.sql", include_str!("../../template/statements.sql").to_owned()),
        ("statements.sqlite.sql", include_str!("../../template/statements.sqlite.sql").to_owned()),
        // The definition refers to this file in its first line, by file name only, so both files
        // must be in the same folder.
        ("workload.schema.json", super::SCHEMA.to_owned()),
        ("checks.sql", include_str!("../../template/checks.sql").to_owned()),
    ])
}
