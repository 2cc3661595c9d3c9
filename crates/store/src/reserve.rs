//! Reserves disk space at the start of a run, so that the run's record can be written even if the disk becomes full.
//!
//! The reserve must never be left behind after the run. Start reading at [`take`].
#![expect(clippy::disallowed_methods, reason = "this crate writes the run files")]

use std::fs;
use std::path::Path;

use tacho_core::Result;

use crate::failure;

const FILE: &str = "run.reserve";
/// Size of the reserve. Even a record with many transactions, checks and notices is much smaller.
const BYTES: usize = 256 * 1024;

/// Reserves disk space in the run's folder.
pub(crate) fn take(folder: &Path) -> Result<()> {
    let path = folder.join(FILE);
    fs::write(&path, vec![0; BYTES]).map_err(failure::writing(&path))
}

/// Releases the reserve. Errors are ignored, because the next write will report them.
pub(crate) fn release(folder: &Path) {
    let _ = fs::remove_file(folder.join(FILE));
}
