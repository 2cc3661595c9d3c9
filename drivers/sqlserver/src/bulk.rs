//! Encodes rows for a bulk load, with the column types that the server itself reports for the table.
//!
//! The format is specified in [MS-TDS] 2.2.6.1. Start reading at [`Shape`].

use tacho_core::{Error, ErrorKind, Result, Table};
use tacho_driver::{Value, ValueKind, Values};

use crate::admin::bracketed;
use crate::bytes::{string, to_utf16};
use crate::request::days_and_micros;
use crate::types::{
    CHAR, CHAR_VAR, Column, DATE_N, DATE_TIME, DATE_TIME_2_N, DATE_TIME_N, DECIMAL_N, INT_N, INT1,
    INT2, INT4, INT8, Layout, NCHAR, NCHAR_VAR, NUMERIC_N,
};
use crate::values::{DAYS_FROM_1, DAYS_FROM_1900, TICKS};

const COLUMNS: u8 = 0x81;
const ROW: u8 = 0xD1;
/// Marks the end of the rows. Its row count may be 0 in a bulk load.
const DONE: [u8; 13] = [0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// A table's columns, as the server describes them.
pub struct Shape {
    columns: Vec<(Column, ValueKind)>,
    /// The description of all columns, including their names.
    description: Vec<u8>,
    /// The statement that starts the load.
    pub sql: String,
}

impl Shape {
    /// Creates a shape from columns and their names in UTF-16. Returns `None` if a column's type is not supported in
    /// bulk loads.
    pub fn of(table: &Table, found: &[(Column, Vec<u8>)]) -> Option<Self> {
        let mut description = vec![COLUMNS];
        description.extend_from_slice(&(found.len() as u16).to_le_bytes());
        let (mut columns, mut list) = (Vec::new(), Vec::new());
        for ((column, name), declared) in found.iter().zip(&table.columns) {
            description.extend_from_slice(&[0; 4]);
            description.extend_from_slice(&column.flags.to_le_bytes());
            column.write(&mut description);
            description.push((name.len() / 2) as u8);
            description.extend_from_slice(name);
            columns.push((*column, ValueKind::of(declared.ty)));
            list.push(format!("{} {}", bracketed(&string(name)), type_name(column)?));
        }
        let sql = format!("INSERT BULK {} ({})", table.name, list.join(", "));
        (columns.len() == table.columns.len()).then_some(Self { columns, description, sql })
    }

    /// Appends the column description, which has to precede the rows.
    pub fn describe(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.description);
    }

    /// Appends a row of a batch.
    #[inline]
    pub fn row(&self, batch: &Values, row: usize, out: &mut Vec<u8>) -> Result<()> {
        out.push(ROW);
        for (at, (column, kind)) in self.columns.iter().enumerate() {
            encode(column, *kind, batch.get(row * self.columns.len() + at), out)?;
        }
        Ok(())
    }
}

/// Appends the end of the rows.
pub fn end(out: &mut Vec<u8>) {
    out.extend_from_slice(&DONE);
}

/// Returns a type's SQL name.
fn type_name(column: &Column) -> Option<String> {
    let Column { ty, length, precision, scale, .. } = *column;
    let text = |name: &str, unit: u32| match column.layout {
        Layout::Chunks => format!("{name}(max)"),
        _ => format!("{name}({})", length / unit),
    };
    Some(match (ty, length) {
        (INT1 | INT_N, 1) => "tinyint".into(),
        (INT2 | INT_N, 2) => "smallint".into(),
        (INT4 | INT_N, 4) => "int".into(),
        (INT8 | INT_N, 8) => "bigint".into(),
        (DECIMAL_N | NUMERIC_N, _) => format!("decimal({precision},{scale})"),
        (NCHAR, _) => text("nchar", 2),
        (NCHAR_VAR, _) => text("nvarchar", 2),
        (CHAR, _) => text("char", 1),
        (CHAR_VAR, _) => text("varchar", 1),
        (DATE_N, _) => "date".into(),
        (DATE_TIME_2_N, _) => format!("datetime2({scale})"),
        (DATE_TIME, _) | (DATE_TIME_N, 8) => "datetime".into(),
        _ => return None,
    })
}

