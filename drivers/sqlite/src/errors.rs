//! Converts SQLite's result codes, which are listed at <https://sqlite.org/rescode.html>.

use rusqlite::ffi;
use tacho_core::{Error, ErrorKind};
use tacho_driver::{Report, sqlstate};

/// SQLite's result codes, with their names and error kinds. A few extended codes have error kinds of their own and come
/// first. All other errors are found by their primary code, which is the low byte of an extended code.
const CODES: [(i32, &str, ErrorKind); 36] = [
    (ffi::SQLITE_BUSY_SNAPSHOT, "SQLITE_BUSY_SNAPSHOT", ErrorKind::Serialization),
    (ffi::SQLITE_CONSTRAINT_UNIQUE, "SQLITE_CONSTRAINT_UNIQUE", ErrorKind::UniqueViolation),
    (ffi::SQLITE_CONSTRAINT_PRIMARYKEY, "SQLITE_CONSTRAINT_PRIMARYKEY", ErrorKind::UniqueViolation),
    (ffi::SQLITE_CONSTRAINT_ROWID, "SQLITE_CONSTRAINT_ROWID", ErrorKind::UniqueViolation),
    (ffi::SQLITE_CONSTRAINT_NOTNULL, "SQLITE_CONSTRAINT_NOTNULL", ErrorKind::Constraint),
    (ffi::SQLITE_CONSTRAINT_CHECK, "SQLITE_CONSTRAINT_CHECK", ErrorKind::Constraint),
    (ffi::SQLITE_CONSTRAINT_FOREIGNKEY, "SQLITE_CONSTRAINT_FOREIGNKEY", ErrorKind::Constraint),
    (ffi::SQLITE_CONSTRAINT_DATATYPE, "SQLITE_CONSTRAINT_DATATYPE", ErrorKind::Constraint),
    (ffi::SQLITE_CANTOPEN_ISDIR, "SQLITE_CANTOPEN_ISDIR", ErrorKind::Missing),
    (ffi::SQLITE_READONLY_DIRECTORY, "SQLITE_READONLY_DIRECTORY", ErrorKind::Auth),
    (ffi::SQLITE_READONLY_DBMOVED, "SQLITE_READONLY_DBMOVED", ErrorKind::Missing),
    (ffi::SQLITE_IOERR_NOMEM, "SQLITE_IOERR_NOMEM", ErrorKind::Resource),
    (ffi::SQLITE_ERROR, "SQLITE_ERROR", ErrorKind::Syntax),
    (ffi::SQLITE_INTERNAL, "SQLITE_INTERNAL", ErrorKind::Other),
    (ffi::SQLITE_PERM, "SQLITE_PERM", ErrorKind::Auth),
    (ffi::SQLITE_ABORT, "SQLITE_ABORT", ErrorKind::Cancelled),
    (ffi::SQLITE_BUSY, "SQLITE_BUSY", ErrorKind::LockTimeout),
    (ffi::SQLITE_LOCKED, "SQLITE_LOCKED", ErrorKind::LockTimeout),
    (ffi::SQLITE_NOMEM, "SQLITE_NOMEM", ErrorKind::Resource),
    (ffi::SQLITE_READONLY, "SQLITE_READONLY", ErrorKind::Auth),
    (ffi::SQLITE_INTERRUPT, "SQLITE_INTERRUPT", ErrorKind::Cancelled),
    (ffi::SQLITE_IOERR, "SQLITE_IOERR", ErrorKind::Resource),
    (ffi::SQLITE_CORRUPT, "SQLITE_CORRUPT", ErrorKind::Protocol),
    (ffi::SQLITE_NOTFOUND, "SQLITE_NOTFOUND", ErrorKind::Unsupported),
    (ffi::SQLITE_FULL, "SQLITE_FULL", ErrorKind::Resource),
    (ffi::SQLITE_CANTOPEN, "SQLITE_CANTOPEN", ErrorKind::Missing),
    // Despite its name, `SQLITE_PROTOCOL` means that SQLite gave up waiting for its lock files, because too many
    // sessions needed them.
    (ffi::SQLITE_PROTOCOL, "SQLITE_PROTOCOL", ErrorKind::LockTimeout),
    (ffi::SQLITE_SCHEMA, "SQLITE_SCHEMA", ErrorKind::Other),
    (ffi::SQLITE_TOOBIG, "SQLITE_TOOBIG", ErrorKind::Unsupported),
    (ffi::SQLITE_CONSTRAINT, "SQLITE_CONSTRAINT", ErrorKind::Constraint),
    (ffi::SQLITE_MISMATCH, "SQLITE_MISMATCH", ErrorKind::Syntax),
    (ffi::SQLITE_MISUSE, "SQLITE_MISUSE", ErrorKind::Other),
    (ffi::SQLITE_NOLFS, "SQLITE_NOLFS", ErrorKind::Unsupported),
    (ffi::SQLITE_AUTH, "SQLITE_AUTH", ErrorKind::Auth),
    (ffi::SQLITE_RANGE, "SQLITE_RANGE", ErrorKind::Syntax),
    (ffi::SQLITE_NOTADB, "SQLITE_NOTADB", ErrorKind::Protocol),
];

