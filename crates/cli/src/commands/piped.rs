//! pgbench scripts that come through a pipe or standard input.
//!
//! A pipe can be read only once, but a workload is read whenever a job or a later run needs it. The script is therefore
//! saved with the runs. Start reading at [`saved`].

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use tacho_app::Context;
use tacho_core::file::{SMALL_MAX, STANDARD_INPUT, text_once};
use tacho_core::{Error, Result, Seed, replace_file};
use tacho_registry::PGBENCH;

use crate::printer::say;

/// Folder of the scripts, next to the runs.
const FOLDER: &str = "scripts";

/// Returns a workload's name, in which each script that is not a file is replaced by a saved copy.
///
/// # Errors
/// Returns a usage error if a script cannot be read or is too long, and any error in writing the copy.
pub(super) fn saved(word: &str, context: &Context) -> Result<String> {
    if !word.starts_with(PGBENCH) {
        return Ok(word.to_owned());
    }
    let parts: Result<Vec<String>> = word.split(',').map(|part| part_of(part, context)).collect();
    Ok(parts?.join(","))
}

/// Returns a part such as `pgbench:FILE@3` of a workload's name.
fn part_of(part: &str, context: &Context) -> Result<String> {
    let name = part.trim().trim_start_matches(PGBENCH);
    let (name, weight) = name.split_at(name.rfind('@').unwrap_or(name.len()));
    if !is_piped(Path::new(name)) {
        return Ok(part.to_owned());
    }
    let go_on = || context.interrupt.interrupt_count() == 0;
    let text = text_once(Path::new(name), SMALL_MAX, &go_on).map_err(|error| {
        error.during(format!("read {name}")).hint("provide a script of at most 1 MiB in UTF-8")
    })?;
    let path =
        copy(name, &text, context).map_err(|error| Error::from(error).during("save the script"))?;
    say(&format!("saved the script from {name} as {}", path.display()));
    Ok(format!("{PGBENCH}{}{weight}", path.display()))
}

/// Returns true for standard input, pipes and devices.
fn is_piped(path: &Path) -> bool {
    let is_other = |kind: std::fs::Metadata| !kind.is_file() && !kind.is_dir();
    path == Path::new(STANDARD_INPUT) || path.metadata().is_ok_and(is_other)
}

/// Writes a script to a folder that is named after its contents. The file's name becomes the name of the transaction.
fn copy(name: &str, text: &str, context: &Context) -> std::io::Result<PathBuf> {
    let digest = format!("{:016x}", Seed(0).child(text).0);
    let folder = context.folder.join(FOLDER).join(digest);
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(if name == STANDARD_INPUT { "stdin.sql" } else { "script.sql" });
    replace_file(&path, text.as_bytes(), &OpenOptions::new())?;
    Ok(path)
}