#[inline]
fn encode(column: &Column, kind: ValueKind, value: Value<'_>, out: &mut Vec<u8>) -> Result<()> {
    match (value, kind) {
        (Value::Null, _) => null(column, out),
        (Value::Int(number), _) if is_whole(column) => whole(column, number, out),
        (Value::Int(number), _) => decimal(column, number, 0, out),
        (Value::Decimal(number), ValueKind::Decimal(scale)) => decimal(column, number, scale, out),
        (Value::Text(text), ValueKind::Text) => wide_or_narrow(column, text, out),
        (Value::Time(micros), ValueKind::Time) => time(column, micros, out),
        (value, kind) => {
            Err(Error::usage(format!("a row contains {value:?} in a column of type {kind:?}")))
        }
    }
}

fn null(column: &Column, out: &mut Vec<u8>) -> Result<()> {
    match column.layout {
        Layout::Byte => out.push(0),
        Layout::Short => out.extend_from_slice(&[0xFF; 2]),
        Layout::Chunks => out.extend_from_slice(&[0xFF; 8]),
        _ => {
            return Err(Error::new(
                ErrorKind::Constraint,
                "NULL in a column that does not allow NULL",
            ));
        }
    }
    Ok(())
}

fn is_whole(column: &Column) -> bool {
    matches!(column.ty, INT_N | INT1 | INT2 | INT4 | INT8)
}

#[inline]
fn whole(column: &Column, number: i64, out: &mut Vec<u8>) -> Result<()> {
    let size = column.length as usize;
    let fits = match size {
        1 => u8::try_from(number).is_ok(),
        2 => i16::try_from(number).is_ok(),
        4 => i32::try_from(number).is_ok(),
        _ => true,
    };
    if !fits {
        return Err(too_large(number));
    }
    if column.layout == Layout::Byte {
        out.push(size as u8);
    }
    out.extend_from_slice(&number.to_le_bytes()[..size]);
    Ok(())
}

#[inline]
fn decimal(column: &Column, number: i64, scale: u8, out: &mut Vec<u8>) -> Result<()> {
    let limit = 10_i128.checked_pow(column.precision.into());
    let factor = column.scale.checked_sub(scale).and_then(|more| 10_i128.checked_pow(more.into()));
    let scaled = factor.and_then(|factor| i128::from(number).checked_mul(factor));
    let fits = |scaled: &i128| limit.is_none_or(|limit| scaled.abs() < limit);
    let is_decimal = matches!(column.ty, DECIMAL_N | NUMERIC_N);
    let scaled = scaled.filter(fits).filter(|_| is_decimal).ok_or_else(|| too_large(number))?;
    let size = column.length as usize;
    out.extend_from_slice(&[size as u8, u8::from(scaled >= 0)]);
    out.extend_from_slice(&scaled.unsigned_abs().to_le_bytes()[..size - 1]);
    Ok(())
}

#[inline]
fn wide_or_narrow(column: &Column, text: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    let head = if column.layout == Layout::Chunks { 12 } else { 2 };
    out.resize(start + head, 0);
    match column.ty {
        NCHAR | NCHAR_VAR => to_utf16(text, out)?,
        CHAR | CHAR_VAR if text.is_ascii() || column.is_utf8() => out.extend_from_slice(text),
        _ => {
            let what = "a non-ASCII string cannot be loaded into a non-Unicode column";
            return Err(Error::new(ErrorKind::Unsupported, what).hint("connect with load=insert"));
        }
    }
    let length = out.len() - start - head;
    if column.layout == Layout::Chunks {
        out[start..start + 8].copy_from_slice(&(length as u64).to_le_bytes());
        out[start + 8..start + 12].copy_from_slice(&(length as u32).to_le_bytes());
        if length == 0 {
            out.truncate(start + 8);
        }
        out.extend_from_slice(&[0; 4]);
    } else if length > column.length as usize {
        let what = format!(
            "a string of {length} bytes does not fit into a column with a maximum length of {} bytes",
            column.length
        );
        return Err(Error::new(ErrorKind::Constraint, what));
    } else {
        out[start..start + 2].copy_from_slice(&(length as u16).to_le_bytes());
    }
    Ok(())
}

