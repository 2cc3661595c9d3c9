//! Files of ours, opened only if they are files.
//!
//! A named pipe in the place of a record would block until another process writes into it. Start reading
//! at [`open`].

#![expect(clippy::disallowed_methods, reason = "records are read here")]

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Opens a file for reading.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    if !path.metadata()?.is_file() {
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
