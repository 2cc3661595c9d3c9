//! How one database writes what all of them can do.

use std::time::Duration;

use tacho_core::{
    Column, Error, ErrorKind, Index, Reference, Result, Schema, Storage, StorageOption, Table, Type,
};

use crate::lexer::Syntax;
use crate::{FileLoad, Object, Report, RowFiles, Value, ValueKind, sqlstate, text};

/// Begins the year of a column in a SQL file.
pub(crate) const YEAR: &str = "EXTRACT(YEAR FROM ";

/// Begins a part of a text in a SQL file.
pub(crate) const SUBSTRING: &str = "substring(";

/// How a stored routine is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoutineKind {
    /// From its text. It is made within a transaction where the database has such.
    Interpreted,
    /// As machine code. It is made and removed outside of transactions, and its tables cannot be removed before it.
    Native,
}

/// Words and spelling of one database's SQL. The defaults are standard SQL.
pub trait Dialect: Send + Sync {
    /// Name of the workloads' SQL override file for this dialect, such as `sqlite`.
    fn id(&self) -> &'static str;

    /// Text of sections that replace those of a workload, over its own files for this dialect. Built-in
    /// dialects have none: their statements are files of the workload.
    fn overlay(&self, _workload: &str) -> Option<&'static str> {
        None
    }

    /// Appends the placeholder of the parameter at this 1-based position.
    fn placeholder(&self, position: usize, sql: &mut String);

    /// The lexical rules of its SQL.
    fn syntax(&self) -> Syntax {
        Syntax::STANDARD
    }

    /// Whether a placeholder may stand several times in a statement for one parameter.
    fn reuses_placeholders(&self) -> bool {
        true
    }

    /// Whether one request may hold several statements of a user, separated by semicolons, where they travel as text.
    fn several_statements(&self) -> bool {
        false
    }

    /// Whether results of a statement of a user can be found by the names of their columns.
    fn results_by_name(&self) -> bool {
        false
    }

    /// Appends what bounds the rows of a query that is in a defined order: what the last line `LIMIT n` of a
    /// statement in a SQL file becomes.
    fn row_limit(&self, rows: &str, sql: &mut String) {
        sql.push_str("LIMIT ");
        sql.push_str(rows);
    }

    /// What follows the first SELECT of a query that has a limit, for databases that bound the rows there and not
    /// at the end, as [`Dialect::row_limit`] does.
    fn first_rows(&self, _rows: &str) -> Option<String> {
        None
    }

    /// Appends the year of a column: what `EXTRACT(YEAR FROM column)` in a SQL file becomes.
    fn year(&self, column: &str, sql: &mut String) {
        sql.extend([YEAR, column, ")"]);
    }

    /// Appends the remainder of a division: what `a * b % 10` in a SQL file becomes.
    fn remainder(&self, number: &str, divisor: &str, sql: &mut String) {
        sql.extend([number, " % ", divisor]);
    }

    /// What `substring(` in a SQL file becomes: the function of a text, a place and a length.
    fn substring(&self) -> &'static str {
        SUBSTRING
    }

    /// Appends a value as a literal, for statements that travel as text: form `simple`.
    ///
    /// # Errors
    /// Usage, if the value is not of this kind or cannot be written.
    fn literal(&self, value: Value<'_>, kind: ValueKind, out: &mut Vec<u8>) -> Result<()> {
        text::literal(value, kind, out)
    }

    /// A column's type.
    fn column_type(&self, ty: Type) -> String {
        match ty {
            Type::SmallInt => "SMALLINT".into(),
            Type::Int => "INTEGER".into(),
            Type::BigInt => "BIGINT".into(),
            Type::Decimal { precision, scale } => format!("NUMERIC({precision},{scale})"),
            Type::Char(length) => format!("CHAR({length})"),
            Type::Varchar(length) => format!("VARCHAR({length})"),
            Type::Timestamp => "TIMESTAMP".into(),
            Type::Date => "DATE".into(),
        }
    }

    /// What follows the closing parenthesis of CREATE TABLE, with a leading space.
    fn table_options(&self, _table: &Table) -> String {
        String::new()
    }

    /// The statement that creates a table with its primary key.
    fn create_table(&self, table: &Table) -> String {
        let mut parts: Vec<String> = match table.stored_columns() {
            Some(columns) => columns.map(|column| self.column(column)).collect(),
            None => table.columns.iter().map(|column| self.column(column)).collect(),
        };
        parts.extend(self.primary_key(table));
        let options = self.table_options(table);
        format!("CREATE TABLE {} (\n  {}\n){options}", table.name, parts.join(",\n  "))
    }

    /// The primary key as a part of CREATE TABLE, if there is one.
    fn primary_key(&self, table: &Table) -> Option<String> {
        let name = match table.key_name {
            "" => String::new(),
            name => format!("CONSTRAINT {name} "),
        };
        let columns = table.key.join(", ");
        (!table.key.is_empty()).then(|| format!("{name}PRIMARY KEY ({columns})"))
    }

    /// Whether decimals and times are kept as whole numbers: unscaled, and in microseconds since 1970.
    fn keeps_whole_numbers(&self) -> bool {
        false
    }

    /// The first statement of a session of another client library, so that values mean there what they
    /// mean in a session of our own driver. Empty if there is nothing to say.
    fn session_setup(&self) -> &'static str {
        ""
    }

    /// The query for the schema in which a name without one is looked for; `None` if there are no schemas.
    fn current_schema(&self) -> Option<&'static str> {
        None
    }

    /// Whether a table of this name is one that the database made for itself, though its client library lists it with
    /// those of the user.
    fn is_system_table(&self, _name: &str) -> bool {
        false
    }

    /// The shortest query: one row of the number 1.
    fn one_row(&self) -> &'static str {
        "SELECT 1"
    }

    /// Our error for one that another client library reports.
    fn error(&self, report: &Report<'_>) -> Error {
        sqlstate::error(report)
    }

    /// Whether tables that are kept so have keys and indexes.
    fn keeps_keys(&self, _storage: &Storage) -> bool {
        true
    }

    /// What of a table's [`Storage`] this dialect can write, with its own options among it.
    fn storage(&self) -> &'static [StorageOption] {
        &[]
    }

    /// Whether a table that is kept so needs [`Storage::ranges`].
    fn needs_ranges(&self, _storage: &Storage) -> bool {
        false
    }

    /// Whether tables that are kept so can be made and removed within a transaction, where others can.
    fn has_transactional_ddl(&self, _storage: &Storage) -> bool {
        true
    }

    /// How the stored routines on tables that are kept so are run.
    fn routine_kind(&self, _storage: &Storage) -> RoutineKind {
        RoutineKind::Interpreted
    }

    /// One column of CREATE TABLE.
    fn column(&self, column: &Column) -> String {
        let null = if column.nullable { "" } else { " NOT NULL" };
        let declared = column.declared.map(str::to_owned);
        let ty = declared.unwrap_or_else(|| self.column_type(column.ty));
        format!("{} {ty}{null}", column.name)
    }

    /// How the server itself loads files of rows that it reads; `None` if it has no statement for that, or none for
    /// this format.
    fn load_files(&self, _files: &RowFiles<'_>) -> Option<FileLoad> {
        None
    }

    /// The statement that creates a secondary index; empty if it is a part of CREATE TABLE.
    fn create_index(&self, table: &Table, index: &Index) -> String {
        let unique = if index.unique { "UNIQUE " } else { "" };
        let columns = index.columns.join(", ");
        format!("CREATE {unique}INDEX {} ON {} ({columns})", index.name, table.name)
    }

    /// The statement that adds a foreign key to a table that is there.
    fn add_reference(&self, table: &Table, reference: &Reference) -> String {
        let Reference { name, columns, table: other, key } = reference;
        let (columns, key) = (columns.join(", "), key.join(", "));
        format!(
            "ALTER TABLE {} ADD CONSTRAINT {name} FOREIGN KEY ({columns}) REFERENCES {other} ({key})",
            table.name
        )
    }

    /// The statement that lets the server use so many workers for each query of a session; `None` if it
    /// cannot be set.
    fn parallel_degree(&self, _workers: u64) -> Option<String> {
        None
    }

    /// The same as the end of each query's text, where only a query can set it.
    fn parallel_hint(&self, _workers: u64) -> Option<String> {
        None
    }

    /// The statement that ends each query of a session after this time; `None` if a session cannot set it.
    fn statement_timeout(&self, _limit: Duration) -> Option<String> {
        None
    }

    /// The statement that removes a table of this name if it is there.
    fn drop_table(&self, name: &str) -> String {
        format!("DROP TABLE IF EXISTS {name}")
    }

    /// The statements that remove these tables, in this order: as few as the database can do it with, so
    /// that what prevents the removal of one of them is found before another one is gone.
    fn removal(&self, tables: &[&Object]) -> Vec<String> {
        tables.iter().map(|table| table.drop.clone()).collect()
    }

    /// Statements that ready a session for a few large queries which it shares with other sessions;
    /// it serves nothing else afterwards. Empty if there is nothing to say.
    fn for_large_queries(&self) -> &'static str {
        ""
    }

    /// The statements that refresh the optimizer's statistics of these tables.
    fn analyze(&self, tables: &[Table]) -> String {
        let all = tables.iter().map(|table| format!("ANALYZE {}", table.name));
        all.collect::<Vec<String>>().join(";\n")
    }
}

