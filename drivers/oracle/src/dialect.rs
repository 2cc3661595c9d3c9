//! The SQL dialect of Oracle 12.1 and later, which are the versions that the client supports.

use tacho_core::{Error, Index, IsolationLevel, Result, Storage, StorageOption, Table, Type};
use tacho_driver::lexer::Syntax;
use tacho_driver::{Dialect, Isolation, Report, Value, ValueKind, sqlstate, text};

use crate::errors::numbered;

const TABLESPACE: &str = "tablespace";
const ORGANIZE: &str = "organize";
const HASH: &str = "hash";

/// The isolation levels that a target can select, and what each of them guarantees.
const PROMISES: [(&str, IsolationLevel); 2] = [
    ("read committed", IsolationLevel::ReadCommitted),
    ("serializable", IsolationLevel::SnapshotIsolation),
];

/// The storage options that this dialect supports.
const STORAGE: [StorageOption; 4] = [
    StorageOption {
        key: ORGANIZE,
        help: "hash: use single-table hash clusters for the tables that do not grow",
        check: check_organization,
    },
    StorageOption::PARTITIONS,
    StorageOption::FOREIGN_KEYS,
    StorageOption { key: TABLESPACE, help: "tablespace for tables and indexes", check: check_name },
];

fn check_organization(value: &str) -> Result<()> {
    if value == HASH {
        return Ok(());
    }
    Err(Error::usage(format!("invalid value for {ORGANIZE}: \"{value}\""))
        .hint("allowed: hash (creates hash clusters)"))
}

/// Checks that a name is valid without quotes. Tacho writes names unquoted, as users do, so both refer to the same
/// object.
fn check_name(name: &str) -> Result<()> {
    if name.chars().all(|c| c.is_ascii_alphanumeric() || "_$#".contains(c)) {
        return Ok(());
    }
    Err(Error::usage(format!("invalid tablespace name: \"{name}\""))
        .hint("use letters, digits and underscores"))
}

/// Returns the tablespace clause, preceded by a space.
fn place(table: &Table) -> String {
    table.storage.option(TABLESPACE).map(|place| format!(" TABLESPACE {place}")).unwrap_or_default()
}

/// Returns the partitioning and tablespace of an index. An index that contains the partition column is partitioned like
/// its table.
fn index_place(table: &Table, columns: &[&str]) -> String {
    let partitions = table.storage.partitions.as_ref();
    let local = partitions.is_some_and(|partitions| columns.contains(&partitions.column));
    format!("{}{}", if local { " LOCAL" } else { "" }, place(table))
}

/// Returns a PL/SQL block that creates the table's hash cluster, or `None` if the table does not use one. A hash
/// cluster stores each row at a place that is calculated from the row's key.
fn cluster(dialect: &Oracle, table: &Table) -> Option<String> {
    let ranges = &table.storage.ranges;
    if table.storage.option(ORGANIZE) != Some(HASH) || ranges.is_empty() {
        return None;
    }
    let columns = ranges.iter().map(|(name, _)| {
        let column = table.columns.iter().find(|column| column.name == *name)?;
        Some(format!("{name} {}", dialect.column_type(column.ty)))
    });
    let columns = columns.collect::<Option<Vec<String>>>()?.join(", ");
    let rows: u64 = ranges.iter().map(|(_, last)| last).product();
    let mut number = String::new();
    for (name, last) in ranges {
        number = if number.is_empty() {
            (*name).into()
        } else {
            format!("({number}) * {last} + {name}")
        };
    }
    let place = place(table);
    // Number of bytes to reserve for each row: its header, and its columns at their expected size.
    let size = table.columns.iter().map(|column| bytes(column.ty)).sum::<u64>() + ROW_HEADER;
    // The block must be on a single line, because each line of a script is run as a separate statement.
    let block = format!(
        include_str!("../sql/cluster.sql"),
        table = table.name,
        columns = columns,
        size = size,
        rows = rows,
        number = number,
        place = place
    );
    Some(block.trim_end().to_owned())
}

/// Number of bytes that a row takes in addition to its columns.
const ROW_HEADER: u64 = 30;

