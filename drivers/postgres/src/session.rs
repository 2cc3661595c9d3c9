//! A session: a connection, its prepared statements, and the exchange in progress.
//!
//! The steps of an exchange are sent in one write. Each step is a `Bind` and an `Execute`, and a `Sync` follows the
//! last one. After an error, the server skips the remaining steps.
//!
//! In the `simple` form, each step is a `Query`, which is sent after the previous step has succeeded.
//!
//! Rows are copied from the read buffer directly to the reply.
//!
//! Start reading at [`Session::poll_exchange`]. The hot path is in this file, `wire.rs`, `statements.rs` and
//! `values.rs`.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tacho_core::{Error, ErrorKind, Result, Table};
use tacho_driver::{
    ADMINISTRATOR, BoxFuture, Catalog, Environment, Inspector, Reply, RowSource, Session,
    StatementId, Step, Steps, Target, TextRows, during, no_answers,
};
use tacho_net::{is_last, unexpected};

use crate::cancel::{Key, cancel};
use crate::connect::Opened;
use crate::errors::server;
use crate::request::{self, EXECUTE, Name, SYNC};
use crate::statements::{self, Statements};
use crate::wire::{Wire, answered};
use crate::{admin, dialect, facts, load, open, pooler};

/// A session.
pub struct Postgres {
    pub wire: Wire,
    statements: Statements,
    catalog: Arc<Catalog>,
    /// Number of statements in the largest catalog that this session has prepared, or `None` if it has prepared none.
    /// The server may still have this many statements.
    known: Option<usize>,
    pub version: Box<str>,
    pub key: Option<Key>,
    begin: &'static str,
    /// True for a session that only inspects or prepares the database. Such a session runs no measured load.
    is_administrative: bool,
    /// True if a statement is parsed each time it is executed, as in `pgbench -M extended`.
    parses_each: bool,
    exchange: Option<Progress>,
}

/// Progress in reading the response to an exchange.
#[derive(Default)]
struct Progress {
    /// The step whose response is being read.
    step: usize,
    /// Number of steps that were sent.
    sent: usize,
    /// True if the step's result has started.
    begun: bool,
    /// Number of statements in the step's text whose responses have been read completely.
    part: u16,
    /// The first error.
    error: Option<Error>,
}

/// Opens a session on a new connection.
pub async fn open(target: &Target, environment: Environment) -> Result<Box<dyn Session>> {
    let Environment { create, set, session, .. } = environment;
    let opened = open::open(target, create, set).await?;
    Ok(over(opened, session == ADMINISTRATOR))
}

/// Creates a session that uses an open connection.
fn over(opened: Opened, is_administrative: bool) -> Box<dyn Session> {
    let Opened { wire, version, key, begin, parses_each } = opened;
    Box::new(Postgres {
        wire,
        statements: Statements::default(),
        catalog: Arc::default(),
        known: None,
        version,
        key,
        begin,
        is_administrative,
        parses_each,
        exchange: None,
    })
}

impl Postgres {
    /// Runs a script. Behind a pooler, administrative sessions omit scripts that only change settings. The changed
    /// settings would otherwise remain in a connection that the pooler later gives to other clients.
    async fn run_script(&mut self, sql: &str) -> Result<()> {
        let only_settings = sql.split("; ").all(|statement| statement.starts_with("SET "));
        if self.is_administrative
            && only_settings
            && pooler::is_between(&mut self.wire, self.key).await?
        {
            return Ok(());
        }
        admin::run(&mut self.wire, sql).await
    }

    /// Prepares a catalog. For an administrative session behind a pooler, statements are sent as text instead, because
    /// prepared statements would remain in the server process.
    async fn prepare_any(&mut self, catalog: Arc<Catalog>) -> Result<()> {
        if self.is_administrative && pooler::is_between(&mut self.wire, self.key).await? {
            return self.take_simple(catalog).await;
        }
        self.prepare_all(catalog).await
    }

