//! A session, which is a single connection that is used by one thread at a time.
//!
//! Each call of the library blocks until it is complete. A session's futures are therefore always ready at once.
//!
//! Start reading at [`Session::poll_exchange`].

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::task::{Context, Poll};

use tacho_core::{Error, Result, Table};
use tacho_driver::{
    BoxFuture, Catalog, Dialect, Inspector, Reply, RowSource, Session, Step, Steps, TextRows,
    Value, Values, during, no_answers, script,
};

use crate::buffers::{Columns, Manner, Params, TextType, sendable};
use crate::handles::{Connection, Statement, wide, wide_into};
use crate::library::Length;
use crate::questions::Questions;
use crate::variables::Variables;
use crate::{load, rows};

/// Settings that determine how a session communicates with its database.
pub struct Speech {
    /// The dialect, which uses `?` as the placeholder for parameters.
    pub dialect: Arc<dyn Dialect>,
    /// Text encoding.
    pub text: TextType,
    /// Number of rows in each INSERT statement of a load. It is 1 if the database does not accept multiple rows in a
    /// statement.
    pub rows_each: usize,
    /// True if integers are transferred as text, because the driver may not support 64-bit numbers.
    pub numbers_as_text: bool,
    /// True if the driver reads and writes arrays correctly.
    pub arrays: bool,
}

/// A session and the queries that its driver uses to inspect the database.
pub struct Calls<L: Length, Q> {
    // Declared before the connection, so that statements are dropped before it.
    statements: Vec<Known<L>>,
    pub(crate) connection: Connection<L>,
    pub(crate) questions: Q,
    speech: Speech,
    manner: Manner,
    catalog: Arc<Catalog>,
    sent: Sent,
    /// The text of a statement with inline values.
    sql: Vec<u8>,
    wide: Vec<u16>,
    commits: Commits,
}

/// The form in which statements are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sent {
    Prepared,
    /// Statements are sent as UTF-16 text.
    Wide,
    /// Statements are sent as UTF-8 text, because the driver manager would reduce each character of wide text to one
    /// byte.
    Narrow,
}

/// The connection's commit mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Commits {
    Automatic,
    /// The last transaction has ended, but automatic commits are still off. In some drivers, turning them on would
    /// require another request to the server.
    Between,
    /// A transaction has been started and has not ended.
    Open,
}

/// A statement from the catalog, along with the memory bound to it.
struct Known<L: Length> {
    // Declared before the memory that is bound to it, because fields are dropped in this order.
    statement: Statement<L>,
    params: Params<L>,
    /// Columns of the result. They are bound after the first execution, because some drivers do not describe them
    /// before.
    columns: Option<Columns<L>>,
    /// Variables that receive the results of a routine; absent if the routine returns its results as rows.
    variables: Option<Variables<L>>,
}

/// Returns true if the driver manager reduces each character to a single byte. unixODBC does this with drivers that
/// do not support wide text.
fn cuts_characters<L: Length>(connection: &Connection<L>) -> bool {
    let answer = rows::query(connection, "SELECT '\u{6570}'");
    let text = answer.ok().and_then(|mut found| found.rows.pop()?.pop()?);
    text.is_some_and(|text| text != "\u{6570}")
}

impl<L: Length, Q: Questions<L>> Calls<L, Q> {
    /// Creates a session on a connection and runs the dialect's setup statement.
    ///
    /// # Errors
    /// Returns any error that the database reports for that statement.
    pub fn new(connection: Connection<L>, speech: Speech, questions: Q) -> Result<Self> {
        let setup = speech.dialect.session_setup();
        if !setup.is_empty() {
            connection.run(setup).map_err(|error| error.during(setup))?;
        }
        let whole_numbers = speech.dialect.keeps_whole_numbers();
        Ok(Self {
            statements: Vec::new(),
            connection,
            questions,
            manner: Manner {
                whole_numbers,
                text: speech.text,
                numbers_as_text: speech.numbers_as_text,
                singly: !speech.arrays,
            },
            speech,
            catalog: Arc::default(),
            sent: Sent::Prepared,
            sql: Vec::new(),
            wide: Vec::new(),
            commits: Commits::Automatic,
        })
    }

