//! The SQL dialect of a database.

use std::time::Duration;

use tacho_core::{
    Column, Error, ErrorKind, Index, Reference, Result, Schema, Storage, StorageOption, Table, Type,
};

use crate::lexer::Syntax;
use crate::{FileLoad, Isolation, Object, Report, RowFiles, Value, ValueKind, sqlstate, text};

/// The start of the expression with which SQL files extract the year from a column.
pub(crate) const YEAR: &str = "EXTRACT(YEAR FROM ";

/// The start of the expression with which SQL files extract a substring.
pub(crate) const SUBSTRING: &str = "substring(";

/// The way in which a stored routine is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoutineKind {
    /// Interpreted by the database. It is created within a transaction if the database supports this.
    Interpreted,
    /// Compiled to machine code. Such a routine is created and dropped outside transactions. It is dropped before the
    /// tables that it uses.
    Native,
}

/// The syntax of a database's SQL. The default methods implement standard SQL.
pub trait Dialect: Send + Sync {
    /// Returns the dialect's name, such as `sqlite`. It is also the name of a workload's SQL file for this dialect.
    fn id(&self) -> &'static str;

    /// Returns SQL sections that take precedence over the workload's own. Built-in dialects do not need any.
    fn overlay(&self, _workload: &str) -> Option<&'static str> {
        None
    }

    /// Appends the placeholder of the parameter at this position, counted from 1.
    fn placeholder(&self, position: usize, sql: &mut String);

    /// Returns the lexical rules of the dialect.
    fn syntax(&self) -> Syntax {
        Syntax::STANDARD
    }

    /// Returns true if a statement may contain the placeholder of a parameter several times.
    fn reuses_placeholders(&self) -> bool {
        true
    }

    /// Returns true if a single text request may contain several user-written statements, separated by semicolons.
    fn several_statements(&self) -> bool {
        false
    }

    /// Returns true if the columns in the result of a user-written statement can be found by their names.
    fn results_by_name(&self) -> bool {
        false
    }

    /// Appends the clause that limits the number of rows of an ordered query. In SQL files, this clause is `LIMIT n` at
    /// the end of a statement.
    fn row_limit(&self, rows: &str, sql: &mut String) {
        sql.push_str("LIMIT ");
        sql.push_str(rows);
    }

    /// Returns the words that limit the number of rows, for dialects in which they must follow the first SELECT. Most
    /// dialects use [`Dialect::row_limit`] instead.
    fn first_rows(&self, _rows: &str) -> Option<String> {
        None
    }

    /// Appends an expression for a column's year. It replaces `EXTRACT(YEAR FROM column)` in a SQL file.
    fn year(&self, column: &str, sql: &mut String) {
        sql.extend([YEAR, column, ")"]);
    }

    /// Appends an expression for the remainder of a division. It replaces expressions such as `a * b % 10` in a SQL
    /// file.
    fn remainder(&self, number: &str, divisor: &str, sql: &mut String) {
        sql.extend([number, " % ", divisor]);
    }

    /// Returns the replacement for `substring(` in a SQL file. Its arguments are a string, a position and a length.
    fn substring(&self) -> &'static str {
        SUBSTRING
    }

    /// Appends a value as a literal, for statements that are sent as text together with their values.
    ///
    /// # Errors
    /// Returns a usage error if the value is of another kind or cannot be written as a literal.
    fn literal(&self, value: Value<'_>, kind: ValueKind, out: &mut Vec<u8>) -> Result<()> {
        text::literal(value, kind, out)
    }

    /// Returns the type of a column.
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

    /// Returns the clauses after the closing parenthesis of CREATE TABLE, with a leading space.
    fn table_options(&self, _table: &Table) -> String {
        String::new()
    }

    /// Returns the statement that creates a table with its primary key.
    fn create_table(&self, table: &Table) -> String {
        let mut parts: Vec<String> = match table.stored_columns() {
            Some(columns) => columns.map(|column| self.column(column)).collect(),
            None => table.columns.iter().map(|column| self.column(column)).collect(),
        };
        parts.extend(self.primary_key(table));
        let options = self.table_options(table);
        format!("CREATE TABLE {} (\n  {}\n){options}", table.name, parts.join(",\n  "))
    }

    /// Returns the primary key clause of CREATE TABLE, if there is one.
    fn primary_key(&self, table: &Table) -> Option<String> {
        let name = match table.key_name {
            "" => String::new(),
            name => format!("CONSTRAINT {name} "),
        };
        let columns = table.key.join(", ");
        (!table.key.is_empty()).then(|| format!("{name}PRIMARY KEY ({columns})"))
    }

    /// Returns true if the database stores decimals as unscaled integers and times as microseconds since 1970.
    fn keeps_whole_numbers(&self) -> bool {
        false
    }

    /// Returns the statement with which a client library other than Tacho's own driver must start each session, so that
    /// it represents values in the same way. Empty if none is needed.
    fn session_setup(&self) -> &'static str {
        ""
    }

    /// Returns the query for the current schema, or `None` if the database has no schemas.
    fn current_schema(&self) -> Option<&'static str> {
        None
    }

    /// Returns true for a table of the database itself that the client library lists among the user's tables.
    fn is_system_table(&self, _name: &str) -> bool {
        false
    }

    /// Returns the query for the isolation level of the session that executes it, or `None` if there is none.
    fn isolation_query(&self) -> Option<&'static str> {
        None
    }

    /// Returns the isolation level and what the vendor promises for it, given the values that
    /// [`Dialect::isolation_query`] returned.
    fn isolation(&self, values: &[&str]) -> Isolation {
        Isolation { asked: values.join(" "), promised: None }
    }

    /// Returns the shortest query whose result is one row with the number 1.
    fn one_row(&self) -> &'static str {
        "SELECT 1"
    }

    /// Converts an error that was reported by a client library other than Tacho's own driver.
    fn error(&self, report: &Report<'_>) -> Error {
        sqlstate::error(report)
    }

    /// Returns true if tables with these storage options can have keys and indexes.
    fn keeps_keys(&self, _storage: &Storage) -> bool {
        true
    }

    /// Returns the [`Storage`] options that this dialect supports for a table, including its own.
    fn storage(&self) -> &'static [StorageOption] {
        &[]
    }

    /// Returns true if these storage options have an effect only on a table whose [`Storage::ranges`] are set.
    fn needs_ranges(&self, _storage: &Storage) -> bool {
        false
    }

    /// Returns true if tables with this storage can be created and dropped within a transaction.
    fn has_transactional_ddl(&self, _storage: &Storage) -> bool {
        true
    }

    /// Returns the kind of stored routine to use for tables with this storage.
    fn routine_kind(&self, _storage: &Storage) -> RoutineKind {
        RoutineKind::Interpreted
    }

    /// Returns the definition that the database will report for the routine that this statement creates, such as a hash
    /// of its text. Returns `None` if the database reports the text itself.
    fn routine_shape(&self, _create: &str) -> Option<String> {
        None
    }

    /// Returns the definition of one column in CREATE TABLE.
    fn column(&self, column: &Column) -> String {
        let null = if column.nullable { "" } else { " NOT NULL" };
        let declared = column.declared.map(str::to_owned);
        let ty = declared.unwrap_or_else(|| self.column_type(column.ty));
        format!("{} {ty}{null}", column.name)
    }

    /// Returns the statements that make the server itself load row files, or `None` if the server cannot read their
    /// format.
    fn load_files(&self, _files: &RowFiles<'_>) -> Option<FileLoad> {
        None
    }

    /// Returns the statement that creates a secondary index, or nothing if CREATE TABLE contains the index.
    fn create_index(&self, table: &Table, index: &Index) -> String {
        let unique = if index.unique { "UNIQUE " } else { "" };
        let columns = index.columns.join(", ");
        format!("CREATE {unique}INDEX {} ON {} ({columns})", index.name, table.name)
    }

    /// Returns the statement that adds a foreign key to an existing table.
    fn add_reference(&self, table: &Table, reference: &Reference) -> String {
        let Reference { name, columns, table: other, key } = reference;
        let (columns, key) = (columns.join(", "), key.join(", "));
        format!(
            "ALTER TABLE {} ADD CONSTRAINT {name} FOREIGN KEY ({columns}) REFERENCES {other} ({key})",
            table.name
        )
    }

    /// Returns the statement that sets the number of parallel workers for each query of a session, or `None` if there
    /// is none.
    fn parallel_degree(&self, _workers: u64) -> Option<String> {
        None
    }

    /// Returns the text that sets the number of parallel workers when appended to a query. It is used if there is no
    /// statement for this.
    fn parallel_hint(&self, _workers: u64) -> Option<String> {
        None
    }

    /// Returns the statement that sets a time limit for each query of a session, or `None` if there is none.
    fn statement_timeout(&self, _limit: Duration) -> Option<String> {
        None
    }

    /// Returns the statement that drops a table if it exists.
    fn drop_table(&self, name: &str) -> String {
        format!("DROP TABLE IF EXISTS {name}")
    }

    /// Returns the statements that drop these tables, in order. If possible, this is a single statement, which drops
    /// either all of them or none.
    fn removal(&self, tables: &[&Object]) -> Vec<String> {
        tables.iter().map(|table| table.drop.clone()).collect()
    }

    /// Returns the statements that configure a session to run large queries while other sessions run theirs.
    fn for_large_queries(&self) -> &'static str {
        ""
    }

    /// Returns the statements that refresh the optimizer statistics of these tables.
    fn analyze(&self, tables: &[Table]) -> String {
        let all = tables.iter().map(|table| format!("ANALYZE {}", table.name));
        all.collect::<Vec<String>>().join(";\n")
    }
}

