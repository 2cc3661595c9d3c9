//! The dialect of a data source: that of its database, with the placeholders of ODBC.

use std::sync::Arc;
use std::time::Duration;

use tacho_core::{Column, Error, Index, Reference, Result, Storage, StorageOption, Table, Type};
use tacho_driver::lexer::Syntax;
use tacho_driver::{
    Dialect, Driver, FileLoad, Object, Report, RoutineKind, RowFiles, Value, ValueKind,
};

/// Standard SQL, for a database that no driver of ours speaks to.
struct Standard;

impl Dialect for Standard {
    fn id(&self) -> &'static str {
        "standard"
    }

    fn syntax(&self) -> Syntax {
        Syntax { backticks: true, dollar_quotes: true, ..Syntax::PLAIN }
    }

    fn placeholder(&self, _: usize, sql: &mut String) {
        sql.push('?');
    }

    fn row_limit(&self, rows: &str, sql: &mut String) {
        sql.extend(["FETCH FIRST ", rows, " ROWS ONLY"]);
    }

    /// There is no statement for it in the standard.
    fn analyze(&self, _: &[Table]) -> String {
        String::new()
    }

    fn drop_table(&self, name: &str) -> String {
        format!("DROP TABLE {name}")
    }
}

/// What is spoken with a data source.
#[derive(Clone)]
pub struct Spoken {
    /// The driver whose database it is, if there is one.
    pub base: Option<Arc<dyn Driver>>,
}

impl Spoken {
    fn inner(&self) -> &dyn Dialect {
        self.base.as_ref().map_or(&Standard, |base| base.dialect())
    }
}

/// Everything but the placeholders is that of the database.
impl Dialect for Spoken {
    fn id(&self) -> &'static str {
        self.inner().id()
    }

    fn overlay(&self, workload: &str) -> Option<&'static str> {
        self.inner().overlay(workload)
    }

    fn syntax(&self) -> Syntax {
        self.inner().syntax()
    }

    fn placeholder(&self, _: usize, sql: &mut String) {
        sql.push('?');
    }

    fn reuses_placeholders(&self) -> bool {
        false
    }

    fn several_statements(&self) -> bool {
        false
    }

    fn results_by_name(&self) -> bool {
        false
    }

    fn row_limit(&self, rows: &str, sql: &mut String) {
        self.inner().row_limit(rows, sql);
    }

    fn first_rows(&self, rows: &str) -> Option<String> {
        self.inner().first_rows(rows)
    }

    fn year(&self, column: &str, sql: &mut String) {
        self.inner().year(column, sql);
    }

    fn remainder(&self, number: &str, divisor: &str, sql: &mut String) {
        self.inner().remainder(number, divisor, sql);
    }

    fn substring(&self) -> &'static str {
        self.inner().substring()
    }

    fn parallel_hint(&self, workers: u64) -> Option<String> {
        self.inner().parallel_hint(workers)
    }

    fn literal(&self, value: Value<'_>, kind: ValueKind, out: &mut Vec<u8>) -> Result<()> {
        self.inner().literal(value, kind, out)
    }

    fn column_type(&self, ty: Type) -> String {
        self.inner().column_type(ty)
    }

    fn table_options(&self, table: &Table) -> String {
        self.inner().table_options(table)
    }

    fn create_table(&self, table: &Table) -> String {
        self.inner().create_table(table)
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

    fn one_row(&self) -> &'static str {
        self.inner().one_row()
    }

    fn current_schema(&self) -> Option<&'static str> {
        self.inner().current_schema()
    }

    fn error(&self, report: &Report<'_>) -> Error {
        self.inner().error(report)
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
        self.inner().column(column)
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

    fn statement_timeout(&self, limit: Duration) -> Option<String> {
        self.inner().statement_timeout(limit)
    }

    fn drop_table(&self, name: &str) -> String {
        self.inner().drop_table(name)
    }

    fn removal(&self, tables: &[&Object]) -> Vec<String> {
        self.inner().removal(tables)
    }

    fn for_large_queries(&self) -> &'static str {
        self.inner().for_large_queries()
    }

    fn analyze(&self, tables: &[Table]) -> String {
        self.inner().analyze(tables)
    }
}

#[cfg(test)]
mod tests {
    /// A default of the trait would silently stand in place of what the database's own dialect says.
    #[test]
    fn every_method_of_a_dialect_is_forwarded() {
        let methods = |source: &str| -> Vec<String> {
            let lines = source.lines().filter_map(|line| line.strip_prefix("    fn "));
            lines.filter_map(|line| line.split(['(', '<']).next()).map(str::to_owned).collect()
        };
        let contract = include_str!("../../../crates/driver/src/dialect.rs");
        let start = contract.find("pub trait Dialect").expect("the trait");
        let wanted = methods(contract[start..].split("\n}\n").next().unwrap_or_default());
        let own = include_str!("dialect.rs").split("impl Dialect for Spoken").nth(1);
        let own = methods(own.unwrap_or_default());
        assert!(wanted.len() > 20, "{wanted:?}");
        let missing: Vec<&String> = wanted.iter().filter(|name| !own.contains(name)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
