//! Reads PostgreSQL's connection strings of keywords and values.
//!
//! See <https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING>. Start reading at [`pairs`].

use std::iter::Peekable;
use std::str::Chars;

/// Keywords that have no equivalent in a target.
const KNOWN: [&str; 30] = [
    "client_encoding",
    "fallback_application_name",
    "gssdelegation",
    "gssencmode",
    "gsslib",
    "keepalives",
    "keepalives_count",
    "keepalives_idle",
    "keepalives_interval",
    "krbsrvname",
    "load_balance_hosts",
    "passfile",
    "replication",
    "require_auth",
    "requirepeer",
    "requiressl",
    "ssl_max_protocol_version",
    "ssl_min_protocol_version",
    "sslcert",
    "sslcertmode",
    "sslcompression",
    "sslcrl",
    "sslcrldir",
    "sslkey",
    "sslnegotiation",
    "sslpassword",
    "sslsni",
    "target_session_attrs",
    "tcp_user_timeout",
    "tty",
];

/// Returns the keyword if PostgreSQL has it.
pub(super) fn known(name: &str) -> Option<&'static str> {
    KNOWN.iter().find(|known| **known == name).copied()
}

/// Returns the names and values. Blanks may surround the equals sign, single quotes may enclose a value, and a
/// backslash precedes a quote or a backslash within a value. A word without an equals sign has an empty value.
pub(super) fn pairs(text: &str) -> Vec<(String, String)> {
    let mut chars = text.chars().peekable();
    let mut pairs = Vec::new();
    loop {
        skip_blanks(&mut chars);
        let mut name = String::new();
        while let Some(c) = chars.next_if(|c| *c != '=' && !c.is_whitespace()) {
            name.push(c);
        }
        skip_blanks(&mut chars);
        if chars.next_if_eq(&'=').is_some() {
            skip_blanks(&mut chars);
            pairs.push((name, value(&mut chars)));
        } else if name.is_empty() {
            return pairs;
        } else {
            pairs.push((name, String::new()));
        }
    }
}

fn skip_blanks(chars: &mut Peekable<Chars<'_>>) {
    while chars.next_if(|c| c.is_whitespace()).is_some() {}
}

fn value(chars: &mut Peekable<Chars<'_>>) -> String {
    let is_quoted = chars.next_if_eq(&'\'').is_some();
    let mut value = String::new();
    while let Some(c) = chars.next_if(|c| is_quoted || !c.is_whitespace()) {
        match c {
            '\\' => value.extend(chars.next()),
            '\'' if is_quoted => break,
            _ => value.push(c),
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_read_as_libpq_reads_them() {
        for (text, expected) in [
            ("host=db  port=5432", vec![("host", "db"), ("port", "5432")]),
            ("host = 'a b' user='it\\'s'", vec![("host", "a b"), ("user", "it's")]),
            (r"password=a\ b\\c", vec![("password", r"a b\c")]),
            ("password='' dbname=d", vec![("password", ""), ("dbname", "d")]),
            ("password=a b dbname=d", vec![("password", "a"), ("b", ""), ("dbname", "d")]),
            ("password='open", vec![("password", "open")]),
            ("= =", vec![("", "=")]),
            ("", vec![]),
        ] {
            let found = pairs(text);
            let found: Vec<(&str, &str)> =
                found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
