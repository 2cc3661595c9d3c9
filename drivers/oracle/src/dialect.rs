//! How Oracle writes SQL, from version 12.1 on, which is the oldest that the client connects to.

use tacho_core::{Error, Result, Table, Type};
use tacho_driver::{Dialect, Report, Value, ValueKind, sqlstate, text};

use crate::errors::numbered;

/// The dialect `oracle`.
pub struct Oracle;

impl Dialect for Oracle {
    fn id(&self) -> &'static str {
        "oracle"
    }

    fn placeholder(&self, position: usize, sql: &mut String) {
        sql.push_str(":p");
        sql.push_str(&position.to_string());
    }

    /// In SQL a name that stands twice is bound twice, and in PL/SQL once: so each stands once.
    fn reuses_placeholders(&self) -> bool {
        false
    }

    fn row_limit(&self, rows: &str, sql: &mut String) {
        sql.extend(["FETCH FIRST ", rows, " ROWS ONLY"]);
    }

    fn remainder(&self, number: &str, divisor: &str, sql: &mut String) {
        sql.extend(["MOD(", number, ", ", divisor, ")"]);
    }

    fn substring(&self) -> &'static str {
        "SUBSTR("
    }

    /// Whole numbers have as many digits as the type, since all are NUMBER. The client binds every time as a
    /// TIMESTAMP, to which a column of type DATE would be converted row by row: one without a fraction takes
    /// the same seven bytes.
    fn column_type(&self, ty: Type) -> String {
        match ty {
            Type::SmallInt => "NUMBER(5)".into(),
            Type::Int => "NUMBER(10)".into(),
            Type::BigInt => "NUMBER(19)".into(),
            Type::Decimal { precision, scale } => format!("NUMBER({precision},{scale})"),
            Type::Char(length) => format!("CHAR({length} CHAR)"),
            Type::Varchar(length) => format!("VARCHAR2({length} CHAR)"),
            Type::Timestamp => "TIMESTAMP(6)".into(),
            Type::Date => "TIMESTAMP(0)".into(),
        }
    }

    fn literal(&self, value: Value<'_>, kind: ValueKind, out: &mut Vec<u8>) -> Result<()> {
        text::literal(value, kind, out)
    }

    fn current_schema(&self) -> Option<&'static str> {
        Some("SELECT USER FROM DUAL")
    }

    /// FROM can be left out from version 23 on.
    fn one_row(&self) -> &'static str {
        "SELECT 1 FROM DUAL"
    }

    fn parallel_degree(&self, workers: u64) -> Option<String> {
        Some(match workers {
            0 | 1 => "ALTER SESSION DISABLE PARALLEL QUERY".into(),
            more => format!("ALTER SESSION FORCE PARALLEL QUERY PARALLEL {more}"),
        })
    }

    /// What the server did not report has no number of its own.
    fn error(&self, report: &Report<'_>) -> Error {
        match u32::try_from(report.number) {
            Ok(number @ 1..) => numbered(number, report.text),
            _ => sqlstate::error(report),
        }
    }

    /// IF EXISTS is not known before version 23, and a dropped table goes to a recycle bin.
    fn drop_table(&self, name: &str) -> String {
        format!("DROP TABLE {name} PURGE")
    }

    fn analyze(&self, tables: &[Table]) -> String {
        let one = |table: &Table| {
            let name = table.name.to_uppercase();
            format!("BEGIN DBMS_STATS.GATHER_TABLE_STATS(USER, '{name}', cascade => TRUE); END;")
        };
        tables.iter().map(one).collect::<Vec<String>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use tacho_core::Column;
    use tacho_driver::script;

    use super::*;

    #[test]
    fn the_workers_of_a_session_are_a_statement() {
        let words = |workers| Oracle.parallel_degree(workers).unwrap_or_default();
        assert_eq!(words(4), "ALTER SESSION FORCE PARALLEL QUERY PARALLEL 4");
        for none in [0, 1] {
            assert_eq!(words(none), "ALTER SESSION DISABLE PARALLEL QUERY");
        }
        assert_eq!(Oracle.parallel_hint(4), None);
    }

    #[test]
    fn tables_have_types_of_oracle() {
        let column = |name, ty, nullable| Column { name, ty, nullable, declared: None };
        let table = Table {
            name: "t",
            columns: vec![
                column("a", Type::Char(2), false),
                column("b", Type::Timestamp, true),
                column("c", Type::Decimal { precision: 12, scale: 2 }, true),
                column("d", Type::Date, true),
            ],
            key: vec!["a"],
            ..Table::default()
        };
        let expected = "CREATE TABLE t (\n  a CHAR(2 CHAR) NOT NULL,\n  b TIMESTAMP(6),\n  \
                        c NUMBER(12,2),\n  d TIMESTAMP(0),\n  PRIMARY KEY (a)\n)";
        assert_eq!(Oracle.create_table(&table), expected);
        let other = Table { name: "u", ..table.clone() };
        let script = Oracle.analyze(&[table, other]);
        let statements: Vec<&str> = script::statements(&script).collect();
        assert_eq!(statements.len(), 2, "{statements:?}");
        assert!(statements[1].contains("'U'") && statements[1].ends_with("END;"));
    }
}
