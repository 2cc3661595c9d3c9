//! A session: a connection, its prepared statements, and the exchange in progress.
//!
//! Several steps of an exchange are sent together as one text. If one of them fails, the server skips the rest.
//!
//! A single step, or a step with several possible results, is sent as a prepared statement after the previous step has
//! succeeded.
//!
//! If a statement is always followed directly by COMMIT, both are sent at once. They are sent as one block or, if the
//! server does not support blocks, as two commands.
//!
//! If a statement and its COMMIT are sent as two commands and the statement fails, the COMMIT has already been sent.
//! The commit's outcome is unknown, so the connection is treated as lost.
//!
//! Rows are copied directly from the read buffer to the reply.
//!
//! Start reading at [`Session::poll_exchange`]. The hot path is in this file, `answer.rs`, `statements.rs` and
//! `values.rs`.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tacho_core::{Error, ErrorKind, Result, Retry, Table};
use tacho_driver::{
    BoxFuture, Catalog, Environment, Inspector, Reply, RowSource, Session, StatementId, Step,
    Steps, Target, TextRows, Values, during,
};
use tacho_net::{is_last, unexpected};

use crate::answer::{Answer, Event};
use crate::connect::Opened;
use crate::dialect;
use crate::link::{Link, query, query_with};
use crate::load::Loader;
use crate::product::Product;
use crate::statements::{Last, Statements};
use crate::wire::packet;
use crate::{admin, connect, prepare};

/// A session.
pub struct MySql {
    pub link: Link,
    statements: Statements,
    pub catalog: Arc<Catalog>,
    pub product: Product,
    pub version: Box<str>,
    loader: Loader,
    exchange: Option<Progress>,
}

/// The progress of an exchange.
struct Progress {
    /// The step whose response is being read.
    step: usize,
    /// End of the range of steps that were sent together.
    end: usize,
    /// True if the steps were joined into one text and sent together. The server then sends one result for each step,
    /// with values in text form.
    together: bool,
    /// The prepared block that contains the step and the COMMIT after it. It has one result.
    block: Option<StatementId>,
    /// True if the COMMIT after the step was sent at the same time, as a separate command.
    followed: bool,
    answer: Answer,
    /// The action to take for the rows of the current result.
    rows: Rows,
    /// Number of rows in all tables that were returned, or `None` if no table was returned.
    returned: Option<u64>,
    /// If the steps were sent as one text, the number of results that have been read completely.
    part: u16,
    /// True if the server returned output parameters. It then discards the parameter types, so they must be sent with
    /// the next execution.
    retyped: bool,
    /// The first error of the step.
    error: Option<Error>,
}

impl Progress {
    /// Returns the initial state for reading the response to the steps from `step` to `end`.
    #[inline]
    fn new(step: usize, end: usize, answer: Answer) -> Self {
        Self {
            step,
            end,
            together: false,
            block: None,
            followed: false,
            answer,
            rows: Rows::Awaited,
            returned: None,
            part: 0,
            retyped: false,
            error: None,
        }
    }

    /// Returns true if the step whose response is being read is a COMMIT.
    #[inline]
    fn commits(&self, steps: Steps<'_>) -> bool {
        self.block.is_some() || steps.steps.get(self.step) == Some(&Step::Commit)
    }
}

/// The action to take for rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rows {
    /// No table has arrived yet.
    Awaited,
    /// The rows are appended to the reply.
    Kept,
    /// The rows are skipped, because they belong to a table that the statement does not declare. `had` is true if the
    /// declared table has already been read.
    Skipped { had: bool },
    /// The declared table has arrived.
    Had,
}

/// Opens a session on a new connection.
pub async fn open(target: &Target, environment: Environment) -> Result<Box<dyn Session>> {
    let Environment { create, set, .. } = environment;
    connect::open(target, create, set).await.map(over)
}

/// Creates a session that uses an open connection.
fn over(opened: Opened) -> Box<dyn Session> {
    let Opened { link, product, version } = opened;
    Box::new(MySql {
        link,
        statements: Statements::default(),
        catalog: Arc::default(),
        product,
        version,
        loader: Loader::default(),
        exchange: None,
    })
}

