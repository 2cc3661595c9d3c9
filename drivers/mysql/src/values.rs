//! Encodes and decodes values in the protocol's binary and text forms. Values are never rounded or truncated.
//!
//! <https://mariadb.com/docs/server/reference/clientserver-protocol/3-binary-protocol-prepared-statements>

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::text::{self, Moment};
use tacho_driver::{Value, ValueKind, Values, fraction};
use tacho_net::unexpected;

use crate::bytes::{self, Bytes};

/// The protocol's type numbers. Parameters of the same kind are always sent with the same type.
pub const LONG_LONG: u8 = 8;
const FLOAT: u8 = 4;
const DOUBLE: u8 = 5;
const DATE: u8 = 10;
const DATE_TIME: u8 = 12;
const TIMESTAMP: u8 = 7;
const NEW_DECIMAL: u8 = 246;
const VAR_STRING: u8 = 253;

/// A column type, as described by the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireType {
    /// The type's number.
    pub number: u8,
    /// True for an unsigned integer.
    pub unsigned: bool,
    /// True if the column comes from a table, rather than from an expression.
    pub stored: bool,
}

/// Returns the protocol type for parameters of this kind.
#[inline]
pub fn param_type(kind: ValueKind) -> u8 {
    match kind {
        ValueKind::Int => LONG_LONG,
        ValueKind::Decimal(_) => NEW_DECIMAL,
        ValueKind::Text => VAR_STRING,
        ValueKind::Time => DATE_TIME,
    }
}

/// Appends a parameter of this kind. The value must not be NULL.
#[inline]
pub fn encode(value: Value<'_>, kind: ValueKind, out: &mut Vec<u8>) -> Result<()> {
    match (kind, value) {
        (ValueKind::Int, Value::Int(number)) => out.extend_from_slice(&number.to_le_bytes()),
        (ValueKind::Text, Value::Text(text)) => bytes::text(text, out),
        (ValueKind::Decimal(scale), Value::Decimal(unscaled)) => {
            short(out, |out| text::decimal(unscaled, scale, out));
        }
        (ValueKind::Decimal(_), Value::Int(number)) => short(out, |out| text::whole(number, out)),
        (ValueKind::Time, Value::Time(micros)) => {
            let moment = Moment::of(micros)?;
            let [a, b] = moment.year.to_le_bytes();
            let [hour, minute, second] = moment.clock;
            out.extend_from_slice(&[11, a, b, moment.month, moment.day, hour, minute, second]);
            out.extend_from_slice(&moment.micros.to_le_bytes());
        }
        _ => return Err(mismatch(value, kind)),
    }
    Ok(())
}

/// Appends a string of fewer than 251 bytes, preceded by its length.
#[inline]
fn short(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.push(0);
    write(out);
    out[at] = (out.len() - at - 1) as u8;
}

/// Decodes the next value of a row as the kind that the statement declares.
#[inline]
pub fn decode(
    bytes: &mut Bytes<'_>,
    ty: WireType,
    kind: ValueKind,
    values: &mut Values,
) -> Result<()> {
    match (kind, ty.number) {
        // VARCHAR, JSON, ENUM, SET, BLOBs, VAR_STRING, STRING.
        (ValueKind::Text, 15 | 245 | 247..=254) => values.text(bytes.text()?),
        (ValueKind::Int, 0 | NEW_DECIMAL) => {
            let text = bytes.text()?;
            values.int(text::parse_decimal(text, 0).ok_or_else(|| inexact(text))?);
        }
        (ValueKind::Decimal(scale), 0 | NEW_DECIMAL) => {
            let text = bytes.text()?;
            values.decimal(text::parse_decimal(text, scale).ok_or_else(|| inexact(text))?);
        }
        (ValueKind::Int, 1 | 2 | 3 | 8 | 9 | 13) => values.int(whole(bytes, ty)?),
        (ValueKind::Decimal(scale), 1 | 2 | 3 | 8 | 9) => {
            let number = whole(bytes, ty)?;
            let factor = 10_i64.checked_pow(u32::from(scale));
            let unscaled = factor.and_then(|factor| number.checked_mul(factor));
            values.decimal(unscaled.ok_or_else(|| inexact(&number.to_be_bytes()))?);
        }
        // A floating-point result is accepted only from a table column. A computed fraction is inexact, so the user has
        // to cast it.
        (ValueKind::Int | ValueKind::Decimal(_), FLOAT | DOUBLE) if ty.stored => {
            let scale = if let ValueKind::Decimal(scale) = kind { scale } else { 0 };
            let decimal = if ty.number == FLOAT {
                fraction::of_single(f32::from_le_bytes(bytes.array()?), scale)
            } else {
                fraction::of_double(f64::from_le_bytes(bytes.array()?), scale)
            };
            let unscaled = decimal.ok_or_else(|| foreign(ty, kind))?;
            match kind {
                ValueKind::Int => values.int(unscaled),
                _ => values.decimal(unscaled),
            }
        }
        (ValueKind::Time, DATE | DATE_TIME | TIMESTAMP) => values.time(moment(bytes)?),
        _ => {
            skip(bytes, ty)?;
            return Err(foreign(ty, kind));
        }
    }
    Ok(())
}

