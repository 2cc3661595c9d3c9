//! Parses and formats durations, counts, rates, and other quantities.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize, Serializer};

use crate::{Error, Result};

/// A narrow no-break space. It separates groups of three digits, and a number from its unit.
pub const THIN_SPACE: char = '\u{202F}';

const LONGEST: Duration = Duration::from_hours(24 * 30);

const SPANS: [(&str, u64); 7] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

/// Parses a duration such as `90s`, `1h30m`, `250ms`, or `1.5m`, up to 30 days.
pub fn parse_duration(text: &str) -> Result<Duration> {
    read_duration(text).ok_or_else(|| {
        let error = Error::usage(format!("invalid duration \"{text}\""));
        // Do not suggest a duration for a number without a unit, because the user may have meant several units.
        match meant_duration(text).filter(|_| parse_count(text).is_err()) {
            Some(meant) => error.hint(format!("use {meant}")),
            None => error.hint("use a value such as 250ms, 90s, 10m, or 1h30m, at most 30d"),
        }
    })
}

fn read_duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    if rest == "0" {
        return Some(Duration::ZERO);
    }
    let mut nanos = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (_, unit) = SPANS.iter().find(|(name, _)| *name == &rest[..letters])?;
        rest = &rest[letters..];
        nanos += number * *unit as f64;
    }
    let span = Duration::from_nanos(nanos as u64);
    (!text.trim().is_empty() && span <= LONGEST).then_some(span)
}

/// Names of units without the plural *s*, each with the abbreviation that [`parse_duration`] accepts.
const SPELT_UNITS: [(&str, &str); 20] = [
    ("nanosecond", "ns"),
    ("ns", "ns"),
    ("microsecond", "us"),
    ("usec", "us"),
    ("us", "us"),
    ("µs", "us"),
    ("millisecond", "ms"),
    ("msec", "ms"),
    ("ms", "ms"),
    ("second", "s"),
    ("sec", "s"),
    ("s", "s"),
    ("minute", "m"),
    ("min", "m"),
    ("m", "m"),
    ("hour", "h"),
    ("hr", "h"),
    ("h", "h"),
    ("day", "d"),
    ("d", "d"),
];

/// Guesses the duration that was meant, such as `1m` for `1 minute`. Returns `None` if the text does not resemble a
/// duration or is already valid.
pub fn meant_duration(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let mut rest = lower.trim();
    if read_duration(text).is_some() {
        return None;
    }
    let mut meant = String::new();
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        if number.is_empty() {
            return None;
        }
        let after = after.trim_start();
        let letters = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
        let (word, after) = after.split_at(letters);
        let unit = match word {
            "" => "s",
            word => {
                let singular = word.strip_suffix('s').filter(|singular| !singular.is_empty());
                let is = |(spelt, _): &&(&str, &str)| *spelt == word || Some(*spelt) == singular;
                SPELT_UNITS.iter().find(is)?.1
            }
        };
        meant.push_str(number);
        meant.push_str(unit);
        rest = after.trim_start_matches([' ', ',']).trim_start_matches("and ");
    }
    read_duration(&meant).map(|_| meant)
}

/// Parses an integer with an optional suffix of `k` (thousand) or `M` (million; also `m`), such as `5k`.
pub fn parse_count(text: &str) -> Result<u64> {
    let number = parse_scaled(text)?;
    if number.fract() != 0.0 || number > 1e15 {
        return Err(Error::usage(format!("invalid integer \"{text}\"")));
    }
    Ok(number as u64)
}

/// Parses a positive rate of up to 1e9 per second, with an optional suffix of `k` or `M`.
pub fn parse_rate(text: &str) -> Result<f64> {
    parse_amount(text).map_err(|_| {
        Error::usage(format!("invalid rate \"{text}\": expected a number per second above zero"))
    })
}

/// Parses a positive number of up to 1e9, with an optional suffix of `k` or `M`, such as `0.01` or `5k`.
pub fn parse_amount(text: &str) -> Result<f64> {
    let number = parse_scaled(text)?;
    if number <= 0.0 || number > 1e9 {
        return Err(Error::usage(format!(
            "invalid number \"{text}\": expected a number above zero"
        )));
    }
    Ok(number)
}

