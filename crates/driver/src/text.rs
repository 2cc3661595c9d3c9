//! Conversion of values to and from text. Values are never rounded or truncated.
//!
//! Start reading at [`literal`] for writing, or at [`read`] for reading.

use std::io::Write as _;

use tacho_core::{Error, ErrorKind, Result};

use crate::{Value, ValueKind, Values};

/// The length of the longest number: 20 digits, a sign and a decimal point.
const LONGEST: usize = 24;
const DAY_US: i64 = 86_400_000_000;

/// Appends a value as a standard SQL literal.
///
/// # Errors
/// Returns a usage error if the value is of another kind, or if a time is outside the years 0 to 9999.
pub fn literal(value: Value<'_>, kind: ValueKind, out: &mut Vec<u8>) -> Result<()> {
    match (kind, value) {
        (_, Value::Null) => out.extend_from_slice(b"NULL"),
        (ValueKind::Int | ValueKind::Decimal(_), Value::Int(number)) => whole(number, out),
        (ValueKind::Decimal(scale), Value::Decimal(unscaled)) => decimal(unscaled, scale, out),
        (ValueKind::Text, Value::Text(text)) => quoted(text, out),
        (ValueKind::Time, Value::Time(micros)) => {
            let moment = Moment::of(micros)?;
            out.extend_from_slice(b"TIMESTAMP '");
            moment.write_seconds(out);
            out.push(b'\'');
        }
        _ => return Err(mismatch(value, kind)),
    }
    Ok(())
}

/// Appends a string in single quotes, doubling any quotes within the string.
pub fn quoted(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'\'');
    for byte in text {
        out.push(*byte);
        if *byte == b'\'' {
            out.push(b'\'');
        }
    }
    out.push(b'\'');
}

/// Appends bytes as a hexadecimal literal, `X'4F45'`.
pub fn hexadecimal(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"X'");
    for byte in bytes {
        let digit = |four: u8| b"0123456789ABCDEF"[usize::from(four)];
        out.extend_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
    }
    out.push(b'\'');
}

/// Parses text from a server as a value of the declared kind and appends the value.
///
/// # Errors
/// Returns an [`ErrorKind::Protocol`] error if the value has no exact representation.
#[inline]
pub fn read(text: &[u8], kind: ValueKind, values: &mut Values) -> Result<()> {
    match kind {
        ValueKind::Int => values.int(parse_decimal(text, 0).ok_or_else(|| inexact(text))?),
        ValueKind::Decimal(scale) => {
            values.decimal(parse_decimal(text, scale).ok_or_else(|| inexact(text))?);
        }
        ValueKind::Text => values.text(text),
        ValueKind::Time => values.time(parse_moment(text).ok_or_else(|| no_moment(text))?),
    }
    Ok(())
}

/// Appends a floating-point number as the shortest text that parses to the same number.
pub fn fraction(number: f64, values: &mut Values) {
    values.text_with(|out| {
        // Writing to memory cannot fail.
        let _ = write!(out, "{number:?}");
    });
}

/// Appends a time as text, or NULL if the year is outside the range 0 to 9999.
pub fn time(micros: i64, values: &mut Values) {
    match Moment::from_micros(micros) {
        Some(moment) => values.text_with(|out| moment.write(out)),
        None => values.null(),
    }
}

/// Appends an integer.
#[inline]
pub fn whole(number: i64, out: &mut Vec<u8>) {
    decimal(number, 0, out);
}

/// Appends a decimal with `scale` digits after the decimal point.
#[inline]
pub fn decimal(unscaled: i64, scale: u8, out: &mut Vec<u8>) {
    let mut text = [0; LONGEST];
    let mut at = LONGEST;
    let mut rest = unscaled.unsigned_abs();
    let mut left = i32::from(scale);
    // A decimal has at least one digit before the decimal point and up to 18 digits after it.
    while (rest > 0 || left >= 0) && at > 2 {
        if left == 0 && scale > 0 {
            at -= 1;
            text[at] = b'.';
        }
        at -= 1;
        text[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        left -= 1;
    }
    if unscaled < 0 {
        at -= 1;
        text[at] = b'-';
    }
    out.extend_from_slice(&text[at..]);
}

/// Parses a decimal into an unscaled integer at this scale, or returns `None` if it does not fit.
#[inline]
pub fn parse_decimal(text: &[u8], scale: u8) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let mut number: i64 = 0;
    let mut behind: Option<u8> = None;
    let mut seen = false;
    for digit in digits {
        match digit {
            b'.' if behind.is_none() => behind = Some(0),
            b'0'..=b'9' => {
                seen = true;
                match &mut behind {
                    Some(count) if *count == scale => {
                        if *digit != b'0' {
                            return None;
                        }
                        continue;
                    }
                    Some(count) => *count += 1,
                    None => {}
                }
                // Compute the number as a negative one by subtracting its digits, because the smallest negative number
                // has no positive counterpart.
                number = number.checked_mul(10)?.checked_sub(i64::from(digit - b'0'))?;
            }
            _ => return None,
        }
    }
    for _ in behind.unwrap_or(0)..scale {
        number = number.checked_mul(10)?;
    }
    if !seen {
        None
    } else if negative {
        Some(number)
    } else {
        number.checked_neg()
    }
}

