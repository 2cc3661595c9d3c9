//! Formats rows as lines of text with separators between the values.

use std::io::Write;

use tacho_core::{Error, Result, Table, Type};
use tacho_driver::{FileFormat, Value, Values};

/// Appends all rows of a batch as text. Times are in UTC, without an offset.
pub(crate) fn write_rows(
    table: &Table,
    batch: &Values,
    format: FileFormat,
    out: &mut Vec<u8>,
) -> Result<()> {
    let width = table.columns.len();
    for place in 0..batch.len() {
        let column = place % width;
        if column > 0 {
            out.push(separator(format));
        }
        write_value(batch.get(place), table.columns[column].ty, format, out)?;
        if column + 1 == width {
            out.push(b'\n');
        }
    }
    Ok(())
}

const fn separator(format: FileFormat) -> u8 {
    match format {
        FileFormat::Csv => b',',
        FileFormat::Tbl => b'|',
    }
}

fn write_value(value: Value<'_>, ty: Type, format: FileFormat, out: &mut Vec<u8>) -> Result<()> {
    match (value, ty) {
        (Value::Null, _) => {}
        (Value::Int(number), _) => append(out, format_args!("{number}")),
        (Value::Decimal(unscaled), Type::Decimal { scale, .. }) => decimal(unscaled, scale, out),
        (Value::Time(micros), Type::Date) => time(micros, true, out)?,
        (Value::Time(micros), Type::Timestamp) => time(micros, false, out)?,
        (Value::Text(text), Type::Char(_) | Type::Varchar(_)) => match format {
            FileFormat::Csv => quoted(text, out),
            FileFormat::Tbl => escaped(text, out),
        },
        (value, ty) => {
            return Err(Error::usage(format!(
                "invalid value {value:?} for a column of type {ty:?}"
            ))
            .hint("this is a bug in the workload"));
        }
    }
    Ok(())
}

fn append(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing to memory cannot fail.
    let _ = out.write_fmt(text);
}

fn decimal(unscaled: i64, scale: u8, out: &mut Vec<u8>) {
    if unscaled < 0 {
        out.push(b'-');
    }
    let (number, unit) = (unscaled.unsigned_abs(), 10_u64.pow(scale.into()));
    append(out, format_args!("{}", number / unit));
    if scale > 0 {
        append(out, format_args!(".{:0width$}", number % unit, width = usize::from(scale)));
    }
}

fn time(micros: i64, only_date: bool, out: &mut Vec<u8>) -> Result<()> {
    let moment = jiff::Timestamp::from_microsecond(micros);
    let moment = moment
        .map_err(|error| Error::usage(error.to_string()).hint("this is a bug in the workload"))?;
    let civil = moment.to_zoned(jiff::tz::TimeZone::UTC).datetime();
    let (year, month, day) = (civil.year(), civil.month(), civil.day());
    append(out, format_args!("{year:04}-{month:02}-{day:02}"));
    if only_date {
        return Ok(());
    }
    let (hour, minute, second) = (civil.hour(), civil.minute(), civil.second());
    append(out, format_args!(" {hour:02}:{minute:02}:{second:02}"));
    let fraction = micros.rem_euclid(1_000_000);
    if fraction != 0 {
        append(out, format_args!(".{fraction:06}"));
    }
    Ok(())
}

/// Appends a value, quoting it if it would otherwise be misread.
fn quoted(text: &[u8], out: &mut Vec<u8>) {
    let special = |byte: &u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
    if !text.is_empty() && !text.iter().any(special) {
        return out.extend_from_slice(text);
    }
    out.push(b'"');
    for byte in text {
        if *byte == b'"' {
            out.push(b'"');
        }
        out.push(*byte);
    }
    out.push(b'"');
}

fn escaped(text: &[u8], out: &mut Vec<u8>) {
    for byte in text {
        if matches!(byte, b'|' | b'\\' | b'\n') {
            out.push(b'\\');
        }
        out.push(*byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_so_that_readers_find_them() -> Result<()> {
        let date = 951_782_400_000_000;
        let money = Type::Decimal { precision: 12, scale: 2 };
        let table = [
            (Value::Null, Type::Int, "", ""),
            (Value::Int(-7), Type::BigInt, "-7", "-7"),
            (Value::Decimal(-5), money, "-0.05", "-0.05"),
            (Value::Text(b""), Type::Varchar(9), "\"\"", ""),
            (
                Value::Text(b"a,\"b\"|c\\"),
                Type::Varchar(9),
                "\"a,\"\"b\"\"|c\\\"",
                "a,\"b\"\\|c\\\\",
            ),
            (Value::Time(date), Type::Date, "2000-02-29", "2000-02-29"),
            (
                Value::Time(date + 1),
                Type::Timestamp,
                "2000-02-29 00:00:00.000001",
                "2000-02-29 00:00:00.000001",
            ),
            (Value::Time(date), Type::Timestamp, "2000-02-29 00:00:00", "2000-02-29 00:00:00"),
        ];
        for (value, ty, csv, tbl) in table {
            for (format, wanted) in [(FileFormat::Csv, csv), (FileFormat::Tbl, tbl)] {
                let mut out = Vec::new();
                write_value(value, ty, format, &mut out)?;
                assert_eq!(String::from_utf8_lossy(&out), wanted, "{value:?}");
            }
        }
        let mut out = Vec::new();
        assert!(write_value(Value::Int(1), Type::Char(1), FileFormat::Csv, &mut out).is_ok());
        assert!(write_value(Value::Time(1), money, FileFormat::Csv, &mut out).is_err());
        Ok(())
    }
}
