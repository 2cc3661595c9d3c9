//! The SQL dialect of MySQL and MariaDB.

pub mod keeping;

use std::time::Duration;

use tacho_core::{Column, Error, IsolationLevel, Result, Storage, StorageOption, Table, Type};
use tacho_driver::lexer::Syntax;
use tacho_driver::{
    Dialect, FileFormat, FileLoad, Isolation, Object, Report, RowFiles, Value, ValueKind, sqlstate,
    text,
};

use crate::errors;

const STORAGE: [StorageOption; 4] = [
    StorageOption::PARTITIONS,
    StorageOption::HIDDEN_KEY,
    StorageOption::FOREIGN_KEYS,
    StorageOption {
        key: ENGINE,
        help: "storage engine of all tables, such as RocksDB, Aria or HeatWave",
        check: check_engine,
    },
];
/// The option that selects the storage engine.
pub const ENGINE: &str = "engine";

fn check_engine(name: &str) -> Result<()> {
    if name.chars().any(|c| !c.is_ascii_alphanumeric() && c != '_') {
        return Err(Error::usage(format!("invalid value for engine: \"{name}\""))
            .hint("an engine name is a single word"));
    }
    Ok(())
}

/// The default storage engine for tables.
pub const USUAL_ENGINE: &str = "InnoDB";

/// Name of MariaDB's column store, which supports neither keys nor indexes.
const WITHOUT_KEYS: &str = "columnstore";

/// Engine name for [`USUAL_ENGINE`] tables that queries read from a columnar copy in HeatWave:
/// <https://dev.mysql.com/doc/heatwave/en/mys-hw-loading-data.html>.
pub const HEATWAVE: &str = "HeatWave";

/// The guarantee that each isolation level gives without `innodb_snapshot_isolation`.
const PROMISES: [(&str, IsolationLevel); 4] = [
    ("READ-UNCOMMITTED", IsolationLevel::ReadUncommitted),
    ("READ-COMMITTED", IsolationLevel::ReadCommitted),
    ("REPEATABLE-READ", IsolationLevel::ReadCommitted),
    ("SERIALIZABLE", IsolationLevel::Serializable),
];

/// The dialect `mysql`.
pub struct MySql;