fn parse_scaled(text: &str) -> Result<f64> {
    let text = text.trim();
    let (digits, factor) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1e3),
        Some((at, 'm' | 'M')) => (&text[..at], 1e6),
        _ => (text, 1.0),
    };
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    match digits.parse::<f64>() {
        Ok(number) if plain => Ok(number * factor),
        _ => Err(Error::usage(format!("invalid number \"{text}\""))),
    }
}

/// Formats a duration, with at most two units, in a form that [`parse_duration`] accepts. Examples: `1h30m`, `2m5s`,
/// `1.5s`, `250ms`.
pub fn span(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0 if span.is_zero() => "0s".into(),
        0 => latency(span).replace(THIN_SPACE, ""),
        1..60 if span.subsec_millis() == 0 => format!("{seconds}s"),
        1..60 => format!("{:.1}s", span.as_secs_f64()),
        60..3600 => two(seconds, 60, "m", "s"),
        _ => two(seconds / 60, 60, "h", "m"),
    }
}

/// Formats a duration so that [`parse_duration`] returns exactly the same one. Examples: `1h30m`, `90s`, `1250ms`.
pub fn exact_span(time: Duration) -> String {
    let nanos = time.as_nanos();
    let (unit, name) = match () {
        () if nanos.is_multiple_of(1_000_000_000) => {
            let short = span(time);
            return match parse_duration(&short) {
                Ok(read) if read == time => short,
                _ => format!("{}s", time.as_secs()),
            };
        }
        () if nanos.is_multiple_of(1_000_000) => (1_000_000, "ms"),
        () if nanos.is_multiple_of(1_000) => (1_000, "us"),
        () => (1, "ns"),
    };
    format!("{}{name}", nanos / unit)
}

fn two(value: u64, base: u64, large: &str, small: &str) -> String {
    match value % base {
        0 => format!("{}{large}", value / base),
        rest => format!("{}{large}{rest}{small}", value / base),
    }
}

/// Formats a latency with three significant digits and a unit, as in `13.0 ms`, `402 ms` or `1.27 s`.
pub fn latency(span: Duration) -> String {
    let nanos = span.as_nanos() as f64;
    let (value, unit) = match span.as_nanos() {
        // Times are measured in whole nanoseconds, so show nanoseconds without decimal places.
        0..1_000 => return format!("{nanos}{THIN_SPACE}ns"),
        1_000..999_500 => (nanos / 1e3, "µs"),
        999_500..999_500_000 => (nanos / 1e6, "ms"),
        _ => (nanos / 1e9, "s"),
    };
    format!("{}{THIN_SPACE}{unit}", significant(value))
}

/// Formats a number with at least three significant digits: `1.27`, `13.0`, `402`, `1 270`.
pub fn significant(value: f64) -> String {
    match value.abs() {
        size if size < 9.995 => format!("{value:.2}"),
        size if size < 99.95 => format!("{value:.1}"),
        _ => grouped(value.round() as i64),
    }
}

/// Formats an integer with a thin space between groups of three digits, as in `1 142 100`.
pub fn grouped(number: impl Into<i128>) -> String {
    let number = number.into();
    let digits = number.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() * 2);
    if number < 0 {
        out.push('−');
    }
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(THIN_SPACE);
        }
        out.push(digit);
    }
    out
}

/// Formats a fixed-point number such as `1 142.05`. `unscaled` is the number without its decimal point, and `digits` is
/// the number of decimal places.
pub fn decimal(unscaled: i64, digits: u8) -> String {
    let unit = 10_u64.pow(digits.into());
    let (whole, rest) = (unscaled.unsigned_abs() / unit, unscaled.unsigned_abs() % unit);
    let sign = if unscaled < 0 { "−" } else { "" };
    match digits {
        0 => grouped(unscaled),
        digits => format!("{sign}{}.{rest:0width$}", grouped(whole), width = digits.into()),
    }
}

/// Formats a share as a percentage with one decimal place, such as `43.1 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1}{THIN_SPACE}%", share * 100.0)
}

