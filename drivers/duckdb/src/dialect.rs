//! The SQL dialect of DuckDB.

use std::fmt::Write;

use tacho_core::{IsolationLevel, Result, Table, Type};
use tacho_driver::text::{self, Moment};
use tacho_driver::{Dialect, FileFormat, FileLoad, Isolation, RowFiles, Value, ValueKind};

use crate::vectors::DAY_US;

/// The dialect `duckdb`.
pub struct DuckDb;

impl Dialect for DuckDb {
    fn id(&self) -> &'static str {
        "duckdb"
    }

    /// DuckDB has only one level.
    fn isolation(&self, _: &[&str]) -> Isolation {
        let level = IsolationLevel::SnapshotIsolation;
        Isolation { asked: level.name().into(), promised: Some(level) }
    }

    fn placeholder(&self, position: usize, sql: &mut String) {
        // Writing to a `String` cannot fail.
        let _ = write!(sql, "${position}");
    }

    /// Writes a timestamp at midnight as a date, so that comparing it with a date column needs no cast.
    ///
    /// Writes a null byte as a character code, because DuckDB would otherwise stop reading the statement at this byte.
    fn literal(&self, value: Value<'_>, kind: ValueKind, out: &mut Vec<u8>) -> Result<()> {
        match (kind, value) {
            (ValueKind::Time, Value::Time(micros)) if micros % DAY_US == 0 => {
                out.extend_from_slice(b"DATE '");
                Moment::of(micros)?.write(out);
                out.push(b'\'');
            }
            (ValueKind::Text, Value::Text(bytes)) if bytes.contains(&0) => {
                out.push(b'(');
                for (at, part) in bytes.split(|byte| *byte == 0).enumerate() {
                    if at > 0 {
                        out.extend_from_slice(b" || chr(0) || ");
                    }
                    text::quoted(part, out);
                }
                out.push(b')');
            }
            _ => return text::literal(value, kind, out),
        }
        Ok(())
    }

    fn load_files(&self, files: &RowFiles<'_>) -> Option<FileLoad> {
        let (table, columns) = (files.table.name, files.columns());
        let format = "FORMAT csv, HEADER true, DELIMITER ',', QUOTE '\"', ESCAPE '\"', NULLSTR '', \
                      ALLOW_QUOTED_NULLS false";
        let each = |path: &str| format!("COPY {table} ({columns}) FROM {path} ({format})");
        (files.format == FileFormat::Csv).then(|| files.each(each))
    }

    /// According to its manual, DuckDB ignores the declared length of a string.
    fn column_type(&self, ty: Type) -> String {
        match ty {
            Type::SmallInt => "SMALLINT".into(),
            Type::Int => "INTEGER".into(),
            Type::BigInt => "BIGINT".into(),
            Type::Decimal { precision, scale } => format!("DECIMAL({precision},{scale})"),
            Type::Char(_) | Type::Varchar(_) => "VARCHAR".into(),
            Type::Timestamp => "TIMESTAMP".into(),
            Type::Date => "DATE".into(),
        }
    }

    /// Returns one ANALYZE statement for all tables, because DuckDB cannot analyze a single table.
    fn analyze(&self, _: &[Table]) -> String {
        "ANALYZE".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_literals_that_duckdb_accepts() {
        let table = [
            (Value::Time(2 * DAY_US), ValueKind::Time, "DATE '1970-01-03'"),
            (Value::Time(DAY_US + 1), ValueKind::Time, "TIMESTAMP '1970-01-02 00:00:00.000001'"),
            (Value::Text(b"it's"), ValueKind::Text, "'it''s'"),
            (Value::Text(b"a\0'"), ValueKind::Text, "('a' || chr(0) || '''')"),
            (Value::Decimal(-7), ValueKind::Decimal(2), "-0.07"),
            (Value::Null, ValueKind::Text, "NULL"),
        ];
        for (value, kind, expected) in table {
            let mut out = Vec::new();
            DuckDb.literal(value, kind, &mut out).expect(expected);
            assert_eq!(String::from_utf8_lossy(&out), expected);
        }
    }
}
