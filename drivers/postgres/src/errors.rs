//! Maps each SQLSTATE in `PostgreSQL` error reports to an [`ErrorKind`] and a hint for the user.
//!
//! The codes are listed at <https://www.postgresql.org/docs/current/errcodes-appendix.html>.

use tacho_core::{Error, ErrorKind, Retry};
use tacho_driver::sqlstate;

/// Full codes take precedence over classes. A class is the first two characters of a code.
const CODES: [(&str, ErrorKind); 44] = [
    ("0A", ErrorKind::Unsupported),
    ("08P01", ErrorKind::Protocol),
    ("08", ErrorKind::Connect),
    ("22001", ErrorKind::Constraint),
    ("22003", ErrorKind::Constraint),
    ("23505", ErrorKind::UniqueViolation),
    ("23", ErrorKind::Constraint),
    ("25006", ErrorKind::Auth),
    ("25P03", ErrorKind::Timeout),
    ("25P04", ErrorKind::Timeout),
    ("26", ErrorKind::Missing),
    ("28", ErrorKind::Auth),
    ("3D", ErrorKind::Missing),
    ("3F", ErrorKind::Missing),
    ("40001", ErrorKind::Serialization),
    ("40003", ErrorKind::Connect),
    ("40P01", ErrorKind::Deadlock),
    ("40", ErrorKind::Serialization),
    ("42501", ErrorKind::Auth),
    // Missing tables, columns, functions, parameters, other objects, databases and schemas.
    ("42P01", ErrorKind::Missing),
    ("42703", ErrorKind::Missing),
    ("42883", ErrorKind::Missing),
    ("42P02", ErrorKind::Missing),
    ("42704", ErrorKind::Missing),
    ("42P04", ErrorKind::Exists),
    ("42P06", ErrorKind::Exists),
    ("42P07", ErrorKind::Exists),
    ("42710", ErrorKind::Exists),
    ("42723", ErrorKind::Exists),
    ("42", ErrorKind::Syntax),
    ("44", ErrorKind::Constraint),
    ("53", ErrorKind::Resource),
    ("54", ErrorKind::Resource),
    ("55P03", ErrorKind::LockTimeout),
    ("57014", ErrorKind::Cancelled),
    ("57P01", ErrorKind::Connect),
    ("57P02", ErrorKind::Connect),
    ("57P03", ErrorKind::Connect),
    ("57P04", ErrorKind::Missing),
    ("57P05", ErrorKind::Timeout),
    ("58", ErrorKind::Resource),
    ("72", ErrorKind::Serialization),
    ("XX001", ErrorKind::Protocol),
    ("XX002", ErrorKind::Protocol),
];

/// The fields of an `ErrorResponse` that Tacho uses.
#[derive(Clone, Copy, Debug, Default)]
struct Report<'a> {
    severity: &'a str,
    code: &'a str,
    message: &'a str,
    detail: &'a str,
    hint: &'a str,
}

/// Converts the body of an `ErrorResponse`.
#[cold]
pub fn server(body: &[u8]) -> Error {
    let report = read(body);
    let kind = classify(report.code, report.message);
    let text = match report.detail {
        "" => report.message.to_owned(),
        detail => format!("{}: {detail}", report.message),
    };
    let mut error = Error::new(kind, text).code(report.code);
    if matches!(report.severity, "FATAL" | "PANIC") {
        error = error.retry(Retry::NewConnection);
    }
    if !report.hint.is_empty() {
        error = error.hint(report.hint);
    }
    match remedy(report.code) {
        Some(remedy) => error.hint(remedy),
        None => error,
    }
}

/// Converts an error from another client library, which provides the SQLSTATE.
#[cold]
pub fn reported(report: &tacho_driver::Report<'_>) -> Error {
    let kind = match classify(report.state, report.text) {
        ErrorKind::Other => sqlstate::kind(report.state),
        kind => kind,
    };
    let error = Error::new(kind, report.text).code(report.state);
    match remedy(report.state) {
        Some(remedy) => error.hint(remedy),
        None => error,
    }
}

