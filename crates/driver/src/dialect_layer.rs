//! Dialects that wrap other dialects.
//!
//! Start reading at [`DialectLayer`].

use std::time::Duration;

use tacho_core::{Column, Error, Index, Reference, Result, Storage, StorageOption, Table, Type};

use crate::lexer::Syntax;
use crate::{
    Dialect, FileLoad, Isolation, Object, Report, RoutineKind, RowFiles, Value, ValueKind, layer,
};

layer! {
    /// A dialect that forwards calls to an inner dialect and overrides some of its methods.
    DialectLayer around Dialect in "dialect.rs";

    fn id(&self) -> &'static str;
    fn overlay(&self, workload: &str) -> Option<&'static str>;
    fn placeholder(&self, position: usize, sql: &mut String);
    fn syntax(&self) -> Syntax;
    fn reuses_placeholders(&self) -> bool;
    fn several_statements(&self) -> bool;
    fn results_by_name(&self) -> bool;
    fn row_limit(&self, rows: &str, sql: &mut String);
    fn first_rows(&self, rows: &str) -> Option<String>;
    fn year(&self, column: &str, sql: &mut String);
    fn remainder(&self, number: &str, divisor: &str, sql: &mut String);
    fn substring(&self) -> &'static str;
    fn literal(&self, value: Value<'_>, kind: ValueKind, out: &mut Vec<u8>) -> Result<()>;
    fn column_type(&self, ty: Type) -> String;
    fn table_options(&self, table: &Table) -> String;
    fn create_table(&self, table: &Table) -> String;
    fn primary_key(&self, table: &Table) -> Option<String>;
    fn keeps_whole_numbers(&self) -> bool;
    fn session_setup(&self) -> &'static str;
    fn current_schema(&self) -> Option<&'static str>;
    fn is_system_table(&self, name: &str) -> bool;
    fn isolation_query(&self) -> Option<&'static str>;
    fn isolation(&self, values: &[&str]) -> Isolation;
    fn one_row(&self) -> &'static str;
    fn error(&self, report: &Report<'_>) -> Error;
    fn keeps_keys(&self, storage: &Storage) -> bool;
    fn storage(&self) -> &'static [StorageOption];
    fn needs_ranges(&self, storage: &Storage) -> bool;
    fn has_transactional_ddl(&self, storage: &Storage) -> bool;
    fn routine_kind(&self, storage: &Storage) -> RoutineKind;
    fn routine_shape(&self, create: &str) -> Option<String>;
    fn column(&self, column: &Column) -> String;
    fn load_files(&self, files: &RowFiles<'_>) -> Option<FileLoad>;
    fn create_index(&self, table: &Table, index: &Index) -> String;
    fn add_reference(&self, table: &Table, reference: &Reference) -> String;
    fn parallel_degree(&self, workers: u64) -> Option<String>;
    fn parallel_hint(&self, workers: u64) -> Option<String>;
    fn statement_timeout(&self, limit: Duration) -> Option<String>;
    fn drop_table(&self, name: &str) -> String;
    fn removal(&self, tables: &[&Object]) -> Vec<String>;
    fn for_large_queries(&self) -> &'static str;
    fn analyze(&self, tables: &[Table]) -> String;
}
