//! A session: one connection, used by one thread at a time.
//!
//! Calls to the client are synchronous, so the futures here are never pending.
//!
//! For each execution, the client finds the open statement by its text and allocates memory for each value.
//!
//! Start reading at [`Session::poll_exchange`].

use std::ops::Range;
use std::sync::Arc;
use std::task::{Context, Poll};

use oracledb::{Connection, Row};
use tacho_core::{Error, ErrorKind, Result, Table};
use tacho_driver::{
    BoxFuture, Catalog, Inspector, Reply, RowSource, Session, Statement, Step, Steps, Target,
    TextRows, Values, during, lexer, no_answers, script, without_simple_form,
};
use tacho_net::{is_last, variable};

use crate::binds::{Bind, read};
use crate::config::Config;
use crate::dialect::SYNTAX;
use crate::errors::of_client;
use crate::{connect, load, query};

/// Number of rows in the first response to a query, and number of rows in each later response.
const FIRST_ROWS: u32 = 100;
const BLOCK: u32 = 1_000;

/// The kind of a statement, which determines how it is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Returns rows.
    Query,
    /// Writes.
    Write,
    /// A statement that writes rows and returns values in variables: `RETURNING … INTO`.
    Returning,
    /// A PL/SQL block, which returns values in variables.
    Block,
}

impl Way {
    fn of(statement: &Statement) -> Self {
        let word = lexer::words(&statement.sql, SYNTAX, 1).pop().unwrap_or_default();
        let has_variables = statement
            .placeholders
            .iter()
            .any(|param| usize::from(*param) >= statement.params.len());
        match &*word {
            "select" | "with" => Self::Query,
            "begin" | "declare" | "call" => Self::Block,
            _ if has_variables => Self::Returning,
            _ => Self::Write,
        }
    }
}

/// Returns the text of a statement as it is sent. A block needs a final semicolon, which is missing in SQL files.
fn sent(statement: &Statement, way: Way) -> String {
    let is_call = || lexer::words(&statement.sql, SYNTAX, 1) == ["call"];
    let ends = if way == Way::Block && !is_call() { ";" } else { "" };
    format!("{}{ends}", statement.sql)
}

/// A session.
pub struct Oracle {
    /// The connection.
    pub connection: Connection,
    /// True if counters include all instances.
    pub rac: bool,
    catalog: Arc<Catalog>,
    /// The text and kind of each statement.
    ways: Vec<(String, Way)>,
    /// True while a transaction is open.
    open: bool,
    /// A buffer for a number's digits.
    spare: String,
}

/// Opens a session on a new connection for a table set.
pub fn open(target: &Target, set: u32) -> Result<Box<dyn Session>> {
    let config = Config::read(target, &variable)?.of_set(set);
    Ok(Box::new(Oracle {
        connection: connect::open(&config)?,
        rac: config.rac,
        catalog: Arc::default(),
        ways: Vec::new(),
        open: false,
        spare: String::new(),
    }))
}

impl Oracle {
    /// Parses all statements now, so that errors are reported before the run.
    fn prepare_all(&mut self, catalog: Arc<Catalog>) -> Result<()> {
        self.ways.clear();
        for statement in catalog.statements() {
            let way = Way::of(statement);
            let text = sent(statement, way);
            let parsed = self.connection.statement(&text).and_then(|builder| {
                let builder = builder.prefetch_rows(FIRST_ROWS).fetch_array_size(BLOCK);
                // Blocks cannot be checked now, because they may call routines that are created later.
                if way == Way::Block { Ok(()) } else { builder.build()?.ensure_fully_parsed() }
            });
            let named = |error: oracledb::Error| {
                of_client(&error).during(format!("prepare {}", statement.name))
            };
            parsed.map_err(named)?;
            self.ways.push((text, way));
        }
        self.catalog = catalog;
        Ok(())
    }

