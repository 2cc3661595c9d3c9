//! Converts TimesTen's error codes.
//!
//! The codes are listed at <https://docs.oracle.com/en/error-help/tt/>. Start reading at [`error`].

use tacho_core::{Error, ErrorKind};
use tacho_driver::{Report, kind_of, sqlstate, with_remedy};

/// Error codes by kind. Any other error is classified by its SQLSTATE.
const KINDS: [(ErrorKind, &[i32]); 8] = [
    (ErrorKind::Deadlock, &[6002]),
    (ErrorKind::LockTimeout, &[6001, 6003]),
    (ErrorKind::UniqueViolation, &[907]),
    (ErrorKind::Missing, &[2206]),
    (ErrorKind::Exists, &[2207]),
    (ErrorKind::Auth, &[7001, 15_100]),
    (ErrorKind::Connect, &[994]),
    (ErrorKind::Resource, &[702, 802, 6220, 6221]),
];

/// Hints by error code.
const REMEDIES: [(&[i32], &str); 5] = [
    (&[7001], "check the user and password; the password can also be set in TIMESTEN_PASSWORD"),
    (
        &[15_100],
        "grant the user the required privileges: CREATE SESSION, CREATE TABLE, CREATE PROCEDURE",
    ),
    (&[702], "use fewer sessions, or raise the data source's Connections setting"),
    (&[802, 6220, 6221], "raise the database's PermSize and TempSize, and reload the database"),
    (&[6003], "raise the data source's LockWait setting, or use fewer sessions"),
];

/// Converts an error report.
#[cold]
pub fn error(report: &Report<'_>) -> Error {
    let number = report.number;
    let kind = kind_of(number, &KINDS).unwrap_or_else(|| sqlstate::kind(report.state));
    let code = if number > 0 { format!("TT{number:04}") } else { report.state.to_owned() };
    let error = Error::new(kind, report.text).code(code);
    with_remedy(error, number, &REMEDIES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_come_before_states() {
        let error = |number, state| error(&Report { state, number, text: "…" });
        let deadlock = error(6002, "S1000");
        assert_eq!(
            (deadlock.kind(), deadlock.native_code()),
            (ErrorKind::Deadlock, Some("TT6002"))
        );
        let waited = error(6003, "S1000");
        assert_eq!(waited.kind(), ErrorKind::LockTimeout);
        assert!(waited.hints()[0].contains("LockWait"));
        assert_eq!(error(907, "23000").kind(), ErrorKind::UniqueViolation);
        assert_eq!(error(2206, "S0002").kind(), ErrorKind::Missing);
        let other = error(0, "HY001");
        assert_eq!((other.kind(), other.native_code()), (ErrorKind::Resource, Some("HY001")));
    }
}
