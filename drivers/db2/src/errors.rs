//! Converts Db2's error codes.
//!
//! The codes are listed at <https://www.ibm.com/docs/en/db2/12.1.0?topic=messages-sql>.
//!
//! Start reading at [`error`].

use tacho_core::{Error, ErrorKind};
use tacho_driver::{Report, kind_of, sqlstate, with_remedy};

/// Db2's error codes by kind, without their minus sign. Any other error is classified by its SQLSTATE.
const KINDS: [(ErrorKind, &[i32]); 10] = [
    (ErrorKind::Connect, &[1032, 1034, 1035, 1042, 1224, 1773, 30_020, 30_080, 30_081, 30_108]),
    (ErrorKind::Auth, &[551, 552, 1060, 1092, 1403, 1776, 30_082]),
    (ErrorKind::UniqueViolation, &[803]),
    (ErrorKind::Constraint, &[302, 407, 413, 433, 530, 531, 532, 545, 802]),
    (ErrorKind::Syntax, &[7, 10, 103, 104, 199, 401, 408, 418]),
    (ErrorKind::Missing, &[204, 205, 206, 440, 443, 1013, 1024, 1031, 30_061]),
    (ErrorKind::Exists, &[601, 1005]),
    (ErrorKind::Cancelled, &[952]),
    (ErrorKind::Timeout, &[905]),
    (ErrorKind::Resource, &[101, 289, 902, 930, 954, 955, 956, 964, 968, 1040, 1084, 1226, 1585]),
];

/// Derby's SQLSTATEs that differ from the SQL standard. They are needed because Derby's error code is always -1.
const STATES: [(&str, ErrorKind); 9] = [
    ("40001", ErrorKind::Deadlock),
    ("40XL1", ErrorKind::LockTimeout),
    ("42X04", ErrorKind::Missing),
    ("42X05", ErrorKind::Missing),
    ("42X14", ErrorKind::Missing),
    ("42Y03", ErrorKind::Missing),
    ("42Y55", ErrorKind::Missing),
    ("X0Y32", ErrorKind::Exists),
    ("X0Y68", ErrorKind::Exists),
];

/// Hints by error code.
const REMEDIES: [(&[i32], &str); 7] = [
    (
        &[30_081, 30_080],
        "check the host and port, and check that DB2COMM includes TCPIP on the instance",
    ),
    (&[30_082, 1403], "check the user and password; the password can also be set in DB2_PASSWORD"),
    (
        &[1013, 1031, 30_061],
        "check the database name; to list the server's databases, run db2 list database directory",
    ),
    (
        &[551, 552],
        "grant the user the required privileges, for example GRANT DBADM ON DATABASE TO USER name",
    ),
    (&[964], "the transaction log is full: raise the database's LOGFILSIZ or LOGSECOND"),
    (&[289, 968], "the server's tablespace or disk is full: free up some space"),
    (&[1040, 1226], "use fewer sessions, or raise the instance's MAX_CONNECTIONS"),
];

/// Codes that can mean either a deadlock or a lock timeout. The reason code distinguishes the two.
const ROLLED_BACK: [i32; 2] = [911, 913];
const LOCK_TIMEOUT: &str = "\"68\"";

/// Converts an error report.
#[cold]
pub fn error(report: &Report<'_>) -> Error {
    let number = -report.number;
    let kind = match kind_of(number, &KINDS) {
        Some(kind) => kind,
        None if ROLLED_BACK.contains(&number) && report.text.contains(LOCK_TIMEOUT) => {
            ErrorKind::LockTimeout
        }
        None if ROLLED_BACK.contains(&number) => ErrorKind::Deadlock,
        None => {
            let state = STATES.iter().find(|(state, _)| *state == report.state);
            state.map_or_else(|| sqlstate::kind(report.state), |(_, kind)| *kind)
        }
    };
    let code = if number > 0 { format!("-{number}") } else { report.state.to_owned() };
    let error = Error::new(kind, report.text).code(code);
    with_remedy(error, number, &REMEDIES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_come_before_states() {
        let kind = |number, state, text| error(&Report { state, number, text }).kind();
        let victim = "SQL0911N The current transaction has been rolled back. Reason code \"2\".";
        assert_eq!(kind(-911, "40001", victim), ErrorKind::Deadlock);
        let waited = "SQL0911N The current transaction has been rolled back. Reason code \"68\".";
        assert_eq!(kind(-911, "40001", waited), ErrorKind::LockTimeout);
        assert_eq!(kind(-803, "23505", "SQL0803N"), ErrorKind::UniqueViolation);
        assert_eq!(kind(-30_081, "08001", "SQL30081N"), ErrorKind::Connect);
        assert_eq!(kind(-1, "23505", "of another server"), ErrorKind::UniqueViolation);
        assert_eq!(kind(0, "HY001", "no memory"), ErrorKind::Resource);
    }
}
