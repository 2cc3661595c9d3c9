//! Replaces files atomically. Readers see either the old or the new content, never a mixture.
//!
//! A file must never be truncated under its final name. Start reading at [`replace`].

use std::fs::{self, File};
use std::path::Path;

use tacho_core::{Result, replace_file};

use crate::failure;

/// Replaces the contents of `path` durably. If the folder was removed, creates it again.
pub(crate) fn replace(path: &Path, content: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failure::writing(folder))?;
    replace_file(path, content, &File::options()).map_err(failure::writing(path))
}