impl Dialect for MySql {
    fn id(&self) -> &'static str {
        "mysql"
    }

    /// The name of the isolation variable depends on the product and its version.
    fn isolation_query(&self) -> Option<&'static str> {
        Some(
            "SHOW VARIABLES WHERE Variable_name IN ('transaction_isolation', 'tx_isolation', \
             'innodb_snapshot_isolation')",
        )
    }

    /// At repeatable read, a transaction reads a snapshot but can update rows that have changed since. It is therefore
    /// only guaranteed read committed, unless MariaDB's `innodb_snapshot_isolation` is on.
    fn isolation(&self, values: &[&str]) -> Isolation {
        let value = |name: &str| {
            let at = values.iter().position(|value| *value == name)?;
            values.get(at + 1).copied()
        };
        let level = value("transaction_isolation").or_else(|| value("tx_isolation"));
        let found = Isolation::of(level.unwrap_or_default(), &PROMISES);
        let is_snapshot = found.asked == "REPEATABLE-READ"
            && value("innodb_snapshot_isolation").is_some_and(|value| value == "ON");
        if is_snapshot {
            let asked = format!("{} with innodb_snapshot_isolation", found.asked);
            return Isolation { asked, promised: Some(IsolationLevel::SnapshotIsolation) };
        }
        found
    }

    fn several_statements(&self) -> bool {
        true
    }

    fn syntax(&self) -> Syntax {
        Syntax::BACKSLASH
    }

    fn placeholder(&self, _: usize, sql: &mut String) {
        sql.push('?');
    }

    fn reuses_placeholders(&self) -> bool {
        false
    }

    /// Writes a string with a backslash in hexadecimal, because the meaning of a backslash depends on `sql_mode`.
    fn literal(&self, value: Value<'_>, kind: ValueKind, out: &mut Vec<u8>) -> Result<()> {
        match value {
            Value::Text(bytes) if kind == ValueKind::Text && bytes.contains(&b'\\') => {
                out.extend_from_slice(b"_utf8mb4 ");
                text::hexadecimal(bytes, out);
                Ok(())
            }
            _ => text::literal(value, kind, out),
        }
    }

    /// Adds `BINARY` to the string types, so that the server compares strings byte by byte regardless of the character
    /// set. All other databases compare strings in this way.
    ///
    /// Avoids `TIMESTAMP`, because its range ends in 2038 and its values depend on the session's time zone.
    fn column_type(&self, ty: Type) -> String {
        match ty {
            Type::SmallInt => "SMALLINT".into(),
            Type::Int => "INT".into(),
            Type::BigInt => "BIGINT".into(),
            Type::Decimal { precision, scale } => format!("DECIMAL({precision},{scale})"),
            Type::Char(length) => format!("CHAR({length}) BINARY"),
            Type::Varchar(length) => format!("VARCHAR({length}) BINARY"),
            Type::Timestamp => "DATETIME(6)".into(),
            Type::Date => "DATE".into(),
        }
    }

    /// Lets the server name the partitions.
    fn table_options(&self, table: &Table) -> String {
        let engine = match table.storage.option(ENGINE) {
            Some(asked) if is_heatwave(asked) => "InnoDB SECONDARY_ENGINE=RAPID",
            asked => asked.unwrap_or(USUAL_ENGINE),
        };
        let partitions = table.storage.partitions.as_ref().map(|partitions| {
            let count = partitions.count;
            format!("\nPARTITION BY HASH ({}) PARTITIONS {count}", partitions.column)
        });
        format!(" ENGINE={engine}{}", partitions.unwrap_or_default())
    }

    /// Returns the key clause. If the table has no key, it can be given an invisible auto-increment key.
    fn primary_key(&self, table: &Table) -> Option<String> {
        match (&table.key[..], table.storage.hidden_key) {
            ([], None) => None,
            ([], Some(name)) => {
                let column = format!("{name} INT NOT NULL AUTO_INCREMENT INVISIBLE");
                Some(format!("{column},\n  PRIMARY KEY ({name})"))
            }
            (key, _) => Some(format!("PRIMARY KEY ({})", key.join(", "))),
        }
    }

    /// The server itself reads the files, so the user needs the `FILE` privilege. If `secure_file_priv` is set, the
    /// files must be in that folder.
    ///
    /// An empty value is loaded as NULL only in columns that allow NULL.
    ///
    /// Special bytes are written as numbers, because the meaning of a backslash depends on `sql_mode`.
    fn load_files(&self, files: &RowFiles<'_>) -> Option<FileLoad> {
        let format = match files.format {
            FileFormat::Csv => {
                "FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' ESCAPED BY '' \
                 LINES TERMINATED BY 0x0a IGNORE 1 LINES"
            }
            FileFormat::Tbl => "FIELDS TERMINATED BY '|' ESCAPED BY 0x5c LINES TERMINATED BY 0x0a",
        };
        let place =
            |column: &Column| format!("{}{}", if column.nullable { "@" } else { "" }, column.name);
        let columns: Vec<String> = files.table.columns.iter().map(place).collect();
        let nullable = files.table.columns.iter().filter(|column| column.nullable);
        let set: Vec<String> =
            nullable.map(|Column { name, .. }| format!("{name} = NULLIF(@{name}, '')")).collect();
        let set = if set.is_empty() { set.concat() } else { format!(" SET {}", set.join(", ")) };
        let (table, columns) = (files.table.name, columns.join(", "));
        Some(files.each(|path| {
            format!(
                "LOAD DATA INFILE {path} INTO TABLE {table} CHARACTER SET utf8mb4 {format} ({columns}){set}"
            )
        }))
    }

    fn keeps_keys(&self, storage: &Storage) -> bool {
        !storage.option(ENGINE).is_some_and(|engine| engine.eq_ignore_ascii_case(WITHOUT_KEYS))
    }

    fn storage(&self) -> &'static [StorageOption] {
        &STORAGE
    }

    /// The statement has two version comments. MariaDB runs the first, whose limit is in seconds. MySQL runs the
    /// second, whose limit is in milliseconds and applies only to queries.
    fn statement_timeout(&self, limit: Duration) -> Option<String> {
        let (seconds, millis) = (limit.as_secs_f64(), limit.as_millis());
        Some(format!(
            "SET SESSION /*M!100000 max_statement_time = {seconds} */ \
             /*!80000 max_execution_time = {millis} */"
        ))
    }

    /// A single statement locks all tables before it drops any of them, so MySQL drops either all of them or none.
    fn removal(&self, tables: &[&Object]) -> Vec<String> {
        let start = "DROP TABLE ";
        let names = tables.iter().filter_map(|table| table.drop.strip_prefix(start));
        let names = names.collect::<Vec<&str>>().join(", ");
        if names.is_empty() { Vec::new() } else { vec![format!("{start}{names}")] }
    }

    /// Only errors from the server have an error number. For all others, there is only an SQLSTATE.
    fn error(&self, report: &Report<'_>) -> Error {
        match u16::try_from(report.number) {
            Ok(number @ (1..2000 | 3000..)) => errors::numbered(number, report.text),
            _ => sqlstate::error(report),
        }
    }

    /// One statement refreshes the statistics of all tables, one table after the other.
    ///
    /// Without a histogram, the server assumes that all rows satisfy a condition on a column that has no index.
    ///
    /// HeatWave loads the rows at the end.
    fn analyze(&self, tables: &[Table]) -> String {
        let names: Vec<&str> = tables.iter().map(|table| table.name).collect();
        let all = std::iter::once(format!("ANALYZE TABLE {}", names.join(", ")));
        let searched = tables.iter().filter(|table| !table.searched.is_empty()).map(spread);
        let copied = tables
            .iter()
            .filter(|table| table.storage.option(ENGINE).is_some_and(is_heatwave))
            .map(|table| format!("ALTER TABLE {} SECONDARY_LOAD", table.name));
        all.chain(searched).chain(copied).collect::<Vec<String>>().join(";\n")
    }
}

