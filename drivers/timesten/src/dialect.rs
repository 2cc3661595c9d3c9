//! The SQL dialect of TimesTen in Oracle type mode, which is the only mode since version 18.1.

use tacho_core::{Column, Error, Result, StorageOption, Table, Type};
use tacho_driver::lexer::Syntax;
use tacho_driver::{Dialect, Report};

use crate::errors;

const AMOUNTS: &str = "amounts";
const DOUBLE: &str = "double";

/// The storage options that this dialect supports. They do not include partitions, which TimesTen lacks.
const STORAGE: [StorageOption; 2] = [
    StorageOption::FOREIGN_KEYS,
    StorageOption {
        key: AMOUNTS,
        help: "double: store decimals as BINARY_DOUBLE instead of NUMBER",
        check: check_amounts,
    },
];

fn check_amounts(value: &str) -> Result<()> {
    if value == DOUBLE {
        return Ok(());
    }
    Err(Error::usage(format!("invalid value for {AMOUNTS}: \"{value}\""))
        .hint("allowed: double; without this option, decimals are exact"))
}

/// Returns the definition of a column, with the type that the table's storage options require.
fn kept(column: &Column, table: &Table) -> Column {
    let is_double =
        matches!(column.ty, Type::Decimal { .. }) && table.storage.option(AMOUNTS) == Some(DOUBLE);
    let declared = column.declared.or(is_double.then_some("BINARY_DOUBLE"));
    Column { declared, ..column.clone() }
}

/// The dialect `timesten`.
pub struct TimesTen;

impl Dialect for TimesTen {
    fn id(&self) -> &'static str {
        "timesten"
    }

    fn syntax(&self) -> Syntax {
        Syntax::PLAIN
    }

    fn placeholder(&self, _: usize, sql: &mut String) {
        sql.push('?');
    }

    fn reuses_placeholders(&self) -> bool {
        false
    }

    fn first_rows(&self, rows: &str) -> Option<String> {
        Some(format!("FIRST {rows}"))
    }

    fn remainder(&self, number: &str, divisor: &str, sql: &mut String) {
        sql.extend(["MOD(", number, ", ", divisor, ")"]);
    }

    fn substring(&self) -> &'static str {
        "SUBSTR("
    }

    /// Uses TimesTen's native integer types, which take less memory and time than NUMBER.
    ///
    /// No unit is needed after the length, because the connection counts lengths in characters.
    ///
    /// A DATE also contains the time of day.
    fn column_type(&self, ty: Type) -> String {
        match ty {
            Type::SmallInt => "TT_SMALLINT".into(),
            Type::Int => "TT_INTEGER".into(),
            Type::BigInt => "TT_BIGINT".into(),
            Type::Decimal { precision, scale } => format!("NUMBER({precision},{scale})"),
            Type::Char(length) => format!("CHAR({length})"),
            Type::Varchar(length) => format!("VARCHAR2({length})"),
            Type::Timestamp => "TIMESTAMP(6)".into(),
            Type::Date => "DATE".into(),
        }
    }

    fn create_table(&self, table: &Table) -> String {
        let column = |column: &Column| self.column(&kept(column, table));
        let mut parts: Vec<String> = match table.stored_columns() {
            Some(columns) => columns.map(column).collect(),
            None => table.columns.iter().map(column).collect(),
        };
        parts.extend(self.primary_key(table));
        format!("CREATE TABLE {} (\n  {}\n)", table.name, parts.join(",\n  "))
    }

    fn storage(&self) -> &'static [StorageOption] {
        &STORAGE
    }

    fn current_schema(&self) -> Option<&'static str> {
        Some("SELECT USER FROM DUAL")
    }

    fn one_row(&self) -> &'static str {
        "SELECT 1 FROM DUAL"
    }

    fn error(&self, report: &Report<'_>) -> Error {
        errors::error(report)
    }

    /// IF EXISTS is not supported.
    fn drop_table(&self, name: &str) -> String {
        format!("DROP TABLE {name}")
    }

    /// Returns one call for each table. The call refreshes the table's statistics, which makes the server prepare
    /// statements on the table again.
    fn analyze(&self, tables: &[Table]) -> String {
        let one =
            |table: &Table| format!("CALL ttOptUpdateStats('{}', 1)", table.name.to_uppercase());
        tables.iter().map(one).collect::<Vec<String>>().join(";\n")
    }
}

#[cfg(test)]
mod tests {
    use tacho_core::{HashPartitions, Schema, Storage};
    use tacho_driver::{require_storage, script};

    use super::*;

    fn table(storage: Storage) -> Table {
        let column = |name, ty, nullable| Column { name, ty, nullable, declared: None };
        let columns = vec![
            column("a", Type::Int, false),
            column("b", Type::BigInt, true),
            column("c", Type::Decimal { precision: 12, scale: 2 }, true),
            column("d", Type::Varchar(20), true),
            column("e", Type::Date, true),
        ];
        Table { name: "t", columns, key: vec!["a"], storage, ..Table::default() }
    }

    #[test]
    fn tables_have_its_own_types() {
        let expected = "CREATE TABLE t (\n  a TT_INTEGER NOT NULL,\n  b TT_BIGINT,\n  \
                        c NUMBER(12,2),\n  d VARCHAR2(20),\n  e DATE,\n  PRIMARY KEY (a)\n)";
        assert_eq!(TimesTen.create_table(&table(Storage::default())), expected);
        let options = vec![(AMOUNTS.into(), DOUBLE.into())];
        let doubled = TimesTen.create_table(&table(Storage { options, ..Storage::default() }));
        assert_eq!(doubled, expected.replace("NUMBER(12,2)", "BINARY_DOUBLE"));
        assert!(check_amounts("float").is_err() && check_amounts(DOUBLE).is_ok());
    }

    #[test]
    fn statistics_are_those_of_each_table() {
        let tables = [table(Storage::default()), Table { name: "u", ..Table::default() }];
        let script = TimesTen.analyze(&tables);
        let statements: Vec<&str> = script::statements(&script, Syntax::PLAIN).collect();
        assert_eq!(statements, ["CALL ttOptUpdateStats('T', 1)", "CALL ttOptUpdateStats('U', 1)"]);
    }

    #[test]
    fn rejects_partitions() {
        let partitions = HashPartitions { column: "a", prefix: "t_", count: 10, highest: 9 };
        let storage = Storage { partitions: Some(partitions), ..Storage::default() };
        let schema = Schema { tables: vec![table(storage)] };
        let error = require_storage(&TimesTen, &schema).expect_err("there are none");
        assert!(error.to_string().contains("partitions"), "{error}");
    }
}
