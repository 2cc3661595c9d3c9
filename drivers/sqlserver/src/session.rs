//! A session: its connection, the handles of its statements, and the exchange in progress.
//!
//! Each step is sent after the previous one has succeeded, because the server runs all calls in a message even if one
//! of them fails.
//!
//! A statement is prepared by the first call that runs it.
//!
//! Rows are copied directly from the read buffer to the reply.
//!
//! Start reading at [`Session::poll_exchange`]. The hot path is in this file, `link.rs`, `tokens.rs`, `request.rs` and
//! `values.rs`.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tacho_core::{Error, ErrorKind, Result, Table};
use tacho_driver::{
    BoxFuture, Catalog, Environment, Inspector, Reply, RowSource, Session, Statement, StatementId,
    Step, Steps, Target, TextRows, during,
};
use tacho_net::unexpected;

use crate::bytes::to_utf16;
use crate::connect::Opened;
use crate::link::Link;
use crate::load::Loader;
use crate::product::Product;
use crate::tokens::{Event, Row};
use crate::values::{decode, decode_any};
use crate::{admin, connect, dialect, request, returning};

/// A session.
pub struct SqlServer {
    pub link: Link,
    catalog: Arc<Catalog>,
    /// The server's product. Some products require statements to be rewritten.
    product: Product,
    /// For each statement of the catalog, the rewritten statement to send instead, or `None` if it is sent unchanged.
    /// The list is empty if no statement is rewritten.
    rewritten: Box<[Option<Statement>]>,
    /// The server's handle for each statement. Handles start at 1, and 0 means that the statement has not been run yet.
    handles: Box<[i32]>,
    /// Buffer for the text of statements that are sent as text. `None` if statements are prepared.
    text: Option<Vec<u8>>,
    pub version: Box<str>,
    loader: Loader,
    exchange: Option<Progress>,
}

/// Progress of an exchange.
struct Progress {
    /// The step whose response is being read.
    step: usize,
    rows: Rows,
    /// Number of rows written.
    affected: u64,
    /// The handle that the server has assigned to the statement.
    handle: Option<i32>,
    /// The first error of the step.
    error: Option<Error>,
}

/// The handling of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rows {
    /// The declared table has not arrived yet.
    Awaited,
    /// The rows are appended to the reply.
    Kept,
    /// The declared table has already been read, so rows that follow belong to another table and are skipped.
    Had,
}

/// Opens a session on a new connection.
pub async fn open(target: &Target, environment: Environment) -> Result<Box<dyn Session>> {
    let Environment { create, set, .. } = environment;
    let Opened { link, version, product, inserts } = connect::open(target, create, set).await?;
    Ok(Box::new(SqlServer {
        link,
        catalog: Arc::default(),
        product,
        rewritten: Box::default(),
        handles: Box::default(),
        text: None,
        version,
        loader: Loader::new(inserts),
        exchange: None,
    }))
}

impl SqlServer {
    /// Replaces the catalog. Closes the previous catalog's statements on the server.
    async fn take(&mut self, catalog: Arc<Catalog>, text: Option<Vec<u8>>) -> Result<()> {
        let count = if text.is_some() { 0 } else { catalog.statements().len() };
        let old = std::mem::replace(&mut self.handles, vec![0; count].into());
        if self.product != Product::SqlServer {
            self.rewritten = catalog.statements().iter().map(returning::read_back).collect();
        }
        (self.catalog, self.text) = (catalog, text);
        if old.iter().all(|handle| *handle == 0) {
            return Ok(());
        }
        self.link.request(|environment, out| {
            let known = old.iter().copied().filter(|handle| *handle != 0);
            request::forget(environment, out, known);
            Ok(())
        })?;
        self.link.answer(|_| Ok(())).await?;
        self.link.shrink();
        Ok(())
    }

    /// Sends a step.
    #[inline]
    fn begin_step(&mut self, step: &Step, steps: Steps<'_>) -> Result<()> {
        let Self { link, catalog, rewritten, handles, text, .. } = self;
        link.request(|environment, out| match step {
            Step::Execute { statement, params } => {
                let written = rewritten.get(usize::from(statement.0)).and_then(Option::as_ref);
                let written = written.unwrap_or_else(|| catalog.get(*statement));
                if let Some(text) = text {
                    text.clear();
                    written.write(&dialect::SqlServer, params, steps.values, text)?;
                    return request::batch(environment, out, |out| to_utf16(text, out));
                }
                let handle = handles[usize::from(statement.0)];
                let handle = Some(handle).filter(|handle| *handle != 0);
                request::execute(environment, out, written, handle, params, steps.values)
            }
            Step::Begin(_) => {
                request::begin_transaction(environment, out);
                Ok(())
            }
            Step::Commit => {
                request::commit(environment, out);
                Ok(())
            }
            Step::Rollback => {
                request::rollback(environment, out);
                Ok(())
            }
        })
    }

