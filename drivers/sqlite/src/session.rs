//! A session: one connection, used by one thread at a time.
//!
//! Every call runs to its end before it returns, so no future of it is ever pending. Start reading
//! at [`Session::poll_exchange`].

use std::ops::Range;
use std::sync::Arc;
use std::task::{Context, Poll};

use rusqlite::Connection;
use tacho_core::{Error, ErrorKind, Result, Table, Work};
use tacho_driver::{
    Access, BoxFuture, Catalog, DataSizes, Object, Reply, Rights, RowSource, ServerFacts,
    ServerMachine, Session, Statement, StatementId, Step, Steps, Values,
};

use crate::errors::native;
use crate::values::{Bound, read};
use crate::work::Counted;
use crate::{dialect, facts, load, objects};

/// Statements kept besides those of the catalog: begin in its two forms, commit, rollback, and
/// some for administration.
const OTHER_STATEMENTS: usize = 8;

struct Sqlite {
    connection: Connection,
    catalog: Arc<Catalog>,
    /// Every statement is parsed anew from its text, with its values in it.
    simple: bool,
    /// That text.
    text: Vec<u8>,
    rows: Values,
    /// Counters of its work, since somebody asked first.
    counted: Option<Counted>,
}

/// A session over an open connection.
pub fn over(connection: Connection) -> Box<dyn Session> {
    Box::new(Sqlite {
        connection,
        catalog: Arc::default(),
        simple: false,
        text: Vec::new(),
        rows: Values::default(),
        counted: None,
    })
}

impl Sqlite {
    fn prepare_all(&mut self, catalog: Arc<Catalog>) -> Result<()> {
        let count = catalog.statements().len();
        self.connection.flush_prepared_statement_cache();
        self.connection.set_prepared_statement_cache_capacity(count + OTHER_STATEMENTS);
        for statement in catalog.statements() {
            self.prepare_one(statement)
                .map_err(|error| error.during(format!("prepare {}", statement.name)))?;
        }
        self.catalog = catalog;
        self.simple = false;
        Ok(())
    }

    fn prepare_one(&self, statement: &Statement) -> Result<()> {
        let prepared = self.connection.prepare_cached(&statement.sql).map_err(native)?;
        has_width(&prepared, statement)
    }

    fn exchange(&mut self, steps: Steps<'_>, reply: &mut Reply) -> Result<()> {
        for step in steps.steps {
            match step {
                Step::Begin(Access::Write) => self.control("BEGIN IMMEDIATE")?,
                Step::Begin(Access::Read) => self.control("BEGIN DEFERRED")?,
                Step::Execute { statement, params } => {
                    let outcome = if self.simple {
                        self.execute_text(*statement, params, steps.values, reply)
                    } else {
                        let statement = self.catalog.get(*statement);
                        self.execute(statement, params.clone(), steps.values, reply)
                    };
                    outcome.map_err(|error| {
                        error.during(format!("run {}", self.catalog.get(*statement).name))
                    })?;
                }
                Step::Commit => self.control("COMMIT")?,
                // Some errors end the transaction by themselves: https://sqlite.org/lang_transaction.html
                Step::Rollback if self.connection.is_autocommit() => {}
                Step::Rollback => self.control("ROLLBACK")?,
            }
        }
        Ok(())
    }

    fn control(&self, sql: &'static str) -> Result<()> {
        let run = || {
            if self.simple {
                return self.connection.prepare(sql)?.raw_execute();
            }
            self.connection.prepare_cached(sql)?.raw_execute()
        };
        run().map(|_| ()).map_err(|error| native(error).during(sql))
    }

    /// Runs one statement.
    ///
    /// A prepared statement borrows its connection, so safe code cannot keep both in one struct
    /// that moves between threads; it is found again by its text instead. That costs 100 ns for a
    /// text of 50 bytes and 150 ns for one of 370, of the 4 µs of a point query by primary key.
    fn execute(
        &self,
        statement: &Statement,
        params: Range<u32>,
        values: &Values,
        reply: &mut Reply,
    ) -> Result<()> {
        if params.len() != statement.params.len() {
            return Err(Error::usage(format!("it was bound {} parameters", params.len())));
        }
        let mut prepared = self.connection.prepare_cached(&statement.sql).map_err(native)?;
        for (position, param) in statement.placeholders.iter().enumerate() {
            let value = values.get(params.start as usize + usize::from(*param));
            prepared.raw_bind_parameter(position + 1, Bound(value)).map_err(native)?;
        }
        finish(&self.connection, &mut prepared, statement, reply)
    }

    /// Parses, runs and forgets one statement.
    fn execute_text(
        &mut self,
        statement: StatementId,
        params: &Range<u32>,
        values: &Values,
        reply: &mut Reply,
    ) -> Result<()> {
        let statement = self.catalog.get(statement);
        self.text.clear();
        statement.write(&dialect::Sqlite, params, values, &mut self.text)?;
        let text = std::str::from_utf8(&self.text)
            .map_err(|error| Error::usage("the statement is not UTF-8").source(error))?;
        let mut parsed = self.connection.prepare(text).map_err(native)?;
        has_width(&parsed, statement)?;
        finish(&self.connection, &mut parsed, statement, reply)
    }