impl MySql {
    /// Sends a step, or the block that begins with the step.
    #[inline]
    fn begin_step(
        &mut self,
        step: &Step,
        block: Option<StatementId>,
        values: &Values,
    ) -> Result<Answer> {
        let Step::Execute { statement, params } = step else { return self.link.query(word(step)) };
        self.link.begin()?;
        let out = &mut self.link.wire.out;
        let begun = if self.statements.is_simple() {
            let text = self.catalog.get(*statement);
            query_with(out, |out| text.write(&dialect::MySql, params, values, out))
        } else {
            self.statements.execute(block.unwrap_or(*statement), params, values, out)
        };
        self.link.begun(begun)
    }

    /// Sends several steps as one text.
    #[inline]
    fn begin_together(&mut self, steps: &[Step], values: &Values) -> Result<Answer> {
        self.link.begin()?;
        let Self { link, catalog, .. } = self;
        let begun = query_with(&mut link.wire.out, |out| {
            for (place, step) in steps.iter().enumerate() {
                if place > 0 {
                    // Start on a new line, because the previous statement may end with a line comment.
                    out.extend_from_slice(b"\n;");
                }
                match step {
                    Step::Execute { statement, params } => catalog
                        .get(*statement)
                        .write(&dialect::MySql, params, values, out)
                        .map_err(|error| named(catalog, error, step))?,
                    _ => out.extend_from_slice(word(step)),
                }
            }
            Ok(())
        });
        self.link.begun(begun)
    }

    /// Sends the next steps, or returns `None` if there are none left.
    #[inline]
    fn next(&mut self, step: usize, steps: Steps<'_>) -> Result<Option<Progress>> {
        let Some(next) = steps.steps.get(step) else { return Ok(None) };
        let last = self.last_of(&steps.steps[step..]);
        let end = match last {
            None => self.end_of_text(step, steps),
            Some(Last::Block(_)) => step + 2,
            Some(Last::Followed) => step + 1,
        };
        let block = last.and_then(Last::block);
        let together = last.is_none() && end - step > 1;
        let answer = if together {
            self.begin_together(&steps.steps[step..end], steps.values)?
        } else {
            let begun = self.begin_step(next, block, steps.values);
            begun.map_err(|error| named(&self.catalog, error, next))?
        };
        let followed = last == Some(Last::Followed);
        if followed {
            query(word(&Step::Commit), &mut self.link.wire.out)?;
        }
        Ok(Some(Progress { together, block, followed, ..Progress::new(step, end, answer) }))
    }

    /// Returns the initial state for reading the response to a COMMIT that was sent at the same time as the step before
    /// it.
    fn commit_after(&mut self, step: usize) -> Result<Progress> {
        self.link.wire.begin()?;
        Ok(Progress::new(step, step + 1, Answer::new(self.link.abilities)))
    }

    /// Returns how to send the last statement together with the COMMIT after it, or `None` if they are not sent
    /// together.
    #[inline]
    fn last_of(&self, steps: &[Step]) -> Option<Last> {
        match steps {
            [Step::Execute { statement, .. }, Step::Commit] => self.statements.last(*statement),
            _ => None,
        }
    }

    /// Returns the end of the range of steps that can be joined with this step into one text.
    #[inline]
    fn end_of_text(&self, step: usize, steps: Steps<'_>) -> usize {
        let joins = |step: &&Step| match step {
            Step::Execute { statement, .. } => self.statements.joins(*statement),
            Step::Begin(_) | Step::Commit | Step::Rollback => true,
        };
        step + steps.steps[step..].iter().take_while(joins).count().max(1)
    }

