//! How MySQL and MariaDB write SQL.

use tacho_core::{Table, Type};
use tacho_driver::Dialect;

/// The dialect `mysql`.
pub struct MySql;

impl Dialect for MySql {
    fn id(&self) -> &'static str {
        "mysql"
    }

    fn placeholder(&self, _: usize, sql: &mut String) {
        sql.push('?');
    }

    fn reuses_placeholders(&self) -> bool {
        false
    }

    /// Texts are compared byte by byte, as everywhere else, and not by the rules of a language:
    /// `BINARY` stands for that in whatever character set the database has. `TIMESTAMP` would end
    /// in 2038 and depends on the session's time zone.
    fn column_type(&self, ty: Type) -> String {
        match ty {
            Type::SmallInt => "SMALLINT".into(),
            Type::Int => "INT".into(),
            Type::BigInt => "BIGINT".into(),
            Type::Decimal { precision, scale } => format!("DECIMAL({precision},{scale})"),
            Type::Char(length) => format!("CHAR({length}) BINARY"),
            Type::Varchar(length) => format!("VARCHAR({length}) BINARY"),
            Type::Timestamp => "DATETIME(6)".into(),
        }
    }

    fn table_options(&self, _: &Table) -> String {
        " ENGINE=InnoDB".into()
    }

    /// The server refreshes its statistics table by table.
    fn analyze(&self, tables: &[Table]) -> String {
        let names: Vec<&str> = tables.iter().map(|table| table.name).collect();
        format!("ANALYZE TABLE {}", names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use tacho_core::Column;

    use super::*;

    #[test]
    fn tables_are_of_innodb_with_binary_texts() {
        let column = |name, ty| Column { name, ty, nullable: name == "c" };
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
        assert_eq!(MySql.analyze(&[table.clone(), table]), "ANALYZE TABLE t, t");
    }
}
