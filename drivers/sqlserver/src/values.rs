//! Decodes the values of rows into a reply. Values are never rounded or truncated.
//!
//! Values in rows are specified in [MS-TDS] 2.2.5.5. Values that are sent to the server are encoded in `request.rs` and
//! `bulk.rs`.
//!
//! Start reading at [`decode`].

use std::fmt::Write as _;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::text::{self, Moment};
use tacho_driver::{ValueKind, Values};
use tacho_net::unexpected;

use crate::bytes::{string, to_utf8};
use crate::types::{
    BIT, BIT_N, CHAR, CHAR_VAR, Column, DATE_N, DATE_TIME, DATE_TIME_2_N, DATE_TIME_N,
    DATE_TIME_OFFSET_N, DECIMAL_N, FLOAT_N, FLOAT4, FLOAT8, GUID, INT_N, INT1, INT2, INT4, INT8,
    Layout, MONEY, MONEY_N, NCHAR, NCHAR_VAR, NTEXT, NUMERIC_N, SMALL_DATE_TIME, SMALL_MONEY, TEXT,
    TIME_N, XML, joined,
};

pub const DAY_US: i64 = 86_400_000_000;
/// Number of days until January 1, 1970: from January 1 of the year 1, and from January 1, 1900.
pub const DAYS_FROM_1: i64 = 719_162;
pub const DAYS_FROM_1900: i64 = 25_567;
/// Ticks per second in a `datetime`.
pub const TICKS: i64 = 300;

/// Appends a value that is not NULL, converted to the kind that its statement declares.
#[inline]
pub fn decode(column: &Column, bytes: &[u8], kind: ValueKind, values: &mut Values) -> Result<()> {
    match (kind, column.ty) {
        (ValueKind::Int, INT_N | INT1 | INT2 | INT4 | INT8 | BIT | BIT_N) => {
            values.int(whole(bytes));
        }
        (ValueKind::Int, DECIMAL_N | NUMERIC_N) => {
            values.int(rescaled(decimal(bytes)?, column.scale, 0)?);
        }
        (ValueKind::Decimal(scale), DECIMAL_N | NUMERIC_N) => {
            values.decimal(rescaled(decimal(bytes)?, column.scale, scale)?);
        }
        (ValueKind::Decimal(scale), INT_N | INT1 | INT2 | INT4 | INT8) => {
            values.decimal(rescaled(whole(bytes).into(), 0, scale)?);
        }
        (ValueKind::Decimal(scale), MONEY | MONEY_N | SMALL_MONEY) => {
            values.decimal(rescaled(money(bytes).into(), 4, scale)?);
        }
        (ValueKind::Text, NCHAR | NCHAR_VAR) if column.layout == Layout::Short => {
            values.text_with(|out| to_utf8(bytes, out));
        }
        (ValueKind::Text, CHAR | CHAR_VAR) if column.layout == Layout::Short => {
            values.text(narrow(column, bytes)?);
        }
        // In Babelfish, STRING_AGG and similar functions return the deprecated types `text` and `ntext`.
        (ValueKind::Text, TEXT) => values.text(narrow(column, bytes)?),
        (ValueKind::Text, NTEXT) => values.text_with(|out| to_utf8(bytes, out)),
        (ValueKind::Text, CHAR | CHAR_VAR) => values.text(narrow(column, &joined(bytes))?),
        (ValueKind::Text, NCHAR | NCHAR_VAR) => {
            values.text_with(|out| to_utf8(&joined(bytes), out));
        }
        (ValueKind::Time, DATE_TIME_2_N | DATE_N | DATE_TIME | DATE_TIME_N | SMALL_DATE_TIME) => {
            values.time(moment(column, bytes)?);
        }
        _ => return Err(foreign(column.ty, kind)),
    }
    Ok(())
}

