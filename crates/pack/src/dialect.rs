//! A pack's dialect. It is the dialect of the base driver with the pack's types and statements.

use std::sync::Arc;

use tacho_core::{Column, Error, Table, Type};
use tacho_driver::{Dialect, DialectLayer, Driver, Report};

use crate::Pack;

/// The base driver's SQL dialect, with the changes that the pack makes to it.
pub struct PackDialect {
    pub pack: Arc<Pack>,
    pub base: Arc<dyn Driver>,
}

impl PackDialect {
    fn own_type(&self, ty: Type) -> Option<String> {
        let (key, sizes): (&str, &[(&str, u32)]) = match ty {
            Type::SmallInt => ("small_int", &[]),
            Type::Int => ("int", &[]),
            Type::BigInt => ("big_int", &[]),
            Type::Decimal { precision, scale } => {
                ("decimal", &[("{precision}", precision.into()), ("{scale}", scale.into())])
            }
            Type::Char(length) => ("char", &[("{length}", length.into())]),
            Type::Varchar(length) => ("varchar", &[("{length}", length.into())]),
            Type::Timestamp => ("timestamp", &[]),
            Type::Date => ("date", &[]),
        };
        let text = self.pack.types.get(key)?;
        let fill = |text: String, (mark, size): &(&str, u32)| text.replace(mark, &size.to_string());
        Some(sizes.iter().fold(text.clone(), fill))
    }

    /// Returns the column with its type replaced by the pack's type. A column that declares its own
    /// type is not changed.
    fn own_column(&self, column: &Column) -> Column {
        let declared = || self.own_type(column.ty).map(|text| self.pack.declared(text));
        Column { declared: column.declared.or_else(declared), ..column.clone() }
    }

    fn own_table(&self, table: &Table) -> Table {
        let columns = table.columns.iter().map(|column| self.own_column(column)).collect();
        Table { columns, ..table.clone() }
    }

    fn own_statement(&self, key: &str, table: &str) -> Option<String> {
        self.pack.sql.get(key).map(|text| text.replace("{table}", table))
    }
}

impl DialectLayer for PackDialect {
    fn inner(&self) -> &dyn Dialect {
        self.base.dialect()
    }

    fn overlay(&self, workload: &str) -> Option<&'static str> {
        let overlay = self.pack.overlays.iter().find(|(name, ..)| name == workload);
        overlay.map(|(_, _, text)| *text).or_else(|| self.inner().overlay(workload))
    }

    fn first_rows(&self, rows: &str) -> Option<String> {
        let clause = self.pack.sql.get("first_rows").map(|text| text.replace("{rows}", rows));
        clause.or_else(|| self.inner().first_rows(rows))
    }

    fn remainder(&self, number: &str, divisor: &str, sql: &mut String) {
        match self.pack.sql.get("remainder") {
            Some(template) => {
                sql.push_str(&template.replace("{number}", number).replace("{divisor}", divisor));
            }
            None => self.inner().remainder(number, divisor, sql),
        }
    }

    fn column_type(&self, ty: Type) -> String {
        self.own_type(ty).unwrap_or_else(|| self.inner().column_type(ty))
    }

    fn create_table(&self, table: &Table) -> String {
        self.inner().create_table(&self.own_table(table))
    }

    fn error(&self, report: &Report<'_>) -> Error {
        self.pack.error(self.inner().error(report))
    }

    fn column(&self, column: &Column) -> String {
        self.inner().column(&self.own_column(column))
    }

    fn drop_table(&self, name: &str) -> String {
        self.own_statement("drop_table", name).unwrap_or_else(|| self.inner().drop_table(name))
    }

    fn analyze(&self, tables: &[Table]) -> String {
        if !self.pack.sql.contains_key("analyze") {
            return self.inner().analyze(tables);
        }
        let all = tables.iter().filter_map(|table| self.own_statement("analyze", table.name));
        all.filter(|sql| !sql.is_empty()).collect::<Vec<String>>().join(";\n")
    }
}