/// Appends the next value of a row as a whole number or a string. Used for a user's statement.
pub fn decode_any(bytes: &mut Bytes<'_>, ty: WireType, values: &mut Values) -> Result<()> {
    match ty.number {
        1 | 2 | 3 | 8 | 9 | 13 => values.int(whole(bytes, ty)?),
        FLOAT => text::fraction(f32::from_le_bytes(bytes.array()?).into(), values),
        DOUBLE => text::fraction(f64::from_le_bytes(bytes.array()?), values),
        DATE | DATE_TIME | TIMESTAMP => text::time(moment(bytes)?, values),
        0 | 15 | 16 | 245..=255 => values.text(bytes.text()?),
        _ => {
            skip(bytes, ty)?;
            return Err(foreign(ty, ValueKind::Text));
        }
    }
    Ok(())
}

/// Appends a parameter as a string or a whole number. Used for a user's statement.
#[inline]
pub fn encode_any(value: Value<'_>, kind: ValueKind, out: &mut Vec<u8>) -> Result<()> {
    match (kind, value) {
        (ValueKind::Text, Value::Int(number)) => short(out, |out| text::whole(number, out)),
        _ => return encode(value, kind, out),
    }
    Ok(())
}

/// Appends a value of a statement that was sent as text, converted to the declared kind. Rejects the same values as
/// [`decode`].
#[inline]
pub fn read(
    bytes: &mut Bytes<'_>,
    ty: WireType,
    kind: ValueKind,
    values: &mut Values,
) -> Result<()> {
    let stored_double = ty.stored && ty.number == DOUBLE;
    let fits = match kind {
        ValueKind::Text => matches!(ty.number, 15 | 245 | 247..=254),
        // In text form, the server sends all digits of a DOUBLE but only six of a FLOAT.
        ValueKind::Int => stored_double || matches!(ty.number, 0..=3 | 8 | 9 | 13 | NEW_DECIMAL),
        ValueKind::Decimal(_) => stored_double || matches!(ty.number, 0..=3 | 8 | 9 | NEW_DECIMAL),
        ValueKind::Time => matches!(ty.number, DATE | DATE_TIME | TIMESTAMP),
    };
    let text = bytes.text()?;
    if fits { text::read(text, kind, values) } else { Err(foreign(ty, kind)) }
}

#[inline]
fn whole(bytes: &mut Bytes<'_>, ty: WireType) -> Result<i64> {
    Ok(match (ty.number, ty.unsigned) {
        (1, false) => i64::from(bytes.array::<1>()?[0] as i8),
        (1, true) => i64::from(bytes.u8()?),
        (2, false) => i64::from(bytes.u16()? as i16),
        (2 | 13, _) => i64::from(bytes.u16()?),
        (3 | 9, false) => i64::from(bytes.u32()? as i32),
        (3 | 9, true) => i64::from(bytes.u32()?),
        (_, false) => i64::from_le_bytes(bytes.array()?),
        (_, true) => {
            let number = u64::from_le_bytes(bytes.array()?);
            i64::try_from(number).map_err(|_| inexact(&number.to_be_bytes()))?
        }
    })
}