    /// Prepares BEGIN, COMMIT, ROLLBACK and all statements of a catalog in one round trip.
    async fn prepare_all(&mut self, catalog: Arc<Catalog>) -> Result<()> {
        self.wire.begin()?;
        let controls = [(Name::Begin, self.begin), (Name::Commit, "COMMIT")];
        for (name, sql) in controls.into_iter().chain([(Name::Rollback, "ROLLBACK")]) {
            request::close(name, &mut self.wire.out);
            request::parse(name, sql, &mut self.wire.out);
        }
        let known = self.known.unwrap_or(0);
        statements::prepare(&catalog, known, &mut self.wire.out);
        self.wire.out.extend_from_slice(&SYNC);
        self.known = Some(known.max(catalog.statements().len()));
        self.statements = Statements::default();
        self.catalog = catalog.clone();
        let mut at = 0;
        let outcome = admin::answers(&mut self.wire, |tag, body| {
            let Some(statement) = catalog.statements().get(at) else { return Ok(()) };
            let has_begun = self.statements.len() > at;
            match tag {
                b't' if !has_begun => return self.statements.add(statement, body),
                b'T' if has_begun => self.statements.add_columns(statement, body)?,
                b'n' if has_begun => statements::no_columns(statement.results.len())?,
                b't' | b'T' | b'n' => return Err(unexpected("a description out of order")),
                _ => return Ok(()),
            }
            at += 1;
            Ok(())
        })
        .await;
        let is_whole = at == catalog.statements().len();
        let missing = || unexpected("the server did not describe all statements");
        let outcome = outcome.and_then(|()| is_whole.then_some(()).ok_or_else(missing));
        self.statements.finish();
        self.wire.shrink();
        if outcome.is_err() {
            self.statements = Statements::default();
        }
        outcome.map_err(|error| match catalog.statements().get(at) {
            Some(statement) => statement.not_prepared(error),
            None => error.during("prepare statements"),
        })
    }

    /// Sets a catalog whose statements are sent as text. Closes statements that were prepared earlier, and sets the
    /// date format.
    async fn take_simple(&mut self, catalog: Arc<Catalog>) -> Result<()> {
        self.statements = Statements::simple(&catalog);
        self.catalog = catalog;
        if let Some(known) = self.known.take() {
            self.wire.begin()?;
            let numbered = (0..known).map(|number| Name::Numbered(number as u16));
            for name in [Name::Begin, Name::Commit, Name::Rollback].into_iter().chain(numbered) {
                request::close(name, &mut self.wire.out);
            }
            self.wire.out.extend_from_slice(&SYNC);
            admin::answers(&mut self.wire, |_, _| Ok(())).await?;
        }
        admin::run(&mut self.wire, "SET datestyle TO ISO").await
    }

    /// Starts to send the steps. Prepared steps are all sent together. If the steps are sent as text, only the first
    /// one is sent now.
    #[inline]
    fn begin_exchange(&mut self, steps: Steps<'_>) -> Result<()> {
        let mut progress = Progress::default();
        if self.statements.is_simple() {
            self.query_next(&mut progress, steps)?;
        } else {
            self.execute_all(steps)?;
            progress.sent = steps.steps.len();
        }
        self.exchange = Some(progress);
        Ok(())
    }

    /// Sends the next step as text.
    fn query_next(&mut self, progress: &mut Progress, steps: Steps<'_>) -> Result<()> {
        let step = &steps.steps[progress.sent];
        self.wire.begin()?;
        let Self { wire, catalog, begin, .. } = self;
        let written = request::query_with(&mut wire.out, |out| {
            let sql = match step {
                Step::Execute { statement, params } => {
                    let text = catalog.get(*statement);
                    return text.write(&dialect::Postgres, params, steps.values, out);
                }
                Step::Begin(_) => begin,
                Step::Commit => "COMMIT",
                Step::Rollback => "ROLLBACK",
            };
            out.extend_from_slice(sql.as_bytes());
            Ok(())
        });
        progress.sent += 1;
        written.map_err(|error| {
            self.wire.withdraw();
            self.named(error, Some(step))
        })
    }

    /// Appends all steps to the send buffer.
    #[inline]
    fn execute_all(&mut self, steps: Steps<'_>) -> Result<()> {
        self.wire.begin()?;
        for (at, step) in steps.steps.iter().enumerate() {
            if let Err(error) = self.encode(step, steps) {
                self.wire.withdraw();
                return Err(self.named(error, steps.steps.get(at)));
            }
        }
        self.wire.out.extend_from_slice(&SYNC);
        Ok(())
    }

    #[inline]
    fn encode(&mut self, step: &Step, steps: Steps<'_>) -> Result<()> {
        if self.parses_each {
            return self.parse_and_execute(step, steps);
        }
        let out = &mut self.wire.out;
        let name = match step {
            Step::Execute { statement, params } => {
                let name = Name::Numbered(statement.0);
                return self.statements.execute(
                    *statement,
                    name,
                    params.clone(),
                    steps.values,
                    out,
                );
            }
            Step::Begin(_) => Name::Begin,
            Step::Commit => Name::Commit,
            Step::Rollback => Name::Rollback,
        };
        request::bind(name, 0, out, |_| Ok(()))?;
        out.extend_from_slice(&EXECUTE);
        Ok(())
    }