/// Returns true if this engine is HeatWave.
pub fn is_heatwave(engine: &str) -> bool {
    engine.eq_ignore_ascii_case(HEATWAVE)
}

/// Returns the statement that collects histograms for the columns that queries filter by.
///
/// The statement has two version comments. MariaDB runs the first, and MySQL runs the second.
fn spread(table: &Table) -> String {
    let columns = table.searched.join(", ");
    format!(
        "ANALYZE TABLE {} /*M!100000 PERSISTENT FOR COLUMNS ({columns}) INDEXES () */ \
         /*!80000 UPDATE HISTOGRAM ON {columns} WITH 254 BUCKETS */",
        table.name
    )
}

#[cfg(test)]
mod tests {
    use tacho_core::{Column, HashPartitions};

    use super::*;

    #[test]
    fn the_time_limit_has_a_form_for_each_product() {
        let expected = "SET SESSION /*M!100000 max_statement_time = 1.5 */ \
                        /*!80000 max_execution_time = 1500 */";
        let limit = MySql.statement_timeout(Duration::from_millis(1_500));
        assert_eq!(limit.as_deref(), Some(expected));
        assert_eq!(MySql.parallel_degree(2), None);
    }

    #[test]
    fn heatwave_reads_tables_of_innodb_when_their_rows_are_there() {
        let table = Table {
            name: "t",
            columns: vec![Column { name: "a", ty: Type::Int, nullable: false, declared: None }],
            key: vec!["a"],
            storage: Storage {
                options: vec![(ENGINE.into(), "heatwave".into())],
                ..Storage::default()
            },
            ..Table::default()
        };
        let expected = "CREATE TABLE t (\n  a INT NOT NULL,\n  PRIMARY KEY (a)\n) ENGINE=InnoDB SECONDARY_ENGINE=RAPID";
        assert_eq!(MySql.create_table(&table), expected);
        assert_eq!(MySql.analyze(&[table]), "ANALYZE TABLE t;\nALTER TABLE t SECONDARY_LOAD");
    }

    #[test]
    fn tables_are_of_innodb_with_binary_texts() {
        let column = |name, ty| Column { name, ty, nullable: name == "c", declared: None };
        let table = Table {
            name: "t",
            columns: vec![
                column("a", Type::Char(2)),
                column("b", Type::Decimal { precision: 12, scale: 2 }),
                column("c", Type::Timestamp),
            ],
            key: vec!["a"],
            ..Table::default()
        };
        let expected = "CREATE TABLE t (\n  a CHAR(2) BINARY NOT NULL,\n  b DECIMAL(12,2) NOT NULL,\n  \
                        c DATETIME(6),\n  PRIMARY KEY (a)\n) ENGINE=InnoDB";
        assert_eq!(MySql.create_table(&table), expected);
        assert_eq!(MySql.analyze(&[table.clone(), table.clone()]), "ANALYZE TABLE t, t");
        let searched = Table { searched: vec!["b", "c"], ..table.clone() };
        let learns = "ANALYZE TABLE t;\nANALYZE TABLE t /*M!100000 PERSISTENT FOR COLUMNS (b, c) INDEXES () \
                      */ /*!80000 UPDATE HISTOGRAM ON b, c WITH 254 BUCKETS */";
        assert_eq!(MySql.analyze(&[searched]), learns);
        let partitions = HashPartitions { column: "a", prefix: "t_", count: 3, highest: 9 };
        let storage = Storage {
            partitions: Some(partitions),
            hidden_key: Some("id"),
            options: vec![(ENGINE.into(), "Aria".into())],
            ..Storage::default()
        };
        let columns = vec![Column { declared: Some("INT"), ..table.columns[1].clone() }];
        let table = Table { columns, key: Vec::new(), storage, ..table };
        let expected = "CREATE TABLE t (\n  b INT NOT NULL,\n  \
                        id INT NOT NULL AUTO_INCREMENT INVISIBLE,\n  PRIMARY KEY (id)\n) \
                        ENGINE=Aria\nPARTITION BY HASH (a) PARTITIONS 3";
        assert_eq!(MySql.create_table(&table), expected);
    }
}
