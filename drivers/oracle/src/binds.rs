//! Converts values to and from the client's types. Values are never rounded.

use std::fmt::Write;

use oracledb::{DB_TYPE_NUMBER, DB_TYPE_TIMESTAMP, DB_TYPE_VARCHAR, DbType};
use oracledb::{OracleNumber, OracleTimestamp, Row, ToDbValue};
use tacho_core::{Error, Result};
use tacho_driver::{Value, ValueKind, Values, text};

use crate::errors::of_client;

/// One variable of a statement.
pub enum Bind<'a> {
    /// A number, or NULL.
    Number(Option<OracleNumber>),
    /// A string or NULL. Oracle treats an empty string as NULL.
    Text(Option<&'a str>),
    /// A time, or NULL.
    Time(Option<OracleTimestamp>),
    /// An output variable.
    Out(&'static DbType),
}

impl<'a> Bind<'a> {
    /// Creates a parameter of the given kind.
    pub fn of(value: Value<'a>, kind: ValueKind) -> Result<Self> {
        Ok(match (kind, value) {
            (ValueKind::Int | ValueKind::Decimal(_), Value::Null) => Self::Number(None),
            (ValueKind::Text, Value::Null) => Self::Text(None),
            (ValueKind::Time, Value::Null) => Self::Time(None),
            (ValueKind::Int | ValueKind::Decimal(_), Value::Int(number)) => {
                Self::Number(Some(number.into()))
            }
            (ValueKind::Decimal(scale), Value::Decimal(unscaled)) => {
                Self::Number(Some(decimal(unscaled, scale)?))
            }
            (ValueKind::Text, Value::Text(bytes)) => {
                let text = std::str::from_utf8(bytes);
                Self::Text(Some(text.map_err(|error| {
                    Error::usage("a string value is not valid UTF-8").source(error)
                })?))
            }
            (ValueKind::Time, Value::Time(micros)) => Self::Time(Some(time(micros)?)),
            _ => {
                let text = format!("cannot bind {value:?} to a parameter of type {kind:?}");
                return Err(Error::usage(text)
                    .hint("bind a value of the type declared in the statement's signature"));
            }
        })
    }

    /// Creates an output variable for a result of the given kind.
    pub fn out(kind: ValueKind) -> Self {
        Self::Out(match kind {
            ValueKind::Int | ValueKind::Decimal(_) => DB_TYPE_NUMBER,
            ValueKind::Text => DB_TYPE_VARCHAR,
            ValueKind::Time => DB_TYPE_TIMESTAMP,
        })
    }

    /// Returns the value in a form that the client accepts.
    pub fn as_value(&self) -> &dyn ToDbValue {
        match self {
            Self::Number(number) => number,
            Self::Text(text) => text,
            Self::Time(time) => time,
            Self::Out(ty) => ty,
        }
    }
}

fn decimal(unscaled: i64, scale: u8) -> Result<OracleNumber> {
    let mut digits = Vec::with_capacity(24);
    text::decimal(unscaled, scale, &mut digits);
    let parsed = std::str::from_utf8(&digits).unwrap_or_default().parse();
    parsed.map_err(|error| of_client(&error))
}

fn time(micros: i64) -> Result<OracleTimestamp> {
    let moment = text::Moment::of(micros)?;
    let [hour, minute, second] = moment.clock;
    let year = moment.year as i16;
    let nanos = moment.micros * 1_000;
    Ok(OracleTimestamp::new_timestamp(year, moment.month, moment.day, hour, minute, second, nanos))
}

/// Appends a column's value, converted to the type that the statement declares. `spare` is a buffer for digits that is
/// reused for all values.
pub fn read(
    row: &Row,
    column: usize,
    kind: ValueKind,
    spare: &mut String,
    values: &mut Values,
) -> Result<()> {
    let client = |error: oracledb::Error| of_client(&error);
    match kind {
        ValueKind::Int | ValueKind::Decimal(_) => {
            match row.get::<Option<OracleNumber>>(column).map_err(client)? {
                Some(number) => return read_number(number, kind, spare, values),
                None => values.null(),
            }
        }
        ValueKind::Text => match row.get::<Option<&str>>(column).map_err(client)? {
            Some(text) => values.text(text.as_bytes()),
            None => values.null(),
        },
        ValueKind::Time => match row.get::<Option<OracleTimestamp>>(column).map_err(client)? {
            Some(time) => values.time(micros(&time)?),
            None => values.null(),
        },
    }
    Ok(())
}

fn read_number(
    number: OracleNumber,
    kind: ValueKind,
    spare: &mut String,
    values: &mut Values,
) -> Result<()> {
    spare.clear();
    // Writing to a `String` cannot fail.
    let _ = write!(spare, "{number}");
    text::read(spare.as_bytes(), kind, values)
}

/// Returns microseconds since 1970, or an error if the time is more precise than a microsecond.
fn micros(time: &OracleTimestamp) -> Result<i64> {
    let outside = || {
        Error::usage(format!(
            "{time:?} is more precise than microseconds, or its year is not between 0 and 9999"
        ))
        .hint("round it in the statement")
    };
    if !time.nanoseconds().is_multiple_of(1_000) {
        return Err(outside());
    }
    let moment = text::Moment {
        year: u16::try_from(time.year()).map_err(|_| outside())?,
        month: time.month(),
        day: time.day(),
        clock: [time.hour(), time.minute(), time.second()],
        micros: time.nanoseconds() / 1_000,
    };
    moment.to_micros().ok_or_else(outside)
}

/// Returns a column as text, regardless of its type.
pub fn shown(row: &Row, column: usize) -> Result<Option<String>> {
    if let Ok(text) = row.get::<Option<String>>(column) {
        return Ok(text);
    }
    let time = row.get::<Option<OracleTimestamp>>(column);
    let Some(time) = time.map_err(|error| of_client(&error))? else { return Ok(None) };
    let mut out = Vec::new();
    let moment = micros(&time).and_then(text::Moment::of)?;
    moment.write_seconds(&mut out);
    Ok(String::from_utf8(out).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a value after converting it to the client's type and back.
    fn there_and_back(value: Value<'_>, kind: ValueKind) -> Result<Values> {
        let mut values = Values::default();
        match Bind::of(value, kind)? {
            Bind::Number(Some(number)) => {
                read_number(number, kind, &mut String::new(), &mut values)?;
            }
            Bind::Time(Some(time)) => values.time(micros(&time)?),
            Bind::Number(None) | Bind::Text(None) | Bind::Time(None) => values.null(),
            Bind::Text(Some(text)) => values.text(text.as_bytes()),
            Bind::Out(_) => return Err(Error::usage("a parameter")),
        }
        Ok(values)
    }

    #[test]
    fn values_return_from_the_client_unchanged() -> Result<()> {
        let numbers = [0, 1, -1, 9, 10, 99, 100, 101, 12_345, -100_500, i64::MAX, i64::MIN];
        for number in numbers {
            let value = Value::Int(number);
            assert_eq!(there_and_back(value, ValueKind::Int)?.get(0), value);
            for scale in [0, 2, 4, 18] {
                let value = Value::Decimal(number);
                assert_eq!(there_and_back(value, ValueKind::Decimal(scale))?.get(0), value);
            }
        }
        for micros in [0, 1, -1, 1_795_000_000_123_456, 253_402_300_799_999_999] {
            let value = Value::Time(micros);
            assert_eq!(there_and_back(value, ValueKind::Time)?.get(0), value);
        }
        for kind in [ValueKind::Int, ValueKind::Text, ValueKind::Time] {
            assert_eq!(there_and_back(Value::Null, kind)?.get(0), Value::Null);
        }
        let text = Value::Text("Grüße".as_bytes());
        assert_eq!(there_and_back(text, ValueKind::Text)?.get(0), text);
        Ok(())
    }

    #[test]
    fn rejects_values_of_another_kind() {
        assert!(Bind::of(Value::Text(b"x"), ValueKind::Int).is_err());
        assert!(Bind::of(Value::Text(b"\xff"), ValueKind::Text).is_err());
        assert!(Bind::of(Value::Time(i64::MAX), ValueKind::Time).is_err());
        let fine = OracleTimestamp::new_timestamp(2026, 1, 1, 0, 0, 0, 1);
        assert!(micros(&fine).is_err(), "a nanosecond is not dropped");
    }
}
