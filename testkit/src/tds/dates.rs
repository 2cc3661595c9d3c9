//! Converts dates and times. In messages they are numbers, and in SQLite they are strings that sort in the same order.
//!
//! Start reading at [`parse`].

use super::reader::Reader;

/// Ticks of 100 ns.
const SECOND: i64 = 10_000_000;
const DAY: i64 = 86_400 * SECOND;
/// Days from 0001-01-01 to 1900-01-01.
const DAYS_TO_1900: i64 = 693_595;
/// Days from 0000-03-01 to 0001-01-01.
const SHIFT: i64 = 306;

/// Parses a string such as `2024-02-29 10:20:30.5` into ticks since the year 1.
pub fn parse(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let dashed = bytes.len() >= 10 && bytes[4] == b'-' && bytes[7] == b'-' && bytes.is_ascii();
    if !dashed {
        return None;
    }
    let number = |from: usize, to: usize| -> Option<i64> {
        let part = text.get(from..to)?;
        part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())?
    };
    let days = days(number(0, 4)?, number(5, 7)?, number(8, 10)?)?;
    if bytes.len() == 10 {
        return Some(days * DAY);
    }
    let clock = bytes.len() >= 19 && matches!(bytes[10], b' ' | b'T');
    if !clock || bytes[13] != b':' || bytes[16] != b':' {
        return None;
    }
    let seconds = number(11, 13)? * 3_600 + number(14, 16)? * 60 + number(17, 19)?;
    let fraction = match text.get(19..)? {
        "" => 0,
        rest => {
            let digits = rest.strip_prefix('.').filter(|digits| (1..=7).contains(&digits.len()))?;
            digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(())?;
            format!("{digits:0<7}").parse().ok()?
        }
    };
    Some(days * DAY + seconds * SECOND + fraction)
}

/// Formats ticks.
pub fn text(ticks: i64) -> String {
    let (day, time) = (ticks.div_euclid(DAY), ticks.rem_euclid(DAY));
    let (year, month, date) = civil(day);
    let mut text = format!("{year:04}-{month:02}-{date:02}");
    if time != 0 {
        text.push_str(&clock(time, ' '));
    }
    text
}

fn clock(time: i64, joint: char) -> String {
    let seconds = time / SECOND;
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let mut text = format!("{joint}{hour:02}:{minute:02}:{second:02}");
    if time % SECOND != 0 {
        let fraction = format!(".{:07}", time % SECOND);
        text.push_str(fraction.trim_end_matches('0'));
    }
    text
}

/// Converts a literal that contains a date and a time. The resulting strings are in chronological order when they are
/// sorted.
pub fn canonical(literal: &str) -> Option<String> {
    (literal.len() > 10).then(|| parse(literal).map(text))?
}

/// Adds a number of units, such as months, to a point in time. The day of the month stays the same if the new month has
/// such a day.
pub fn add(part: &str, count: i64, moment: &str) -> Option<String> {
    let ticks = parse(moment)?;
    let months = match part {
        "year" | "yy" | "yyyy" => count * 12,
        "quarter" | "qq" => count * 3,
        "month" | "mm" | "m" => count,
        _ => return Some(text(ticks + count.checked_mul(unit(part)?)?)),
    };
    let (year, month, date) = civil(ticks.div_euclid(DAY));
    let all = year * 12 + month - 1 + months;
    let (year, month) = (all.div_euclid(12), all.rem_euclid(12) + 1);
    let day = (1..=date).rev().find_map(|date| days(year, month, date))?;
    Some(text(day * DAY + ticks.rem_euclid(DAY)))
}

/// Returns how often a new unit, such as a month, starts between two points in time.
pub fn difference(part: &str, from: &str, to: &str) -> Option<i64> {
    let (from, to) = (parse(from)?, parse(to)?);
    let months = |ticks: i64| {
        let (year, month, _) = civil(ticks.div_euclid(DAY));
        (year, year * 12 + month)
    };
    Some(match part {
        "year" | "yy" | "yyyy" => months(to).0 - months(from).0,
        "month" | "mm" | "m" => months(to).1 - months(from).1,
        _ => to.div_euclid(unit(part)?) - from.div_euclid(unit(part)?),
    })
}

