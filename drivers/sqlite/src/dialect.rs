//! The SQL dialect of SQLite.

use std::fmt::Write;

use tacho_core::{Column, Error, IsolationLevel, Result, Table, Type};
use tacho_driver::lexer::Syntax;
use tacho_driver::{Dialect, Isolation, Report, Value, ValueKind, text};

use crate::errors;

/// Largest average row size for which a table is created WITHOUT ROWID, so that its rows are stored in the primary
/// key's tree.
///
/// SQLite's manual recommends WITHOUT ROWID for rows smaller than a twentieth of a page, which is about 200 bytes.
const NARROW_ROW_BYTES: u64 = 200;

/// The dialect `sqlite`.
pub struct Sqlite;

impl Dialect for Sqlite {
    fn id(&self) -> &'static str {
        "sqlite"
    }

    /// Connections do not share a cache, so dirty reads are impossible and all transactions are serializable.
    fn isolation(&self, _: &[&str]) -> Isolation {
        let level = IsolationLevel::Serializable;
        Isolation { asked: level.name().into(), promised: Some(level) }
    }

    fn several_statements(&self) -> bool {
        true
    }

    /// SQLite reserves names that start with `sqlite_`. For example, ANALYZE creates `sqlite_stat1`.
    fn is_system_table(&self, name: &str) -> bool {
        name.starts_with("sqlite_")
    }

    fn results_by_name(&self) -> bool {
        true
    }

    fn syntax(&self) -> Syntax {
        Syntax { backticks: true, brackets: true, ..Syntax::PLAIN }
    }

    fn placeholder(&self, position: usize, sql: &mut String) {
        // Writing to a `String` cannot fail.
        let _ = write!(sql, "?{position}");
    }

    /// Writes decimals and times as integers. Writes a string in hexadecimal if it contains a zero byte or invalid
    /// UTF-8.
    fn literal(&self, value: Value<'_>, kind: ValueKind, out: &mut Vec<u8>) -> Result<()> {
        match (kind, value) {
            (ValueKind::Decimal(_), Value::Decimal(number))
            | (ValueKind::Time, Value::Time(number)) => text::whole(number, out),
            (ValueKind::Text, Value::Text(bytes))
                if bytes.contains(&0) || std::str::from_utf8(bytes).is_err() =>
            {
                out.extend_from_slice(b"CAST(");
                text::hexadecimal(bytes, out);
                out.extend_from_slice(b" AS TEXT)");
            }
            _ => return text::literal(value, kind, out),
        }
        Ok(())
    }

    /// Uses integer types for decimals and times, because SQLite would store NUMERIC as binary floating point.
    fn column_type(&self, ty: Type) -> String {
        match ty {
            Type::Char(_) | Type::Varchar(_) => "TEXT".into(),
            _ => "INTEGER".into(),
        }
    }

    fn keeps_whole_numbers(&self) -> bool {
        true
    }

    fn error(&self, report: &Report<'_>) -> Error {
        errors::reported(report)
    }

    fn table_options(&self, table: &Table) -> String {
        let narrow = table.mean_row_bytes() < NARROW_ROW_BYTES;
        let keyed = !table.key.is_empty() && row_number(table).is_none();
        if narrow && keyed { " WITHOUT ROWID".into() } else { String::new() }
    }

    fn create_table(&self, table: &Table) -> String {
        let row_number = row_number(table);
        let mut parts: Vec<String> = Vec::new();
        for column in &table.columns {
            let key = if row_number == Some(column.name) { " PRIMARY KEY" } else { "" };
            parts.push(format!("{}{key}", self.column(column)));
        }
        parts.extend(self.primary_key(table).filter(|_| row_number.is_none()));
        let options = self.table_options(table);
        format!("CREATE TABLE {} (\n  {}\n){options}", table.name, parts.join(",\n  "))
    }
}

/// Returns the key column if the key is a single whole number. SQLite then uses this column as the row ID, which needs
/// no separate index.
fn row_number(table: &Table) -> Option<&'static str> {
    let [key] = table.key[..] else { return None };
    let whole = |column: &&Column| matches!(column.ty, Type::SmallInt | Type::Int | Type::BigInt);
    table.columns.iter().filter(whole).find(|column| column.name == key).map(|column| column.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(key: &'static [&'static str], wide: u16) -> Table {
        let column = |name, ty| Column { name, ty, nullable: false, declared: None };
        Table {
            name: "t",
            columns: vec![
                column("a", Type::Int),
                column("b", Type::Decimal { precision: 12, scale: 2 }),
                Column { nullable: true, ..column("c", Type::Char(wide)) },
                column("d", Type::Timestamp),
            ],
            key: key.to_vec(),
            ..Table::default()
        }
    }

    #[test]
    fn the_key_decides_the_layout() {
        let columns = "b INTEGER NOT NULL,\n  c TEXT,\n  d INTEGER NOT NULL";
        let cases = [
            (table(&["a"], 9), "NOT NULL PRIMARY KEY", "\n)"),
            (table(&["a", "b"], 9), "NOT NULL", ",\n  PRIMARY KEY (a, b)\n) WITHOUT ROWID"),
            (table(&["a", "b"], 300), "NOT NULL", ",\n  PRIMARY KEY (a, b)\n)"),
            (table(&["c"], 9), "NOT NULL", ",\n  PRIMARY KEY (c)\n) WITHOUT ROWID"),
            (table(&[], 9), "NOT NULL", "\n)"),
        ];
        for (table, first, end) in cases {
            let expected = format!("CREATE TABLE t (\n  a INTEGER {first},\n  {columns}{end}");
            assert_eq!(Sqlite.create_table(&table), expected);
        }
    }
}
