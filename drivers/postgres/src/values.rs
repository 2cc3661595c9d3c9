//! Encodes and decodes values in binary form. Values are never rounded or truncated.

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Value, ValueKind, Values, fraction, text};

use crate::numeric;
use crate::types::WireType;

/// 2000-01-01T00:00:00Z, in microseconds since 1970. The server counts its timestamps from this moment.
const EPOCH_US: i64 = 946_684_800_000_000;
const DAY_US: i64 = 86_400_000_000;
/// The length that represents NULL.
const NULL: [u8; 4] = (-1_i32).to_be_bytes();

/// Appends a value, preceded by its length. `scale` is the number of digits after the decimal point.
#[inline]
pub fn encode(value: Value<'_>, ty: WireType, scale: u8, out: &mut Vec<u8>) -> Result<()> {
    match (ty, value) {
        (_, Value::Null) => out.extend_from_slice(&NULL),
        (WireType::Text | WireType::Padded, Value::Text(text)) => field(text, out),
        (WireType::Numeric, Value::Int(number)) => decimal(number, 0, out),
        (WireType::Numeric, Value::Decimal(unscaled)) => decimal(unscaled, scale, out),
        (WireType::Timestamp, Value::Time(micros)) => {
            field(&micros.saturating_sub(EPOCH_US).to_be_bytes(), out);
        }
        (WireType::Date, Value::Time(micros)) => {
            let days = micros.saturating_sub(EPOCH_US).div_euclid(DAY_US) as i32;
            field(&days.to_be_bytes(), out);
        }
        (WireType::Real | WireType::Double, Value::Decimal(unscaled)) => {
            return write_fraction(unscaled, scale, ty, out);
        }
        (_, Value::Int(number)) => return whole(number, ty, out),
        (_, Value::Decimal(unscaled)) => return whole(unscale(unscaled, scale)?, ty, out),
        _ => return Err(mismatch(value, ty)),
    }
    Ok(())
}

/// Appends a value of a user's statement as text, preceded by its length.
#[inline]
pub fn encode_text(value: Value<'_>, out: &mut Vec<u8>) -> Result<()> {
    if matches!(value, Value::Null) {
        out.extend_from_slice(&NULL);
        return Ok(());
    }
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    tacho_driver::unquoted(value, out)?;
    let length = (out.len() - at - 4) as u32;
    out[at..at + 4].copy_from_slice(&length.to_be_bytes());
    Ok(())
}

/// Appends the value of a result column, converted to the kind that its statement declares.
#[inline]
pub fn decode(bytes: &[u8], ty: WireType, kind: ValueKind, values: &mut Values) -> Result<()> {
    match (ty, kind) {
        (WireType::Text, _) => values.text(bytes),
        (WireType::Padded, _) => values.text(unpadded(bytes)),
        (WireType::Numeric, ValueKind::Decimal(scale)) => {
            values.decimal(numeric::decode(bytes, scale).ok_or_else(|| inexact(bytes))?);
        }
        (WireType::Numeric, _) => {
            values.int(numeric::decode(bytes, 0).ok_or_else(|| inexact(bytes))?);
        }
        (WireType::Real | WireType::Double, ValueKind::Decimal(scale)) => {
            values.decimal(nearest(bytes, scale).ok_or_else(|| inexact(bytes))?);
        }
        (WireType::Real | WireType::Double, _) => {
            values.int(nearest(bytes, 0).ok_or_else(|| inexact(bytes))?);
        }
        (WireType::Timestamp, _) => values.time(micros(bytes)?),
        (WireType::Date, _) => values.time(days(bytes)?),
        (_, ValueKind::Decimal(scale)) => {
            let factor = 10_i64.checked_pow(u32::from(scale));
            let unscaled = factor.and_then(|factor| signed(bytes)?.checked_mul(factor));
            values.decimal(unscaled.ok_or_else(|| inexact(bytes))?);
        }
        _ => values.int(signed(bytes).ok_or_else(|| inexact(bytes))?),
    }
    Ok(())
}

/// Appends the value of a result column that was sent as text.
#[inline]
pub fn read(bytes: &[u8], ty: WireType, kind: ValueKind, values: &mut Values) -> Result<()> {
    match ty {
        WireType::Padded => values.text(unpadded(bytes)),
        WireType::Bool => values.int(i64::from(bytes == b"t")),
        _ => text::read(bytes, kind, values)?,
    }
    Ok(())
}

