//! Opens files of the store, but only if they are regular files.
//!
//! Other files could be dangerous: a named pipe would block the reader, and a symbolic link could
//! lead to any of the user's files.
//!
//! Start reading at [`open`].

use std::fs::File;
use std::io;
use std::path::Path;

use tacho_core::file;

/// Opens a file for reading, but does not follow links.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    require_no_link(path)?;
    file::open(path)
}

/// Reads a complete record.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_up_to(path, file::RECORD_MAX)
}

/// Reads an entire file. Returns an error if it is larger than `most` bytes.
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