/// Parses a time such as `2026-11-21 05:06:07.123456+02:30` into microseconds since 1970. The time of day, the fraction
/// and the UTC offset are optional.
#[inline]
pub fn parse_moment(text: &[u8]) -> Option<i64> {
    let mut rest = text;
    let mut moment = Moment { year: 0, month: 0, day: 0, clock: [0; 3], micros: 0 };
    moment.year = number(&mut rest)?.try_into().ok()?;
    for part in [&mut moment.month, &mut moment.day] {
        *part = after(b'-', &mut rest).then(|| number(&mut rest))??.try_into().ok()?;
    }
    if !rest.is_empty() {
        for (part, mark) in moment.clock.iter_mut().zip(*b" ::") {
            *part = after(mark, &mut rest).then(|| number(&mut rest))??.try_into().ok()?;
        }
    }
    if after(b'.', &mut rest) {
        let digits = rest.len();
        let fraction = number(&mut rest)?;
        let missing = 6_usize.checked_sub(digits - rest.len())?;
        moment.micros = fraction * 10_u32.pow(missing as u32);
    }
    let east = after(b'+', &mut rest);
    let mut seconds = 0;
    if east || after(b'-', &mut rest) {
        seconds = i64::from(number(&mut rest)?) * 3_600;
        for unit in [60, 1] {
            if after(b':', &mut rest) {
                seconds += i64::from(number(&mut rest)?) * unit;
            }
        }
    }
    let shift = seconds * if east { -1_000_000 } else { 1_000_000 };
    moment.to_micros().filter(|_| rest.is_empty())?.checked_add(shift)
}

/// Consumes this byte if it comes next.
#[inline]
fn after(mark: u8, rest: &mut &[u8]) -> bool {
    let tail = rest.strip_prefix(&[mark]);
    tail.map(|tail| *rest = tail).is_some()
}

/// Consumes the digits that come next. There must be one to nine of them.
#[inline]
fn number(rest: &mut &[u8]) -> Option<u32> {
    let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, tail) = rest.split_at(count);
    *rest = tail;
    let add = |sum, digit: &u8| sum * 10 + u32::from(digit - b'0');
    (1..=9).contains(&count).then(|| digits.iter().fold(0, add))
}

#[cold]
fn mismatch(value: Value<'_>, kind: ValueKind) -> Error {
    Error::usage(format!("a parameter of kind {kind:?} was bound to {value:?}"))
        .hint("bind a value of the kind declared in the statement's signature")
}

#[cold]
fn inexact(text: &[u8]) -> Error {
    let text = String::from_utf8_lossy(text);
    let text = format!("the result contains a number that does not match its signature: {text}");
    Error::new(ErrorKind::Protocol, text)
        .hint("round the number in the statement, or declare more digits")
}

#[cold]
fn no_moment(text: &[u8]) -> Error {
    let text = String::from_utf8_lossy(text);
    Error::new(ErrorKind::Protocol, format!("invalid timestamp in the result: {text}"))
}

/// A calendar date and time in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Year, 0 to 9999.
    pub year: u16,
    /// Month, from 1.
    pub month: u8,
    /// Day, from 1.
    pub day: u8,
    /// Hour, minute and second.
    pub clock: [u8; 3],
    /// Microseconds within the second.
    pub micros: u32,
}

impl Moment {
    /// Converts microseconds since 1970.
    ///
    /// # Errors
    /// Returns a usage error if the year is outside the range 0 to 9999.
    #[inline]
    pub fn of(micros: i64) -> Result<Self> {
        let outside = || format!("{micros} µs since 1970 is outside the years 0 to 9999");
        Self::from_micros(micros).ok_or_else(|| Error::usage(outside()))
    }

