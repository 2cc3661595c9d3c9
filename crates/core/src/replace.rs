//! Replacing a file as a whole, so that a reader finds either the old content or the new one.
//!
//! It must never leave a truncated file under the final name. Start reading at [`replace_file`].

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Temporary names to try: each may belong to another process, or to one that was killed.
const ATTEMPTS: u32 = 10_000;

/// Replaces `path` by `content`, durably. `options` open the new file and may restrict who can read it.
///
/// Any number of processes and threads may do so at once: each writes a temporary file of its own.
///
/// # Errors
/// Returns any I/O error; the temporary file is removed.
pub fn replace_file(path: &Path, content: &[u8], options: &OpenOptions) -> io::Result<()> {
    let (temporary, mut file) = temporary(path, options)?;
    let written = file.write_all(content).and_then(|()| file.sync_all());
    drop(file);
    let replaced = written.and_then(|()| fs::rename(&temporary, path));
    if replaced.is_err() {
        // The first error is the one to report; a temporary file that remains harms no reader.
        let _ = fs::remove_file(&temporary);
    }
    replaced?;
    sync_folder(path);
    Ok(())
}

/// Creates a new file next to `path` whose name nobody else has.
fn temporary(path: &Path, options: &OpenOptions) -> io::Result<(PathBuf, File)> {
    let process = std::process::id();
    for number in 0..ATTEMPTS {
        let name = path.with_added_extension(format!("{process}-{number}.tmp"));
        match options.clone().write(true).create_new(true).open(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (name, file)),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "no temporary name is free"))
}

/// Makes the new name durable. Not every system can open a folder as a file, and without it a
/// power loss shows the old content, which is complete too; so errors are ignored.
fn sync_folder(path: &Path) {
    #[expect(clippy::disallowed_methods, reason = "a folder, to be synced")]
    if let Some(folder) = path.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
}
