//! Reads the rows of a PostgreSQL csvlog.
//!
//! PostgreSQL's manual, "Using CSV-Format Log Output", lists the fields for versions 10 to 18. Start reading at
//! [`read`].

use std::ops::Range;

use super::clock::zoned;
use super::event::Event;
use super::messages::{Fields, event};

/// Permitted numbers of fields in a row. The lowest is that of the oldest version, and the highest
/// leaves room for new versions.
const FIELDS: Range<usize> = 23..40;

const TIME: usize = 0;
const DATABASE: usize = 2;
const SESSION: usize = 5;
const SEVERITY: usize = 11;
const STATE: usize = 12;
const MESSAGE: usize = 13;
const DETAIL: usize = 14;
const QUERY: usize = 19;

/// Returns true if the line can be the first line of a row, because it starts with a date, a time and a comma.
pub fn begins(line: &[u8]) -> bool {
    let head = line.get(..40.min(line.len())).unwrap_or_default();
    zoned(&head[..head.iter().position(|byte| *byte == b',').unwrap_or(0)]).is_some()
}

/// Splits a row into its fields and unescapes the quotes in them.
fn fields(row: &[u8], all: &mut Vec<Vec<u8>>) -> Option<()> {
    all.clear();
    let mut rest = row;
    loop {
        let mut field = Vec::new();
        if rest.first() == Some(&b'"') {
            rest = &rest[1..];
            loop {
                let end = rest.iter().position(|byte| *byte == b'"')?;
                field.extend_from_slice(&rest[..end]);
                rest = &rest[end + 1..];
                if rest.first() != Some(&b'"') {
                    break;
                }
                field.push(b'"');
                rest = &rest[1..];
            }
        } else {
            let end = rest.iter().position(|byte| *byte == b',').unwrap_or(rest.len());
            field.extend_from_slice(&rest[..end]);
            rest = &rest[end..];
        }
        all.push(field);
        match rest.first() {
            Some(b',') => rest = &rest[1..],
            None => return Some(()),
            Some(_) => return None,
        }
    }
}

/// Parses a row. Returns `None` if the row is incomplete.
pub fn read(row: &[u8]) -> Option<Event> {
    let row = row.strip_suffix(b"\n").unwrap_or(row);
    let row = row.strip_suffix(b"\r").unwrap_or(row);
    let mut all = Vec::new();
    fields(row, &mut all)?;
    if !FIELDS.contains(&all.len()) {
        return None;
    }
    let (at, zone) = zoned(&all[TIME])?;
    let zone = zone.to_vec();
    let mut field = |at: usize| std::mem::take(&mut all[at]);
    Some(event(Fields {
        at,
        zone,
        session: field(SESSION),
        database: field(DATABASE),
        severity: field(SEVERITY),
        state: field(STATE),
        message: field(MESSAGE),
        detail: field(DETAIL),
        query: field(QUERY),
    }))
}

#[cfg(test)]
mod tests {
    use super::super::event::{Kind, LeftOut};
    use super::*;

    fn row(message: &str, detail: &str, state: &str, query: &str) -> String {
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        format!(
            "2026-11-23 17:55:07.123 UTC,\"u\",\"d\",7,\"[local]\",65601f2b.7,3,\"SELECT\",2026-11-23 17:55:00 UTC,3/4,0,\
             {},{state},{},{},,,,,{},,,\"psql\",\"client backend\",,0\n",
            if state == "00000" { "LOG" } else { "ERROR" },
            quoted(message),
            quoted(detail),
            quoted(query),
        )
    }

    #[test]
    fn rows_say_what_a_client_did() {
        let of = |text: &str| read(text.as_bytes()).expect("a row");
        let event = of(&row("statement: SELECT \"a\",\n1", "", "00000", ""));
        assert_eq!(
            (event.session.as_slice(), event.database.as_slice()),
            (&b"65601f2b.7"[..], &b"d"[..])
        );
        assert_eq!(event.at, 1_795_456_507_123_000);
        let Kind::Statement(done) = event.kind else { panic!("{event:?}") };
        assert_eq!((done.text.as_slice(), done.took), (&b"SELECT \"a\",\n1"[..], None));
        let table = [
            ("duration: 1.5 ms", Kind::Took(1500.0)),
            ("duration: 1.5 ms  parse <unnamed>: SELECT 1", Kind::Prepared(1500.0)),
            ("execute fetch from p: SELECT 1", Kind::LeftOut(LeftOut::Fetch)),
            ("disconnection: session time: 0:00:00.002", Kind::End),
            ("checkpoint starting: time", Kind::Other),
        ];
        for (message, expected) in table {
            assert_eq!(of(&row(message, "", "00000", "")).kind, expected, "{message}");
        }
        let failed = of(&row("duplicate key", "", "23505", "INSERT 1")).kind;
        assert_eq!(failed, Kind::Failed { state: "23505".into(), text: b"INSERT 1".to_vec() });
    }

    #[test]
    fn rejects_incomplete_rows() {
        let whole = row("statement: SELECT 1", "", "00000", "");
        for text in ["", "a,b\n", &whole[20..], &whole[..whole.len() / 2]] {
            assert!(read(text.as_bytes()).is_none(), "{text}");
        }
        assert!(begins(whole.as_bytes()) && !begins(b"SELECT 1,") && !begins(b""));
    }
}
