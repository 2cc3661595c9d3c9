//! How DuckDB writes SQL.

use std::fmt::Write;

use tacho_core::{Table, Type};
use tacho_driver::Dialect;

/// The dialect `duckdb`.
pub struct DuckDb;

impl Dialect for DuckDb {
    fn id(&self) -> &'static str {
        "duckdb"
    }

    fn placeholder(&self, position: usize, sql: &mut String) {
        // Writing to a String cannot fail.
        let _ = write!(sql, "${position}");
    }

    /// Texts have no length in DuckDB: its manual says that one is not enforced and changes nothing.
    fn column_type(&self, ty: Type) -> String {
        match ty {
            Type::SmallInt => "SMALLINT".into(),
            Type::Int => "INTEGER".into(),
            Type::BigInt => "BIGINT".into(),
            Type::Decimal { precision, scale } => format!("DECIMAL({precision},{scale})"),
            Type::Char(_) | Type::Varchar(_) => "VARCHAR".into(),
            Type::Timestamp => "TIMESTAMP".into(),
            Type::Date => "DATE".into(),
        }
    }

    /// One statement for all tables: it has no other.
    fn analyze(&self, _: &[Table]) -> String {
        "ANALYZE".into()
    }
}