    fn exchange(&mut self, steps: Steps<'_>, reply: &mut Reply) -> Result<()> {
        for step in steps.steps {
            match step {
                // Starting a transaction needs no request, because the first statement starts it.
                Step::Begin(_) => self.open = true,
                Step::Execute { statement, params } => {
                    let catalog = Arc::clone(&self.catalog);
                    let (at, statement) = (usize::from(statement.0), catalog.get(*statement));
                    self.execute(at, statement, params, steps.values, reply)
                        .map_err(|error| error.during(format!("run {}", statement.name)))?;
                }
                Step::Commit => {
                    self.open = false;
                    self.commit()?;
                }
                Step::Rollback => self.roll_back()?,
            }
        }
        Ok(())
    }

    fn commit(&self) -> Result<()> {
        self.connection.commit().map_err(|error| of_client(&error).during("COMMIT"))
    }

    /// Rolls back the open transaction. Does nothing if none is open.
    pub fn roll_back(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.open) {
            return Ok(());
        }
        self.connection.rollback().map_err(|error| of_client(&error).during("ROLLBACK"))
    }

    fn execute(
        &mut self,
        at: usize,
        statement: &Statement,
        params: &Range<u32>,
        values: &Values,
        reply: &mut Reply,
    ) -> Result<()> {
        if params.len() != statement.params.len() {
            return Err(Error::usage(format!("it was bound {} parameters", params.len())));
        }
        let bind = |param: &u16| {
            let param = usize::from(*param);
            if let Some(result) = param.checked_sub(params.len()) {
                return Ok(Bind::out(statement.results[result].kind));
            }
            Bind::of(values.get(params.start as usize + param), statement.params[param].kind)
        };
        let binds = statement.placeholders.iter().map(bind).collect::<Result<Vec<Bind<'_>>>>()?;
        let references: Vec<_> = binds.iter().map(Bind::as_value).collect();
        let client = |error: oracledb::Error| of_client(&error);
        let (text, way) = &self.ways[at];
        let builder = self.connection.statement(text).map_err(client)?;
        let builder = builder.prefetch_rows(FIRST_ROWS).fetch_array_size(BLOCK);
        let mut prepared = builder.build().map_err(client)?;
        let spare = &mut self.spare;
        reply.start(statement.results.len());
        if *way == Way::Query {
            for row in prepared.query(&references).map_err(client)? {
                take(&row.map_err(client)?, statement, spare, reply)?;
            }
            reply.finish(0);
            return Ok(());
        }
        let mut result = prepared.execute(&references).map_err(client)?;
        let written = result.rows_affected();
        match way {
            Way::Block => take_variables(&result.out_bind_data(), statement, spare, reply)?,
            Way::Returning => {
                for row in result.returned_data() {
                    take_variables(&row, statement, spare, reply)?;
                }
            }
            Way::Query | Way::Write => {}
        }
        reply.finish(written);
        // A statement outside a transaction is committed at once, as in other databases. A block has to commit its own
        // work.
        if self.open || *way == Way::Block { Ok(()) } else { self.commit() }
    }

    /// Loads rows in the open transaction. If none is open, starts one for the load.
    fn load_all(&mut self, table: &Table, rows: &mut dyn RowSource) -> Result<u64> {
        let loaded = load::insert(&self.connection, table, rows);
        match loaded {
            Ok(loaded) if !self.open => self.commit().map(|()| loaded),
            Err(error) if !self.open && !is_last(&error) => {
                // Report the load error, because it is more informative than an error of the rollback.
                let _ = self.connection.rollback();
                Err(error)
            }
            outcome => outcome,
        }
    }
}

fn take(row: &Row, statement: &Statement, spare: &mut String, reply: &mut Reply) -> Result<()> {
    let (found, declared) = (row.columns().len(), statement.results.len());
    if declared == 0 && statement.is_verbatim() {
        return Ok(());
    }
    if found != declared {
        let text =
            format!("the statement returns {found} columns, but its signature declares {declared}");
        return Err(Error::new(ErrorKind::Syntax, text));
    }
    for (column, field) in statement.results.iter().enumerate() {
        read(row, column, field.kind, spare, reply.values())?;
    }
    Ok(())
}