    /// Appends a step as text, without prepared statements.
    #[inline(never)]
    fn parse_and_execute(&mut self, step: &Step, steps: Steps<'_>) -> Result<()> {
        let out = &mut self.wire.out;
        let sql = match step {
            Step::Execute { statement, params } => {
                request::parse(Name::Unnamed, &self.catalog.get(*statement).sql, out);
                let (name, values) = (Name::Unnamed, steps.values);
                return self.statements.execute(*statement, name, params.clone(), values, out);
            }
            Step::Begin(_) => self.begin,
            Step::Commit => "COMMIT",
            Step::Rollback => "ROLLBACK",
        };
        request::parse(Name::Unnamed, sql, out);
        request::bind(Name::Unnamed, 0, out, |_| Ok(()))?;
        out.extend_from_slice(&EXECUTE);
        Ok(())
    }

    /// Reads messages until the server is ready for the next request.
    #[inline]
    fn poll_answers(
        &mut self,
        progress: &mut Progress,
        steps: Steps<'_>,
        reply: &mut Reply,
        context: &mut Context<'_>,
    ) -> Poll<Result<()>> {
        loop {
            while let Some(message) = self.wire.arrived()? {
                let body = self.wire.body(&message);
                if message.tag == b'Z' {
                    answered(&mut self.wire, &message);
                    if progress.goes_on(steps) {
                        self.query_next(progress, steps)?;
                        continue;
                    }
                    return Poll::Ready(ended(progress, steps));
                }
                let answer = Answer { tag: message.tag, body };
                let step = steps.steps.get(progress.step);
                if let Err(error) =
                    take(&mut self.statements, &self.catalog, answer, progress, steps, reply)
                {
                    if is_last(&error) {
                        self.wire.give_up();
                        return Poll::Ready(Err(error));
                    }
                    let error = self.named(error, step);
                    progress.error.get_or_insert(error);
                }
            }
            ready!(self.wire.poll_progress(context))?;
        }
    }

    /// Adds the step's name to an error.
    #[cold]
    fn named(&self, error: Error, step: Option<&Step>) -> Error {
        match step {
            Some(Step::Execute { statement: StatementId(number), .. }) => {
                let Some(statement) = self.catalog.statements().get(usize::from(*number)) else {
                    return error.during("run ");
                };
                let is_typed = statement.is_verbatim() && !statement.placeholders.is_empty();
                let is_unfit =
                    error.kind() == ErrorKind::Syntax || error.native_code() == Some(UNFIT);
                let name = &statement.name;
                // Put the suggestion to use another statement form into the message, because errors during a run are
                // shown without hints.
                error.during(if is_typed && is_unfit && !self.statements.is_simple() {
                    format!("run {name} with typed parameters (with --form simple, parameters are sent as text)")
                } else {
                    format!("run {name}")
                })
            }
            Some(Step::Begin(_)) => error.during(self.begin),
            Some(Step::Commit) => error.during("COMMIT"),
            Some(Step::Rollback) => error.during("ROLLBACK"),
            None => error,
        }
    }
}

/// Error code for a string that cannot be converted to the parameter's type.
const UNFIT: &str = "22P02";

/// One message of a response.
#[derive(Clone, Copy)]
struct Answer<'a> {
    tag: u8,
    body: &'a [u8],
}

impl Progress {
    /// Returns true if all steps sent so far have succeeded and there is another step to send.
    #[inline]
    fn goes_on(&self, steps: Steps<'_>) -> bool {
        self.error.is_none() && self.step == self.sent && self.sent < steps.steps.len()
    }
}

/// Processes one message of the response.
#[inline]
fn take(
    statements: &mut Statements,
    catalog: &Catalog,
    answer: Answer<'_>,
    progress: &mut Progress,
    steps: Steps<'_>,
    reply: &mut Reply,
) -> Result<()> {
    let statement = match steps.steps.get(progress.step) {
        Some(Step::Execute { statement, .. }) => Some(*statement),
        _ => None,
    };
    match (answer.tag, statement) {
        // BindComplete. The rows of the next statement follow.
        (b'2', Some(statement)) => {
            statements.start(statement, reply);
            progress.begun = true;
        }
        // If a text contains several statements, only the rows of the last one are kept.
        (b'T' | b'D', Some(statement)) if progress.part + 1 < statements.parts(statement) => {}
        (b'C', Some(statement)) if progress.part + 1 < statements.parts(statement) => {
            progress.part += 1;
        }
        // RowDescription. The rows of a statement that was sent as text follow.
        (b'T', Some(statement)) if statements.is_simple() => {
            progress.begun = true;
            statements.described(statement, catalog, answer.body, reply)?;
        }
        (b'D', Some(statement)) if progress.error.is_none() => {
            statements.row(statement, answer.body, reply.values())?;
        }
        // CommandComplete, EmptyQueryResponse.
        (b'C' | b'I', _) => {
            let step = progress.step;
            (progress.step, progress.part) = (step + 1, 0);
            if let Some(statement) = statement {
                if !std::mem::take(&mut progress.begun) {
                    statements.without_rows(statement, reply)?;
                }
                reply.finish(admin::rows_written(answer.body));
                if catalog.get(statement).results.is_empty() {
                    reply.count(admin::tag_rows(answer.body));
                }
            } else {
                match steps.steps.get(step) {
                    Some(Step::Commit) => committed(answer.body)?,
                    Some(Step::Begin(_)) => begun(answer.body)?,
                    _ => {}
                }
            }
        }
        (b'E', _) => return Err(server(answer.body)),
        // All other messages are ignored: ParseComplete, rows of a failed statement, notices, settings and
        // notifications.
        (b'1' | b'2' | b'D' | b'N' | b'S' | b'A', _) => {}
        _ => return Err(unexpected(&format!("message {:?}", char::from(answer.tag)))),
    }
    Ok(())
}

