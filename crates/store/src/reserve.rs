//! Disk space reserved at the start of a run, so that its record can be written even to a full disk.
//!
//! The reserve must never remain after the run has ended. Start reading at [`take`].
#![expect(clippy::disallowed_methods, reason = "this crate writes the run files")]

use std::fs;
use std::path::Path;

use tacho_core::Result;

use crate::failure;

const FILE: &str = "run.reserve";
/// Size of the reserve. A record with many transactions, checks and notices needs a fraction of it.
const BYTES: usize = 256 * 1024;

/// Reserves disk space in the run's folder.
pub(crate) fn take(folder: &Path) -> Result<()> {
    let path = folder.join(FILE);
    fs::write(&path, vec![0; BYTES]).map_err(failure::writing(&path))
}

/// Releases the reserve. If that fails, the next write reports the reason.
pub(crate) fn release(folder: &Path) {
    let _ = fs::remove_file(folder.join(FILE));
}
