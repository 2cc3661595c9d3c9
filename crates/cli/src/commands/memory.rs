//! Checks the address space limit. If it is too low, failed allocations may abort the process.

use tacho_core::units::bytes;
use tacho_core::{Error, ErrorKind, Result};

use crate::system;

/// The lowest accepted limit. A short run with a few sessions needs only a fraction of this, even with the thread
/// stacks.
const LEAST: u64 = 256 << 20;

/// Returns an error if the limit set by `ulimit -v` is too low for a run.
pub(super) fn require() -> Result<()> {
    match system::address_space().filter(|limit| *limit < LEAST) {
        None => Ok(()),
        Some(limit) => Err(refusal(limit)),
    }
}

fn refusal(limit: u64) -> Error {
    let (limit, least) = (bytes(limit), bytes(LEAST));
    let text = format!("the address space is limited to {limit}, but tacho needs at least {least}");
    Error::new(ErrorKind::Resource, text).hint("raise the limit: ulimit -v unlimited")
}