#[inline]
fn field(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
    out.extend_from_slice(bytes);
}

#[inline]
fn decimal(unscaled: i64, scale: u8, out: &mut Vec<u8>) {
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    numeric::encode(unscaled, scale, out);
    let length = (out.len() - at - 4) as u32;
    out[at..at + 4].copy_from_slice(&length.to_be_bytes());
}

#[inline]
fn whole(number: i64, ty: WireType, out: &mut Vec<u8>) -> Result<()> {
    let range = |_| Error::usage(format!("{number} is out of range for its type"));
    match ty {
        WireType::Int8 => field(&number.to_be_bytes(), out),
        WireType::Int4 => field(&i32::try_from(number).map_err(range)?.to_be_bytes(), out),
        WireType::Int2 => field(&i16::try_from(number).map_err(range)?.to_be_bytes(), out),
        WireType::Bool if matches!(number, 0 | 1) => field(&[number as u8], out),
        WireType::Real | WireType::Double => return write_fraction(number, 0, ty, out),
        _ => return Err(mismatch(Value::Int(number), ty)),
    }
    Ok(())
}

/// Writes a decimal as the nearest floating-point number. Returns an error if this number does not convert back to the
/// same decimal.
fn write_fraction(unscaled: i64, scale: u8, ty: WireType, out: &mut Vec<u8>) -> Result<()> {
    let number = unscaled as f64 / 10_f64.powi(scale.into());
    let at = out.len();
    if ty == WireType::Real {
        field(&(number as f32).to_be_bytes(), out);
    } else {
        field(&number.to_be_bytes(), out);
    }
    if nearest(&out[at + 4..], scale) == Some(unscaled) {
        return Ok(());
    }
    out.truncate(at);
    let text = format!("{unscaled} with scale {scale} has too many digits for {ty:?}");
    Err(Error::usage(text).hint("declare the column as numeric"))
}

/// Returns a decimal as a whole number, for parameters of an integer type.
fn unscale(unscaled: i64, scale: u8) -> Result<i64> {
    let factor = 10_i64.checked_pow(u32::from(scale)).unwrap_or(i64::MAX);
    if unscaled % factor == 0 {
        return Ok(unscaled / factor);
    }
    Err(Error::usage(format!("{unscaled} with scale {scale} is not an integer")))
}

/// Returns an integer of one, two, four or eight bytes.
#[inline]
fn signed(bytes: &[u8]) -> Option<i64> {
    Some(match bytes.len() {
        1 => i64::from(bytes[0]),
        2 => i64::from(i16::from_be_bytes(bytes.try_into().ok()?)),
        4 => i64::from(i32::from_be_bytes(bytes.try_into().ok()?)),
        8 => i64::from_be_bytes(bytes.try_into().ok()?),
        _ => return None,
    })
}

/// Converts a floating-point number back to the decimal number from which it was rounded. Returns `None` if there is no
/// such decimal number with this many digits after the point.
fn nearest(bytes: &[u8], scale: u8) -> Option<i64> {
    match <[u8; 4]>::try_from(bytes) {
        Ok(bytes) => fraction::of_single(f32::from_be_bytes(bytes), scale),
        Err(_) => fraction::of_double(f64::from_be_bytes(bytes.try_into().ok()?), scale),
    }
}

/// Returns an error for `infinity` and `-infinity`, which the server represents by the largest and the smallest number.
#[inline]
fn micros(bytes: &[u8]) -> Result<i64> {
    let since_2000 = signed(bytes).filter(|micros| *micros != i64::MIN);
    since_2000.and_then(|micros| micros.checked_add(EPOCH_US)).ok_or_else(no_moment)
}

fn days(bytes: &[u8]) -> Result<i64> {
    let since_2000 =
        signed(bytes).and_then(|days| days.checked_mul(DAY_US)).ok_or_else(no_moment)?;
    since_2000.checked_add(EPOCH_US).ok_or_else(no_moment)
}

/// Removes trailing blanks. They have no meaning in `char(n)`, because the server adds them as padding.
#[inline]
fn unpadded(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
    &text[..end]
}

#[cold]
fn mismatch(value: Value<'_>, ty: WireType) -> Error {
    Error::usage(format!("cannot bind {value:?} to a parameter of type {ty:?}"))
        .hint("cast the parameter in the statement to the type declared in its signature")
}

#[cold]
fn inexact(bytes: &[u8]) -> Error {
    let text = format!(
        "the result contains a number that does not match the statement's signature: {bytes:02x?}"
    );
    Error::new(ErrorKind::Protocol, text)
        .hint("round the number in the statement, or declare more digits")
}

