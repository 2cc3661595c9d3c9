//! The SQL dialect of Db2.

use std::fmt::Write;

use tacho_core::{Error, ErrorKind, IsolationLevel, Result, Storage, StorageOption, Table, Type};
use tacho_driver::lexer::Syntax;
use tacho_driver::text::{self, Moment};
use tacho_driver::{Dialect, FileFormat, FileLoad, Isolation, Report, RowFiles, Value, ValueKind};

use crate::errors;

const TABLESPACE: &str = "tablespace";
const ORGANIZE: &str = "organize";

/// The isolation levels that a target can select, and what each of them guarantees.
const PROMISES: [(&str, IsolationLevel); 4] = [
    ("read uncommitted", IsolationLevel::ReadUncommitted),
    ("read committed", IsolationLevel::ReadCommitted),
    ("repeatable read", IsolationLevel::RepeatableRead),
    ("serializable", IsolationLevel::Serializable),
];

/// The storage options that this dialect supports.
const STORAGE: [StorageOption; 4] = [
    StorageOption::PARTITIONS,
    StorageOption::FOREIGN_KEYS,
    StorageOption { key: TABLESPACE, help: "tablespace for tables and indexes", check: check_name },
    StorageOption {
        key: ORGANIZE,
        help: "row, column, date (clustered by date) or key (range-clustered)",
        check: check_organization,
    },
];

/// Table organizations with their SQL clauses. The clauses for `date` and `key` depend on the table's columns, so they
/// are not in this list.
const ORGANIZATIONS: [(&str, &str); 4] =
    [("row", " ORGANIZE BY ROW"), ("column", " ORGANIZE BY COLUMN"), ("date", ""), (KEY, "")];
const KEY: &str = "key";

fn check_organization(value: &str) -> Result<()> {
    if ORGANIZATIONS.iter().any(|(known, _)| *known == value) {
        return Ok(());
    }
    Err(Error::usage(format!("invalid value for {ORGANIZE}: \"{value}\""))
        .hint("allowed: row, column, date, key"))
}

/// Checks that a name is valid without quotes. Users write such names unquoted, so Tacho must do the same to refer to
/// the same tablespace.
fn check_name(name: &str) -> Result<()> {
    if name.chars().all(|c| c.is_ascii_alphanumeric() || "_$#@".contains(c)) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Usage, format!("invalid tablespace name: \"{name}\""))
        .hint("use letters, digits and underscores"))
}

/// The dialect `db2`.
pub struct Db2;

impl Dialect for Db2 {
    fn id(&self) -> &'static str {
        "db2"
    }

    /// If the target does not set an isolation level, the client uses cursor stability.
    fn isolation(&self, values: &[&str]) -> Isolation {
        match values.first() {
            Some(level) => Isolation::of(level, &PROMISES),
            None => Isolation {
                asked: "read committed (default)".into(),
                promised: Some(IsolationLevel::ReadCommitted),
            },
        }
    }

    /// LOAD reads files on the server's machine and requires the DATAACCESS or LOAD authority.
    ///
    /// LOAD commits by itself, so an interrupted load may leave rows behind. A repeated load replaces them.
    fn load_files(&self, files: &RowFiles<'_>) -> Option<FileLoad> {
        let plain = |path: &String| !path.contains(['\'', '"', ',', ' ']);
        if files.format != FileFormat::Tbl || !files.paths.iter().all(plain) {
            return None;
        }
        let paths = files.paths.join(", ");
        let (table, columns) = (files.table.name, files.columns());
        Some(FileLoad::Replacing(format!(
            "CALL SYSPROC.ADMIN_CMD('LOAD FROM {paths} OF DEL MODIFIED BY COLDEL| NOCHARDEL \
             TIMESTAMPFORMAT=\"YYYY-MM-DD HH:MM:SS\" REPLACE INTO {table} ({columns}) NONRECOVERABLE')"
        )))
    }

    fn syntax(&self) -> Syntax {
        Syntax { nested_comments: true, ..Syntax::PLAIN }
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

    fn remainder(&self, number: &str, divisor: &str, sql: &mut String) {
        sql.extend(["MOD(", number, ", ", divisor, ")"]);
    }

    fn substring(&self) -> &'static str {
        "SUBSTR("
    }

    fn parallel_degree(&self, workers: u64) -> Option<String> {
        Some(format!("SET CURRENT DEGREE = '{}'", workers.max(1)))
    }

    fn storage(&self) -> &'static [StorageOption] {
        &STORAGE
    }

    /// Returns the tablespace, organization and partitions of the table. All partitions are ranges of equal length.
    ///
    /// A table without a date column keeps the database's default organization.
    fn table_options(&self, table: &Table) -> String {
        let mut text = String::new();
        if let Some(place) = table.storage.option(TABLESPACE) {
            text.extend([" IN ", place, " INDEX IN ", place]);
        }
        let asked = table.storage.option(ORGANIZE);
        let known = ORGANIZATIONS.iter().find(|(name, _)| Some(*name) == asked);
        text.push_str(known.map_or("", |(_, words)| words));
        let date = table.columns.iter().find(|column| column.ty == Type::Date);
        if let Some(date) = date.filter(|_| asked == Some("date")) {
            text.extend([" ORGANIZE BY DIMENSIONS (", date.name, ")"]);
        }
        let ranges = &table.storage.ranges;
        if asked == Some(KEY) && !ranges.is_empty() {
            let range =
                |(name, last): &(&str, u64)| format!("{name} STARTING FROM 1 ENDING AT {last}");
            let ranges = ranges.iter().map(range).collect::<Vec<String>>().join(", ");
            text.extend(["\nORGANIZE BY KEY SEQUENCE (", &ranges, ") ALLOW OVERFLOW"]);
        }
        if let Some(partitions) = &table.storage.partitions {
            let (column, highest) = (partitions.column, partitions.highest);
            let each = highest.div_ceil(partitions.count.into());
            let _ = write!(
                text,
                "\nPARTITION BY RANGE ({column}) (STARTING FROM (1) ENDING AT ({highest}) EVERY ({each}))"
            );
        }
        text
    }

    fn needs_ranges(&self, storage: &Storage) -> bool {
        storage.option(ORGANIZE) == Some(KEY)
    }

    /// A table organized by its key needs no index on that key and must not have one.
    fn primary_key(&self, table: &Table) -> Option<String> {
        let is_sequence = table.storage.option(ORGANIZE) == Some(KEY);
        if table.key.is_empty() || is_sequence && !table.storage.ranges.is_empty() {
            return None;
        }
        let name = match table.key_name {
            "" => String::new(),
            name => format!("CONSTRAINT {name} "),
        };
        Some(format!("{name}PRIMARY KEY ({})", table.key.join(", ")))
    }

    /// Writes a timestamp as a function call, because older versions do not support the literal.
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

    /// IF EXISTS is not supported before version 11.5.
    fn drop_table(&self, name: &str) -> String {
        format!("DROP TABLE {name}")
    }

    /// RUNSTATS is a command, not an SQL statement, and requires the schema name.
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