/// Appends a value that is not NULL, as an integer or a string. Used for users' statements, because their results may
/// have any type.
pub fn decode_any(column: &Column, bytes: &[u8], values: &mut Values) -> Result<()> {
    match column.ty {
        INT_N | INT1 | INT2 | INT4 | INT8 | BIT | BIT_N => values.int(whole(bytes)),
        DECIMAL_N | NUMERIC_N => {
            let unscaled = rescaled(decimal(bytes)?, column.scale, column.scale)?;
            values.text_with(|out| text::decimal(unscaled, column.scale, out));
        }
        MONEY | MONEY_N | SMALL_MONEY => {
            values.text_with(|out| text::decimal(money(bytes), 4, out));
        }
        DATE_TIME_2_N | DATE_N | DATE_TIME | DATE_TIME_N | SMALL_DATE_TIME => {
            text::time(moment(column, bytes)?, values);
        }
        _ => return decode(column, bytes, ValueKind::Text, values),
    }
    Ok(())
}

/// Returns an integer of 1 to 8 bytes. An integer of one byte has no sign.
#[inline]
fn whole(bytes: &[u8]) -> i64 {
    match *bytes {
        [one] => one.into(),
        [a, b] => i16::from_le_bytes([a, b]).into(),
        [a, b, c, d] => i32::from_le_bytes([a, b, c, d]).into(),
        _ => i64::from_le_bytes(bytes.try_into().unwrap_or_default()),
    }
}

/// Returns a decimal as an integer, without its decimal point. The server sends the sign, followed by up to 16 bytes.
#[inline]
fn decimal(bytes: &[u8]) -> Result<i128> {
    let (sign, digits) = bytes.split_first().ok_or_else(|| unexpected("an empty decimal"))?;
    let mut number = [0; 16];
    let place = number.get_mut(..digits.len()).ok_or_else(|| unexpected("a long decimal"))?;
    place.copy_from_slice(digits);
    let number = i128::try_from(u128::from_le_bytes(number));
    let number = number.map_err(|_| unexpected("a decimal has more than 38 digits"))?;
    Ok(if *sign == 0 { -number } else { number })
}

/// Changes the number of decimal places of a number. Fails if this would lose digits.
#[inline]
fn rescaled(number: i128, from: u8, to: u8) -> Result<i64> {
    let factor = 10_i128.checked_pow(from.abs_diff(to).into());
    let changed = factor.and_then(|factor| {
        if from <= to {
            number.checked_mul(factor)
        } else {
            (number % factor == 0).then(|| number / factor)
        }
    });
    let changed = changed.and_then(|number| i64::try_from(number).ok());
    changed.ok_or_else(|| inexact(number, from))
}

/// Returns an amount of money in ten-thousandths. The server sends the upper four bytes of an eight-byte amount first.
fn money(bytes: &[u8]) -> i64 {
    match halves(bytes) {
        Some((high, low)) => i64::from(high) << 32 | i64::from(low),
        None => whole(bytes),
    }
}

/// Splits eight bytes into a signed and an unsigned four-byte number.
#[inline]
fn halves(bytes: &[u8]) -> Option<(i32, u32)> {
    let (first, second) = bytes.split_first_chunk()?;
    Some((i32::from_le_bytes(*first), u32::from_le_bytes(second.try_into().ok()?)))
}

/// Returns a string of single bytes. It must be ASCII, because other bytes mean different characters in different code
/// pages.
#[inline]
fn narrow<'a>(column: &Column, bytes: &'a [u8]) -> Result<&'a [u8]> {
    if bytes.is_ascii() || column.is_utf8() {
        return Ok(bytes);
    }
    let text = "a string is encoded in its collation's code page rather than ASCII or UTF-8";
    Err(Error::new(ErrorKind::Unsupported, text)
        .hint("cast it in the statement, for example CAST(x AS NVARCHAR(100))"))
}

/// Returns microseconds since 1970. Returns an error if the time is more precise than a microsecond.
#[inline]
fn moment(column: &Column, bytes: &[u8]) -> Result<i64> {
    let broken = || unexpected("invalid time length");
    Ok(match (column.ty, bytes) {
        (DATE_N, [a, b, c]) => day([*a, *b, *c]) * DAY_US,
        (DATE_TIME_2_N, _) => {
            let (time, date) = bytes.split_last_chunk::<3>().ok_or_else(broken)?;
            day(*date) * DAY_US + micros(time, column.scale)?
        }
        (DATE_TIME | DATE_TIME_N, [_, _, _, _, _, _, _, _]) => {
            let (days, ticks) = halves(bytes).ok_or_else(broken)?;
            // The server counts in units of 1/300 s but displays milliseconds, such as .000, .003 and .007.
            let micros = (i64::from(ticks) * 10_000 + 1_500) / 3_000 * 1_000;
            (i64::from(days) - DAYS_FROM_1900) * DAY_US + micros
        }
        (_, [a, b, c, d]) => {
            let days = i64::from(u16::from_le_bytes([*a, *b])) - DAYS_FROM_1900;
            days * DAY_US + i64::from(u16::from_le_bytes([*c, *d])) * 60_000_000
        }
        _ => return Err(broken()),
    })
}

