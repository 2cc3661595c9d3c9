//! A session: one connection, used by one thread at a time.
//!
//! Calls into DuckDB are synchronous, so the futures here are never pending.
//!
//! Start reading at [`Session::poll_exchange`].

use std::ffi::CStr;
use std::ops::Range;
use std::sync::Arc;
use std::task::{Context, Poll};

use tacho_core::{Error, ErrorKind, Result, Table};
use tacho_driver::{
    BoxFuture, Catalog, Dialect, Inspector, Reply, RowSource, Session, Statement, Step, Steps,
    Target, TextRows, Value, Values, during, lexer, no_answers, text, unquoted, without_text_rows,
};

use crate::config::Config;
use crate::handles::{Answer, Connection, Database, Prepared};
use crate::{dialect, library, load};

/// A session.
pub struct DuckDb {
    /// The prepared statements, none of which reads data. A statement that reads data is sent as text that contains its
    /// values, and is planned each time it runs.
    ///
    /// `DuckDB` 1.5 plans a prepared statement only once, so its results may lack rows that were added later. Pull
    /// request 24696 fixes this.
    ///
    /// DuckDB also finds a better plan if the text contains the values.
    ///
    /// This field is declared before the connection, because the statements must be dropped first.
    statements: Vec<Option<Prepared>>,
    pub connection: Connection,
    catalog: Arc<Catalog>,
    rows: Values,
    /// The current statement with its values filled in.
    sql: Vec<u8>,
    /// True while a transaction is open.
    open: bool,
    /// True for the statement form `simple`, which inserts values into the text of a user's statement without quotes.
    simple: bool,
}

/// Opens a session on a new connection. Creates the file only if `create` is true.
pub fn open(target: &Target, create: bool) -> Result<Box<dyn Session>> {
    let mut config = Config::from_target(target)?;
    config.create &= create;
    let library = library::find(config.library.as_deref())?;
    Ok(Box::new(DuckDb {
        statements: Vec::new(),
        connection: Database::open(library, &config)?.connect()?,
        catalog: Arc::default(),
        rows: Values::default(),
        sql: Vec::new(),
        open: false,
        simple: false,
    }))
}

impl DuckDb {
    fn prepare_all(&mut self, catalog: Arc<Catalog>) -> Result<()> {
        self.statements.clear();
        for statement in catalog.statements() {
            // Prepare every statement, even one that will be sent as text, so that errors are reported before the run.
            let prepared = self
                .connection
                .prepare(&statement.sql, statement.placeholders.len())
                .map_err(|error| statement.not_prepared(error))?;
            self.statements.push(reads_nothing(statement).then_some(prepared));
        }
        self.catalog = catalog;
        self.simple = false;
        Ok(())
    }

    fn exchange(&mut self, steps: Steps<'_>, reply: &mut Reply) -> Result<()> {
        for step in steps.steps {
            match step {
                Step::Begin(_) => {
                    self.control("BEGIN TRANSACTION")?;
                    self.open = true;
                }
                Step::Execute { statement, params } => {
                    let at = usize::from(statement.0);
                    let catalog = Arc::clone(&self.catalog);
                    let statement = catalog.get(*statement);
                    self.execute(at, statement, params.clone(), steps.values, reply)
                        .map_err(|error| error.during(format!("run {}", statement.name)))?;
                }
                Step::Commit => {
                    // A failed commit has already rolled back the transaction.
                    self.open = false;
                    self.control("COMMIT")?;
                }
                Step::Rollback => self.roll_back()?,
            }
        }
        Ok(())
    }

    fn control(&self, sql: &'static str) -> Result<()> {
        self.connection.query(sql).map(|_| ()).map_err(|error| error.during(sql))
    }

    fn roll_back(&mut self) -> Result<()> {
        if std::mem::take(&mut self.open) { self.control("ROLLBACK") } else { Ok(()) }
    }

    fn execute(
        &mut self,
        at: usize,
        statement: &Statement,
        params: Range<u32>,
        values: &Values,
        reply: &mut Reply,
    ) -> Result<()> {
        let mut answer = self.answer(at, statement, &params, values)?;
        let (found, declared) = (answer.columns(), statement.results.len());
        if found != declared && declared > 0 {
            let text = format!(
                "the statement returns {found} columns, but its signature declares {declared}"
            );
            return Err(Error::new(ErrorKind::Syntax, text));
        }
        reply.start(declared);
        let mut rows = 0;
        if !statement.results.is_empty() {
            while let Some(mut chunk) = answer.chunk() {
                chunk.look(statement.results.len());
                for row in 0..chunk.rows() {
                    for (column, field) in statement.results.iter().enumerate() {
                        if statement.is_verbatim() {
                            chunk.read_any(row, column, reply.values())?;
                        } else {
                            chunk.read(row, column, field.kind, reply.values())?;
                        }
                    }
                }
                rows += chunk.rows() as u64;
            }
        }
        let first = lexer::first_byte(&statement.sql, dialect::DuckDb.syntax());
        let writes = !matches!(first, Some(b'S' | b'W' | b's' | b'w'));
        let returned = writes && !statement.results.is_empty();
        reply.finish(if returned { rows } else { answer.changed() });
        Ok(())
    }