/// Returns the outcome once the server is ready for the next request.
#[inline]
fn ended(progress: &mut Progress, steps: Steps<'_>) -> Result<()> {
    match progress.error.take() {
        Some(error) => Err(error),
        None if progress.step == steps.steps.len() => Ok(()),
        None => Err(unexpected("it ended too early")),
    }
}

/// Checks that this is the response to BEGIN. If it is not, responses no longer match requests.
#[inline]
fn begun(tag: &[u8]) -> Result<()> {
    if tag.starts_with(b"BEGIN") || tag.starts_with(b"START TRANSACTION") {
        return Ok(());
    }
    Err(unexpected("expected the start of a transaction"))
}

/// Checks that this is the response to COMMIT. If the transaction has failed, the server reports success with the tag
/// ROLLBACK instead.
#[inline]
fn committed(tag: &[u8]) -> Result<()> {
    if tag.starts_with(b"COMMIT") {
        return Ok(());
    }
    if !tag.starts_with(b"ROLLBACK") {
        return Err(unexpected("expected a commit"));
    }
    Err(Error::new(ErrorKind::Other, "the transaction had already failed and was rolled back"))
}

/// Cancels work that the server would otherwise continue after the session has ended.
impl Drop for Postgres {
    fn drop(&mut self) {
        if let (true, Some(key)) = (self.wire.is_busy(), self.key) {
            // Ignore the error: if the server cannot be reached, there is nothing to cancel.
            let _ = cancel(self.wire.stream(), key);
        }
    }
}

impl Session for Postgres {
    fn prepare(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.prepare_any(catalog))
    }

    fn simple(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        during("prepare a session that sends statements as text", self.take_simple(catalog))
    }

    fn poll_exchange(
        &mut self,
        steps: Steps<'_>,
        reply: &mut Reply,
        context: &mut Context<'_>,
    ) -> Poll<Result<()>> {
        if self.exchange.is_none() {
            if steps.steps.is_empty() {
                return Poll::Ready(Ok(()));
            }
            if steps.steps == [Step::Rollback] && self.wire.is_idle() && !self.wire.in_transaction()
            {
                // Send nothing, because the server has already rolled back the transaction. It would count a ROLLBACK
                // as a second one.
                return Poll::Ready(Ok(()));
            }
            self.begin_exchange(steps)?;
        }
        let mut progress = self.exchange.take().unwrap_or_default();
        match self.poll_answers(&mut progress, steps, reply, context) {
            Poll::Pending => {
                self.exchange = Some(progress);
                Poll::Pending
            }
            Poll::Ready(Err(error)) => {
                Poll::Ready(Err(self.named(error, steps.steps.get(progress.step))))
            }
            Poll::Ready(Ok(())) => Poll::Ready(Ok(())),
        }
    }

    fn script<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<()>> {
        during("run a script", self.run_script(sql))
    }

    fn text_rows<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<TextRows>> {
        Box::pin(admin::text_rows(&mut self.wire, sql))
    }

    fn load<'a>(
        &'a mut self,
        table: &'a Table,
        rows: &'a mut dyn RowSource,
    ) -> BoxFuture<'a, Result<u64>> {
        Box::pin(async move {
            let outcome = load::load(&mut self.wire, table, rows).await;
            self.wire.shrink();
            outcome.map_err(|error| error.during(format!("load {}", table.name)))
        })
    }

    fn drop_set(&mut self) -> BoxFuture<'_, Result<()>> {
        during("drop the schema that contains the table set", facts::drop_schema(&mut self.wire))
    }

    fn inspector(&mut self) -> &mut dyn Inspector {
        self
    }

    fn close(mut self: Box<Self>) -> BoxFuture<'static, Result<()>> {
        Box::pin(async move {
            admin::terminate(&mut self.wire).await;
            Ok(())
        })
    }

    no_answers!(slow_load);
}
