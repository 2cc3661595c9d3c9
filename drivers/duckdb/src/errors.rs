//! Converts DuckDB's errors. They have no error codes, but each message starts with an error class.

use tacho_core::{Error, ErrorKind};

/// Kinds of errors by the error class at the start of their message. The rest of the message may be more specific.
const CLASSES: [(&str, ErrorKind); 17] = [
    ("Parser Error", ErrorKind::Syntax),
    ("Syntax Error", ErrorKind::Syntax),
    ("Binder Error", ErrorKind::Syntax),
    ("Catalog Error", ErrorKind::Missing),
    ("Constraint Error", ErrorKind::Constraint),
    ("Conversion Error", ErrorKind::Constraint),
    ("Out of Range Error", ErrorKind::Constraint),
    ("TransactionContext Error", ErrorKind::Other),
    ("Out of Memory Error", ErrorKind::Resource),
    ("IO Error", ErrorKind::Resource),
    ("INTERRUPT Error", ErrorKind::Cancelled),
    ("Permission Error", ErrorKind::Auth),
    ("Not implemented Error", ErrorKind::Unsupported),
    ("Dependency Error", ErrorKind::Constraint),
    ("Invalid Configuration Error", ErrorKind::Usage),
    ("Serialization Error", ErrorKind::Protocol),
    ("FATAL Error", ErrorKind::Protocol),
];

/// Message fragments that identify an error more precisely than its class. The first match applies.
const TEXTS: [(&str, &str, ErrorKind); 12] = [
    // DuckDB rejects the later of two transactions that change the same row or insert the same key:
    // <https://duckdb.org/docs/stable/connect/concurrency>.
    ("TransactionContext Error", "onflict", ErrorKind::Serialization),
    ("TransactionContext Error", "PRIMARY KEY or UNIQUE", ErrorKind::Serialization),
    ("TransactionContext Error", "uplicate key", ErrorKind::Serialization),
    ("Constraint Error", "uplicate key", ErrorKind::UniqueViolation),
    ("Constraint Error", "unique constraint", ErrorKind::UniqueViolation),
    ("Constraint Error", "PRIMARY KEY or UNIQUE", ErrorKind::UniqueViolation),
    ("Catalog Error", "already exists", ErrorKind::Constraint),
    ("Catalog Error", "onflict", ErrorKind::Serialization),
    ("Binder Error", "not found in FROM clause", ErrorKind::Missing),
    ("Binder Error", "does not have a column", ErrorKind::Missing),
    ("IO Error", "Could not set lock", ErrorKind::LockTimeout),
    ("Invalid Input Error", "read-only", ErrorKind::Auth),
];

/// Converts a DuckDB error message.
#[cold]
pub fn native(message: &str) -> Error {
    let class = message.split_once(':').map_or("", |(class, _)| class);
    let class = if class.ends_with("Error") { class } else { "" };
    // The appender omits the class.
    let of_class = |of: &str| of == class || (class.is_empty() && of == "Constraint Error");
    let text = TEXTS.iter().find(|(of, text, _)| of_class(of) && message.contains(text));
    let usual = || CLASSES.iter().find(|(of, _)| *of == class).map(|(_, kind)| *kind);
    let kind = text.map(|(.., kind)| *kind).or_else(usual).unwrap_or(ErrorKind::Other);
    let first = message.lines().next().unwrap_or_default();
    let error = Error::new(kind, first).code(if class.is_empty() { "DuckDB" } else { class });
    match remedy(class, kind) {
        Some(remedy) => error.hint(remedy),
        None => error,
    }
}

fn remedy(class: &str, kind: ErrorKind) -> Option<&'static str> {
    match (class, kind) {
        ("IO Error", ErrorKind::LockTimeout) => Some(
            "another process has the file open, and DuckDB allows only one writer at a time: end \
             that process",
        ),
        ("Out of Memory Error", _) => {
            Some("raise memory_limit in the target, or use fewer threads to reduce memory usage")
        }
        (_, ErrorKind::Auth) => Some("make the file writable and remove mode=ro from the target"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_classified() {
        let table = [
            ("Parser Error: syntax error at or near \"SELEC\"\n\nLINE 1", ErrorKind::Syntax),
            ("Catalog Error: Table with name x does not exist!", ErrorKind::Missing),
            ("Catalog Error: Table with name \"x\" already exists!", ErrorKind::Constraint),
            ("Binder Error: Referenced column \"a\" not found in FROM clause!", ErrorKind::Missing),
            (
                "Constraint Error: Duplicate key \"id: 1\" violates primary key",
                ErrorKind::UniqueViolation,
            ),
            ("Constraint Error: NOT NULL constraint failed: t.a", ErrorKind::Constraint),
            ("TransactionContext Error: Conflict on update!", ErrorKind::Serialization),
            ("TransactionContext Error: Current transaction is aborted", ErrorKind::Other),
            ("IO Error: Could not set lock on file \"x\"", ErrorKind::LockTimeout),
            ("Out of Memory Error: failed to allocate", ErrorKind::Resource),
            ("Failed to append: Duplicate key \"id: 1\" violates", ErrorKind::UniqueViolation),
            ("something else: with a colon", ErrorKind::Other),
        ];
        for (text, kind) in table {
            assert_eq!(native(text).kind(), kind, "{text}");
        }
        assert_eq!(native(table[0].0).native_code(), Some("Parser Error"));
    }
}