    fn know(&mut self, catalog: Arc<Catalog>, sent: Sent) -> Result<()> {
        self.statements.clear();
        self.sent = sent;
        for known in catalog.statements() {
            let statement = self.connection.statement()?;
            statement.as_it_is();
            let mut params = Params::new(&known.params, &known.placeholders, self.manner);
            let mut variables = None;
            if sent == Sent::Prepared {
                variables = statement
                    .prepare(&text_of(&known.sql))
                    .and_then(|()| params.bind(&statement))
                    .and_then(|()| returned(known, self.manner, &statement))
                    .map_err(|error| error.during(format!("prepare {}", known.name)))?;
            }
            self.statements.push(Known { statement, params, columns: None, variables });
        }
        self.catalog = catalog;
        Ok(())
    }

    fn exchange(&mut self, steps: Steps<'_>, reply: &mut Reply) -> Result<()> {
        for step in steps.steps {
            match step {
                Step::Begin(_) => self.begin()?,
                Step::Execute { statement, params } => {
                    self.leave_transactions()?;
                    let at = usize::from(statement.0);
                    self.execute(at, params, steps.values, reply).map_err(|error| {
                        error.during(format!("run {}", self.catalog.get(*statement).name))
                    })?;
                }
                Step::Commit => self.commit()?,
                Step::Rollback => self.roll_back()?,
            }
        }
        Ok(())
    }

    /// Starts a transaction.
    fn begin(&mut self) -> Result<()> {
        if self.commits == Commits::Automatic {
            self.connection.set_autocommit(false).map_err(|error| error.during("begin"))?;
        }
        self.commits = Commits::Open;
        Ok(())
    }

    /// Turns automatic commits on again. This is necessary before a statement that is not part of a transaction.
    pub(crate) fn leave_transactions(&mut self) -> Result<()> {
        if self.commits == Commits::Between {
            self.connection.set_autocommit(true).map_err(|error| error.during("begin"))?;
            self.commits = Commits::Automatic;
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        if self.commits == Commits::Open {
            // A transaction is rolled back if its commit fails.
            self.commits = Commits::Between;
            self.connection.commit().map_err(|error| error.during("commit"))?;
        }
        Ok(())
    }

    fn roll_back(&mut self) -> Result<()> {
        if self.commits == Commits::Open {
            self.commits = Commits::Between;
            self.connection.roll_back().map_err(|error| error.during("roll back"))?;
        }
        Ok(())
    }

    fn execute(
        &mut self,
        at: usize,
        bound: &Range<u32>,
        values: &Values,
        reply: &mut Reply,
    ) -> Result<()> {
        let signature = &self.catalog.statements()[at];
        let known = &mut self.statements[at];
        let ran = if self.sent == Sent::Prepared {
            known.set(bound, values)?;
            known.statement.execute()
        } else {
            self.sql.clear();
            require_sendable(bound, values)?;
            signature.write(&*self.speech.dialect, bound, values, &mut self.sql)?;
            if self.sent == Sent::Narrow {
                known.statement.run_bytes(&self.sql)
            } else {
                let text = std::str::from_utf8(&self.sql).map_err(|error| {
                    Error::usage("the statement is not valid UTF-8").source(error)
                })?;
                wide_into(text, &mut self.wide);
                known.statement.run(&self.wide)
            }
        };
        let finished = ran.and_then(|ran| known.finish(ran, signature, self.manner, reply));
        // Discard the rest of the result, even if an error has occurred.
        let closed = known.statement.close();
        finished.and(closed)
    }

    /// Loads all rows in the open transaction. If there is none, loads them in a transaction of their own.
    fn load_all(&mut self, table: &Table, rows: &mut dyn RowSource) -> Result<u64> {
        let (manner, rows_each) = (self.manner, self.speech.rows_each);
        if self.commits == Commits::Open {
            return load::insert(&self.connection, manner, rows_each, table, rows);
        }
        self.begin()?;
        let loaded = load::insert(&self.connection, manner, rows_each, table, rows);
        self.commits = Commits::Between;
        match loaded {
            Ok(loaded) => self.connection.commit().map(|()| loaded),
            Err(error) => {
                // Report the load's error, even if rolling back fails, too.
                let _ = self.connection.roll_back();
                Err(error)
            }
        }
    }
}

/// Returns the text of a statement. SQL files omit the semicolon after a `BEGIN … END` block, so it is added here.
fn text_of(sql: &str) -> Cow<'_, str> {
    let is_block = sql.starts_with("BEGIN ") && sql.ends_with(" END");
    if is_block { format!("{sql};").into() } else { sql.into() }
}

