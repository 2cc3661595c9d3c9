//! Numbers and times as text, and back. Nothing is rounded and nothing is cut.

/// The longest text of a number: 20 digits, a sign, a point.
const LONGEST: usize = 24;
const DAY_US: i64 = 86_400_000_000;

/// Appends a whole number.
#[inline]
pub fn whole(number: i64, out: &mut Vec<u8>) {
    decimal(number, 0, out);
}

/// Appends a decimal whose last `scale` digits stand behind the point.
#[inline]
pub fn decimal(unscaled: i64, scale: u8, out: &mut Vec<u8>) {
    let mut text = [0; LONGEST];
    let mut at = LONGEST;
    let mut rest = unscaled.unsigned_abs();
    let mut left = i32::from(scale);
    // At least one digit stands before the point. A scale beyond 18 cannot be that of an i64.
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

/// The number without its point at this scale; `None` if it does not fit.
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
                // Downwards, because there is one more negative number.
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

/// A moment as a calendar shows it, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Year, 0 to 9999.
    pub year: u16,
    /// Month, from 1.
    pub month: u8,
    /// Day, from 1.
    pub day: u8,
    /// Hour, minute, second.
    pub clock: [u8; 3],
    /// Microseconds of the second.
    pub micros: u32,
}

impl Moment {
    /// From microseconds since 1970; `None` outside of the years that the server knows.
    #[inline]
    pub fn from_micros(micros: i64) -> Option<Self> {
        let (days, rest) = (micros.div_euclid(DAY_US), micros.rem_euclid(DAY_US));
        // Days and years counted from the 1st of March, so that a leap day comes last; an era has
        // 400 years of 146,097 days. The origin is 719,468 days before 1970.
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

    /// Microseconds since 1970; `None` for what is no date, such as the 0th of a month.
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

    /// Appends it as `2026-11-21 05:06:07.123456`; midnight, which a day is, as the day alone.
    #[inline]
    pub fn write(self, out: &mut Vec<u8>) {
        let two = |number: u8| [b'0' + number / 10, b'0' + number % 10];
        out.extend_from_slice(&two((self.year / 100) as u8));
        out.extend_from_slice(&two((self.year % 100) as u8));
        let [hour, minute, second] = self.clock;
        let day = [(b'-', self.month), (b'-', self.day)];
        let clock = [(b' ', hour), (b':', minute), (b':', second)];
        let midnight = self.clock == [0; 3] && self.micros == 0;
        for (mark, number) in day.into_iter().chain(clock.into_iter().filter(|_| !midnight)) {
            let [tens, ones] = two(number);
            out.extend_from_slice(&[mark, tens, ones]);
        }
        if midnight {
            return;
        }
        out.push(b'.');
        for pair in [self.micros / 10_000, self.micros / 100 % 100, self.micros % 100] {
            out.extend_from_slice(&two(pair as u8));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_come_back() {
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
    fn moments_come_back() {
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
}
