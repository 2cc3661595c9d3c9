//! Replacing a file as a whole, so that a reader finds the old or the new one and nothing between.
//!
//! It must never leave a truncated file under the final name, nor a temporary one behind.
//! Start reading at [`replace`].
#![expect(clippy::disallowed_methods, reason = "this crate is the one that writes run files")]

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use tacho_core::Result;

use crate::failure;

/// Replaces `path` by `content`, durably. A folder that has vanished is made again.
pub(crate) fn replace(path: &Path, content: &[u8]) -> Result<()> {
    let temporary = path.with_added_extension("tmp");
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failure::writing(folder))?;
    let done = fill(&temporary, content).and_then(|()| fs::rename(&temporary, path));
    if done.is_err() {
        // The first error is the one to tell; if the temporary file stays, it harms no reader.
        let _ = fs::remove_file(&temporary);
    }
    done.map_err(failure::writing(path))?;
    sync_folder(folder);
    Ok(())
}

fn fill(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// Makes the new name durable. Not every system can open a folder as a file, and without it a
/// power loss shows the old content, which is whole too; so errors are not reported.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