#[cfg(test)]
mod tests {
    use tacho_core::{Column, HashPartitions, Storage};
    use tacho_driver::{require_storage, script};

    use super::*;

    fn table(storage: Storage) -> Table {
        let column = |name, ty| Column { name, ty, nullable: false, declared: None };
        let columns = vec![column("a", Type::Int), column("b", Type::Date)];
        Table { name: "t", columns, key: vec!["a"], storage, ..Table::default() }
    }

    fn end(storage: Storage) -> String {
        let text = Db2.create_table(&table(storage));
        let (_, end) = text.rsplit_once("\n)").expect("a list of columns");
        end.to_owned()
    }

    #[test]
    fn storage_follows_the_columns() {
        let partitions = HashPartitions { column: "a", prefix: "t_", count: 10, highest: 95 };
        let partitions = Some(partitions);
        assert_eq!(end(Storage::default()), "");
        assert!(
            Db2.create_table(&table(Storage { partitions, ..Storage::default() }))
                .ends_with("PARTITION BY RANGE (a) (STARTING FROM (1) ENDING AT (95) EVERY (10))")
        );
        let kept = |key: &str, value: &str| Storage {
            options: vec![(key.into(), value.into())],
            ..Storage::default()
        };
        assert_eq!(end(kept(TABLESPACE, "FAST")), " IN FAST INDEX IN FAST");
        assert_eq!(end(kept(ORGANIZE, "column")), " ORGANIZE BY COLUMN");
        assert_eq!(end(kept(ORGANIZE, "date")), " ORGANIZE BY DIMENSIONS (b)");
        let by_key = Storage { ranges: vec![("a", 95)], ..kept(ORGANIZE, KEY) };
        assert_eq!(
            Db2.create_table(&table(by_key)),
            "CREATE TABLE t (\n  a INTEGER NOT NULL,\n  b DATE NOT NULL\n)\nORGANIZE BY KEY SEQUENCE \
             (a STARTING FROM 1 ENDING AT 95) ALLOW OVERFLOW"
        );
        let refused =
            [(ORGANIZE, KEY), (ORGANIZE, "hash"), (TABLESPACE, "a b"), ("fillfactor", "10")];
        for (key, value) in refused {
            let schema = tacho_core::Schema { tables: vec![table(kept(key, value))] };
            let error = require_storage(&Db2, &schema).expect_err(key);
            assert!(!error.hints().is_empty(), "{error}");
        }
    }

    #[test]
    fn words_of_a_session_are_its_own() {
        assert_eq!(Db2.parallel_degree(0).as_deref(), Some("SET CURRENT DEGREE = '1'"));
        assert_eq!(Db2.parallel_degree(4).as_deref(), Some("SET CURRENT DEGREE = '4'"));
        let text = Db2.analyze(&[table(Storage::default())]);
        assert_eq!(script::statements(&text, Db2.syntax()).count(), 1);
    }
}
