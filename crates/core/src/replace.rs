//! Replaces the content of a file in a single step, so that readers see either the old content or the new content.
//!
//! A truncated file must never exist under the final name. Start reading at [`replace_file`].

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Number of temporary names to try. A name may be in use by another process or left over from a killed one.
const ATTEMPTS: u32 = 10_000;

/// Replaces the content of the file `path` so that the new content survives a power failure. `options` are used to
/// create the new file and can restrict access to it.
///
/// Any number of processes and threads can call this function at the same time. Each has its own temporary file.
///
/// # Errors
/// Returns an error if the file cannot be written or replaced. The temporary file is removed first.
pub fn replace_file(path: &Path, content: &[u8], options: &OpenOptions) -> io::Result<()> {
    let (temporary, mut file) = temporary(path, options)?;
    let written = file.write_all(content).and_then(|()| file.sync_all());
    drop(file);
    let replaced = written.and_then(|()| fs::rename(&temporary, path));
    if replaced.is_err() {
        // Ignore this error, because the first error is more important. A temporary file that cannot be removed does
        // not affect readers.
        let _ = fs::remove_file(&temporary);
    }
    replaced?;
    sync_folder(path);
    Ok(())
}

/// Creates a new file next to `path`, under a name that no other process uses.
fn temporary(path: &Path, options: &OpenOptions) -> io::Result<(PathBuf, File)> {
    let process = std::process::id();
    for number in 0..ATTEMPTS {
        let name = path.with_added_extension(format!("{process}-{number}.tmp"));
        match options.clone().write(true).create_new(true).open(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (name, file)),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "no temporary file name is available"))
}

/// Makes a rename survive a power failure. Errors are ignored, because some systems cannot open a folder. On these
/// systems, the old content may reappear after a power failure.
fn sync_folder(path: &Path) {
    #[expect(clippy::disallowed_methods, reason = "opens a folder in order to sync it")]
    if let Some(folder) = path.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
}
