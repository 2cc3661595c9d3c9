//! Times in logs.

/// Microseconds in a second.
pub const SECOND: i64 = 1_000_000;

/// Parses a time such as `2026-11-23 17:55:07.123 UTC`. Returns microseconds since 1970 in the log's own time zone, and
/// that time zone.
pub fn zoned(field: &[u8]) -> Option<(i64, &[u8])> {
    let (at, end) = date_time(field)?;
    Some((at, field[end..].strip_prefix(b" ")?))
}

/// Parses the time at the start of a text, with or without a fraction. Returns the time and its length.
pub fn date_time(text: &[u8]) -> Option<(i64, usize)> {
    let digits = |from: usize, count: usize| -> Option<i64> {
        let part = text.get(from..from + count)?;
        let good = part.iter().all(u8::is_ascii_digit);
        good.then(|| part.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
    };
    let signs = [(4, b'-'), (7, b'-'), (10, b' '), (13, b':'), (16, b':')];
    if signs.iter().any(|(at, sign)| text.get(*at) != Some(sign)) {
        return None;
    }
    let days = days(digits(0, 4)?, digits(5, 2)?, digits(8, 2)?);
    let seconds = ((days * 24 + digits(11, 2)?) * 60 + digits(14, 2)?) * 60 + digits(17, 2)?;
    let (micros, length) = fraction(text.get(19..).unwrap_or_default());
    Some((seconds * SECOND + micros, 19 + length))
}

/// Parses the fraction of a second at the start of a text, such as `.123`. Returns microseconds and the fraction's
/// length.
pub fn fraction(text: &[u8]) -> (i64, usize) {
    let Some(rest) = text.strip_prefix(b".") else { return (0, 0) };
    let count = rest.iter().take(6).take_while(|byte| byte.is_ascii_digit()).count();
    let value = rest[..count].iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    if count == 0 { (0, 0) } else { (value * 10_i64.pow(6 - count as u32), count + 1) }
}

/// Returns the number of days from 1970 to a date in the Gregorian calendar.
pub fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leaps + (month * 153 + 2) / 5 + day - 1 - 719_468
}
