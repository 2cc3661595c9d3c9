//! The SQL dialect of `PostgreSQL`.

use std::fmt::Write;
use std::time::Duration;

use md5::{Digest, Md5};
use tacho_core::{
    Column, Distribution, Error, HashPartitions, Index, IsolationLevel, Result, Storage,
    StorageOption, Table, Type,
};
use tacho_driver::text::{self, Moment};
use tacho_driver::{Dialect, FileFormat, FileLoad, Isolation, Report, RowFiles, Value, ValueKind};

use crate::errors;

const STORAGE: [StorageOption; 6] = [
    StorageOption::PARTITIONS,
    StorageOption::UNLOGGED,
    StorageOption::DISTRIBUTED,
    StorageOption::FOREIGN_KEYS,
    StorageOption {
        key: FILLFACTOR,
        help: "percentage of each page to fill during the load, from 10 to 100",
        check: check_fillfactor,
    },
    StorageOption {
        key: TABLESPACE,
        help: "tablespace for tables and indexes",
        check: check_tablespace,
    },
];
/// The fill level of pages when rows are loaded, in percent.
const FILLFACTOR: &str = "fillfactor";
/// The tablespace for a table and its indexes.
const TABLESPACE: &str = "tablespace";

fn check_fillfactor(text: &str) -> Result<()> {
    match text.parse() {
        Ok(10_u8..=100) => Ok(()),
        _ => Err(Error::usage(format!("invalid value for fillfactor: \"{text}\""))
            .hint("allowed: 10 to 100")),
    }
}

fn check_tablespace(name: &str) -> Result<()> {
    if name.chars().any(char::is_control) {
        return Err(Error::usage("the tablespace name contains control characters")
            .hint("specify a tablespace that exists in the database"));
    }
    Ok(())
}

/// The promise of each isolation level.
const PROMISES: [(&str, IsolationLevel); 4] = [
    ("read uncommitted", IsolationLevel::ReadCommitted),
    ("read committed", IsolationLevel::ReadCommitted),
    ("repeatable read", IsolationLevel::SnapshotIsolation),
    ("serializable", IsolationLevel::Serializable),
];

/// The dialect `postgres`.
pub struct Postgres;