/// Fails if a table is to be kept in a way that the dialect cannot write: what was asked for is
/// never left out in silence.
pub fn require_storage(dialect: &dyn Dialect, schema: &Schema) -> Result<()> {
    for (key, value) in schema.tables.iter().flat_map(Table::asked) {
        let Some(option) = dialect.storage().iter().find(|option| option.key == key) else {
            let text = format!("{key} is not supported by the dialect {}", dialect.id());
            let own = dialect.storage().iter().filter(|option| !option.help.is_empty());
            let own: Vec<&str> = own.map(|option| option.key).collect();
            let known = if own.is_empty() { "none".into() } else { own.join(", ") };
            return Err(Error::new(ErrorKind::Unsupported, text)
                .hint(format!("leave the parameter {key} out, or name another database"))
                .hint(format!("its options for --storage: {known}")));
        };
        if StorageOption::is_field(key) && !value.is_empty() {
            let text = format!("--storage {key}={value} is not supported by the workload");
            return Err(Error::new(ErrorKind::Unsupported, text)
                .hint("leave the option out, or use another workload"));
        }
        (option.check)(value)?;
    }
    let asked = |table: &&Table| dialect.needs_ranges(&table.storage);
    let has_none = schema.tables.iter().all(|table| table.storage.ranges.is_empty());
    if has_none && let Some(table) = schema.tables.iter().find(asked) {
        let all: Vec<String> =
            table.storage.asked().map(|(key, value)| format!("{key}={value}")).collect();
        let text = format!(
            "no table has numbers that are known before the load, as {} needs",
            all.join(" ")
        );
        return Err(Error::new(ErrorKind::Unsupported, text)
            .hint("leave the parameter out, or use another workload"));
    }
    Ok(())
}
