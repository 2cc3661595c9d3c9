//! Disk space set aside when a run begins, so that its record can be written though the disk has
//! become full meanwhile.
//!
//! It must never outlive a run that ended. Start reading at [`take`].
#![expect(clippy::disallowed_methods, reason = "this crate is the one that writes run files")]

use std::fs;
use std::path::Path;

use tacho_core::Result;

use crate::failure;

const FILE: &str = "run.reserve";
/// Several times the size of a record with many transactions, checks and notices.
const BYTES: usize = 256 * 1024;

/// Sets space aside in the run's folder.
pub(crate) fn take(folder: &Path) -> Result<()> {
    let path = folder.join(FILE);
    fs::write(&path, vec![0; BYTES]).map_err(failure::writing(&path))
}

/// Gives it back. If that fails, the write that follows tells why.
pub(crate) fn release(folder: &Path) {
    let _ = fs::remove_file(folder.join(FILE));
}
