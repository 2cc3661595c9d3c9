//! Values as SQL literals.

use std::io::Write;

use tacho_driver::Value;

const MICROS_PER_SECOND: i64 = 1_000_000;
const SECONDS_PER_DAY: i64 = 86_400;

/// Appends a value; `scale` counts the digits of a decimal after its point.
pub fn write(value: Value<'_>, scale: u8, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"NULL"),
        Value::Int(number) => append(out, format_args!("{number}")),
        Value::Decimal(unscaled) => decimal(unscaled, scale, out),
        Value::Text(text) => quoted(text, out),
        Value::Time(micros) => timestamp(micros, out),
    }
}

/// Writing to a Vec cannot fail.
fn append(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

fn decimal(unscaled: i64, scale: u8, out: &mut Vec<u8>) {
    let sign = if unscaled < 0 { "-" } else { "" };
    let size = unscaled.unsigned_abs();
    match 10_u64.checked_pow(u32::from(scale)) {
        Some(unit) if unit > 1 => {
            let (whole, part, width) = (size / unit, size % unit, usize::from(scale));
            append(out, format_args!("{sign}{whole}.{part:0width$}"));
        }
        Some(_) => append(out, format_args!("{sign}{size}")),
        // No 64-bit number has so many digits.
        None => append(out, format_args!("{sign}{size}e-{scale}")),
    }
}

fn quoted(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'\'');
    for byte in text {
        out.push(*byte);
        if *byte == b'\'' {
            out.push(b'\'');
        }
    }
    out.push(b'\'');
}

/// With a blank and without a zone, as standard SQL has it; the time is UTC.
fn timestamp(micros: i64, out: &mut Vec<u8>) {
    let (seconds, micros) =
        (micros.div_euclid(MICROS_PER_SECOND), micros.rem_euclid(MICROS_PER_SECOND));
    let (days, second) = (seconds.div_euclid(SECONDS_PER_DAY), seconds.rem_euclid(SECONDS_PER_DAY));
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    append(out, format_args!("TIMESTAMP '{year:04}-{month:02}-{day:02} "));
    append(out, format_args!("{hour:02}:{minute:02}:{second:02}"));
    if micros > 0 {
        append(out, format_args!(".{micros:06}"));
    }
    out.push(b'\'');
}

/// Year, month and day of a number of days since 1970, in the Gregorian calendar for all times:
/// Howard Hinnant's `civil_from_days`. Eras are 400 years of 146,097 days and years begin in March.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let march = (5 * day + 2) / 153;
    let month = if march < 10 { march + 3 } else { march - 9 };
    let day = day - (153 * march + 2) / 5 + 1;
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        let table = [
            (Value::Null, 0, "NULL"),
            (Value::Int(i64::MIN), 0, "-9223372036854775808"),
            (Value::Decimal(1234), 2, "12.34"),
            (Value::Decimal(-5), 2, "-0.05"),
            (Value::Decimal(0), 4, "0.0000"),
            (Value::Decimal(7), 0, "7"),
            (Value::Decimal(i64::MIN), 2, "-92233720368547758.08"),
            (Value::Text(b""), 0, "''"),
            (Value::Text("it's naïve; \\".as_bytes()), 0, "'it''s naïve; \\'"),
            (Value::Time(0), 0, "TIMESTAMP '1970-01-01 00:00:00'"),
            (Value::Time(-1), 0, "TIMESTAMP '1969-12-31 23:59:59.999999'"),
            (Value::Time(951_782_400_000_000), 0, "TIMESTAMP '2000-02-29 00:00:00'"),
            (Value::Time(1_772_323_199_000_010), 0, "TIMESTAMP '2026-02-28 23:59:59.000010'"),
            (Value::Time(4_107_542_400_000_000), 0, "TIMESTAMP '2100-03-01 00:00:00'"),
        ];
        for (value, scale, expected) in table {
            let mut out = Vec::new();
            write(value, scale, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), expected);
        }
    }
}
