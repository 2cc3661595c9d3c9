//! Converts values to and from SQLite.
//!
//! Transfers decimals and times as whole numbers. Rejects a value with a fraction instead of rounding it.

use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, ValueRef};
use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Value, ValueKind, Values, text};

/// 2^53. A double cannot represent every integer above this number.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A value to be bound.
pub struct Bound<'a>(pub Value<'a>);

impl ToSql for Bound<'_> {
    #[inline]
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Int(number) | Value::Decimal(number) | Value::Time(number) => {
                ValueRef::Integer(number)
            }
            Value::Text(text) => ValueRef::Text(text),
        }))
    }
}

/// Appends a result value, converted to the kind that its statement declares.
#[inline]
pub fn read(found: ValueRef<'_>, kind: ValueKind, values: &mut Values) -> Result<()> {
    match (kind, found) {
        (_, ValueRef::Null) => values.null(),
        (ValueKind::Text, ValueRef::Text(text) | ValueRef::Blob(text)) => values.text(text),
        (ValueKind::Int, _) => values.int(whole(found)?),
        (ValueKind::Decimal(_), _) => values.decimal(whole(found)?),
        (ValueKind::Time, _) => values.time(whole(found)?),
        (ValueKind::Text, _) => return Err(unexpected(found)),
    }
    Ok(())
}

/// Appends a value as a whole number or a string. Used for a user's statement.
#[inline]
pub fn read_any(found: ValueRef<'_>, values: &mut Values) {
    match found {
        ValueRef::Null => values.null(),
        ValueRef::Integer(number) => values.int(number),
        ValueRef::Real(number) => text::fraction(number, values),
        ValueRef::Text(text) | ValueRef::Blob(text) => values.text(text),
    }
}

#[inline]
fn whole(found: ValueRef<'_>) -> Result<i64> {
    match found {
        ValueRef::Integer(number) => Ok(number),
        ValueRef::Real(number) if number.fract() == 0.0 && number.abs() < EXACT => {
            Ok(number as i64)
        }
        _ => Err(unexpected(found)),
    }
}

#[cold]
fn unexpected(found: ValueRef<'_>) -> Error {
    let error = Error::new(ErrorKind::Protocol, format!("the result contains {found:?}"));
    match found {
        ValueRef::Real(_) => {
            error.hint("decimals are stored as whole numbers: round the value in the statement")
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_by_their_declared_kind() {
        let decimal = ValueKind::Decimal(2);
        let table = [
            (ValueRef::Integer(5), ValueKind::Int, Some(Value::Int(5))),
            (ValueRef::Integer(5), decimal, Some(Value::Decimal(5))),
            (ValueRef::Integer(5), ValueKind::Time, Some(Value::Time(5))),
            (ValueRef::Integer(5), ValueKind::Text, None),
            (ValueRef::Real(5.0), decimal, Some(Value::Decimal(5))),
            (ValueRef::Real(5.5), decimal, None),
            (ValueRef::Real(1e18), decimal, None),
            (ValueRef::Real(f64::NAN), decimal, None),
            (ValueRef::Text(b"x"), ValueKind::Text, Some(Value::Text(b"x"))),
            (ValueRef::Text(b"5"), ValueKind::Int, None),
            (ValueRef::Null, decimal, Some(Value::Null)),
        ];
        for (found, kind, expected) in table {
            let mut values = Values::default();
            let read = read(found, kind, &mut values).is_ok().then(|| values.get(0));
            assert_eq!(read, expected, "{found:?} as {kind:?}");
        }
    }
}
