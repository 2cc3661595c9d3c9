//! Checks, before a command starts, that the server accepts all sessions that the command needs.
//!
//! Without this check, the command would open almost all sessions before it fails.

use tacho_core::units::counted;
use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Headroom, Session};

/// The number of monitoring sessions of a run: one reads the counters, the other monitors the server.
pub(crate) const MONITORING_SESSIONS: u32 = 2;

/// Returns an error if the server cannot accept the wanted sessions in addition to the monitoring sessions. An
/// unknown limit is not an error.
pub(crate) async fn require_headroom(
    session: &mut dyn Session,
    wanted: u32,
    monitoring: u32,
) -> Result<()> {
    let Some(headroom) = session.inspector().headroom().await? else { return Ok(()) };
    shortage(&headroom, wanted, monitoring).map_or(Ok(()), Err)
}

/// Returns the error for a server that cannot accept the wanted sessions in addition to the monitoring sessions.
pub(crate) fn shortage(headroom: &Headroom, wanted: u32, monitoring: u32) -> Option<Error> {
    if headroom.sessions >= wanted.saturating_add(monitoring) {
        return None;
    }
    let more = match monitoring {
        0 => String::new(),
        monitoring => format!(" and {monitoring} to monitor them"),
    };
    let text = format!(
        "the server accepts only {}, but {wanted}{more} are needed",
        counted(u64::from(headroom.sessions), "more session")
    );
    let error = Error::new(ErrorKind::Resource, text);
    let error = match headroom.sessions.saturating_sub(monitoring) {
        0 => error.hint("no connections available: close other sessions"),
        fits => error.hint(format!("use --sessions {fits} or fewer")),
    };
    Some(error.hint(headroom.remedy.as_str()))
}