/// Appends a time, shortened to the number of fractional digits of the column's type.
#[inline]
fn time(column: &Column, micros: i64, out: &mut Vec<u8>) -> Result<()> {
    let scale = column.scale.min(7);
    match column.ty {
        DATE_N => {
            let (days, _) = days_and_micros(micros)?;
            out.push(3);
            out.extend_from_slice(&days.to_le_bytes()[..3]);
        }
        DATE_TIME_2_N => {
            let step = 10_i64.pow(6 - u32::from(scale.min(6)));
            let (days, micros) = days_and_micros((micros + step / 2).div_euclid(step) * step)?;
            let number = if scale == 7 { micros * 10 } else { micros / step };
            let size = match scale {
                0..=2 => 3,
                3 | 4 => 4,
                _ => 5,
            };
            out.push(size as u8 + 3);
            out.extend_from_slice(&number.to_le_bytes()[..size]);
            out.extend_from_slice(&days.to_le_bytes()[..3]);
        }
        DATE_TIME | DATE_TIME_N => {
            let (days, micros) = days_and_micros(micros)?;
            let ticks = (micros * TICKS + 500_000) / 1_000_000;
            let (over, ticks) = (ticks / (86_400 * TICKS), ticks % (86_400 * TICKS));
            let days = i64::from(days) - DAYS_FROM_1 + DAYS_FROM_1900 + over;
            if column.layout == Layout::Byte {
                out.push(8);
            }
            out.extend_from_slice(&(days as i32).to_le_bytes());
            out.extend_from_slice(&(ticks as u32).to_le_bytes());
        }
        _ => {
            return Err(Error::usage(
                "a timestamp cannot be loaded into a column of a different type",
            ));
        }
    }
    Ok(())
}

#[cold]
fn too_large(number: i64) -> Error {
    Error::new(ErrorKind::Constraint, format!("{number} does not fit into its column"))
}

#[cfg(test)]
mod tests {
    use tacho_core::Type;

    use super::*;
    use crate::bytes::Bytes;
    use crate::values::decode;

    fn column(info: &[u8]) -> Column {
        Column::read(&mut Bytes(info)).expect("a type")
    }

    fn encoded(info: &[u8], kind: ValueKind, value: Value<'_>) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        encode(&column(info), kind, value, &mut out)?;
        Ok(out)
    }

    const CENTS: ValueKind = ValueKind::Decimal(2);
    const WIDE: [u8; 8] = [NCHAR_VAR, 8, 0, 9, 4, 0, 0, 0];
    const WIDEST: [u8; 8] = [NCHAR_VAR, 0xFF, 0xFF, 9, 4, 0, 0, 0];