impl Dialect for Postgres {
    fn id(&self) -> &'static str {
        "postgres"
    }

    fn isolation_query(&self) -> Option<&'static str> {
        Some("SELECT current_setting('transaction_isolation')")
    }

    /// The manual calls repeatable read "snapshot isolation". Read uncommitted works like read committed.
    fn isolation(&self, values: &[&str]) -> Isolation {
        Isolation::of(values.last().copied().unwrap_or_default(), &PROMISES)
    }

    fn several_statements(&self) -> bool {
        true
    }

    fn results_by_name(&self) -> bool {
        true
    }

    fn placeholder(&self, position: usize, sql: &mut String) {
        // Writing to a `String` cannot fail.
        let _ = write!(sql, "${position}");
    }

    /// Quotes every value, so that the server derives its type from the context, as for a parameter.
    ///
    /// Writes times with the UTC offset `+00`. A type without a time zone ignores the offset.
    fn literal(&self, value: Value<'_>, kind: ValueKind, out: &mut Vec<u8>) -> Result<()> {
        match (kind, value) {
            (_, Value::Null) => out.extend_from_slice(b"NULL"),
            (ValueKind::Text, Value::Text(bytes)) => return text_literal(bytes, out),
            (ValueKind::Time, Value::Time(micros)) => {
                out.push(b'\'');
                Moment::of(micros)?.write_seconds(out);
                out.extend_from_slice(b"+00'");
            }
            _ => {
                out.push(b'\'');
                text::literal(value, kind, out)?;
                out.push(b'\'');
            }
        }
        Ok(())
    }

    fn column_type(&self, ty: Type) -> String {
        match ty {
            Type::SmallInt => "SMALLINT".into(),
            Type::Int => "INTEGER".into(),
            Type::BigInt => "BIGINT".into(),
            Type::Decimal { precision, scale } => format!("NUMERIC({precision},{scale})"),
            Type::Char(length) => format!("CHAR({length})"),
            Type::Varchar(length) => format!("VARCHAR({length})"),
            Type::Timestamp => "TIMESTAMPTZ".into(),
            Type::Date => "DATE".into(),
        }
    }

    /// Puts the columns with the widest alignment first, because this avoids padding between them. A few bytes per row
    /// make a measurable difference.
    ///
    /// Loads and inserts name their columns, so they do not depend on the column order.
    fn create_table(&self, table: &Table) -> String {
        let columns: Vec<&Column> = table.stored_columns().map_or_else(
            || {
                let mut columns: Vec<&Column> = table.columns.iter().collect();
                columns.sort_by_key(|column| std::cmp::Reverse(alignment(column.ty)));
                columns
            },
            Iterator::collect,
        );
        let mut parts: Vec<String> =
            columns.into_iter().map(|column| self.column(column)).collect();
        let key = self.primary_key(table);
        let place = table.storage.option(TABLESPACE).map(quoted);
        parts.extend(key.map(|key| match &place {
            Some(place) => format!("{key} USING INDEX TABLESPACE {place}"),
            None => key,
        }));
        let mut script = format!(
            "CREATE {}TABLE {} (\n  {}\n){}",
            unlogged(&table.storage),
            table.name,
            parts.join(",\n  "),
            self.table_options(table)
        );
        add_partitions(table, &mut script);
        add_distribution(table, &mut script);
        script
    }

    /// Omits the storage options of a partitioned table, because it stores no rows. Its partitions have these options.
    fn table_options(&self, table: &Table) -> String {
        match &table.storage.partitions {
            Some(partitions) => format!(" PARTITION BY HASH ({})", partitions.column),
            None => kept(&table.storage),
        }
    }

    /// The server itself reads the files, for which the role needs `pg_read_server_files`.
    fn load_files(&self, files: &RowFiles<'_>) -> Option<FileLoad> {
        let format = match files.format {
            FileFormat::Csv => "FORMAT csv, HEADER true",
            FileFormat::Tbl => "FORMAT text, DELIMITER '|', NULL ''",
        };
        let (table, columns) = (files.table.name, files.columns());
        Some(files.each(|path| {
            format!("SET LOCAL TIME ZONE 'UTC'; COPY {table} ({columns}) FROM {path} ({format})")
        }))
    }

    fn create_index(&self, table: &Table, index: &Index) -> String {
        let unique = if index.unique { "UNIQUE " } else { "" };
        let columns = index.columns.join(", ");
        let place = table.storage.option(TABLESPACE).map(quoted);
        let place = place.map_or_else(String::new, |place| format!(" TABLESPACE {place}"));
        format!("CREATE {unique}INDEX {} ON {} ({columns}){place}", index.name, table.name)
    }

    fn parallel_degree(&self, workers: u64) -> Option<String> {
        Some(format!("SET max_parallel_workers_per_gather = {workers}"))
    }

    fn statement_timeout(&self, limit: Duration) -> Option<String> {
        Some(format!("SET statement_timeout = {}", limit.as_millis()))
    }

    /// Disables parallel plans, because the sessions already run in parallel. Parallel workers would raise the server's
    /// CPU time by half.
    ///
    /// Disables JIT compilation, which costs more than it saves in queries that take about a second.
    ///
    /// Disables generic plans, because they do not consider the size of a partition.
    ///
    /// Lowers the assumed cost of random reads, because rows are stored in the order in which they were loaded.
    fn for_large_queries(&self) -> &'static str {
        "SET max_parallel_workers_per_gather = 0; SET jit = off; \
         SET plan_cache_mode = force_custom_plan; SET random_page_cost = 1.1"
    }

    fn storage(&self) -> &'static [StorageOption] {
        &STORAGE
    }

    /// Returns the MD5 hash of the routine's body, because Tacho's query for routines returns this hash and not the
    /// body. The body is a dollar-quoted string.
    fn routine_shape(&self, create: &str) -> Option<String> {
        let (_, body) = create.split_once("$$")?;
        let (body, _) = body.rsplit_once("$$")?;
        let mut shape = String::new();
        for byte in Md5::digest(body.as_bytes()) {
            let _ = write!(shape, "{byte:02x}");
        }
        Some(shape)
    }

    fn session_setup(&self) -> &'static str {
        "SET TIME ZONE 'UTC'"
    }

    fn current_schema(&self) -> Option<&'static str> {
        Some("SELECT current_schema()")
    }

    fn error(&self, report: &Report<'_>) -> Error {
        errors::reported(report)
    }
}