#[cold]
fn no_moment() -> Error {
    Error::new(ErrorKind::Protocol, "invalid timestamp in the result, such as infinity")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(value: Value<'_>, ty: WireType, kind: ValueKind) -> Result<Values> {
        let scale = if let ValueKind::Decimal(scale) = kind { scale } else { 0 };
        let mut out = Vec::new();
        encode(value, ty, scale, &mut out)?;
        let mut values = Values::default();
        decode(&out[4..], ty, kind, &mut values)?;
        assert_eq!(u32::from_be_bytes([out[0], out[1], out[2], out[3]]) as usize, out.len() - 4);
        Ok(values)
    }

    #[test]
    fn values_round_trip() {
        let cents = ValueKind::Decimal(2);
        let table = [
            (Value::Int(-7), WireType::Int2, ValueKind::Int),
            (Value::Int(i64::from(i32::MIN)), WireType::Int4, ValueKind::Int),
            (Value::Int(i64::MAX), WireType::Int8, ValueKind::Int),
            (Value::Int(1), WireType::Bool, ValueKind::Int),
            (Value::Int(1_998), WireType::Double, ValueKind::Int),
            (Value::Int(-(1 << 53)), WireType::Double, ValueKind::Int),
            (Value::Int(16_777_216), WireType::Real, ValueKind::Int),
            (Value::Decimal(1_999), WireType::Real, ValueKind::Decimal(4)),
            (Value::Decimal(-123_456_789_012), WireType::Double, cents),
            (Value::Int(123_456_789), WireType::Numeric, ValueKind::Int),
            (Value::Decimal(-1_234), WireType::Numeric, cents),
            (Value::Decimal(-1_200), WireType::Int4, cents),
            (Value::Text("naïve".as_bytes()), WireType::Text, ValueKind::Text),
            (Value::Text(b" OE"), WireType::Padded, ValueKind::Text),
            (Value::Time(1_700_000_000_123_456), WireType::Timestamp, ValueKind::Time),
            (Value::Time(-1), WireType::Timestamp, ValueKind::Time),
            (Value::Time(-DAY_US), WireType::Date, ValueKind::Time),
        ];
        for (value, ty, kind) in table {
            let values = round_trip(value, ty, kind).expect("a value that fits");
            assert_eq!(values.get(0), value, "{ty:?}");
        }
    }

    #[test]
    fn rejects_values_that_do_not_fit() {
        let table = [
            (Value::Int(40_000), WireType::Int2),
            (Value::Int(1 << 40), WireType::Int4),
            (Value::Int(2), WireType::Bool),
            (Value::Int((1 << 53) + 1), WireType::Double),
            (Value::Int(16_777_217), WireType::Real),
            (Value::Int(2), WireType::Text),
            (Value::Int(2), WireType::Timestamp),
            (Value::Decimal(1_234), WireType::Int4),
            (Value::Text(b"2"), WireType::Int4),
            (Value::Time(2), WireType::Numeric),
        ];
        for (value, ty) in table {
            let error = encode(value, ty, 2, &mut Vec::new()).expect_err("a refusal");
            assert_eq!(error.kind(), ErrorKind::Usage, "{value:?} as {ty:?}");
        }
        let mut values = Values::default();
        for number in [1998.5, 1e300, f64::NAN, f64::INFINITY] {
            let bytes = number.to_be_bytes();
            assert!(decode(&bytes, WireType::Double, ValueKind::Int, &mut values).is_err());
        }
        for infinity in [i64::MAX, i64::MIN] {
            let bytes = infinity.to_be_bytes();
            assert!(decode(&bytes, WireType::Timestamp, ValueKind::Time, &mut values).is_err());
            let scaled = ValueKind::Decimal(2);
            assert!(decode(&bytes, WireType::Int8, scaled, &mut values).is_err());
        }
        assert!(decode(&[0; 3], WireType::Int4, ValueKind::Int, &mut values).is_err());
    }

    #[test]
    fn trims_trailing_blanks_only_where_the_server_pads() {
        for (ty, expected) in [(WireType::Padded, b"BC".as_slice()), (WireType::Text, b"BC  ")] {
            let mut values = Values::default();
            decode(b"BC  ", ty, ValueKind::Text, &mut values).expect("a text");
            assert_eq!(values.get(0), Value::Text(expected));
        }
    }
}
