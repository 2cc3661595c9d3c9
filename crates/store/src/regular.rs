//! Files of the store, opened only if they are regular files.
//!
//! A named pipe in place of a record would block until another process writes into it, and a link could lead
//! to any file of the user. Start reading at [`open`].

#![expect(clippy::disallowed_methods, reason = "records are read here")]

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Opens a file for reading. A link is not followed.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let found = path.symlink_metadata()?;
    if found.is_symlink() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a symbolic link"));
    }
    if !found.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    File::open(path)
}

/// Reads a file as a whole.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}
