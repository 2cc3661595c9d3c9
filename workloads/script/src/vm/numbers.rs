//! Converts variable values to text and back, in the same way as pgbench.
//!
//! Start reading at [`write`] and [`read`].

use std::io::Write;

use tacho_driver::text;

use crate::vm::value::{Cause, Val};

/// Number of significant digits with which a floating-point number is printed.
const DIGITS: i32 = 15;

/// Appends a value in the form in which it is inserted into a statement. Returns false for strings
/// and missing values, which it cannot write.
pub fn write(value: Val, out: &mut Vec<u8>) -> bool {
    match value {
        Val::Int(number) => text::whole(number, out),
        Val::Float(number) => fraction(number, out),
        Val::Bool(true) => out.extend_from_slice(b"true"),
        Val::Bool(false) => out.extend_from_slice(b"false"),
        Val::Null => out.extend_from_slice(b"NULL"),
        Val::Time(_) | Val::Text(..) | Val::Absent => return false,
    }
    true
}

/// Formats a number like `%.15g` in C, and infinity as in PostgreSQL.
fn fraction(number: f64, out: &mut Vec<u8>) {
    if !number.is_finite() {
        let text = match number {
            f64::INFINITY => "Infinity",
            f64::NEG_INFINITY => "-Infinity",
            _ => "NaN",
        };
        out.extend_from_slice(text.as_bytes());
        return;
    }
    let start = out.len();
    // Writing to a vector cannot fail.
    let _ = write!(out, "{number:.14e}");
    let mark = out[start..].iter().rposition(|b| *b == b'e').map_or(out.len(), |at| start + at);
    let exponent = std::str::from_utf8(&out[mark..]).ok().and_then(|text| text[1..].parse().ok());
    let exponent: i32 = exponent.unwrap_or_default();
    out.truncate(mark);
    if (-4..DIGITS).contains(&exponent) {
        out.truncate(start);
        let places = (DIGITS - 1 - exponent) as usize;
        let _ = write!(out, "{number:.places$}");
    }
    if out[start..].contains(&b'.') {
        let kept = out[start..].iter().rposition(|b| *b != b'0').map_or(start, |at| start + at);
        out.truncate(kept + usize::from(out[kept] != b'.'));
    }
    if !(-4..DIGITS).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "e{sign}{:02}", exponent.abs());
    }
}

/// Parses the text of a variable as a value for use in an expression. The text comes from a
/// statement's result or from `-D`.
pub fn read(bytes: &[u8]) -> Result<Val, Cause> {
    let text = std::str::from_utf8(bytes).map_err(|_| Cause::NoNumber)?;
    let begins = |word: &str, least: usize| {
        text.len() >= least
            && text.len() <= word.len()
            && word.as_bytes()[..text.len()].eq_ignore_ascii_case(bytes)
    };
    if text.eq_ignore_ascii_case("null") {
        return Ok(Val::Null);
    }
    if begins("true", 1) || begins("yes", 1) || text.eq_ignore_ascii_case("on") {
        return Ok(Val::Bool(true));
    }
    if begins("false", 1) || begins("no", 1) || begins("off", 2) {
        return Ok(Val::Bool(false));
    }
    let number = text.trim_matches(|c: char| c.is_ascii_whitespace());
    let digits = number.strip_prefix(['+', '-']).unwrap_or(number);
    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        return number.parse().map(Val::Int).map_err(|_| Cause::OutOfRange);
    }
    let number = text.trim_start_matches(|c: char| c.is_ascii_whitespace());
    match number.parse::<f64>() {
        Ok(value) if !number.is_empty() => Ok(Val::Float(value)),
        _ => Err(Cause::NoNumber),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_written_as_c_does() {
        let table = [
            (0.1 + 0.2, "0.3"),
            (1e15, "1e+15"),
            (123_456_789_012_345.6, "123456789012346"),
            (999_999_999_999_999.9, "1e+15"),
            (-0.0, "-0"),
            (100.0, "100"),
            (0.0001, "0.0001"),
            (0.000_012_34, "1.234e-05"),
            (1.0 / 3.0, "0.333333333333333"),
            (f64::NEG_INFINITY, "-Infinity"),
            (1e300, "1e+300"),
        ];
        for (number, expected) in table {
            let mut out = Vec::new();
            fraction(number, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), expected);
        }
    }

    #[test]
    fn texts_are_numbers_conditions_or_nothing() {
        let table = [
            ("007", Ok(Val::Int(7))),
            ("-5", Ok(Val::Int(-5))),
            ("1.5", Ok(Val::Float(1.5))),
            ("t", Ok(Val::Bool(true))),
            ("OFF", Ok(Val::Bool(false))),
            ("Null", Ok(Val::Null)),
            ("bob", Err(Cause::NoNumber)),
            ("", Err(Cause::NoNumber)),
            ("99999999999999999999", Err(Cause::OutOfRange)),
        ];
        for (text, expected) in table {
            assert_eq!(read(text.as_bytes()), expected, "{text}");
        }
    }
}