    fn table_names(&self) -> rusqlite::Result<Vec<String>> {
        let sql = "SELECT lower(name) FROM sqlite_master WHERE type = 'table' ORDER BY 1";
        let mut statement = self.connection.prepare(sql)?;
        let names = statement.query_map([], |row| row.get::<_, String>(0))?;
        // Names of this form are SQLite's own.
        names
            .filter(|name| name.as_ref().map_or(true, |name| !name.starts_with("sqlite_")))
            .collect()
    }
}

/// Fails unless a statement gives as many columns as its signature declares.
fn has_width(prepared: &rusqlite::Statement<'_>, statement: &Statement) -> Result<()> {
    let (found, declared) = (prepared.column_count(), statement.results.len());
    if found == declared {
        return Ok(());
    }
    let text = format!("it gives {found} columns and its signature declares {declared}");
    Err(Error::new(ErrorKind::Syntax, text))
}

/// Runs a statement whose values are in place.
fn finish(
    connection: &Connection,
    prepared: &mut rusqlite::Statement<'_>,
    statement: &Statement,
    reply: &mut Reply,
) -> Result<()> {
    reply.start(statement.results.len());
    let affected = if statement.results.is_empty() {
        prepared.raw_execute().map_err(native)? as u64
    } else {
        fetch(prepared, statement, reply)?;
        if prepared.readonly() { 0 } else { connection.changes() }
    };
    reply.finish(affected);
    Ok(())
}

fn fetch(
    prepared: &mut rusqlite::Statement<'_>,
    statement: &Statement,
    reply: &mut Reply,
) -> Result<()> {
    let mut rows = prepared.raw_query();
    while let Some(row) = rows.next().map_err(native)? {
        let values = reply.values();
        for (column, field) in statement.results.iter().enumerate() {
            read(row.get_ref(column).map_err(native)?, field.kind, values)?;
        }
    }
    Ok(())
}

impl Session for Sqlite {
    fn prepare(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.prepare_all(catalog) })
    }

    fn simple(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        self.connection.flush_prepared_statement_cache();
        self.catalog = catalog;
        self.simple = true;
        Box::pin(async { Ok(()) })
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
        Box::pin(async move {
            self.connection.execute_batch(sql).map_err(|error| native(error).during("run a script"))
        })
    }

    fn load<'a>(
        &'a mut self,
        table: &'a Table,
        rows: &'a mut dyn RowSource,
    ) -> BoxFuture<'a, Result<u64>> {
        Box::pin(async move {
            load::load(&self.connection, table, rows, &mut self.rows)
                .map_err(|error| error.during(format!("load {}", table.name)))
        })
    }

    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>> {
        Box::pin(async move {
            self.table_names().map_err(|error| native(error).during("list the tables"))
        })
    }

    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>> {
        Box::pin(async move {
            objects::objects(&self.connection)
                .map_err(|error| native(error).during("list the tables"))
        })
    }

    fn obstacles<'a>(&'a mut self, tables: &'a [&'a Object]) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(async move {
            objects::obstacles(&self.connection, tables)
                .map_err(|error| native(error).during("look for what depends on the tables"))
        })
    }

    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>> {
        Box::pin(async move {
            facts::facts(&self.connection).map_err(|error| error.during("read the settings"))
        })
    }

    fn machine(&mut self) -> BoxFuture<'_, Result<Option<ServerMachine>>> {
        Box::pin(async move { Ok(Some(facts::machine(&self.connection))) })
    }

    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>> {
        Box::pin(async move {
            let outcome = facts::sizes(&self.connection);
            outcome.map(Some).map_err(|error| error.during("read the size of the file"))
        })
    }

    fn rights(&mut self) -> BoxFuture<'_, Result<Option<Rights>>> {
        Box::pin(async move {
            let outcome = facts::rights(&self.connection);
            outcome.map(Some).map_err(|error| error.during("write to the file"))
        })
    }

    fn plan<'a>(
        &'a mut self,
        statement: &'a Statement,
        values: &'a Values,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(async move {
            let outcome = facts::plan(&self.connection, statement, values);
            outcome.map(Some).map_err(|error| error.during(format!("explain {}", statement.name)))
        })
    }

    fn work(&mut self, _: bool) -> BoxFuture<'_, Result<Option<Work>>> {
        Box::pin(async move {
            let counted = match &mut self.counted {
                Some(counted) => counted,
                none => none.insert(Counted::of(&self.connection)?),
            };
            Ok(Some(counted.work(&self.connection)))
        })
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, Result<()>> {
        Box::pin(async move {
            // The last session to leave writes the log back into the file. If it cannot, the log
            // stays and is read at the next opening, so nothing is lost and nothing is reported.
            self.connection.flush_prepared_statement_cache();
            self.connection.close().map_err(|(_, error)| native(error).during("close the database"))
        })
    }
}