    /// Sends the next step. Returns `None` if there is none. If the server has already rolled back the transaction,
    /// skips a ROLLBACK.
    #[inline]
    fn next(&mut self, mut step: usize, steps: Steps<'_>) -> Result<Option<Progress>> {
        let has_none = self.link.wire.is_idle() && !self.link.in_transaction();
        while has_none && steps.steps.get(step) == Some(&Step::Rollback) {
            step += 1;
        }
        let Some(next) = steps.steps.get(step) else { return Ok(None) };
        self.begin_step(next, steps).map_err(|error| self.named(error, next))?;
        let rows = Rows::Awaited;
        Ok(Some(Progress { step, rows, affected: 0, handle: None, error: None }))
    }

    /// Reads the complete response to a step.
    #[inline]
    fn poll_step(
        &mut self,
        progress: &mut Progress,
        step: &Step,
        reply: &mut Reply,
        context: &mut Context<'_>,
    ) -> Poll<Result<()>> {
        let Self { link, catalog, handles, .. } = self;
        let Step::Execute { statement: id, .. } = step else {
            return link.poll_answer(&mut progress.error, context, |_| Ok(()));
        };
        let statement = catalog.get(*id);
        let Progress { rows, affected, handle, error, .. } = progress;
        let outcome = ready!(link.poll_answer(error, context, |event| {
            match event {
                Event::Done(count) => *affected += count,
                Event::Value(number) => *handle = Some(number),
                event => return take(statement, event, rows, reply),
            }
            Ok(())
        }));
        if let Some(handle) = *handle {
            handles[usize::from(id.0)] = handle;
            // Free the memory for the statement's text, because it will not be sent again.
            link.wire.shrink();
        }
        outcome?;
        if progress.rows == Rows::Awaited {
            if !statement.results.is_empty() {
                return Poll::Ready(Err(no_rows()));
            }
            reply.start(0);
        }
        reply.finish(progress.affected);
        Poll::Ready(Ok(()))
    }

    /// Adds the step's name to an error.
    #[cold]
    fn named(&self, error: Error, step: &Step) -> Error {
        match step {
            Step::Execute { statement: StatementId(number), .. } => {
                let statement = self.catalog.statements().get(usize::from(*number));
                error.during(format!("run {}", statement.map_or("", |statement| &statement.name)))
            }
            Step::Begin(_) => error.during("BEGIN TRANSACTION"),
            Step::Commit => error.during("COMMIT"),
            Step::Rollback => error.during("ROLLBACK"),
        }
    }
}

/// Processes a table event. The first table with the declared number of columns is the statement's result.
#[inline]
fn take(statement: &Statement, event: Event<'_>, rows: &mut Rows, reply: &mut Reply) -> Result<()> {
    match (event, *rows) {
        (Event::Columns(columns, _), Rows::Awaited) if columns.len() == statement.results.len() => {
            *rows = Rows::Kept;
            reply.start(columns.len());
        }
        (Event::Columns(..), Rows::Kept) => *rows = Rows::Had,
        (Event::Row(row), Rows::Kept) => return take_row(statement, row, reply),
        _ => {}
    }
    Ok(())
}

#[inline]
fn take_row(statement: &Statement, row: Row<'_>, reply: &mut Reply) -> Result<()> {
    let values = reply.values();
    row.each(|at, column, value| {
        let Some(bytes) = value else {
            values.null();
            return Ok(());
        };
        if statement.is_verbatim() {
            return decode_any(column, bytes, values);
        }
        decode(column, bytes, statement.results[at].kind, values)
    })
}

#[cold]
fn no_rows() -> Error {
    let text = "the statement did not return a table with the declared number of columns";
    Error::new(ErrorKind::Syntax, text)
}

/// Cancels the running request, because the server would otherwise continue it after the session has ended.
impl Drop for SqlServer {
    fn drop(&mut self) {
        self.link.cancel();
    }
}

impl Session for SqlServer {
    fn prepare(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        during("forget earlier statements", self.take(catalog, None))
    }

    fn simple(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        during("forget earlier statements", self.take(catalog, Some(Vec::new())))
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
            let Some(step) = steps.steps.get(progress.step) else {
                self.link.wire.give_up();
                return Poll::Ready(Err(unexpected("it belongs to other requests")));
            };
            match self.poll_step(&mut progress, step, reply, context) {
                Poll::Pending => {
                    self.exchange = Some(progress);
                    return Poll::Pending;
                }
                Poll::Ready(Err(error)) => return Poll::Ready(Err(self.named(error, step))),
                Poll::Ready(Ok(())) => match self.next(progress.step + 1, steps)? {
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
            self.link.shrink();
            outcome.map_err(|error| error.during(format!("load {}", table.name)))
        })
    }

    fn slow_load(&self) -> Option<&'static str> {
        self.loader.slow()
    }

    fn drop_set(&mut self) -> BoxFuture<'_, Result<()>> {
        during("drop the database that contains the table set", async move {
            admin::drop_own_database(&mut self.link).await.map(drop)
        })
    }

    fn inspector(&mut self) -> &mut dyn Inspector {
        self
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, Result<()>> {
        // Only close the socket, because the protocol has no message that ends a connection.
        Box::pin(async move {
            drop(self);
            Ok(())
        })
    }
}
