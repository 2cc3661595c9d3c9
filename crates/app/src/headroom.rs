//! Whether the server takes all the sessions that a command will open, asked before it begins.
//!
//! A run that finds out at its last session has disturbed a server for nothing; a build would
//! stop half-way.

use tacho_core::units::counted;
use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Headroom, Session};

/// Sessions that a run opens in addition to its virtual users and the one that asks: for the counters, and
/// for the watch of the server.
pub(crate) const MONITORING_SESSIONS: u32 = 2;

/// Fails with the number that fits if the server does not take `wanted` sessions and `beside`
/// further ones. A server that cannot tell is taken at its word later.
pub(crate) async fn require_headroom(
    session: &mut dyn Session,
    wanted: u32,
    monitoring: u32,
) -> Result<()> {
    let Some(headroom) = session.inspector().headroom().await? else { return Ok(()) };
    shortage(&headroom, wanted, monitoring).map_or(Ok(()), Err)
}

/// What is wrong with this headroom for `wanted` sessions and `beside` further ones, if anything is.
pub(crate) fn shortage(headroom: &Headroom, wanted: u32, monitoring: u32) -> Option<Error> {
    if headroom.sessions >= wanted.saturating_add(monitoring) {
        return None;
    }
    let more = match monitoring {
        0 => String::new(),
        monitoring => format!(" and {monitoring} to monitor them"),
    };
    let text = format!(
        "the server takes {}, and {wanted} are asked for{more}",
        counted(u64::from(headroom.sessions), "more session")
    );
    let error = Error::new(ErrorKind::Resource, text);
    let error = match headroom.sessions.saturating_sub(monitoring) {
        0 => error.hint("no free connections: close other sessions"),
        fits => error.hint(format!("--sessions {fits} fits")),
    };
    Some(error.hint(headroom.remedy.as_str()))
}