    fn answer(
        &mut self,
        at: usize,
        statement: &Statement,
        params: &Range<u32>,
        values: &Values,
    ) -> Result<Answer> {
        let Some(prepared) = &self.statements[at] else {
            self.sql.clear();
            if statement.is_verbatim() && !self.simple {
                write_bound(statement, params, values, &mut self.sql)?;
            } else {
                statement.write(&dialect::DuckDb, params, values, &mut self.sql)?;
            }
            self.sql.push(0);
            let sql = CStr::from_bytes_with_nul(&self.sql);
            return self
                .connection
                .query_c(sql.map_err(|_| Error::usage("it contains a null byte"))?);
        };
        if params.len() != statement.params.len() {
            return Err(Error::usage(format!("it was bound {} parameters", params.len())));
        }
        for (place, param) in statement.placeholders.iter().enumerate() {
            let param = usize::from(*param);
            let value = values.get(params.start as usize + param);
            prepared.bind(place, value, statement.params[param].kind)?;
        }
        prepared.execute()
    }

    /// Loads rows in the open transaction. If none is open, starts one for the load.
    fn load_all(&mut self, table: &Table, rows: &mut dyn RowSource) -> Result<u64> {
        if self.open {
            return load::append(&self.connection, table, rows, &mut self.rows);
        }
        self.control("BEGIN TRANSACTION")?;
        let loaded = load::append(&self.connection, table, rows, &mut self.rows);
        match loaded {
            Ok(loaded) => self.control("COMMIT").map(|()| loaded),
            Err(error) => {
                // Report the load error, because it is more informative than an error of the rollback.
                let _ = self.control("ROLLBACK");
                Err(error)
            }
        }
    }
}

/// Appends the text of a user's statement, with literals in place of its parameters.
fn write_bound(
    statement: &Statement,
    params: &Range<u32>,
    values: &Values,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut rest = 0;
    for place in &statement.places {
        out.extend_from_slice(&statement.sql.as_bytes()[rest..place.bytes.start]);
        rest = place.bytes.end;
        match values.get(params.start as usize + usize::from(place.param)) {
            Value::Text(bytes) => text::quoted(bytes, out),
            value => unquoted(value, out)?,
        }
    }
    out.extend_from_slice(&statement.sql.as_bytes()[rest..]);
    Ok(())
}

/// Returns true if the statement can stay prepared, because it only writes the given values and reads no data.
fn reads_nothing(statement: &Statement) -> bool {
    let words = lexer::words(&statement.sql, dialect::DuckDb.syntax(), usize::MAX);
    words.first().is_some_and(|word| word == "insert") && !words.iter().any(|word| word == "select")
}

impl Session for DuckDb {
    fn prepare(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.prepare_all(catalog) })
    }

    fn simple(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        self.statements.clear();
        self.statements.resize_with(catalog.statements().len(), || None);
        self.catalog = catalog;
        self.simple = true;
        Box::pin(async move { Ok(()) })
    }

    fn poll_exchange(
        &mut self,
        steps: Steps<'_>,
        reply: &mut Reply,
        _: &mut Context<'_>,
    ) -> Poll<Result<()>> {
        Poll::Ready(self.exchange(steps, reply))
    }

    fn script<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<()>> {
        during("run a script", async move { self.connection.query(sql).map(|_| ()) })
    }

    fn text_rows<'a>(&'a mut self, _: &'a str) -> BoxFuture<'a, Result<TextRows>> {
        without_text_rows()
    }

    fn load<'a>(
        &'a mut self,
        table: &'a Table,
        rows: &'a mut dyn RowSource,
    ) -> BoxFuture<'a, Result<u64>> {
        during(format!("load {}", table.name), async move { self.load_all(table, rows) })
    }

    fn inspector(&mut self) -> &mut dyn Inspector {
        self
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, Result<()>> {
        Box::pin(async move {
            // When the last session closes, DuckDB writes its log to the database file.
            drop(self);
            Ok(())
        })
    }

    no_answers!(slow_load, drop_set);
}