/// Returns the clauses for fill factor and tablespace, preceded by a space.
fn kept(storage: &Storage) -> String {
    let mut text = String::new();
    if let Some(percent) = storage.option(FILLFACTOR) {
        let _ = write!(text, " WITH (fillfactor={percent})");
    }
    if let Some(place) = storage.option(TABLESPACE) {
        let _ = write!(text, " TABLESPACE {}", quoted(place));
    }
    text
}

/// Returns the keyword for an unlogged table. Omits it for a partitioned table, because since version 18, only the
/// partitions themselves may be unlogged.
fn unlogged(storage: &Storage) -> &'static str {
    if storage.unlogged && storage.partitions.is_none() { "UNLOGGED " } else { "" }
}

fn add_partitions(table: &Table, script: &mut String) {
    let Some(HashPartitions { prefix, count, .. }) = &table.storage.partitions else { return };
    let unlogged = if table.storage.unlogged { "UNLOGGED " } else { "" };
    for number in 0..*count {
        let _ = write!(
            script,
            ";\nCREATE {unlogged}TABLE {prefix}{number} PARTITION OF {} \
             FOR VALUES WITH (MODULUS {count}, REMAINDER {number}){}",
            table.name,
            kept(&table.storage)
        );
    }
}

/// Adds calls to Citus functions. If distribution columns have the same type, Citus stores matching rows of different
/// tables together.
fn add_distribution(table: &Table, script: &mut String) {
    let name = table.name;
    let _ = match table.storage.distribution {
        None => Ok(()),
        Some(Distribution::By(column)) => {
            write!(script, ";\nSELECT create_distributed_table('{name}', '{column}')")
        }
        Some(Distribution::Everywhere) => {
            write!(script, ";\nSELECT create_reference_table('{name}')")
        }
    };
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns the alignment of a fixed-length column in bytes. For a column of variable length it is 0, so that these
/// columns come last.
fn alignment(ty: Type) -> u8 {
    match ty {
        Type::BigInt | Type::Timestamp => 8,
        Type::Int | Type::Date => 4,
        Type::SmallInt => 2,
        Type::Decimal { .. } | Type::Char(_) | Type::Varchar(_) => 0,
    }
}

/// Writes a string literal. If it contains a backslash, it is written as an escape string, so that its value does not
/// depend on `standard_conforming_strings`.
///
/// Rejects a zero byte, because it would end the request.
fn text_literal(bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
    if bytes.contains(&0) {
        return Err(Error::usage("a string contains a zero byte, which the server cannot store")
            .hint("remove the zero byte from the value"));
    }
    if !bytes.contains(&b'\\') {
        text::quoted(bytes, out);
        return Ok(());
    }
    out.extend_from_slice(b"E'");
    for byte in bytes {
        if matches!(byte, b'\'' | b'\\') {
            out.push(*byte);
        }
        out.push(*byte);
    }
    out.push(b'\'');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_routine_is_reported_by_the_hash_of_its_body() {
        let shape = Postgres.routine_shape("CREATE FUNCTION a() RETURNS int AS $$SELECT 1$$");
        assert_eq!(shape.as_deref(), Some("b1698e52a0f16203489454196a0c6307"));
        assert_eq!(Postgres.routine_shape("SELECT 1"), None);
    }

    #[test]
    fn columns_are_ordered_by_alignment() {
        let column = |name, ty| Column { name, ty, nullable: name == "e", declared: None };
        let table = Table {
            name: "t",
            columns: vec![
                column("a", Type::Char(2)),
                column("b", Type::SmallInt),
                column("c", Type::Int),
                column("d", Type::Decimal { precision: 12, scale: 2 }),
                column("e", Type::Timestamp),
                column("f", Type::Int),
                column("g", Type::BigInt),
                column("h", Type::Varchar(9)),
                column("i", Type::Date),
            ],
            key: vec!["c", "f"],
            ..Table::default()
        };
        let expected = [
            "e TIMESTAMPTZ",
            "g BIGINT NOT NULL",
            "c INTEGER NOT NULL",
            "f INTEGER NOT NULL",
            "i DATE NOT NULL",
            "b SMALLINT NOT NULL",
            "a CHAR(2) NOT NULL",
            "d NUMERIC(12,2) NOT NULL",
            "h VARCHAR(9) NOT NULL",
            "PRIMARY KEY (c, f)",
        ];
        let expected = format!("CREATE TABLE t (\n  {}\n)", expected.join(",\n  "));
        assert_eq!(Postgres.create_table(&table), expected);
    }

    fn small(storage: Storage) -> Table {
        let columns =
            ["a", "b"].map(|name| Column { name, ty: Type::Int, nullable: false, declared: None });
        Table {
            name: "t",
            columns: columns.into(),
            stored: vec![1, 0],
            key: vec!["a"],
            key_name: "t_i1",
            indexes: vec![Index { name: "t_i2", columns: vec!["b"], unique: false }],
            storage,
            ..Table::default()
        }
    }

    #[test]
    fn limits_of_a_session_are_settings() {
        let limit = Duration::from_millis(1_500);
        assert_eq!(
            Postgres.statement_timeout(limit).as_deref(),
            Some("SET statement_timeout = 1500")
        );
        let degree = Postgres.parallel_degree(4);
        assert_eq!(degree.as_deref(), Some("SET max_parallel_workers_per_gather = 4"));
    }

    #[test]
    fn options_are_checked() {
        for (text, is_good) in
            [("10", true), ("100", true), ("9", false), ("", false), ("x", false)]
        {
            assert_eq!(check_fillfactor(text).is_ok(), is_good, "{text}");
        }
        assert!(check_tablespace("fast disk").is_ok() && check_tablespace("a\tb").is_err());
    }

    #[test]
    fn storage_is_written_where_it_belongs() {
        let storage = Storage {
            unlogged: true,
            options: vec![
                (FILLFACTOR.into(), "80".into()),
                (TABLESPACE.into(), "fast disk".into()),
            ],
            ..Storage::default()
        };
        let body = "(\n  b INTEGER NOT NULL,\n  a INTEGER NOT NULL,\n  \
                    CONSTRAINT t_i1 PRIMARY KEY (a) USING INDEX TABLESPACE \"fast disk\"\n)";
        let kept = "WITH (fillfactor=80) TABLESPACE \"fast disk\"";
        let table = small(storage.clone());
        let expected = format!("CREATE UNLOGGED TABLE t {body} {kept}");
        assert_eq!(Postgres.create_table(&table), expected);
        let index = "CREATE INDEX t_i2 ON t (b) TABLESPACE \"fast disk\"";
        assert_eq!(Postgres.create_index(&table, &table.indexes[0]), index);
        let partitions = Some(HashPartitions { column: "a", prefix: "t_", count: 2, highest: 9 });
        let part = |number| {
            format!(
                "CREATE UNLOGGED TABLE t_{number} PARTITION OF t FOR VALUES WITH (MODULUS 2, \
                 REMAINDER {number}) {kept}"
            )
        };
        let expected = [format!("CREATE TABLE t {body} PARTITION BY HASH (a)"), part(0), part(1)];
        let table = small(Storage { partitions, ..storage });
        assert_eq!(Postgres.create_table(&table), expected.join(";\n"));
    }

    /// The expected statements come from the Citus manual. They were never run, because no server with this extension
    /// is available.
    #[test]
    fn nodes_are_listed_after_the_table() {
        let cases = [
            (Distribution::By("a"), ";\nSELECT create_distributed_table('t', 'a')"),
            (Distribution::Everywhere, ";\nSELECT create_reference_table('t')"),
        ];
        for (distribution, end) in cases {
            let storage = Storage { distribution: Some(distribution), ..Storage::default() };
            assert!(Postgres.create_table(&small(storage)).ends_with(end), "{end}");
        }
    }
}