    /// Converts microseconds since 1970, or returns `None` for years outside 0 to 9999.
    #[inline]
    pub fn from_micros(micros: i64) -> Option<Self> {
        let (days, rest) = (micros.div_euclid(DAY_US), micros.rem_euclid(DAY_US));
        // In this calculation, years start on March 1, so that a leap day is the last day of a year. A cycle of 400
        // years has 146,097 days. Day 0 is 719,468 days before 1970.
        let days = days + 719_468;
        let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        let year = u16::try_from(era * 400 + year + next).ok().filter(|year| *year <= 9_999)?;
        let seconds = rest / 1_000_000;
        let clock = [(seconds / 3_600) as u8, (seconds / 60 % 60) as u8, (seconds % 60) as u8];
        let micros = (rest % 1_000_000) as u32;
        Some(Self { year, month: month as u8, day: day as u8, clock, micros })
    }

    /// Converts to microseconds since 1970, or returns `None` for an invalid date such as day 0 of a month.
    #[inline]
    pub fn to_micros(self) -> Option<i64> {
        let (month, day) = (i64::from(self.month), i64::from(self.day));
        if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        let year = i64::from(self.year) - i64::from(month <= 2);
        let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
        let day = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
        let days = era * 146_097 + year * 365 + year / 4 - year / 100 + day - 719_468;
        let [hour, minute, second] = self.clock.map(i64::from);
        let seconds = (days * 24 + hour) * 3_600 + minute * 60 + second;
        Some(seconds * 1_000_000 + i64::from(self.micros))
    }

    /// Appends the time as `2026-11-21 05:06:07.123456`. Omits a fraction of zero.
    #[inline]
    pub fn write_seconds(self, out: &mut Vec<u8>) {
        self.write_day(out);
        let [hour, minute, second] = self.clock;
        for (mark, number) in [(b' ', hour), (b':', minute), (b':', second)] {
            let [tens, ones] = two(number);
            out.extend_from_slice(&[mark, tens, ones]);
        }
        if self.micros == 0 {
            return;
        }
        out.push(b'.');
        for pair in [self.micros / 10_000, self.micros / 100 % 100, self.micros % 100] {
            out.extend_from_slice(&two(pair as u8));
        }
    }

    /// Like [`Moment::write_seconds`], but omits the time of day if it is midnight, because a date without a time is
    /// stored as midnight.
    #[inline]
    pub fn write(self, out: &mut Vec<u8>) {
        if self.clock == [0; 3] && self.micros == 0 {
            self.write_day(out);
        } else {
            self.write_seconds(out);
        }
    }

    fn write_day(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&two((self.year / 100) as u8));
        out.extend_from_slice(&two((self.year % 100) as u8));
        for number in [self.month, self.day] {
            let [tens, ones] = two(number);
            out.extend_from_slice(&[b'-', tens, ones]);
        }
    }
}