/// Appends the returned variables as a row, in the order of the signature. Their order in the text may differ.
fn take_variables(
    row: &Row,
    statement: &Statement,
    spare: &mut String,
    reply: &mut Reply,
) -> Result<()> {
    for (result, field) in statement.results.iter().enumerate() {
        let at = variable_of(statement, result)?;
        read(row, at, field.kind, spare, reply.values())?;
    }
    Ok(())
}

/// Returns a result's index among the statement's variables.
fn variable_of(statement: &Statement, result: usize) -> Result<usize> {
    let params = statement.params.len();
    let places = statement.placeholders.iter().map(|param| usize::from(*param));
    let mut variables = places.filter(|param| *param >= params);
    variables.position(|param| param == params + result).ok_or_else(|| {
        let name = &statement.results[result].name;
        Error::new(ErrorKind::Syntax, format!("it returns nothing into :{name}"))
    })
}

impl Session for Oracle {
    fn prepare(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.prepare_all(catalog) })
    }

    fn simple(&mut self, _: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        without_simple_form()
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
            for statement in script::statements(sql, SYNTAX) {
                query::run(&self.connection, statement)
                    .map_err(|error| error.during("run a script"))?;
            }
            // Commits what the statement has written. For a data definition statement, the server has already done
            // this.
            if self.open { Ok(()) } else { self.commit() }
        })
    }

    fn text_rows<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<TextRows>> {
        Box::pin(async move {
            let found = query::table(&self.connection, sql)?;
            if !self.open && found.columns.is_empty() {
                self.commit()?;
            }
            Ok(found)
        })
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

    /// When the client closes the connection, it rolls back any open transaction.
    fn close(mut self: Box<Self>) -> BoxFuture<'static, Result<()>> {
        Box::pin(async move {
            self.connection.close().map_err(|error| of_client(&error).during("close the session"))
        })
    }

    no_answers!(slow_load, drop_set);
}

#[cfg(test)]
mod tests {
    use tacho_driver::parse_sections;

    use super::*;
    use crate::dialect;

    fn catalog(file: &str) -> Result<Catalog> {
        let sections = parse_sections(file)?;
        let names: Vec<&str> = sections.iter().map(|section| &*section.name).collect();
        Catalog::build(&dialect::Oracle, &names, std::slice::from_ref(&sections))
    }

    #[test]
    fn statements_are_run_by_what_they_are() -> Result<()> {
        let file = "-- name: a(x int) -> (y int)\nSELECT y FROM t WHERE x = :x
-- name: b(x int)\nUPDATE t SET x = :x
-- name: c(x int) -> (y int, z text)\nUPDATE t SET x = :x WHERE w = :x\nRETURNING z, y INTO :z, :y
-- name: d(x int) -> (y int)\nBEGIN p(:x, :y); END;
-- name: e() -> (y int)\nWITH u AS (SELECT 1 AS y FROM DUAL)\nSELECT y FROM u";
        let catalog = catalog(file)?;
        let found = catalog.statements();
        let ways: Vec<Way> = found.iter().map(Way::of).collect();
        assert_eq!(ways, [Way::Query, Way::Write, Way::Returning, Way::Block, Way::Query]);
        assert_eq!(sent(&found[3], Way::Block), "BEGIN p(:p1, :p2); END;");
        assert_eq!(found[2].sql.lines().last(), Some("RETURNING z, y INTO :p3, :p4"));
        // The second result is the first variable.
        assert_eq!((variable_of(&found[2], 0)?, variable_of(&found[2], 1)?), (1, 0));
        assert!(variable_of(&found[0], 0).is_err());
        Ok(())
    }
}