/// Converts a number of days since the year 1 to days since 1970.
#[inline]
fn day([low, middle, high]: [u8; 3]) -> i64 {
    i64::from(u32::from_le_bytes([low, middle, high, 0])) - DAYS_FROM_1
}

/// Returns a time of day in microseconds. `scale` is the number of digits in its fraction of a second.
#[inline]
fn micros(bytes: &[u8], scale: u8) -> Result<i64> {
    rescaled(units(bytes)?.into(), scale.min(7), 6)
}

/// Returns the number that is encoded in these bytes. Fails if there are more than eight bytes.
#[inline]
fn units(bytes: &[u8]) -> Result<i64> {
    let mut number = [0; 8];
    let place = number.get_mut(..bytes.len()).ok_or_else(|| unexpected("a long time"))?;
    place.copy_from_slice(bytes);
    Ok(i64::from_le_bytes(number))
}

#[cold]
fn foreign(ty: u8, kind: ValueKind) -> Error {
    let name = match ty {
        FLOAT4 | FLOAT8 | FLOAT_N => "a binary floating-point number",
        DECIMAL_N | NUMERIC_N | MONEY | MONEY_N | SMALL_MONEY => "a decimal",
        INT_N | INT1 | INT2 | INT4 | INT8 | BIT | BIT_N => "a whole number",
        DATE_N | DATE_TIME | DATE_TIME_N | DATE_TIME_2_N | SMALL_DATE_TIME => "a date",
        CHAR | CHAR_VAR | NCHAR | NCHAR_VAR => "a text",
        _ => "of another type",
    };
    let text = format!(
        "a column has type {name} on the server, but {kind:?} in the statement's signature"
    );
    Error::new(ErrorKind::Syntax, text)
        .hint("cast it in the statement, for example CAST(x AS BIGINT) or CAST(x AS DECIMAL(12,2))")
}

#[cold]
fn inexact(number: i128, scale: u8) -> Error {
    let text = format!(
        "the result contains a number that does not match the statement's signature: {number}e-{scale}"
    );
    Error::new(ErrorKind::Protocol, text)
        .hint("round the number in the statement, or declare more digits")
}

/// Returns a value as text, for operations outside the hot path.
pub fn shown(column: &Column, bytes: &[u8]) -> Result<String> {
    let content = if column.layout == Layout::Chunks { joined(bytes) } else { bytes.to_vec() };
    let decimals = |number: i128, scale: u8| {
        let digits = format!("{:0width$}", number.unsigned_abs(), width = usize::from(scale) + 1);
        let (whole, fraction) = digits.split_at(digits.len() - usize::from(scale));
        let (sign, point) = (if number < 0 { "-" } else { "" }, if scale > 0 { "." } else { "" });
        format!("{sign}{whole}{point}{fraction}")
    };
    Ok(match column.ty {
        INT_N | INT1 | INT2 | INT4 | INT8 | BIT | BIT_N => whole(bytes).to_string(),
        DECIMAL_N | NUMERIC_N => decimals(decimal(bytes)?, column.scale),
        MONEY | MONEY_N | SMALL_MONEY => decimals(money(bytes).into(), 4),
        NCHAR | NCHAR_VAR | NTEXT | XML => string(&content),
        CHAR | CHAR_VAR | TEXT => String::from_utf8_lossy(&content).into_owned(),
        FLOAT4 | FLOAT8 | FLOAT_N => match *bytes {
            [a, b, c, d] => f32::from_le_bytes([a, b, c, d]).to_string(),
            _ => f64::from_le_bytes(bytes.try_into().unwrap_or_default()).to_string(),
        },
        DATE_N => calendar(moment(column, bytes)?)?.replace(" 00:00:00", ""),
        DATE_TIME | DATE_TIME_N | SMALL_DATE_TIME => calendar(moment(column, bytes)?)?,
        DATE_TIME_2_N => calendar(part_of_day(&[bytes, &[0; 2]].concat(), column.scale)?)?,
        DATE_TIME_OFFSET_N => calendar(part_of_day(bytes, column.scale)?)? + " +00:00",
        TIME_N => {
            let time = [bytes, &DAYS_FROM_1.to_le_bytes()[..3], &[0; 2]].concat();
            calendar(part_of_day(&time, column.scale)?)?.split_off("1970-01-01 ".len())
        }
        GUID => guid(bytes),
        _ => hexadecimal(&content),
    })
}

