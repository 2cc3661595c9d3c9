//! Files of the store, opened only if they are regular files.
//!
//! A named pipe in place of a record would block until another process writes into it, and a link could lead
//! to any file of the user. Start reading at [`open`].

use std::fs::File;
use std::io;
use std::path::Path;

use tacho_core::file;

/// Opens a file for reading. A link is not followed.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    require_no_link(path)?;
    file::open(path)
}

/// Reads a record as a whole.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_up_to(path, file::RECORD_MAX)
}

/// Reads a file of at most so many bytes as a whole.
pub(crate) fn read_up_to(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    require_no_link(path)?;
    file::read(path, most)
}

fn require_no_link(path: &Path) -> io::Result<()> {
    if path.symlink_metadata()?.is_symlink() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a symbolic link"));
    }
    Ok(())
}