/// Returns the size of a column in bytes. For a long string, this is its average size.
fn bytes(ty: Type) -> u64 {
    match ty {
        Type::SmallInt | Type::Int | Type::BigInt => 5,
        Type::Decimal { .. } => 7,
        Type::Char(length) => length.into(),
        Type::Varchar(length) => u64::from(length) * 4 / 5,
        Type::Timestamp | Type::Date => 11,
    }
}

/// The lexical rules of Oracle's SQL.
pub const SYNTAX: Syntax = Syntax { delimited_strings: true, ..Syntax::PLAIN };

/// The dialect `oracle`.
pub struct Oracle;

impl Dialect for Oracle {
    fn id(&self) -> &'static str {
        "oracle"
    }

    /// Serializable transactions read a snapshot, so they allow write skew.
    fn isolation(&self, values: &[&str]) -> Isolation {
        match values.first() {
            Some(level) => Isolation::of(level, &PROMISES),
            None => Isolation {
                asked: "read committed (default)".into(),
                promised: Some(IsolationLevel::ReadCommitted),
            },
        }
    }

    fn syntax(&self) -> Syntax {
        SYNTAX
    }

    fn placeholder(&self, position: usize, sql: &mut String) {
        sql.push_str(":p");
        sql.push_str(&position.to_string());
    }

    /// Returns false, so that each placeholder name is used only once. If a name occurred twice, Oracle would expect
    /// two values for it in SQL but only one in PL/SQL.
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

    /// Uses NUMBER for integers, with as many digits as the integer type has.
    ///
    /// Uses TIMESTAMP(0), which is as short as DATE and which the client reads as TIMESTAMP without a conversion.
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

    fn storage(&self) -> &'static [StorageOption] {
        &STORAGE
    }

    fn needs_ranges(&self, storage: &Storage) -> bool {
        storage.option(ORGANIZE) == Some(HASH)
    }

    /// Creates the table. It is stored in a hash cluster only if this was requested and the table does not grow,
    /// because a cluster is created for a fixed number of rows.
    ///
    /// If an interrupted preparation has left the cluster behind, the existing cluster is used.
    fn create_table(&self, table: &Table) -> String {
        let mut parts: Vec<String> = match table.stored_columns() {
            Some(columns) => columns.map(|column| self.column(column)).collect(),
            None => table.columns.iter().map(|column| self.column(column)).collect(),
        };
        parts.extend(self.primary_key(table));
        let (name, parts) = (table.name, parts.join(",\n  "));
        let Some(cluster) = cluster(self, table) else {
            let options = self.table_options(table);
            return format!("CREATE TABLE {name} (\n  {parts}\n){options}");
        };
        let key = table.key.join(", ");
        format!("{cluster}\nCREATE TABLE {name} (\n  {parts}\n)\nCLUSTER {name}_cluster ({key})")
    }

    fn table_options(&self, table: &Table) -> String {
        let partitions = table.storage.partitions.as_ref().map(|partitions| {
            format!("\nPARTITION BY HASH ({}) PARTITIONS {}", partitions.column, partitions.count)
        });
        format!("{}{}", place(table), partitions.unwrap_or_default())
    }

    fn primary_key(&self, table: &Table) -> Option<String> {
        if table.key.is_empty() {
            return None;
        }
        let place = index_place(table, &table.key);
        let using = if place.is_empty() { "" } else { " USING INDEX" };
        let name = match table.key_name {
            "" => String::new(),
            name => format!("CONSTRAINT {name} "),
        };
        Some(format!("{name}PRIMARY KEY ({}){using}{place}", table.key.join(", ")))
    }

    fn create_index(&self, table: &Table, index: &Index) -> String {
        let (name, unique) = (index.name, if index.unique { "UNIQUE " } else { "" });
        let columns = index.columns.join(", ");
        let place = index_place(table, &index.columns);
        format!("CREATE {unique}INDEX {name} ON {} ({columns}){place}", table.name)
    }

    fn literal(&self, value: Value<'_>, kind: ValueKind, out: &mut Vec<u8>) -> Result<()> {
        text::literal(value, kind, out)
    }

    fn current_schema(&self) -> Option<&'static str> {
        Some("SELECT USER FROM DUAL")
    }

    /// Before version 23, every SELECT needs a FROM clause.
    fn one_row(&self) -> &'static str {
        "SELECT 1 FROM DUAL"
    }

    fn parallel_degree(&self, workers: u64) -> Option<String> {
        Some(match workers {
            0 | 1 => "ALTER SESSION DISABLE PARALLEL QUERY".into(),
            more => format!("ALTER SESSION FORCE PARALLEL QUERY PARALLEL {more}"),
        })
    }

    /// Only errors from the server have an error number.
    fn error(&self, report: &Report<'_>) -> Error {
        match u32::try_from(report.number) {
            Ok(number @ 1..) => numbered(number, report.text),
            _ => sqlstate::error(report),
        }
    }

    /// Before version 23, DROP has no IF EXISTS. PURGE prevents the table from being kept in the recycle bin.
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
    use tacho_core::{Column, HashPartitions, Storage};
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
    fn a_table_that_does_not_grow_can_be_a_hash_cluster() {
        let column = |name, ty| Column { name, ty, nullable: false, declared: None };
        let hashed = Storage {
            options: vec![(ORGANIZE.into(), HASH.into()), (TABLESPACE.into(), "fast".into())],
            ranges: vec![("w", 7), ("d", 10), ("c", 3_000)],
            ..Storage::default()
        };
        let columns = vec![
            column("w", Type::Int),
            column("d", Type::SmallInt),
            column("c", Type::Int),
            column("name", Type::Varchar(100)),
        ];
        let key = vec!["w", "d", "c"];
        let table = Table { name: "t", columns, key, storage: hashed, ..Table::default() };
        let text = Oracle.create_table(&table);
        let statements: Vec<&str> = script::statements(&text, SYNTAX).collect();
        assert_eq!(statements.len(), 2, "{text}");
        assert!(
            statements[0].contains(
                "'CREATE CLUSTER t_cluster (w NUMBER(10), d NUMBER(5), c NUMBER(10)) SIZE 125 \
                 SINGLE TABLE HASHKEYS 210000 HASH IS ((w) * 10 + d) * 3000 + c TABLESPACE fast'"
            ),
            "{text}"
        );
        assert!(statements[1].ends_with(")\nCLUSTER t_cluster (w, d, c)"), "{text}");
        assert!(statements[1].contains("PRIMARY KEY (w, d, c) USING INDEX TABLESPACE fast"));
        let growing = Storage { ranges: Vec::new(), ..table.storage.clone() };
        let growing = Table { storage: growing, ..table };
        assert!(!Oracle.create_table(&growing).contains("CLUSTER"));
        let none = tacho_core::Schema { tables: vec![growing] };
        let error = tacho_driver::require_storage(&Oracle, &none).expect_err("no ranges");
        assert!(error.to_string().contains("organize=hash"), "{error}");
        assert!(check_organization("column").is_err());
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
        let statements: Vec<&str> = script::statements(&script, SYNTAX).collect();
        assert_eq!(statements.len(), 2, "{statements:?}");
        assert!(statements[1].contains("'U'") && statements[1].ends_with("END;"));
    }
    #[test]
    fn storage_is_written_where_it_belongs() {
        let column = |name| Column { name, ty: Type::Int, nullable: false, declared: None };
        let partitions = HashPartitions { column: "a", prefix: "t_", count: 4, highest: 9 };
        let storage = Storage {
            partitions: Some(partitions),
            options: vec![(TABLESPACE.into(), "fast".into())],
            ..Storage::default()
        };
        let index = Index { name: "t_i2", columns: vec!["b"], unique: false };
        let table = Table {
            name: "t",
            columns: vec![column("a"), column("b")],
            key: vec!["a"],
            indexes: vec![index],
            storage,
            ..Table::default()
        };
        let expected = "CREATE TABLE t (\n  a NUMBER(10) NOT NULL,\n  b NUMBER(10) NOT NULL,\n  \
                        PRIMARY KEY (a) USING INDEX LOCAL TABLESPACE fast\n) TABLESPACE fast\n\
                        PARTITION BY HASH (a) PARTITIONS 4";
        assert_eq!(Oracle.create_table(&table), expected);
        let expected = "CREATE INDEX t_i2 ON t (b) TABLESPACE fast";
        assert_eq!(Oracle.create_index(&table, &table.indexes[0]), expected);
        assert!(check_name("a; b").is_err());
    }
}
