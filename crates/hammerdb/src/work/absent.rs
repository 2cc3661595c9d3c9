//! Tells a database that does not exist from a login that is refused: on PostgreSQL a user who does not exist yet is
//! refused as one with a wrong password is.

use tacho_app::{Context, Request, look};
use tacho_core::{Error, ErrorKind};

use super::job;
use super::phrases::database;
use super::request::Flags;
use super::target::as_administrator;

/// Returns true if a command failed because its database does not exist, as the superuser of the script sees it. Any
/// doubt leaves the error as it is.
pub(super) fn is_absent(error: &Error, flags: &Flags, context: &Context) -> bool {
    if !matches!(error.kind(), ErrorKind::Auth | ErrorKind::Missing) {
        return false;
    }
    let mut flags = flags.clone();
    for (_, values) in flags.iter_mut().filter(|(key, _)| key == "target") {
        for target in values {
            *target = as_administrator(target);
        }
    }
    let seen = job(flags, context).and_then(|job| look(Request::new(&job, context)));
    // The server itself says so: a file or a table of that kind has no code of the server's.
    seen.is_err_and(|seen| seen.kind() == ErrorKind::Missing && seen.native_code().is_some())
}

/// An error of a login, or that the database does not exist if that is why.
pub fn explained(error: Error, flags: &Flags, context: &Context) -> Error {
    if !is_absent(&error, flags, context) {
        return error;
    }
    let mut targets =
        flags.iter().filter(|(key, _)| key == "target").flat_map(|(_, values)| values);
    let database = targets.next().and_then(|target| database(target)).unwrap_or_default();
    Error::new(ErrorKind::Missing, format!("database {database} does not exist"))
        .hint("buildschema creates it")
}