/// Converts a time with a time zone to microseconds since 1970, and discards smaller units. The time zone's offset is
/// ignored, because the time is in UTC.
fn part_of_day(bytes: &[u8], scale: u8) -> Result<i64> {
    let broken = || unexpected("invalid time length");
    let (rest, _) = bytes.split_last_chunk::<2>().ok_or_else(broken)?;
    let (time, date) = rest.split_last_chunk::<3>().ok_or_else(broken)?;
    let time = units(time)? * 10_i64.pow(7 - u32::from(scale.min(7))) / 10;
    Ok(day(*date) * DAY_US + time)
}

fn calendar(micros: i64) -> Result<String> {
    let mut out = Vec::new();
    Moment::of(micros)?.write_seconds(&mut out);
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Formats a GUID. Its first three parts are little-endian integers, and the rest is a sequence of bytes.
fn guid(bytes: &[u8]) -> String {
    const ORDER: [usize; 16] = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    let mut text = String::new();
    for (at, byte) in ORDER.iter().filter_map(|place| bytes.get(*place)).enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    std::iter::once("0x".to_owned()).chain(digits).collect()
}

#[cfg(test)]
mod tests {
    use tacho_driver::Value;

    use super::*;
    use crate::bytes::Bytes;

    const CENTS: ValueKind = ValueKind::Decimal(2);

    fn decoded(info: &[u8], bytes: &[u8], kind: ValueKind) -> Result<Values> {
        let column = Column::read(&mut Bytes(info))?;
        let mut values = Values::default();
        decode(&column, bytes, kind, &mut values)?;
        Ok(values)
    }

    #[test]
    fn every_type_of_the_server_is_understood() -> Result<()> {
        let collation = [9, 4, 0, 0, 0];
        let narrow = [&[CHAR_VAR, 9, 0][..], &collation].concat();
        let wide = [&[NCHAR_VAR, 9, 0][..], &collation].concat();
        let old = |ty: u8| [&[ty, 9, 0, 0, 0][..], &collation].concat();
        let (text, ntext) = (old(TEXT), old(NTEXT));
        let table: [(&[u8], &[u8], ValueKind, Value<'_>); 19] = [
            (&[INT1], &[255], ValueKind::Int, Value::Int(255)),
            (&[INT2], &[0xFE, 0xFF], ValueKind::Int, Value::Int(-2)),
            (&[INT_N, 4], &[0xFF; 4], ValueKind::Int, Value::Int(-1)),
            (&[INT_N, 8], &[7, 0, 0, 0, 0, 0, 0, 0x80], ValueKind::Int, Value::Int(i64::MIN + 7)),
            (&[BIT_N, 1], &[1], ValueKind::Int, Value::Int(1)),
            (&[INT4], &[3, 0, 0, 0], CENTS, Value::Decimal(300)),
            (&[DECIMAL_N, 17, 38, 2], &[0, 5, 0, 0, 0], CENTS, Value::Decimal(-5)),
            (&[NUMERIC_N, 5, 9, 3], &[1, 10, 0, 0, 0], CENTS, Value::Decimal(1)),
            (&[NUMERIC_N, 5, 9, 1], &[1, 200, 0, 0, 0], ValueKind::Int, Value::Int(20)),
            (&[MONEY], &[0, 0, 0, 0, 0x10, 0x27, 0, 0], CENTS, Value::Decimal(100)),
            (
                &[MONEY],
                &[0xFF, 0xFF, 0xFF, 0xFF, 0xF0, 0xD8, 0xFF, 0xFF],
                CENTS,
                Value::Decimal(-100),
            ),
            (&narrow, b"OE", ValueKind::Text, Value::Text(b"OE")),
            (&wide, &[0xEF, 0, b'x', 0], ValueKind::Text, Value::Text("ïx".as_bytes())),
            (&text, b"1,2", ValueKind::Text, Value::Text(b"1,2")),
            (&ntext, &[b'1', 0, b',', 0], ValueKind::Text, Value::Text(b"1,")),
            (&[DATE_N], &[0x3B, 0xF9, 0x0A], ValueKind::Time, Value::Time(DAY_US)),
            (
                &[DATE_TIME_2_N, 6],
                &[1, 0, 0, 0, 0, 0x3A, 0xF9, 0x0A],
                ValueKind::Time,
                Value::Time(1),
            ),
            (&[DATE_TIME], &[0xDF, 0x63, 0, 0, 1, 0, 0, 0], ValueKind::Time, Value::Time(3_000)),
            (&[SMALL_DATE_TIME], &[0xDF, 0x63, 2, 0], ValueKind::Time, Value::Time(120_000_000)),
        ];
        for (info, bytes, kind, expected) in table {
            assert_eq!(decoded(info, bytes, kind)?.get(0), expected, "{info:?} {kind:?}");
        }
        Ok(())
    }

    #[test]
    fn rejects_values_that_do_not_fit() {
        let table: [(&[u8], &[u8], ValueKind, ErrorKind); 6] = [
            (&[NUMERIC_N, 5, 9, 3], &[1, 5, 0, 0, 0], CENTS, ErrorKind::Protocol),
            (&[NUMERIC_N, 17, 38, 0], &[1, 0, 0, 0, 0, 0, 0, 0, 0, 1], CENTS, ErrorKind::Protocol),
            (&[FLOAT8], &[0; 8], CENTS, ErrorKind::Syntax),
            (&[INT4], &[0; 4], ValueKind::Text, ErrorKind::Syntax),
            (&[CHAR_VAR, 9, 0, 9, 4, 0, 0, 0], b"\xE9", ValueKind::Text, ErrorKind::Unsupported),
            (&[DATE_TIME_2_N, 7], &[1, 0, 0, 0, 0, 0, 0, 0], ValueKind::Time, ErrorKind::Protocol),
        ];
        for (info, bytes, kind, expected) in table {
            let error = decoded(info, bytes, kind).expect_err("a refusal");
            assert_eq!(error.kind(), expected, "{info:?}: {error}");
        }
    }

    #[test]
    fn values_are_shown() -> Result<()> {
        let shown = |info: &[u8], bytes: &[u8]| shown(&Column::read(&mut Bytes(info))?, bytes);
        assert_eq!(shown(&[NUMERIC_N, 5, 9, 2], &[0, 5, 0, 0, 0])?, "-0.05");
        assert_eq!(shown(&[FLOAT8], &1.5_f64.to_le_bytes())?, "1.5");
        assert_eq!(shown(&[DATE_N], &[0x3A, 0xF9, 0x0A])?, "1970-01-01");
        assert_eq!(shown(&[BINARY_TYPE, 4, 0], &[1, 255])?, "0x01ff");
        let seventh = [9, 0, 0, 0, 0, 0x3A, 0xF9, 0x0A];
        assert_eq!(shown(&[DATE_TIME_2_N, 7], &seventh)?, "1970-01-01 00:00:00");
        assert_eq!(shown(&[TIME_N, 3], &[0xE9, 3, 0, 0])?, "00:00:01.001000");
        let offset = [&[1, 0, 0, 0x3A, 0xF9, 0x0A][..], &[60, 0]].concat();
        assert_eq!(shown(&[DATE_TIME_OFFSET_N, 0], &offset)?, "1970-01-01 00:00:01 +00:00");
        let bytes: Vec<u8> = (1..=16).collect();
        let expected = "04030201-0605-0807-090a-0b0c0d0e0f10";
        assert_eq!(shown(&[GUID, 16], &bytes)?, expected);
        Ok(())
    }

    const BINARY_TYPE: u8 = crate::types::BINARY_VAR;
}