/// Converts an error returned by the client library.
#[cold]
pub fn native(error: rusqlite::Error) -> Error {
    let (code, message) = match &error {
        rusqlite::Error::SqliteFailure(failure, message) => {
            (failure.extended_code, message.clone().unwrap_or_else(|| failure.to_string()))
        }
        rusqlite::Error::SqlInputError { error, msg, .. } => (error.extended_code, msg.clone()),
        _ => return Error::new(ErrorKind::Protocol, error.to_string()).source(error),
    };
    let (name, kind) = classify(code, &message);
    let ours = Error::new(kind, message).code(name).source(error);
    match remedy(code) {
        Some(remedy) => ours.hint(remedy),
        None => ours,
    }
}

/// Converts an error from another client library, which provides only a primary code and a message.
#[cold]
pub fn reported(report: &Report<'_>) -> Error {
    if report.number == 0 {
        return sqlstate::error(report);
    }
    let code = match report.number {
        ffi::SQLITE_CONSTRAINT if report.text.contains("UNIQUE") => ffi::SQLITE_CONSTRAINT_UNIQUE,
        ffi::SQLITE_CONSTRAINT if report.text.contains("NOT NULL") => {
            ffi::SQLITE_CONSTRAINT_NOTNULL
        }
        code => code,
    };
    let (name, kind) = classify(code, report.text);
    let error = Error::new(kind, report.text).code(name);
    match remedy(code) {
        Some(remedy) => error.hint(remedy),
        None => error,
    }
}

fn classify(code: i32, message: &str) -> (String, ErrorKind) {
    let known = |wanted: i32| CODES.iter().find(|(known, ..)| *known == wanted);
    match known(code).or_else(|| known(code & 0xFF)) {
        Some((ffi::SQLITE_ERROR, name, _)) if message.starts_with("no such ") => {
            ((*name).into(), ErrorKind::Missing)
        }
        Some((exact, name, kind)) if *exact == code => ((*name).into(), *kind),
        Some((_, name, kind)) => (format!("{name}/{code}"), *kind),
        None => (format!("SQLite code {code}"), ErrorKind::Other),
    }
}

fn remedy(code: i32) -> Option<&'static str> {
    match code & 0xFF {
        ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED => {
            Some("another session or process holds the lock: end it, or raise busy_timeout")
        }
        ffi::SQLITE_FULL => Some("the disk is full: free up some space, or use another directory"),
        ffi::SQLITE_READONLY | ffi::SQLITE_PERM => {
            Some("make the file and its directory writable, and remove mode=ro from the target")
        }
        ffi::SQLITE_CORRUPT => Some("the file is damaged: delete it and prepare the data again"),
        ffi::SQLITE_IOERR => Some("check the system log for disk errors"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_classified() {
        let table = [
            (5, "", "SQLITE_BUSY", ErrorKind::LockTimeout),
            (517, "", "SQLITE_BUSY_SNAPSHOT", ErrorKind::Serialization),
            (261, "", "SQLITE_BUSY/261", ErrorKind::LockTimeout),
            (2067, "", "SQLITE_CONSTRAINT_UNIQUE", ErrorKind::UniqueViolation),
            (1299, "", "SQLITE_CONSTRAINT_NOTNULL", ErrorKind::Constraint),
            (778, "", "SQLITE_IOERR/778", ErrorKind::Resource),
            (1, "near \"x\": syntax error", "SQLITE_ERROR", ErrorKind::Syntax),
            (1, "no such table: t", "SQLITE_ERROR", ErrorKind::Missing),
            (99, "", "SQLite code 99", ErrorKind::Other),
        ];
        for (code, message, name, kind) in table {
            assert_eq!(classify(code, message), (name.to_owned(), kind), "{code}");
        }
    }
}