/// Returns the two digits of a number below 100.
#[inline]
fn two(number: u8) -> [u8; 2] {
    [b'0' + number / 10, b'0' + number % 10]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_round_trip() {
        let table = [
            (0, 0, "0"),
            (0, 2, "0.00"),
            (5, 2, "0.05"),
            (-5, 2, "-0.05"),
            (1_234, 2, "12.34"),
            (-120, 1, "-12.0"),
            (i64::MAX, 4, "922337203685477.5807"),
            (i64::MIN, 0, "-9223372036854775808"),
            (7, 18, "0.000000000000000007"),
        ];
        for (unscaled, scale, expected) in table {
            let mut text = Vec::new();
            decimal(unscaled, scale, &mut text);
            assert_eq!(String::from_utf8_lossy(&text), expected);
            assert_eq!(parse_decimal(&text, scale), Some(unscaled), "{expected}");
        }
        for (text, scale, expected) in
            [("1", 2, 100), ("1.5000", 2, 150), ("+.5", 1, 5), ("12.", 0, 12)]
        {
            assert_eq!(parse_decimal(text.as_bytes(), scale), Some(expected), "{text}");
        }
        for (text, scale) in
            [("1.005", 2), ("", 0), ("-", 0), ("1e3", 0), ("9223372036854775808", 0)]
        {
            assert_eq!(parse_decimal(text.as_bytes(), scale), None, "{text}");
        }
    }

    #[test]
    fn timestamps_round_trip() {
        let table = [
            (0, "1970-01-01"),
            (-1, "1969-12-31 23:59:59.999999"),
            (951_782_400_000_000, "2000-02-29"),
            (1_700_000_000_123_456, "2023-11-14 22:13:20.123456"),
            (4_102_444_800_000_000, "2100-01-01"),
            (-62_167_219_200_000_000, "0000-01-01"),
        ];
        for (micros, expected) in table {
            let moment = Moment::from_micros(micros).expect("a moment");
            let mut text = Vec::new();
            moment.write(&mut text);
            assert_eq!(String::from_utf8_lossy(&text), expected);
            assert_eq!(moment.to_micros(), Some(micros), "{expected}");
            assert_eq!(parse_moment(&text), Some(micros), "{expected}");
        }
        for day in -800_000..3_000_000 {
            let micros = day * DAY_US + 1;
            match Moment::from_micros(micros) {
                Some(moment) => assert_eq!(moment.to_micros(), Some(micros)),
                None => assert!(!(-719_528..2_932_897).contains(&day), "{day}"),
            }
        }
        assert_eq!(Moment::from_micros(i64::MAX), None);
    }

    #[test]
    fn literals() {
        let cents = ValueKind::Decimal(2);
        let table = [
            (Value::Null, ValueKind::Int, "NULL"),
            (Value::Int(i64::MIN), ValueKind::Int, "-9223372036854775808"),
            (Value::Decimal(1234), cents, "12.34"),
            (Value::Decimal(-5), cents, "-0.05"),
            (Value::Decimal(0), ValueKind::Decimal(4), "0.0000"),
            (Value::Decimal(7), ValueKind::Decimal(0), "7"),
            (Value::Int(7), cents, "7"),
            (Value::Decimal(i64::MIN), cents, "-92233720368547758.08"),
            (Value::Text(b""), ValueKind::Text, "''"),
            (Value::Text("it's naïve; \\".as_bytes()), ValueKind::Text, "'it''s naïve; \\'"),
            (Value::Time(0), ValueKind::Time, "TIMESTAMP '1970-01-01 00:00:00'"),
            (Value::Time(-1), ValueKind::Time, "TIMESTAMP '1969-12-31 23:59:59.999999'"),
        ];
        for (value, kind, expected) in table {
            let mut out = Vec::new();
            literal(value, kind, &mut out).expect("a value of its kind");
            assert_eq!(String::from_utf8_lossy(&out), expected);
        }
        for (value, kind) in [
            (Value::Int(1), ValueKind::Text),
            (Value::Text(b"1"), ValueKind::Int),
            (Value::Decimal(1), ValueKind::Int),
            (Value::Time(i64::MAX), ValueKind::Time),
        ] {
            assert!(literal(value, kind, &mut Vec::new()).is_err(), "{value:?} as {kind:?}");
        }
    }

    #[test]
    fn moments_are_read_with_their_distance_from_utc() {
        let second = 1_000_000;
        let table = [
            ("1970-01-01", Some(0)),
            ("1970-01-01 00:00:01", Some(second)),
            ("1970-01-01 00:00:00.5", Some(second / 2)),
            ("1970-01-01 00:00:00.000001+00", Some(1)),
            ("1970-01-01 02:30:00+02:30", Some(0)),
            ("1969-12-31 16:00:00-08", Some(0)),
            ("1970-01-01 00:00:28+00:00:28", Some(0)),
            ("10000-01-01 00:00:00", Some(253_402_300_800 * second)),
            ("0000-00-00", None),
            ("0044-03-15 BC", None),
            ("infinity", None),
            ("1970-01", None),
            ("1970-01-01 00:00", None),
            ("1970-01-01 00:00:00.1234567", None),
            ("1970-01-01 00:00:00 ", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(parse_moment(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn texts_are_read_by_their_kind() {
        let mut values = Values::default();
        for (text, kind) in [
            ("-12.30", ValueKind::Decimal(2)),
            ("7", ValueKind::Int),
            ("7", ValueKind::Text),
            ("1970-01-02", ValueKind::Time),
        ] {
            read(text.as_bytes(), kind, &mut values).expect("a value");
        }
        let expected =
            [Value::Decimal(-1_230), Value::Int(7), Value::Text(b"7"), Value::Time(DAY_US)];
        for (at, value) in expected.into_iter().enumerate() {
            assert_eq!(values.get(at), value);
        }
        for (text, kind) in [
            ("NaN", ValueKind::Decimal(2)),
            ("0.125", ValueKind::Decimal(2)),
            ("1.5", ValueKind::Int),
            ("infinity", ValueKind::Time),
        ] {
            let error = read(text.as_bytes(), kind, &mut values).expect_err(text);
            assert_eq!(error.kind(), ErrorKind::Protocol);
        }
    }
}