    /// Reads the complete response to the steps that were sent.
    #[inline]
    fn poll_answer(
        &mut self,
        progress: &mut Progress,
        steps: Steps<'_>,
        reply: &mut Reply,
        context: &mut Context<'_>,
    ) -> Poll<Result<()>> {
        loop {
            loop {
                self.link.wire.expect_rows(progress.answer.reads_rows());
                let Some(message) = self.link.wire.arrived()? else { break };
                let statement = statement_of(steps, progress.step);
                let body = self.link.wire.body(&message);
                let event = match progress.answer.take(body) {
                    Ok(event) => event,
                    Err(error) => {
                        admin::settle(&mut self.link, &error);
                        return Poll::Ready(Err(progress.error.take().unwrap_or(error)));
                    }
                };
                if let Event::End(end) = event
                    && (progress.together || end.is_last())
                {
                    if end.is_last() {
                        self.link.wire.done();
                    }
                    if end.in_transaction() && progress.commits(steps) {
                        self.link.wire.give_up();
                        let text = "the transaction is still open after COMMIT";
                        return Poll::Ready(Err(unexpected(text)));
                    }
                    let outcome = self.finish(progress, statement, end.affected, reply);
                    let is_end = !progress.together || progress.step + 1 == progress.end;
                    if is_end == end.is_last() {
                        if is_end {
                            return Poll::Ready(outcome);
                        }
                        let step = &steps.steps[progress.step];
                        progress.error =
                            outcome.err().map(|error| named(&self.catalog, error, step));
                        (progress.step, progress.rows) = (progress.step + 1, Rows::Awaited);
                        progress.returned = None;
                        continue;
                    }
                    self.link.wire.give_up();
                    return Poll::Ready(Err(unexpected("wrong number of results")));
                }
                if event == Event::WantsRows {
                    let out = &mut self.link.wire.out;
                    packet(message.tag.wrapping_add(1), out, |_| Ok(()))?;
                    progress.error = Some(Error::usage(
                        "a statement tried to load rows from a file on the client",
                    ));
                } else if let Some(statement) = statement
                    && let Err(error) =
                        take(&mut self.statements, event, body, progress, statement, reply)
                {
                    if is_last(&error) {
                        self.link.wire.give_up();
                        return Poll::Ready(Err(error));
                    }
                    progress.error.get_or_insert(error);
                }
            }
            ready!(self.link.wire.poll_progress(context))?;
        }
    }

    /// Returns the outcome of a step whose response is complete.
    #[inline]
    fn finish(
        &mut self,
        progress: &mut Progress,
        statement: Option<StatementId>,
        affected: u64,
        reply: &mut Reply,
    ) -> Result<()> {
        if let Some(error) = progress.error.take() {
            return Err(error);
        }
        let Some(statement) = statement else { return Ok(()) };
        if !progress.together {
            self.statements.has_run(progress.block.unwrap_or(statement), !progress.retyped);
        }
        if matches!(progress.rows, Rows::Had | Rows::Kept | Rows::Skipped { had: true }) {
            reply.finish(0);
            return Ok(());
        }
        if self.statements.width(statement) > 0 {
            return Err(no_rows());
        }
        reply.start(0);
        reply.finish(affected);
        reply.count(progress.returned.unwrap_or(affected));
        Ok(())
    }
}

/// Converts the error of a statement whose COMMIT was sent along with it, so the outcome of the transaction is unknown.
#[cold]
fn in_doubt(error: Error) -> Error {
    if error.retry_class() == Retry::NewConnection {
        return error;
    }
    let text = format!("{error}; COMMIT had already been sent, so the connection was closed");
    Error::new(ErrorKind::Connect, text).source(error)
}

#[inline]
fn statement_of(steps: Steps<'_>, step: usize) -> Option<StatementId> {
    match steps.steps.get(step) {
        Some(Step::Execute { statement, .. }) => Some(*statement),
        _ => None,
    }
}

/// Returns the text of a step that has no statement.
fn word(step: &Step) -> &'static [u8] {
    match step {
        Step::Begin(_) => b"BEGIN",
        Step::Commit => b"COMMIT",
        Step::Rollback | Step::Execute { .. } => b"ROLLBACK",
    }
}

/// Adds the step's name to an error.
#[cold]
fn named(catalog: &Catalog, error: Error, step: &Step) -> Error {
    match step {
        Step::Execute { statement: StatementId(number), .. } => {
            let statement = catalog.statements().get(usize::from(*number));
            error.during(format!("run {}", statement.map_or("", |statement| &statement.name)))
        }
        Step::Begin(_) => error.during("BEGIN"),
        Step::Commit => error.during("COMMIT"),
        Step::Rollback => error.during("ROLLBACK"),
    }
}