/// Parses the fields. Each is a byte that identifies it, followed by a zero-terminated string.
fn read(body: &[u8]) -> Report<'_> {
    let mut report = Report::default();
    for field in body.split(|byte| *byte == 0) {
        let Some((name, text)) = field.split_first() else { continue };
        let text = std::str::from_utf8(text).unwrap_or("text that is not valid UTF-8");
        match name {
            // `V` contains the same word as `S`, but never translated. Servers since version 9.6 send it after `S`.
            b'S' | b'V' => report.severity = text,
            b'C' => report.code = text,
            b'M' => report.message = text,
            b'D' => report.detail = text,
            b'H' => report.hint = text,
            _ => {}
        }
    }
    report
}

fn classify(code: &str, message: &str) -> ErrorKind {
    let known = |wanted: &str| CODES.iter().find(|(known, _)| *known == wanted);
    let class = code.get(..2).unwrap_or_default();
    match known(code).or_else(|| known(class)) {
        // Code 57014 means a timeout or a cancellation, depending on the message.
        Some(("57014", _)) if message.contains("timeout") => ErrorKind::Timeout,
        Some((_, kind)) => *kind,
        None => ErrorKind::Other,
    }
}

fn remedy(code: &str) -> Option<&'static str> {
    Some(match code {
        "26000" | "42P05" => {
            "prepared statements do not work through a connection pooler in transaction mode: use --form simple; statements \
                that earlier runs have left in the pool disappear when the pooler reconnects (RECONNECT in pgbouncer)"
        }
        "25006" => "the server is a standby, or default_transaction_read_only is on",
        "28P01" => {
            "check the user and password; the password can also be set in PGPASSWORD or ~/.pgpass"
        }
        "28000" => {
            "check pg_hba.conf on the server: its rules control who can connect, and from where"
        }
        "3D000" => {
            "check the database name; tacho prepare creates the database if it does not exist"
        }
        "42501" => "grant the role the required privileges, or connect as the owner",
        "53100" => "the server's disk is full: free up some space, or use another tablespace",
        "53200" => "the server is out of memory: reduce work_mem or the number of sessions",
        "53300" => "use fewer sessions, or raise max_connections and restart the server",
        "55P03" => "another session holds the lock: end that session, or raise lock_timeout",
        "57P03" => "the server is starting up or shutting down: try again in a moment",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use tacho_net::is_last;

    use super::*;

    #[test]
    fn codes_are_classified() {
        let table = [
            ("40P01", "", ErrorKind::Deadlock, Retry::SameConnection),
            ("40001", "", ErrorKind::Serialization, Retry::SameConnection),
            ("55P03", "", ErrorKind::LockTimeout, Retry::SameConnection),
            (
                "57014",
                "canceling statement due to statement timeout",
                ErrorKind::Timeout,
                Retry::Never,
            ),
            (
                "57014",
                "canceling statement due to user request",
                ErrorKind::Cancelled,
                Retry::Never,
            ),
            ("23505", "", ErrorKind::UniqueViolation, Retry::Never),
            ("23503", "", ErrorKind::Constraint, Retry::Never),
            ("42601", "", ErrorKind::Syntax, Retry::Never),
            ("42P01", "", ErrorKind::Missing, Retry::Never),
            ("42501", "", ErrorKind::Auth, Retry::Never),
            ("53100", "", ErrorKind::Resource, Retry::Never),
            ("53300", "", ErrorKind::Resource, Retry::Never),
            ("28P01", "", ErrorKind::Auth, Retry::Never),
            ("3D000", "", ErrorKind::Missing, Retry::Never),
            ("08006", "", ErrorKind::Connect, Retry::NewConnection),
            ("08P01", "", ErrorKind::Protocol, Retry::Never),
            ("57P01", "", ErrorKind::Connect, Retry::NewConnection),
            ("25006", "", ErrorKind::Auth, Retry::Never),
            ("0A000", "", ErrorKind::Unsupported, Retry::Never),
            ("P0001", "", ErrorKind::Other, Retry::Never),
            ("", "", ErrorKind::Other, Retry::Never),
        ];
        for (code, message, kind, retry) in table {
            let error = server(format!("SERROR\0C{code}\0M{message}\0\0").as_bytes());
            assert_eq!((error.kind(), error.retry_class()), (kind, retry), "{code}");
        }
    }

    #[test]
    fn a_report_is_read_with_its_detail_and_hint() {
        let error = server(b"SFATAL\0VFATAL\0C53300\0Mtoo many\0Dreally\0Hwait\0Lx\0\0");
        assert_eq!(error.to_string(), "too many: really (53300)");
        assert_eq!(error.hints().len(), 2);
        assert!(is_last(&error));
    }
}
