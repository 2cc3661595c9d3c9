//! Reads the lines of a PostgreSQL jsonlog.
//!
//! Each line is an object. PostgreSQL's manual lists the keys under "Using JSON-Format Log Output". Strings may contain
//! bytes that are not UTF-8. Start reading at [`read`].

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};

use super::clock::zoned;
use super::event::Event;
use super::messages::{Fields, event};

/// The keys that a replay uses.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Row {
    timestamp: Text,
    dbname: Text,
    session_id: Text,
    error_severity: Text,
    state_code: Text,
    message: Text,
    detail: Text,
    statement: Text,
}

/// A string as bytes.
#[derive(Default)]
struct Text(Vec<u8>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;

        impl Visitor<'_> for Bytes {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
                Ok(Text(text.into()))
            }

            fn visit_bytes<E: Error>(self, text: &[u8]) -> Result<Text, E> {
                Ok(Text(text.into()))
            }
        }

        deserializer.deserialize_bytes(Bytes)
    }
}

/// Returns true if the line starts with an object and can therefore be a record.
pub fn begins(line: &[u8]) -> bool {
    line.starts_with(b"{\"")
}

/// Parses a line. Returns `None` if it is incomplete or not a record.
pub fn read(line: &[u8]) -> Option<Event> {
    let row: Row = serde_json::from_slice(line).ok()?;
    let (at, zone) = zoned(&row.timestamp.0)?;
    if row.error_severity.0.is_empty() {
        return None;
    }
    Some(event(Fields {
        at,
        zone: zone.to_vec(),
        session: row.session_id.0,
        database: row.dbname.0,
        severity: row.error_severity.0,
        state: row.state_code.0,
        message: row.message.0,
        detail: row.detail.0,
        query: row.statement.0,
    }))
}

#[cfg(test)]
mod tests {
    use super::super::event::Kind;
    use super::*;

    fn line(rest: &str) -> Vec<u8> {
        let text = format!(
            "{{\"timestamp\":\"2026-11-23 17:55:07.123 UTC\",\"user\":\"u\",\"dbname\":\"d\",\"pid\":7,\
             \"session_id\":\"65601f2b.7\",\"line_num\":3,{rest},\"backend_type\":\"client backend\"}}\n"
        );
        text.into_bytes()
    }

    #[test]
    fn lines_are_read_with_all_their_bytes() {
        let text = r#""error_severity":"LOG","message":"execute s: SELECT \"a\",\n$1 #","detail":"parameters: $1 = 'x'""#;
        let mut text = line(text);
        let place = text.iter().position(|byte| *byte == b'#').expect("a sign");
        text[place] = 0xe9;
        let event = read(&text).expect("a record");
        assert_eq!((event.at, event.zone.as_slice()), (1_795_456_507_123_000, &b"UTC"[..]));
        assert_eq!(
            (event.session.as_slice(), event.database.as_slice()),
            (&b"65601f2b.7"[..], &b"d"[..])
        );
        let Kind::Statement(done) = event.kind else { panic!("{event:?}") };
        assert_eq!(done.text, b"SELECT \"a\",\n$1 \xe9");
        assert_eq!(done.parameters.as_deref(), Some(&b"parameters: $1 = 'x'"[..]));
        let failed =
            r#""error_severity":"ERROR","state_code":"23505","message":"m","statement":"INSERT 1""#;
        let failed = read(&line(failed)).expect("a record").kind;
        assert_eq!(failed, Kind::Failed { state: "23505".into(), text: b"INSERT 1".to_vec() });
        for broken in [&text[..60], b"{\"a\":1}\n", b"{}", b"SELECT 1"] {
            assert_eq!(read(broken), None);
        }
    }
}
