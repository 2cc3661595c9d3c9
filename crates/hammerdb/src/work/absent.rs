//! Finds out whether a login failed because the database is missing. The error alone does not always show this. For
//! example, PostgreSQL reports a wrong password even if the user does not exist.

use tacho_app::{Context, Request, look};
use tacho_core::{Error, ErrorKind};

use super::job;
use super::phrases::database;
use super::request::Flags;
use super::target::as_administrator;

/// Returns true if a command failed because its database does not exist. Logs in as the superuser in order to find this
/// out.
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
    // Only an error with a code from the server shows that the database is missing. Without a code, a file or a table
    // is missing.
    seen.is_err_and(|seen| seen.kind() == ErrorKind::Missing && seen.native_code().is_some())
}

/// Returns the login error. If the real cause is a missing database, returns an error that says so.
pub fn explained(error: Error, flags: &Flags, context: &Context) -> Error {
    if !is_absent(&error, flags, context) {
        return error;
    }
    let mut targets =
        flags.iter().filter(|(key, _)| key == "target").flat_map(|(_, values)| values);
    let database = targets.next().and_then(|target| database(target)).unwrap_or_default();
    Error::new(ErrorKind::Missing, format!("database {database} does not exist"))
        .hint("use buildschema to create it")
}
