//! SQLSTATE codes, the standard error codes of ISO/IEC 9075. The client libraries of all databases report them.
//!
//! A dialect that can classify errors more precisely overrides [`crate::Dialect::error`].

use tacho_core::{Error, ErrorKind};

/// The error kind for each code. An entry with two characters is a class: it applies to all codes that start with them,
/// unless the complete code is listed. Codes that start with `HY` or `S` come from ODBC.
const CODES: [(&str, ErrorKind); 27] = [
    ("08", ErrorKind::Connect),
    ("0A", ErrorKind::Unsupported),
    ("22", ErrorKind::Constraint),
    ("23505", ErrorKind::UniqueViolation),
    ("23", ErrorKind::Constraint),
    ("25006", ErrorKind::Auth),
    ("28", ErrorKind::Auth),
    ("3D", ErrorKind::Missing),
    ("3F", ErrorKind::Missing),
    ("40003", ErrorKind::Connect),
    ("40", ErrorKind::Serialization),
    ("42S01", ErrorKind::Exists),
    ("42S11", ErrorKind::Exists),
    ("42S02", ErrorKind::Missing),
    ("42S12", ErrorKind::Missing),
    ("42S22", ErrorKind::Missing),
    ("42501", ErrorKind::Auth),
    ("42", ErrorKind::Syntax),
    ("44", ErrorKind::Constraint),
    ("53", ErrorKind::Resource),
    ("54", ErrorKind::Resource),
    ("57014", ErrorKind::Cancelled),
    ("HY001", ErrorKind::Resource),
    ("HY008", ErrorKind::Cancelled),
    ("HYC00", ErrorKind::Unsupported),
    ("HYT00", ErrorKind::Timeout),
    ("HYT01", ErrorKind::Timeout),
];

/// An error, as reported by a client library.
#[derive(Clone, Copy, Debug, Default)]
pub struct Report<'a> {
    /// The SQLSTATE, which has five characters.
    pub state: &'a str,
    /// The database's error number, or 0 if there is none.
    pub number: i32,
    /// The error message.
    pub text: &'a str,
}

/// Converts an error that a client library has reported. The error kind depends only on the SQLSTATE.
#[cold]
pub fn error(report: &Report<'_>) -> Error {
    Error::new(kind(report.state), report.text).code(report.state)
}

/// Returns the error kind for an SQLSTATE.
pub fn kind(state: &str) -> ErrorKind {
    let known = |wanted: &str| CODES.iter().find(|(known, _)| *known == wanted);
    let found = known(state).or_else(|| known(state.get(..2).unwrap_or_default()));
    found.map_or(ErrorKind::Other, |(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_codes_come_before_their_classes() {
        for (state, expected) in [
            ("23505", ErrorKind::UniqueViolation),
            ("23000", ErrorKind::Constraint),
            ("42S02", ErrorKind::Missing),
            ("42000", ErrorKind::Syntax),
            ("40001", ErrorKind::Serialization),
            ("08S01", ErrorKind::Connect),
            ("HYT00", ErrorKind::Timeout),
            ("HY000", ErrorKind::Other),
            ("", ErrorKind::Other),
        ] {
            assert_eq!(kind(state), expected, "{state}");
        }
    }
}
