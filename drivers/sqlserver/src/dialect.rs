//! The T-SQL that both SQL Server and Babelfish support. Neither MERGE nor CREATE OR ALTER is part of it.

use tacho_core::{
    Column, Error, Index, IsolationLevel, Result, Storage, StorageOption, Table, Type,
};
use tacho_driver::lexer::Syntax;
use tacho_driver::{
    Dialect, FileFormat, FileLoad, Isolation, Report, RoutineKind, RowFiles, Value, ValueKind,
    sqlstate, text,
};

use crate::errors::numbered;
use crate::memory;
use crate::request::days_and_micros;
use crate::storage::{COLUMN, ORGANIZE, STORAGE};

/// The isolation levels in the order of SQL Server's numbers, which start at 1, and what each level guarantees.
const PROMISES: [(&str, IsolationLevel); 5] = [
    ("read uncommitted", IsolationLevel::ReadUncommitted),
    ("read committed", IsolationLevel::ReadCommitted),
    ("repeatable read", IsolationLevel::RepeatableRead),
    ("serializable", IsolationLevel::Serializable),
    ("snapshot", IsolationLevel::SnapshotIsolation),
];

/// The dialect.
pub struct SqlServer;

impl Dialect for SqlServer {
    fn id(&self) -> &'static str {
        "sqlserver"
    }

    fn isolation_query(&self) -> Option<&'static str> {
        Some(
            "SELECT transaction_isolation_level FROM sys.dm_exec_sessions WHERE session_id = @@SPID",
        )
    }

    fn isolation(&self, values: &[&str]) -> Isolation {
        let text = values.first().copied().unwrap_or_default();
        let number = text.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let found = number.and_then(|at| PROMISES.get(at));
        let asked = found.map_or(text, |(name, _)| *name).to_owned();
        Isolation { asked, promised: found.map(|(_, level)| *level) }
    }

    fn syntax(&self) -> Syntax {
        Syntax { brackets: true, nested_comments: true, ..Syntax::PLAIN }
    }

    fn placeholder(&self, position: usize, sql: &mut String) {
        sql.push_str("@P");
        sql.push_str(&position.to_string());
    }

    fn row_limit(&self, rows: &str, sql: &mut String) {
        sql.push_str("OFFSET 0 ROWS FETCH NEXT ");
        sql.push_str(rows);
        sql.push_str(" ROWS ONLY");
    }

    fn year(&self, column: &str, sql: &mut String) {
        sql.extend(["YEAR(", column, ")"]);
    }

    fn literal(&self, value: Value<'_>, kind: ValueKind, out: &mut Vec<u8>) -> Result<()> {
        match (kind, value) {
            (ValueKind::Text, Value::Text(bytes)) => {
                // Write zero bytes outside the string, because some servers end a string at a zero byte.
                for (at, part) in bytes.split(|byte| *byte == 0).enumerate() {
                    if at > 0 {
                        out.extend_from_slice(b"+NCHAR(0)+");
                    }
                    out.push(b'N');
                    text::quoted(part, out);
                }
                Ok(())
            }
            (ValueKind::Time, Value::Time(micros)) => {
                days_and_micros(micros)?;
                out.extend_from_slice(b"CAST('");
                text::Moment::of(micros)?.write_seconds(out);
                out.extend_from_slice(b"' AS DATETIME2(6))");
                Ok(())
            }
            _ => text::literal(value, kind, out),
        }
    }

    /// Uses Unicode string types, because the code page of other string types depends on the database's collation.
    fn column_type(&self, ty: Type) -> String {
        match ty {
            Type::SmallInt => "SMALLINT".into(),
            Type::Int => "INT".into(),
            Type::BigInt => "BIGINT".into(),
            Type::Decimal { precision, scale } => format!("DECIMAL({precision},{scale})"),
            Type::Char(length) => format!("NCHAR({length})"),
            Type::Varchar(length) => format!("NVARCHAR({length})"),
            Type::Timestamp => "DATETIME2(6)".into(),
            Type::Date => "DATE".into(),
        }
    }

    /// Always writes NULL or NOT NULL, because the default depends on settings of the session and the database.
    fn column(&self, column: &Column) -> String {
        let null = if column.nullable { "NULL" } else { "NOT NULL" };
        let declared = column.declared.map(str::to_owned);
        let ty = declared.unwrap_or_else(|| self.column_type(column.ty));
        format!("{} {ty} {null}", column.name)
    }

    fn storage(&self) -> &'static [StorageOption] {
        &STORAGE
    }

    /// A columnstore table's clustered index is the columnstore itself, so its key has to be nonclustered.
    fn primary_key(&self, table: &Table) -> Option<String> {
        if memory::holds(&table.storage) {
            return Some(memory::indexes(table));
        }
        let columns = table.storage.option(ORGANIZE) == Some(COLUMN);
        let kind = if columns { " NONCLUSTERED" } else { "" };
        let name = match table.key_name {
            "" => String::new(),
            name => format!("CONSTRAINT {name} "),
        };
        let key = format!("{name}PRIMARY KEY{kind} ({})", table.key.join(", "));
        let key = (!table.key.is_empty()).then_some(key);
        if !columns {
            return key;
        }
        let store = format!("INDEX {}_columns CLUSTERED COLUMNSTORE", table.name);
        Some(key.map_or(store.clone(), |key| format!("{key},\n  {store}")))
    }

    fn table_options(&self, table: &Table) -> String {
        memory::options(&table.storage).into()
    }

    /// The returned statement makes the server itself read the files. This requires the permission ADMINISTER BULK
    /// OPERATIONS.
    ///
    /// The columns of the table must have the same order as in the file, because the statement cannot list them.
    fn load_files(&self, files: &RowFiles<'_>) -> Option<FileLoad> {
        let table = files.table.name;
        let each = |path: &str| {
            format!(
                "BULK INSERT {table} FROM {path} WITH (FORMAT = 'CSV', FIRSTROW = 2, FIELDTERMINATOR = ',', \
                 ROWTERMINATOR = '0x0a', CODEPAGE = '65001', KEEPNULLS)"
            )
        };
        let in_order = files.table.stored_columns().is_none();
        (files.format == FileFormat::Csv && in_order).then(|| files.each(each))
    }

    /// Returns an empty string for a memory-optimized table, because its CREATE TABLE statement already contains the
    /// indexes.
    fn create_index(&self, table: &Table, index: &Index) -> String {
        if memory::holds(&table.storage) {
            return String::new();
        }
        let unique = if index.unique { "UNIQUE " } else { "" };
        let columns = index.columns.join(", ");
        format!("CREATE {unique}INDEX {} ON {} ({columns})", index.name, table.name)
    }

    fn has_transactional_ddl(&self, storage: &Storage) -> bool {
        !memory::holds(storage)
    }

    fn routine_kind(&self, storage: &Storage) -> RoutineKind {
        if memory::has_native_routines(storage) {
            RoutineKind::Native
        } else {
            RoutineKind::Interpreted
        }
    }

    /// Returns a hint for each statement, because the degree of parallelism cannot be set for a session. 0 means all
    /// processors.
    fn parallel_hint(&self, workers: u64) -> Option<String> {
        Some(format!("OPTION (MAXDOP {workers})"))
    }

    fn current_schema(&self) -> Option<&'static str> {
        Some("SELECT SCHEMA_NAME()")
    }

    /// Only errors from the server have an error number. For all others, there is only an SQLSTATE.
    fn error(&self, report: &Report<'_>) -> Error {
        match u32::try_from(report.number) {
            Ok(number @ 1..) => numbered(number, report.text),
            _ => sqlstate::error(report),
        }
    }

    fn analyze(&self, tables: &[Table]) -> String {
        let all = tables.iter().map(|table| format!("UPDATE STATISTICS {}", table.name));
        all.collect::<Vec<String>>().join(";\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(value: Value<'_>, kind: ValueKind) -> Option<String> {
        let mut out = Vec::new();
        SqlServer.literal(value, kind, &mut out).ok()?;
        String::from_utf8(out).ok()
    }

    #[test]
    fn values_are_written_so_that_no_setting_changes_them() {
        let text = |text: &str| literal(Value::Text(text.as_bytes()), ValueKind::Text);
        assert_eq!(text("it's 数").as_deref(), Some("N'it''s 数'"));
        assert_eq!(text("a\0b").as_deref(), Some("N'a'+NCHAR(0)+N'b'"));
        let time = |micros| literal(Value::Time(micros), ValueKind::Time);
        let expected = "CAST('1970-01-01 00:00:00.000001' AS DATETIME2(6))";
        assert_eq!(time(1).as_deref(), Some(expected));
        assert_eq!(time(-62_135_596_800_000_001), None, "before the year 1");
        assert_eq!(literal(Value::Decimal(-5), ValueKind::Decimal(2)).as_deref(), Some("-0.05"));
        assert_eq!(literal(Value::Null, ValueKind::Text).as_deref(), Some("NULL"));
    }

    #[test]
    fn columns_declare_null_or_not_null() {
        let column = |name, ty, nullable| Column { name, ty, nullable, declared: None };
        let table = Table {
            name: "t",
            columns: vec![
                column("a", Type::Char(2), false),
                column("b", Type::Timestamp, true),
                Column { declared: Some("money"), ..column("c", Type::Int, true) },
            ],
            key: vec!["a"],
            ..Table::default()
        };
        let expected = "CREATE TABLE t (\n  a NCHAR(2) NOT NULL,\n  b DATETIME2(6) NULL,\n  \
                        c money NULL,\n  PRIMARY KEY (a)\n)";
        assert_eq!(SqlServer.create_table(&table), expected);
        assert_eq!(
            SqlServer.analyze(&[table.clone(), table]),
            "UPDATE STATISTICS t;\nUPDATE STATISTICS t"
        );
    }

    #[test]
    fn a_memory_optimized_table_is_made_as_a_whole() {
        let column = Column { name: "a", ty: Type::Int, nullable: false, declared: None };
        let table = |memory: &str| Table {
            name: "t",
            columns: vec![column.clone()],
            key: vec!["a"],
            indexes: vec![Index { name: "t_i2", columns: vec!["a"], unique: true }],
            storage: Storage {
                options: vec![("memory".into(), memory.into())],
                ..Storage::default()
            },
            ..Table::default()
        };
        let on = table("on");
        assert_eq!(
            SqlServer.create_table(&on),
            "CREATE TABLE t (\n  a INT NOT NULL,\n  PRIMARY KEY NONCLUSTERED (a),\n  \
             INDEX t_i2 UNIQUE NONCLUSTERED (a)\n) WITH (MEMORY_OPTIMIZED = ON, \
             DURABILITY = SCHEMA_AND_DATA)"
        );
        assert_eq!(SqlServer.create_index(&on, &on.indexes[0]), "");
        assert!(!SqlServer.has_transactional_ddl(&on.storage));
        let off = table("off");
        assert!(!SqlServer.create_table(&off).contains("MEMORY"));
        let index = SqlServer.create_index(&off, &off.indexes[0]);
        assert_eq!(index, "CREATE UNIQUE INDEX t_i2 ON t (a)");
        assert!(SqlServer.has_transactional_ddl(&off.storage));
        assert_eq!(SqlServer.routine_kind(&on.storage), RoutineKind::Interpreted);
        assert_eq!(SqlServer.routine_kind(&table("native").storage), RoutineKind::Native);
    }

    #[test]
    fn a_table_in_columns_has_another_key() {
        let storage = |kind: &str| Storage {
            options: vec![(ORGANIZE.into(), kind.into())],
            ..Storage::default()
        };
        let column = Column { name: "a", ty: Type::Int, nullable: false, declared: None };
        let table = |key: &[&'static str], kind| Table {
            name: "t",
            columns: vec![column.clone()],
            key: key.to_vec(),
            storage: storage(kind),
            ..Table::default()
        };
        let rows = SqlServer.create_table(&table(&["a"], "row"));
        assert_eq!(rows, "CREATE TABLE t (\n  a INT NOT NULL,\n  PRIMARY KEY (a)\n)");
        let columns = SqlServer.create_table(&table(&["a"], "column"));
        let expected = "CREATE TABLE t (\n  a INT NOT NULL,\n  PRIMARY KEY NONCLUSTERED (a),\n  \
                        INDEX t_columns CLUSTERED COLUMNSTORE\n)";
        assert_eq!(columns, expected);
        assert!(SqlServer.create_table(&table(&[], "column")).contains("\n  INDEX t_columns"));
    }
}