/// Decodes a time value, which may be empty, a date, or a date with a time of day.
#[inline]
fn moment(bytes: &mut Bytes<'_>) -> Result<i64> {
    let length = bytes.u8()?;
    let mut rest = Bytes(bytes.take(usize::from(length))?);
    let mut moment = Moment { year: 0, month: 0, day: 0, clock: [0; 3], micros: 0 };
    if length >= 4 {
        moment.year = rest.u16()?;
        [moment.month, moment.day] = rest.array()?;
    }
    if length >= 7 {
        moment.clock = rest.array()?;
    }
    if length >= 11 {
        moment.micros = rest.u32()?;
    }
    moment.to_micros().ok_or_else(|| {
        Error::new(ErrorKind::Protocol, "the result contains an invalid date, such as 0000-00-00")
    })
}

/// Skips a value that is not needed.
fn skip(bytes: &mut Bytes<'_>, ty: WireType) -> Result<()> {
    match ty.number {
        1 => bytes.take(1),
        2 | 13 => bytes.take(2),
        3 | 4 | 9 => bytes.take(4),
        5 | 8 => bytes.take(8),
        DATE | DATE_TIME | TIMESTAMP | 11 => {
            let length = bytes.u8()?;
            bytes.take(usize::from(length))
        }
        0 | 15 | 16 | 245..=255 => bytes.text(),
        other => return Err(unexpected(&format!("a value of type {other}"))),
    }
    .map(|_| ())
}

#[cold]
fn mismatch(value: Value<'_>, kind: ValueKind) -> Error {
    Error::usage(format!("cannot bind {value:?} to a parameter of type {kind:?}"))
        .hint("bind a value of the type declared in the statement's signature")
}

#[cold]
fn foreign(ty: WireType, kind: ValueKind) -> Error {
    let name = match ty.number {
        0 | NEW_DECIMAL => "a decimal",
        1..=3 | 8 | 9 | 13 => "a whole number",
        FLOAT | DOUBLE => "a binary floating-point number",
        DATE | DATE_TIME | TIMESTAMP => "a date",
        11 => "a time of day",
        6 => "NULL",
        16 => "bits",
        _ => "a text",
    };
    let text = format!(
        "a column has type {name} on the server, but {kind:?} in the statement's signature"
    );
    Error::new(ErrorKind::Syntax, text)
        .hint("cast it in the statement, for example CAST(x AS SIGNED) or CAST(x AS DECIMAL(12,2))")
}