/// Processes one packet of a statement's response. The first table with the declared number of columns is the
/// statement's result.
#[inline]
fn take(
    statements: &mut Statements,
    event: Event,
    body: &[u8],
    progress: &mut Progress,
    statement: StatementId,
    reply: &mut Reply,
) -> Result<()> {
    if let Event::End(end) = event {
        progress.retyped |= end.is_parameters();
        progress.part += 1;
    }
    let text = progress.together || statements.is_simple();
    match (event, progress.rows) {
        (Event::Table(width), Rows::Awaited)
            if width == statements.width(statement)
                && progress.part + 1 >= statements.parts(statement) =>
        {
            progress.rows = Rows::Kept;
            reply.start(width);
        }
        (Event::Table(_), rows) => {
            progress.rows = Rows::Skipped { had: rows == Rows::Had };
            progress.returned = Some(0);
        }
        (Event::Row, Rows::Skipped { .. }) => {
            progress.returned = progress.returned.map(|rows| rows + 1);
        }
        (Event::Column(column), Rows::Kept) => {
            statements.describe(statement, column, body, text)?;
        }
        (Event::Row, Rows::Kept) if progress.error.is_none() => {
            statements.row(statement, body, text, reply.values())?;
        }
        (Event::End(_), Rows::Kept | Rows::Skipped { had: true }) => progress.rows = Rows::Had,
        (Event::End(_), Rows::Skipped { had: false }) => progress.rows = Rows::Awaited,
        _ => {}
    }
    Ok(())
}

#[cold]
fn no_rows() -> Error {
    let text = "the statement did not return a table with the declared number of columns";
    Error::new(ErrorKind::Syntax, text)
}

impl Session for MySql {
    fn prepare(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let old = std::mem::take(&mut self.statements);
            self.catalog = catalog.clone();
            self.statements = prepare::all(&mut self.link, self.product, &catalog, &old).await?;
            self.link.wire.shrink();
            Ok(())
        })
    }

    fn simple(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let old = std::mem::replace(&mut self.statements, Statements::simple(&catalog));
            self.catalog = catalog;
            prepare::forget(&mut self.link, &old).await
        })
    }

    fn poll_exchange(
        &mut self,
        steps: Steps<'_>,
        reply: &mut Reply,
        context: &mut Context<'_>,
    ) -> Poll<Result<()>> {
        let mut progress = match self.exchange.take() {
            Some(progress) => progress,
            None => match self.next(0, steps)? {
                Some(progress) => progress,
                None => return Poll::Ready(Ok(())),
            },
        };
        loop {
            if progress.end > steps.steps.len() {
                self.link.wire.give_up();
                return Poll::Ready(Err(unexpected("it belongs to other requests")));
            }
            match self.poll_answer(&mut progress, steps, reply, context) {
                Poll::Pending => {
                    self.exchange = Some(progress);
                    return Poll::Pending;
                }
                Poll::Ready(Err(error)) => {
                    let step = &steps.steps[progress.step];
                    let error = named(&self.catalog, error, step);
                    return Poll::Ready(Err(if progress.followed {
                        self.link.wire.give_up();
                        in_doubt(error)
                    } else {
                        error
                    }));
                }
                Poll::Ready(Ok(())) if progress.followed => {
                    progress = self.commit_after(progress.end)?;
                }
                Poll::Ready(Ok(())) => match self.next(progress.end, steps)? {
                    Some(next) => progress = next,
                    None => return Poll::Ready(Ok(())),
                },
            }
        }
    }

    fn script<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<()>> {
        during("run a script", admin::script(&mut self.link, sql))
    }

    fn text_rows<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<TextRows>> {
        Box::pin(admin::text_rows(&mut self.link, sql))
    }

    fn load<'a>(
        &'a mut self,
        table: &'a Table,
        rows: &'a mut dyn RowSource,
    ) -> BoxFuture<'a, Result<u64>> {
        Box::pin(async move {
            let outcome = self.loader.load(&mut self.link, table, rows).await;
            self.link.wire.shrink();
            outcome.map_err(|error| error.during(format!("load {}", table.name)))
        })
    }

    fn slow_load(&self) -> Option<&'static str> {
        self.loader.slow()
    }

    fn drop_set(&mut self) -> BoxFuture<'_, Result<()>> {
        during("drop the database that contains the table set", async move {
            admin::drop_database(&mut self.link).await.map(drop)
        })
    }

    fn inspector(&mut self) -> &mut dyn Inspector {
        self
    }

    fn close(mut self: Box<Self>) -> BoxFuture<'static, Result<()>> {
        Box::pin(async move {
            admin::quit(&mut self.link).await;
            Ok(())
        })
    }
}