/// Binds variables for a statement's results, and returns them. Returns `None` if the statement needs no variables.
fn returned<L: Length>(
    known: &tacho_driver::Statement,
    manner: Manner,
    statement: &Statement<L>,
) -> Result<Option<Variables<L>>> {
    let mut variables = Variables::of(known, manner)?;
    if let Some(variables) = &mut variables {
        variables.bind(known, manner, statement)?;
    }
    Ok(variables)
}

/// Returns an error if a text value would be changed or truncated in transit.
fn require_sendable(bound: &Range<u32>, values: &Values) -> Result<()> {
    for value in bound.clone() {
        if let Value::Text(text) = values.get(value as usize) {
            sendable(text)?;
        }
    }
    Ok(())
}

impl<L: Length> Known<L> {
    /// Stores the parameter values in their buffers.
    fn set(&mut self, bound: &Range<u32>, values: &Values) -> Result<()> {
        if bound.len() != self.params.len() {
            return Err(Error::usage(format!(
                "the wrong number of parameters was bound: {}",
                bound.len()
            )));
        }
        for (at, value) in bound.clone().enumerate() {
            self.params.set(at, values.get(value as usize), &self.statement)?;
        }
        Ok(())
    }

    /// Reads the result of an executed statement. If `ran` is false, the driver reported that the statement had no
    /// effect, so there is no result.
    fn finish(
        &mut self,
        ran: bool,
        signature: &tacho_driver::Statement,
        manner: Manner,
        reply: &mut Reply,
    ) -> Result<()> {
        let fields = &signature.results;
        reply.start(fields.len());
        if let Some(variables) = &mut self.variables {
            variables.read(reply)?;
            reply.finish(0);
            return Ok(());
        }
        if !ran || fields.is_empty() {
            reply.finish(if ran { self.statement.changed()? } else { 0 });
            return Ok(());
        }
        let columns = match &mut self.columns {
            Some(columns) => columns,
            none => none.insert(Columns::bind(fields, manner, &self.statement)?),
        };
        let rows = columns.read_all(&self.statement, reply)?;
        let writes = !signature.sql.trim_start().starts_with(['S', 'W', 's', 'w']);
        reply.finish(if writes { rows } else { 0 });
        Ok(())
    }
}

impl<L: Length, Q: Questions<L>> Session for Calls<L, Q> {
    fn prepare(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.know(catalog, Sent::Prepared) })
    }

    fn simple(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let narrow = cuts_characters(&self.connection);
            self.know(catalog, if narrow { Sent::Narrow } else { Sent::Wide })
        })
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
            self.leave_transactions()?;
            let statement = self.connection.statement()?;
            statement.as_it_is();
            for sql in script::statements(sql, self.speech.dialect.syntax()) {
                statement
                    .run(&wide(sql))
                    .and_then(|_| statement.close())
                    .map_err(|error| error.during("run a script"))?;
            }
            Ok(())
        })
    }

    fn text_rows<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<TextRows>> {
        Box::pin(async move {
            self.leave_transactions()?;
            rows::query(&self.connection, sql)
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

    fn close(self: Box<Self>) -> BoxFuture<'static, Result<()>> {
        Box::pin(async move {
            let Self { statements, connection, commits, .. } = *self;
            drop(statements);
            // While automatic commits are off, every query starts a transaction, even one that only inspects the
            // database.
            if commits != Commits::Automatic {
                connection.roll_back()?;
            }
            connection.close().map_err(|error| error.during("close the connection"))
        })
    }

    fn drop_set(&mut self) -> BoxFuture<'_, Result<()>> {
        during("remove the table set's schema", async move {
            self.leave_transactions()?;
            self.questions.drop_set(&self.connection)
        })
    }

    no_answers!(slow_load);
}