#[cold]
fn inexact(bytes: &[u8]) -> Error {
    let text = format!(
        "the result contains a number that does not match the statement's signature: {bytes:02x?}"
    );
    Error::new(ErrorKind::Protocol, text)
        .hint("round the number in the statement, or declare more digits")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CENTS: ValueKind = ValueKind::Decimal(2);

    fn ty(number: u8) -> WireType {
        WireType { number, unsigned: false, stored: false }
    }

    fn decoded(bytes: &[u8], ty: WireType, kind: ValueKind) -> Result<Values> {
        let (mut values, mut bytes) = (Values::default(), Bytes(bytes));
        decode(&mut bytes, ty, kind, &mut values)?;
        assert!(bytes.0.is_empty(), "all is taken");
        Ok(values)
    }

    #[test]
    fn values_keep_their_type_in_a_round_trip() -> Result<()> {
        let table = [
            (Value::Int(i64::MIN), ValueKind::Int),
            (Value::Decimal(-1_234), CENTS),
            (Value::Text("naïve".as_bytes()), ValueKind::Text),
            (Value::Time(1_700_000_000_123_456), ValueKind::Time),
            (Value::Time(-1), ValueKind::Time),
        ];
        for (value, kind) in table {
            let mut out = Vec::new();
            encode(value, kind, &mut out)?;
            assert_eq!(decoded(&out, ty(param_type(kind)), kind)?.get(0), value);
        }
        Ok(())
    }

    #[test]
    fn every_type_of_the_server_is_understood() -> Result<()> {
        let unsigned = |number| WireType { number, unsigned: true, stored: false };
        let table: [(&[u8], WireType, ValueKind, Value<'_>); 13] = [
            (b"\xFF", ty(1), ValueKind::Int, Value::Int(-1)),
            (b"\xFF", unsigned(1), ValueKind::Int, Value::Int(255)),
            (b"\xFE\xFF", ty(2), ValueKind::Int, Value::Int(-2)),
            (b"\xFF\xFF", unsigned(2), ValueKind::Int, Value::Int(65_535)),
            (b"\xE8\x07", ty(13), ValueKind::Int, Value::Int(2_024)),
            (b"\xFF\xFF\xFF\xFF", ty(3), ValueKind::Int, Value::Int(-1)),
            (b"\xFF\xFF\xFF\xFF", unsigned(3), CENTS, Value::Decimal(429_496_729_500)),
            (b"\x07\0\0\0\0\0\0\0", unsigned(8), ValueKind::Int, Value::Int(7)),
            (b"\x0212", ty(246), ValueKind::Int, Value::Int(12)),
            (b"\x0512.30", ty(246), CENTS, Value::Decimal(1_230)),
            (b"\x02OE", ty(254), ValueKind::Text, Value::Text(b"OE")),
            (b"\x04\xB2\x07\x01\x02", ty(10), ValueKind::Time, Value::Time(86_400_000_000)),
            (b"\x07\xB2\x07\x01\x01\0\0\x01", ty(12), ValueKind::Time, Value::Time(1_000_000)),
        ];
        for (bytes, ty, kind, expected) in table {
            assert_eq!(decoded(bytes, ty, kind)?.get(0), expected, "{ty:?} {kind:?}");
        }
        Ok(())
    }

    #[test]
    fn a_statement_of_a_user_has_values_of_any_type() -> Result<()> {
        let table: [(&[u8], u8, Value<'_>); 6] = [
            (b"\xFE\xFF\xFF\xFF", 3, Value::Int(-2)),
            (b"\0\0\0\0\0\0\xF8\x3F", 5, Value::Text(b"1.5")),
            (b"\0\0\xC0\x3F", 4, Value::Text(b"1.5")),
            (b"\x0512.30", 246, Value::Text(b"12.30")),
            (b"\x04\xB2\x07\x01\x02", 10, Value::Text(b"1970-01-02")),
            (b"\x02OE", 254, Value::Text(b"OE")),
        ];
        for (bytes, number, expected) in table {
            let mut values = Values::default();
            decode_any(&mut Bytes(bytes), ty(number), &mut values)?;
            assert_eq!(values.get(0), expected, "{number}");
        }
        let mut out = Vec::new();
        encode_any(Value::Int(-12), ValueKind::Text, &mut out)?;
        assert_eq!(out, b"\x03-12");
        Ok(())
    }

    #[test]
    fn a_binary_fraction_is_the_decimal_nearest_to_it() -> Result<()> {
        let bytes = 12.34_f64.to_le_bytes();
        let stored = |number| WireType { stored: true, ..ty(number) };
        assert_eq!(decoded(&bytes, stored(DOUBLE), CENTS)?.get(0), Value::Decimal(1_234));
        assert!(decoded(&bytes, ty(DOUBLE), CENTS).is_err(), "a computed one");
        assert!(decoded(&(1.0_f64 / 3.0).to_le_bytes(), stored(DOUBLE), CENTS).is_err());
        let bytes = 0.1999_f32.to_le_bytes();
        let kind = ValueKind::Decimal(4);
        assert_eq!(decoded(&bytes, stored(FLOAT), kind)?.get(0), Value::Decimal(1_999));
        let bytes = 7_f32.to_le_bytes();
        assert_eq!(decoded(&bytes, stored(FLOAT), ValueKind::Int)?.get(0), Value::Int(7));
        Ok(())
    }

    #[test]
    fn rejects_values_that_do_not_fit() {
        let table: [(&[u8], u8, ValueKind, ErrorKind); 6] = [
            (b"\x051.005", 246, CENTS, ErrorKind::Protocol),
            (b"\0\0\0\0\0\0\xF0\x3F", 5, CENTS, ErrorKind::Syntax),
            (b"\x011", 253, ValueKind::Int, ErrorKind::Syntax),
            (b"\0", 12, ValueKind::Time, ErrorKind::Protocol),
            (b"\x02", 253, ValueKind::Text, ErrorKind::Protocol),
            (b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F", 8, CENTS, ErrorKind::Protocol),
        ];
        for (bytes, number, kind, expected) in table {
            let error = decoded(bytes, ty(number), kind).expect_err("a refusal");
            assert_eq!(error.kind(), expected, "{number} {kind:?}: {error}");
        }
        for (value, kind) in
            [(Value::Int(1), ValueKind::Text), (Value::Time(i64::MAX), ValueKind::Time)]
        {
            assert!(encode(value, kind, &mut Vec::new()).is_err());
        }
    }
}
