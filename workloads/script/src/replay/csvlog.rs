//! Extracts what a client did from the rows of a PostgreSQL csvlog.
//!
//! This file must not guess: a row with an unknown message is not a statement.
//!
//! See the manual, "Using CSV-Format Log Output", versions 10 to 18.
//!
//! Start reading at [`read`].

use std::ops::Range;

use tacho_driver::lexer::{Lexeme, Syntax, Token, tokens};

use super::event::{Done, Event, Kind, LeftOut};

/// Accepted number of fields, from the oldest version's to more than the newest version's.
const FIELDS: Range<usize> = 23..40;

const TIME: usize = 0;
const DATABASE: usize = 2;
const SESSION: usize = 5;
const SEVERITY: usize = 11;
const STATE: usize = 12;
const MESSAGE: usize = 13;
const DETAIL: usize = 14;
const QUERY: usize = 19;

/// Returns true if a row can start with this line: with a date, a time and a comma.
pub fn begins(line: &[u8]) -> bool {
    let head = line.get(..40.min(line.len())).unwrap_or_default();
    time(&head[..head.iter().position(|byte| *byte == b',').unwrap_or(0)]).is_some()
}

/// Parses a time such as `2026-11-23 17:55:07.123 UTC`. Returns the local time in microseconds since 1970, and the zone.
pub fn time(field: &[u8]) -> Option<(i64, &[u8])> {
    let digits = |range: Range<usize>| -> Option<i64> {
        let part = field.get(range)?;
        let good = part.iter().all(u8::is_ascii_digit);
        good.then(|| part.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
    };
    let signs = [(4, b'-'), (7, b'-'), (10, b' '), (13, b':'), (16, b':'), (19, b'.'), (23, b' ')];
    if signs.iter().any(|(at, sign)| field.get(*at) != Some(sign)) {
        return None;
    }
    let days = days(digits(0..4)?, digits(5..7)?, digits(8..10)?);
    let seconds = ((days * 24 + digits(11..13)?) * 60 + digits(14..16)?) * 60 + digits(17..19)?;
    Some((seconds * 1_000_000 + digits(20..23)? * 1_000, &field[24..]))
}

/// Returns the number of days from 1970 to a date in the Gregorian calendar.
pub fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leaps + (month * 153 + 2) / 5 + day - 1 - 719_468
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

/// Parses a row. Returns `None` if it is incomplete.
pub fn read(row: &[u8]) -> Option<Event> {
    let row = row.strip_suffix(b"\n").unwrap_or(row);
    let row = row.strip_suffix(b"\r").unwrap_or(row);
    let mut all = Vec::new();
    fields(row, &mut all)?;
    if !FIELDS.contains(&all.len()) {
        return None;
    }
    let (at, zone) = time(&all[TIME])?;
    let zone = zone.to_vec();
    let kind = kind(&mut all);
    let session = std::mem::take(&mut all[SESSION]);
    let kind = if session.is_empty() { Kind::Other } else { kind };
    Some(Event { at, zone, database: std::mem::take(&mut all[DATABASE]), session, kind })
}

fn kind(all: &mut [Vec<u8>]) -> Kind {
    let message = std::mem::take(&mut all[MESSAGE]);
    let (took, rest) = duration(&message);
    match all[SEVERITY].as_slice() {
        b"LOG" | b"INFO" | b"DEBUG" => {}
        b"WARNING" | b"NOTICE" => return Kind::Other,
        _ => return failure(all),
    }
    if let Some(text) = rest.strip_prefix(b"statement: ") {
        return Kind::Statement(Done { text: text.into(), took, parameters: None });
    }
    if rest.is_empty() && took.is_some() {
        return Kind::Took(took.unwrap_or_default());
    }
    for word in [&b"parse "[..], b"bind "] {
        if rest.starts_with(word) {
            return took.map_or(Kind::Other, Kind::Prepared);
        }
    }
    if rest.starts_with(b"execute fetch from ") {
        return Kind::LeftOut(LeftOut::Fetch);
    }
    if let Some(rest) = rest.strip_prefix(b"execute ") {
        let colon = rest.windows(2).position(|two| two == b": ");
        let Some(text) = colon.map(|at| &rest[at + 2..]) else { return Kind::Other };
        let parameters = Some(std::mem::take(&mut all[DETAIL]));
        return Kind::Statement(Done { text: text.into(), took, parameters });
    }
    if rest.starts_with(b"fastpath function call: ") {
        return Kind::LeftOut(LeftOut::Fastpath);
    }
    if rest.starts_with(b"disconnection: ") { Kind::End } else { Kind::Other }
}

fn failure(all: &mut [Vec<u8>]) -> Kind {
    let state = String::from_utf8_lossy(&all[STATE]).into_owned();
    let text = std::mem::take(&mut all[QUERY]);
    Kind::Failed { state, text }
}

/// Splits `duration: 0.123 ms  rest` into microseconds and the rest.
fn duration(message: &[u8]) -> (Option<f64>, &[u8]) {
    let Some(rest) = message.strip_prefix(b"duration: ") else { return (None, message) };
    let Some(end) = rest.windows(3).position(|three| three == b" ms") else {
        return (None, message);
    };
    let number = std::str::from_utf8(&rest[..end]).ok().and_then(|text| text.parse::<f64>().ok());
    let after = &rest[end + 3..];
    (number.map(|ms| ms * 1e3), after.strip_prefix(b"  ").unwrap_or(after))
}

/// Writes a statement with the values in DETAIL, such as `parameters: $1 = 'a', $2 = NULL`, in place of its
/// placeholders.
pub fn fill(text: &[u8], detail: &[u8], out: &mut Vec<u8>) -> Result<(), LeftOut> {
    out.clear();
    let values = values(detail)?;
    for Lexeme { token, range, .. } in tokens(text, Syntax::STANDARD) {
        let Token::Parameter(number) = token else {
            out.extend_from_slice(&text[range]);
            continue;
        };
        let value = number.checked_sub(1).and_then(|at| values.get(at));
        out.extend_from_slice(&detail[value.ok_or(LeftOut::NoParameters)?.clone()]);
    }
    Ok(())
}

/// Returns the ranges of the values, in the order of their numbers.
fn values(detail: &[u8]) -> Result<Vec<Range<usize>>, LeftOut> {
    let lower: Vec<u8> = detail.iter().take(12).map(u8::to_ascii_lowercase).collect();
    let mut values = Vec::new();
    if !lower.starts_with(b"parameters: ") {
        return Ok(values);
    }
    let shift = lower.len();
    let mut wants = false;
    for Lexeme { token, range, is_closed } in tokens(&detail[shift..], Syntax::STANDARD) {
        let range = range.start + shift..range.end + shift;
        match token {
            Token::Parameter(number) if number == values.len() + 1 => wants = true,
            Token::Text | Token::Word if wants => {
                let value = &detail[range.clone()];
                let is_whole = token == Token::Text && is_closed && !value.ends_with(b"...'");
                if value != b"NULL" && !is_whole {
                    return Err(LeftOut::CutParameter);
                }
                values.push(range);
                wants = false;
            }
            _ => {}
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
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
    fn parameters_are_replaced_in_the_text() {
        let detail = "parameters: $1 = 'it''s, $2 = 3', $2 = NULL, $10 = 'x', $3 = '7'";
        let text = "SELECT $1, '$1', $2, a$1, $3 -- $4";
        let mut out = Vec::new();
        fill(text.as_bytes(), detail.as_bytes(), &mut out).expect("values");
        let out = String::from_utf8(out).expect("text");
        assert_eq!(out, "SELECT 'it''s, $2 = 3', '$1', NULL, a$1, '7' -- $4");
        let mut out = Vec::new();
        assert_eq!(fill(b"SELECT $1", b"", &mut out), Err(LeftOut::NoParameters));
        let cut = b"parameters: $1 = 'abc...'";
        assert_eq!(fill(b"SELECT $1", cut, &mut out), Err(LeftOut::CutParameter));
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