/// Binary size units larger than a byte. Each is 1,024 times the previous one.
const SIZES: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];

/// Formats a size in bytes with a binary unit, such as `9.60 GiB`. Database settings use binary units too: `128MB`
/// means 128 MiB in PostgreSQL.
pub fn bytes(size: u64) -> String {
    let (mut value, mut unit) = (size as f64, "B");
    for larger in SIZES {
        // A value that would round to 1,024 is printed in the next larger unit.
        if value < 1_023.5 {
            break;
        }
        (value, unit) = (value / 1_024.0, larger);
    }
    match unit {
        "B" => format!("{size}{THIN_SPACE}B"),
        _ => format!("{}{THIN_SPACE}{unit}", significant(value)),
    }
}

/// Formats a number and its noun, as in `1 warehouse` or `5 warehouses`.
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

/// A number that may have a fractional part. Integers are printed without a decimal point.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Deserialize)]
#[serde(transparent)]
pub struct Amount(pub f64);

impl Amount {
    /// Formats the amount and its noun like [`counted`], as in `0.01 gigabytes` or `1 gigabyte`.
    pub fn of(self, noun: &str) -> String {
        match self.whole() {
            Some(whole) => counted(whole, noun),
            None => format!("{self} {noun}s"),
        }
    }

    fn whole(self) -> Option<u64> {
        (self.0 >= 0.0 && self.0.fract() == 0.0).then_some(self.0 as u64)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self.whole() {
            Some(whole) => serializer.serialize_u64(whole),
            None => serializer.serialize_f64(self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_and_printed() {
        let table = [
            ("0", Some(0), "0s"),
            ("0s", Some(0), "0s"),
            ("250ms", Some(250_000_000), "250ms"),
            ("90s", Some(90_000_000_000), "1m30s"),
            ("1.5s", Some(1_500_000_000), "1.5s"),
            ("1h30m", Some(5_400_000_000_000), "1h30m"),
            ("10m", Some(600_000_000_000), "10m"),
            ("-1s", None, ""),
            ("10", None, ""),
            ("", None, ""),
            ("s", None, ""),
            ("1e9s", None, ""),
            ("31d", None, ""),
        ];
        for (text, nanos, printed) in table {
            let read = parse_duration(text).ok();
            assert_eq!(read.map(|span| span.as_nanos()), nanos, "{text}");
            if let Some(read) = read {
                assert_eq!(span(read), printed, "{text}");
            }
        }
    }

    #[test]
    fn numbers_are_read() {
        assert_eq!(parse_count("5k").ok(), Some(5_000));
        assert_eq!(parse_count("1.5m").ok(), Some(1_500_000));
        for bad in ["", "k", "-1", "1.5", "1e3", "inf", "NaN", "+3"] {
            assert!(parse_count(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_rate("0.5").ok(), Some(0.5));
        assert!(parse_rate("0").is_err());
    }

    #[test]
    fn figures_keep_three_digits() {
        let table = [
            (0, "0 ns"),
            (7, "7 ns"),
            (850, "850 ns"),
            (1_270, "1.27 µs"),
            (13_000_000, "13.0 ms"),
            (402_000_000, "402 ms"),
            (999_600_000, "1.00 s"),
            (1_270_000_000_000, "1 270 s"),
        ];
        for (nanos, printed) in table {
            let got = latency(Duration::from_nanos(nanos)).replace(THIN_SPACE, " ");
            assert_eq!(got, printed);
        }
        assert_eq!(grouped(1_142_100).replace(THIN_SPACE, " "), "1 142 100");
        assert_eq!(grouped(-12), "−12");
    }

    #[test]
    fn sizes_are_binary() {
        let table = [
            (0, "0 B"),
            (1_000, "1000 B"),
            (1_024, "1.00 KiB"),
            (128 << 20, "128 MiB"),
            ((1 << 30) - 1, "1.00 GiB"),
            (1_500_000_000, "1.40 GiB"),
            (3 << 50, "3 072 TiB"),
        ];
        for (size, printed) in table {
            assert_eq!(bytes(size).replace(THIN_SPACE, " "), printed);
        }
    }
}