fn unit(part: &str) -> Option<i64> {
    Some(match part {
        "week" | "wk" => 7 * DAY,
        "day" | "dd" | "d" => DAY,
        "hour" | "hh" => 3_600 * SECOND,
        "minute" | "mi" | "n" => 60 * SECOND,
        "second" | "ss" | "s" => SECOND,
        "millisecond" | "ms" => SECOND / 1_000,
        "microsecond" | "mcs" => SECOND / 1_000_000,
        _ => return None,
    })
}

/// Returns the number of days since 0001-01-01, or `None` if the date does not exist.
fn days(year: i64, month: i64, date: i64) -> Option<i64> {
    let shifted = if month > 2 { year } else { year - 1 };
    let (era, of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + date - 1;
    let day = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - SHIFT;
    (civil(day) == (year, month, date) && (1..=9_999).contains(&year)).then_some(day)
}

fn civil(day: i64) -> (i64, i64, i64) {
    let shifted = day + SHIFT;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let part = (5 * of_year + 2) / 153;
    let (date, month) = (of_year - (153 * part + 2) / 5 + 1, (part + 2) % 12 + 1);
    (year + era * 400 + i64::from(month <= 2), month, date)
}

/// A date or time type in messages. Except in `DateTime`, the number is the number of decimal places of the seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Date,
    Time(u8),
    /// `smalldatetime` with 4 bytes, or `datetime` with 8 bytes.
    DateTime(u8),
    DateTime2(u8),
    Offset(u8),
}

impl When {
    /// Decodes a value.
    pub fn decode(self, bytes: &[u8]) -> Option<String> {
        let number = |bytes: &[u8]| {
            let mut all = [0; 8];
            all[..bytes.len()].copy_from_slice(bytes);
            i64::from_le_bytes(all)
        };
        let mut from = Reader(bytes);
        let time =
            |bytes: &[u8], scale: u8| number(bytes) * 10_i64.pow(7 - u32::from(scale.min(7)));
        Some(match self {
            Self::Date => text(number(bytes) * DAY),
            Self::Time(scale) => clock(time(bytes, scale), ' ').trim_start().to_owned(),
            Self::DateTime2(scale) => {
                let ticks = time(from.take(bytes.len().checked_sub(3)?)?, scale);
                text(number(from.take(3)?) * DAY + ticks)
            }
            Self::Offset(scale) => {
                let ticks = time(from.take(bytes.len().checked_sub(5)?)?, scale);
                text(number(from.take(3)?) * DAY + ticks)
            }
            Self::DateTime(_) if bytes.len() == 4 => {
                let (day, minutes) = (from.u16()?, from.u16()?);
                text((i64::from(day) + DAYS_TO_1900) * DAY + i64::from(minutes) * 60 * SECOND)
            }
            Self::DateTime(_) => {
                let (day, third) = (from.u32()? as i32, from.u32()?);
                // The time is a number of 1/300 s, which is rounded to milliseconds.
                let ticks = (i64::from(third) * 10 + 1) / 3 * (SECOND / 1_000);
                text((i64::from(day) + DAYS_TO_1900) * DAY + ticks)
            }
        })
    }

    /// Encodes a value.
    pub fn encode(self, text: &str) -> Option<Vec<u8>> {
        if let Self::Time(scale) = self {
            return Some(time(parse(&format!("0001-01-01 {text}"))?, scale));
        }
        let ticks = parse(text)?;
        let (day, clock) = (ticks.div_euclid(DAY), ticks.rem_euclid(DAY));
        let three = |day: i64| day.to_le_bytes()[..3].to_vec();
        let since = day - DAYS_TO_1900;
        Some(match self {
            Self::Date => three(day),
            Self::DateTime2(scale) => [time(clock, scale), three(day)].concat(),
            Self::Offset(scale) => [time(clock, scale), three(day), vec![0; 2]].concat(),
            Self::DateTime(4) => {
                [(since as u16).to_le_bytes(), ((clock / (60 * SECOND)) as u16).to_le_bytes()]
                    .concat()
            }
            _ => {
                let third = (clock * 3 / 10_000 + 5) / 10;
                [(since as i32).to_le_bytes(), (third as u32).to_le_bytes()].concat()
            }
        })
    }
}

fn time(ticks: i64, scale: u8) -> Vec<u8> {
    let length = match scale {
        0..=2 => 3,
        3..=4 => 4,
        _ => 5,
    };
    let units = ticks / 10_i64.pow(7 - u32::from(scale.min(7)));
    units.to_le_bytes()[..length].to_vec()
}