    #[test]
    fn loads_values_as_they_are_read() -> Result<()> {
        let day = Value::Time(86_400_000_000);
        let table: [(&[u8], ValueKind, Value<'_>); 18] = [
            (&[INT1], ValueKind::Int, Value::Int(255)),
            (&[INT2], ValueKind::Int, Value::Int(-2)),
            (&[INT4], ValueKind::Int, Value::Int(7)),
            (&[INT_N, 8], ValueKind::Int, Value::Int(i64::MIN)),
            (&[INT_N, 4], ValueKind::Int, Value::Null),
            (&[DECIMAL_N, 9, 12, 2], CENTS, Value::Decimal(-999_999_999_999)),
            (&[DECIMAL_N, 17, 38, 4], CENTS, Value::Decimal(i64::MAX)),
            (&[NUMERIC_N, 5, 9, 0], ValueKind::Int, Value::Int(-5)),
            (&[NUMERIC_N, 5, 9, 2], CENTS, Value::Null),
            (&WIDE, ValueKind::Text, Value::Text("数🦀".as_bytes())),
            (&WIDE, ValueKind::Text, Value::Text(b"")),
            (&WIDEST, ValueKind::Text, Value::Text(b"long")),
            (&WIDEST, ValueKind::Text, Value::Text(b"")),
            (&WIDEST, ValueKind::Text, Value::Null),
            (&[DATE_N], ValueKind::Time, day),
            (&[DATE_TIME_2_N, 6], ValueKind::Time, Value::Time(1_700_000_000_123_456)),
            (&[DATE_TIME_2_N, 7], ValueKind::Time, Value::Time(-1)),
            (&[DATE_TIME_N, 8], ValueKind::Time, day),
        ];
        for (info, kind, value) in table {
            let bytes = encoded(info, kind, value)?;
            let (mut rest, mut values) = (Bytes(&bytes), Values::default());
            match column(info).value(&mut rest).map_err(Error::from)? {
                Some(found) => decode(&column(info), found, kind, &mut values)?,
                None => values.null(),
            }
            assert_eq!((values.get(0), rest.0.len()), (value, 0), "{info:?}");
        }
        Ok(())
    }

    #[test]
    fn times_are_brought_to_the_digits_of_the_column() -> Result<()> {
        let read = |info: &[u8], micros| -> Result<Value<'static>> {
            let bytes = encoded(info, ValueKind::Time, Value::Time(micros))?;
            let mut values = Values::default();
            let found = column(info).value(&mut Bytes(&bytes)).map_err(Error::from)?;
            decode(&column(info), found.unwrap_or_default(), ValueKind::Time, &mut values)?;
            match values.get(0) {
                Value::Time(micros) => Ok(Value::Time(micros)),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(read(&[DATE_TIME_2_N, 3], 1_500)?, Value::Time(2_000));
        assert_eq!(read(&[DATE_TIME_2_N, 0], 86_399_999_999)?, Value::Time(86_400_000_000));
        assert_eq!(read(&[DATE_TIME], 86_399_999_999)?, Value::Time(86_400_000_000));
        assert_eq!(read(&[DATE_TIME], 3_400)?, Value::Time(3_000));
        Ok(())
    }

    #[test]
    fn rejects_values_that_do_not_fit() {
        let table: [(&[u8], ValueKind, Value<'_>); 9] = [
            (&[INT1], ValueKind::Int, Value::Int(-1)),
            (&[INT2], ValueKind::Int, Value::Int(32_768)),
            (&[INT_N, 4], ValueKind::Int, Value::Int(1 << 40)),
            (&[INT4], ValueKind::Int, Value::Null),
            (&[DECIMAL_N, 5, 9, 2], CENTS, Value::Decimal(1_000_000_000)),
            (&[DECIMAL_N, 5, 9, 1], CENTS, Value::Decimal(1)),
            (&WIDE, ValueKind::Text, Value::Text(b"abcde")),
            (&[CHAR, 8, 0, 9, 4, 0, 0, 0], ValueKind::Text, Value::Text("ï".as_bytes())),
            (&[INT4], ValueKind::Int, Value::Text(b"1")),
        ];
        for (info, kind, value) in table {
            assert!(encoded(info, kind, value).is_err(), "{info:?} {value:?}");
        }
    }

    #[test]
    fn the_statement_has_the_servers_own_types() {
        let nullable = |name, ty| tacho_core::Column { name, ty, nullable: true, declared: None };
        let table = Table {
            name: "t",
            columns: vec![
                nullable("a", Type::Int),
                nullable("b", Type::Varchar(4)),
                nullable("c", Type::Date),
            ],
            ..Table::default()
        };
        let types: [(&[u8], &[u8]); 3] =
            [(&[INT4], b"a\0"), (&WIDE, b"b\0"), (&[DATE_TIME_2_N, 3], b"c\0")];
        let found = types.map(|(info, name)| (column(info), name.to_vec()));
        let shape = Shape::of(&table, &found).expect("a shape");
        assert_eq!(shape.sql, "INSERT BULK t ([a] int, [b] nvarchar(4), [c] datetime2(3))");
        let odd = [(column(&[0x62, 0, 0, 0, 0]), Vec::new())];
        assert!(Shape::of(&table, &odd).is_none() && Shape::of(&table, &found[..2]).is_none());
    }
}
