//! Extracts what a client did from a PostgreSQL log record, in any format.
//!
//! The code must not guess: a record with an unknown message is not treated as a statement. The known messages are
//! those of PostgreSQL 10 to 18. Start reading at [`event`].

use std::ops::Range;

use tacho_driver::lexer::{Lexeme, Syntax, Token, tokens};

use super::event::{Done, Event, Kind, LeftOut};

/// The fields of a record.
#[derive(Debug, Default)]
pub struct Fields {
    /// Microseconds since 1970, not converted to UTC.
    pub at: i64,
    pub zone: Vec<u8>,
    pub session: Vec<u8>,
    pub database: Vec<u8>,
    pub severity: Vec<u8>,
    /// Error code.
    pub state: Vec<u8>,
    pub message: Vec<u8>,
    pub detail: Vec<u8>,
    /// The statement that failed.
    pub query: Vec<u8>,
}

/// Returns the contents of a record.
pub fn event(mut fields: Fields) -> Event {
    let kind = if fields.session.is_empty() { Kind::Other } else { kind(&mut fields) };
    let Fields { at, zone, session, database, .. } = fields;
    Event { at, zone, session, database, kind }
}

fn kind(fields: &mut Fields) -> Kind {
    let (took, rest) = duration(&fields.message);
    match fields.severity.as_slice() {
        b"LOG" | b"INFO" | b"DEBUG" => {}
        b"WARNING" | b"NOTICE" => return Kind::Other,
        _ => {
            let state = String::from_utf8_lossy(&fields.state).into_owned();
            return Kind::Failed { state, text: std::mem::take(&mut fields.query) };
        }
    }
    if let Some(text) = rest.strip_prefix(b"statement: ") {
        return Kind::Statement(Done { text: text.into(), took, ..Done::default() });
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
        let parameters = Some(std::mem::take(&mut fields.detail));
        return Kind::Statement(Done { text: text.into(), took, parameters, ..Done::default() });
    }
    if rest.starts_with(b"fastpath function call: ") {
        return Kind::LeftOut(LeftOut::Fastpath);
    }
    if rest.starts_with(b"disconnection: ") { Kind::End } else { Kind::Other }
}

/// Splits `duration: 0.123 ms  rest` into microseconds and the rest of the text.
fn duration(message: &[u8]) -> (Option<f64>, &[u8]) {
    let Some(rest) = message.strip_prefix(b"duration: ") else { return (None, message) };
    let Some(end) = rest.windows(3).position(|three| three == b" ms") else {
        return (None, message);
    };
    let number = std::str::from_utf8(&rest[..end]).ok().and_then(|text| text.parse::<f64>().ok());
    let after = &rest[end + 3..];
    (number.map(|ms| ms * 1e3), after.strip_prefix(b"  ").unwrap_or(after))
}

/// Writes a statement with the placeholders replaced by the values in its DETAIL, such as `parameters: $1 = 'a', $2 =
/// NULL`.
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

/// Returns the ranges of the parameter values, in the order of the parameters' numbers.
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
}