/// Returns an error if the dialect does not support a requested storage option.
pub fn require_storage(dialect: &dyn Dialect, schema: &Schema) -> Result<()> {
    for (key, value) in schema.tables.iter().flat_map(Table::asked) {
        let Some(option) = dialect.storage().iter().find(|option| option.key == key) else {
            let text = format!("{key} is not supported by the {} dialect", dialect.id());
            let options = dialect.storage().iter().filter(|option| !option.help.is_empty());
            let keys: Vec<&str> = options.map(|option| option.key).collect();
            let known = if keys.is_empty() { "none".into() } else { keys.join(", ") };
            return Err(Error::new(ErrorKind::Unsupported, text)
                .hint(format!("omit the parameter {key}, or use another database"))
                .hint(format!("supported --storage options: {known}")));
        };
        if StorageOption::is_field(key) && !value.is_empty() {
            let text = format!("--storage {key}={value} is not supported by the workload");
            return Err(Error::new(ErrorKind::Unsupported, text)
                .hint("omit the option, or use another workload"));
        }
        (option.check)(value)?;
    }
    let asked = |table: &&Table| dialect.needs_ranges(&table.storage);
    let has_none = schema.tables.iter().all(|table| table.storage.ranges.is_empty());
    if has_none && let Some(table) = schema.tables.iter().find(asked) {
        let all: Vec<String> =
            table.storage.asked().map(|(key, value)| format!("{key}={value}")).collect();
        let text = format!(
            "{} requires a table whose key values are known before the load, but there is none",
            all.join(" ")
        );
        return Err(Error::new(ErrorKind::Unsupported, text)
            .hint("omit the parameter, or use another workload"));
    }
    Ok(())
}
