//! How `PostgreSQL` writes SQL.

use std::fmt::Write;

use tacho_core::{Column, Table, Type};
use tacho_driver::Dialect;

/// The dialect `postgres`.
pub struct Postgres;

impl Dialect for Postgres {
    fn id(&self) -> &'static str {
        "postgres"
    }

    fn placeholder(&self, position: usize, sql: &mut String) {
        // Writing to a String cannot fail.
        let _ = write!(sql, "${position}");
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
        }
    }

    /// The widest alignment comes first, so that no bytes are lost between columns: the server
    /// stores them in the order given, and tables that are denser by some bytes a row are measurably
    /// faster. Loads and inserts name their columns, so the order shows nowhere else.
    fn create_table(&self, table: &Table) -> String {
        let mut columns: Vec<&Column> = table.columns.iter().collect();
        columns.sort_by_key(|column| std::cmp::Reverse(alignment(column.ty)));
        let mut parts: Vec<String> =
            columns.into_iter().map(|column| self.column(column)).collect();
        if !table.key.is_empty() {
            parts.push(format!("PRIMARY KEY ({})", table.key.join(", ")));
        }
        let options = self.table_options(table);
        format!("CREATE TABLE {} (\n  {}\n){options}", table.name, parts.join(",\n  "))
    }
}

/// Bytes to which a column of fixed length is aligned; 0 for variable length, whose short values
/// are not aligned at all and which therefore comes last.
fn alignment(ty: Type) -> u8 {
    match ty {
        Type::BigInt | Type::Timestamp => 8,
        Type::Int => 4,
        Type::SmallInt => 2,
        Type::Decimal { .. } | Type::Char(_) | Type::Varchar(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_ordered_by_alignment() {
        let column = |name, ty| Column { name, ty, nullable: name == "e" };
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
            ],
            key: &["c", "f"],
            indexes: Vec::new(),
        };
        let expected = [
            "e TIMESTAMPTZ",
            "g BIGINT NOT NULL",
            "c INTEGER NOT NULL",
            "f INTEGER NOT NULL",
            "b SMALLINT NOT NULL",
            "a CHAR(2) NOT NULL",
            "d NUMERIC(12,2) NOT NULL",
            "h VARCHAR(9) NOT NULL",
            "PRIMARY KEY (c, f)",
        ];
        let expected = format!("CREATE TABLE t (\n  {}\n)", expected.join(",\n  "));
        assert_eq!(Postgres.create_table(&table), expected);
    }
}
