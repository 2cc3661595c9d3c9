//! The dialect of a pack: that of its base, with its own types and statements.
//!
//! Every method is here, also those with a default: it would be that of the standard, and not the base's.

use std::sync::Arc;
use std::time::Duration;

use tacho_core::{Column, Error, Index, Reference, Result, Storage, StorageOption, Table, Type};
use tacho_driver::lexer::Syntax;
use tacho_driver::{
    Dialect, Driver, FileLoad, Object, Report, RoutineKind, RowFiles, Value, ValueKind,
};

use crate::Pack;

/// What a pack makes of the dialect of its base.
pub struct Spoken {
    pub pack: Arc<Pack>,
    pub base: Arc<dyn Driver>,
}

impl Spoken {
    fn inner(&self) -> &dyn Dialect {
        self.base.dialect()
    }

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

    /// A column that declares the pack's type, unless it declares one of its own.
    fn own_column(&self, column: &Column) -> Column {
        let own = || self.own_type(column.ty).map(|text| self.pack.declared(text));
        Column { declared: column.declared.or_else(own), ..column.clone() }
    }

    fn own_table(&self, table: &Table) -> Table {
        let columns = table.columns.iter().map(|column| self.own_column(column)).collect();
        Table { columns, ..table.clone() }
    }

    /// A statement of the pack about a table.
    fn own_statement(&self, key: &str, table: &str) -> Option<String> {
        self.pack.sql.get(key).map(|text| text.replace("{table}", table))
    }
}

impl Dialect for Spoken {
    fn id(&self) -> &'static str {
        self.inner().id()
    }

    fn overlay(&self, workload: &str) -> Option<&'static str> {
        let own = self.pack.overlays.iter().find(|(name, ..)| name == workload);
        own.map(|(_, _, text)| *text).or_else(|| self.inner().overlay(workload))
    }

    fn syntax(&self) -> Syntax {
        self.inner().syntax()
    }

    fn placeholder(&self, position: usize, sql: &mut String) {
        self.inner().placeholder(position, sql);
    }

    fn reuses_placeholders(&self) -> bool {
        self.inner().reuses_placeholders()
    }

    fn several_statements(&self) -> bool {
        self.inner().several_statements()
    }

    fn results_by_name(&self) -> bool {
        self.inner().results_by_name()
    }

    fn row_limit(&self, rows: &str, sql: &mut String) {
        self.inner().row_limit(rows, sql);
    }

    fn first_rows(&self, rows: &str) -> Option<String> {
        let own = self.pack.sql.get("first_rows").map(|text| text.replace("{rows}", rows));
        own.or_else(|| self.inner().first_rows(rows))
    }

    fn year(&self, column: &str, sql: &mut String) {
        self.inner().year(column, sql);
    }

    fn remainder(&self, number: &str, divisor: &str, sql: &mut String) {
        match self.pack.sql.get("remainder") {
            Some(own) => {
                sql.push_str(&own.replace("{number}", number).replace("{divisor}", divisor));
            }
            None => self.inner().remainder(number, divisor, sql),
        }
    }

    fn substring(&self) -> &'static str {
        self.inner().substring()
    }

    fn literal(&self, value: Value<'_>, kind: ValueKind, out: &mut Vec<u8>) -> Result<()> {
        self.inner().literal(value, kind, out)
    }

    fn column_type(&self, ty: Type) -> String {
        self.own_type(ty).unwrap_or_else(|| self.inner().column_type(ty))
    }

    fn table_options(&self, table: &Table) -> String {
        self.inner().table_options(table)
    }

    fn create_table(&self, table: &Table) -> String {
        self.inner().create_table(&self.own_table(table))
    }

    fn primary_key(&self, table: &Table) -> Option<String> {
        self.inner().primary_key(table)
    }

    fn keeps_whole_numbers(&self) -> bool {
        self.inner().keeps_whole_numbers()
    }

    fn session_setup(&self) -> &'static str {
        self.inner().session_setup()
    }

    fn current_schema(&self) -> Option<&'static str> {
        self.inner().current_schema()
    }

    fn one_row(&self) -> &'static str {
        self.inner().one_row()
    }

    fn error(&self, report: &Report<'_>) -> Error {
        self.pack.error(self.inner().error(report))
    }

    fn keeps_keys(&self, storage: &Storage) -> bool {
        self.inner().keeps_keys(storage)
    }

    fn storage(&self) -> &'static [StorageOption] {
        self.inner().storage()
    }

    fn needs_ranges(&self, storage: &Storage) -> bool {
        self.inner().needs_ranges(storage)
    }

    fn is_system_table(&self, name: &str) -> bool {
        self.inner().is_system_table(name)
    }

    fn has_transactional_ddl(&self, storage: &Storage) -> bool {
        self.inner().has_transactional_ddl(storage)
    }

    fn routine_kind(&self, storage: &Storage) -> RoutineKind {
        self.inner().routine_kind(storage)
    }

    fn column(&self, column: &Column) -> String {
        self.inner().column(&self.own_column(column))
    }

    fn load_files(&self, files: &RowFiles<'_>) -> Option<FileLoad> {
        self.inner().load_files(files)
    }

    fn create_index(&self, table: &Table, index: &Index) -> String {
        self.inner().create_index(table, index)
    }

    fn add_reference(&self, table: &Table, reference: &Reference) -> String {
        self.inner().add_reference(table, reference)
    }

    fn parallel_degree(&self, workers: u64) -> Option<String> {
        self.inner().parallel_degree(workers)
    }

    fn parallel_hint(&self, workers: u64) -> Option<String> {
        self.inner().parallel_hint(workers)
    }

    fn statement_timeout(&self, limit: Duration) -> Option<String> {
        self.inner().statement_timeout(limit)
    }

    fn drop_table(&self, name: &str) -> String {
        self.own_statement("drop_table", name).unwrap_or_else(|| self.inner().drop_table(name))
    }

    fn removal(&self, tables: &[&Object]) -> Vec<String> {
        self.inner().removal(tables)
    }

    fn for_large_queries(&self) -> &'static str {
        self.inner().for_large_queries()
    }

    fn analyze(&self, tables: &[Table]) -> String {
        if !self.pack.sql.contains_key("analyze") {
            return self.inner().analyze(tables);
        }
        let all = tables.iter().filter_map(|table| self.own_statement("analyze", table.name));
        all.filter(|sql| !sql.is_empty()).collect::<Vec<String>>().join(";\n")
    }
}

#[cfg(test)]
mod tests {
    /// A default of the trait would silently stand in place of what the base says.
    #[test]
    fn every_method_of_a_dialect_is_forwarded() {
        let methods = |source: &str| -> Vec<String> {
            let lines = source.lines().filter_map(|line| line.strip_prefix("    fn "));
            lines.filter_map(|line| line.split(['(', '<']).next()).map(str::to_owned).collect()
        };
        let contract = include_str!("../../driver/src/dialect.rs");
        let start = contract.find("pub trait Dialect").expect("the trait");
        let body = contract[start..].split("\n}\n").next().unwrap_or_default();
        let own = include_str!("dialect.rs").split("impl Dialect for Spoken").nth(1);
        let own = methods(own.unwrap_or_default());
        let wanted = methods(body);
        assert!(wanted.len() > 20, "{wanted:?}");
        let missing: Vec<&String> = wanted.iter().filter(|name| !own.contains(name)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
