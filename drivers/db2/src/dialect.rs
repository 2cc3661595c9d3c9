//! How Db2 writes SQL.

use tacho_core::{Error, Result, Table, Type};
use tacho_driver::text::{self, Moment};
use tacho_driver::{Dialect, Report, Value, ValueKind};

use crate::errors;

/// The dialect `db2`.
pub struct Db2;

impl Dialect for Db2 {
    fn id(&self) -> &'static str {
        "db2"
    }

    fn placeholder(&self, _: usize, sql: &mut String) {
        sql.push('?');
    }

    fn reuses_placeholders(&self) -> bool {
        false
    }

    fn row_limit(&self, rows: &str, sql: &mut String) {
        sql.extend(["FETCH FIRST ", rows, " ROWS ONLY"]);
    }

    /// A time as the function of its text, which is older than the literal.
    fn literal(&self, value: Value<'_>, kind: ValueKind, out: &mut Vec<u8>) -> Result<()> {
        let (ValueKind::Time, Value::Time(micros)) = (kind, value) else {
            return text::literal(value, kind, out);
        };
        out.extend_from_slice(b"TIMESTAMP('");
        Moment::of(micros)?.write_seconds(out);
        out.extend_from_slice(b"')");
        Ok(())
    }

    fn column_type(&self, ty: Type) -> String {
        match ty {
            Type::SmallInt => "SMALLINT".into(),
            Type::Int => "INTEGER".into(),
            Type::BigInt => "BIGINT".into(),
            Type::Decimal { precision, scale } => format!("DECIMAL({precision},{scale})"),
            Type::Char(length) => format!("CHAR({length})"),
            Type::Varchar(length) => format!("VARCHAR({length})"),
            Type::Timestamp => "TIMESTAMP".into(),
            Type::Date => "DATE".into(),
        }
    }

    fn current_schema(&self) -> Option<&'static str> {
        Some("VALUES CURRENT SCHEMA")
    }

    fn one_row(&self) -> &'static str {
        "VALUES 1"
    }

    fn error(&self, report: &Report<'_>) -> Error {
        errors::error(report)
    }

    /// IF EXISTS is not known before version 11.5.
    fn drop_table(&self, name: &str) -> String {
        format!("DROP TABLE {name}")
    }

    /// RUNSTATS is a command and no statement, and needs the name of the schema.
    fn analyze(&self, tables: &[Table]) -> String {
        let all = tables.iter().map(|table| {
            format!(
                "CALL SYSPROC.ADMIN_CMD('RUNSTATS ON TABLE ' CONCAT RTRIM(CURRENT SCHEMA) CONCAT '.{} \
                 WITH DISTRIBUTION AND SAMPLED DETAILED INDEXES ALL')",
                table.name.to_uppercase()
            )
        });
        all.collect::<Vec<String>>().join(";\n")
    }
}
