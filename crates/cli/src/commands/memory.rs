//! The limit of the address space: where it is too low, memory runs out in places that can only abort.

use tacho_core::units::bytes;
use tacho_core::{Error, ErrorKind, Result};

use crate::system;

/// What a short run of few sessions needs, with its threads, several times over.
const LEAST: u64 = 256 << 20;

/// Fails if `ulimit -v` leaves less than a run needs.
pub(super) fn require() -> Result<()> {
    match system::address_space().filter(|limit| *limit < LEAST) {
        None => Ok(()),
        Some(limit) => Err(refusal(limit)),
    }
}

fn refusal(limit: u64) -> Error {
    let (limit, least) = (bytes(limit), bytes(LEAST));
    let text = format!("the address space is limited to {limit}; tacho needs at least {least}");
    Error::new(ErrorKind::Resource, text).hint("raise the limit: ulimit -v unlimited")
}
