//! A session: one connection that prepares, exchanges, loads and closes.
//!
//! What else can be asked of it is in `inspector.rs`. No method has a default: a decorator that lacks one
//! does not compile. Start reading at [`Session`].

use std::sync::Arc;
use std::task::{Context, Poll};

use tacho_core::{Error, ErrorKind, Result, Table};

use crate::{BoxFuture, Catalog, Inspector, Reply, Steps, Values};

/// One connection.
///
/// Only [`Session::poll_exchange`] is on the hot path. It is a poll function and not an `async fn`
/// so that it can be called through `dyn` without a boxed future for every statement.
pub trait Session: Send {
    /// Prepares all statements of a catalog, in place of an earlier one, also of one that was not
    /// prepared.
    fn prepare(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>>;

    /// Takes a catalog in place of an earlier one and prepares nothing: from now on each statement
    /// leaves as text, with its values written by [`crate::Dialect::literal`]. Only where
    /// [`crate::Capabilities::simple`] says so: elsewhere it is [`without_simple_form`].
    fn simple(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>>;

    /// Sends `steps` in one round trip and appends one result for each `Execute` to `reply`.
    ///
    /// The first call sends; further calls, with the same steps, go on until the answer is ready.
    /// After an error nothing later of `steps` has run, and the transaction is open or has failed
    /// as the database does it: the caller sends a rollback.
    fn poll_exchange(
        &mut self,
        steps: Steps<'_>,
        reply: &mut Reply,
        context: &mut Context<'_>,
    ) -> Poll<Result<()>>;

    /// Runs statements without parameters, such as DDL, separated by semicolons.
    fn script<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Runs one statement without parameters and returns its rows as text. Off the hot path, and only for
    /// statements that a user has written. A driver that cannot return them is [`without_text_rows`].
    fn text_rows<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<TextRows>>;

    /// Loads rows into a table by the fastest way there is, within the open transaction if there
    /// is one; returns how many rows the server took.
    fn load<'a>(
        &'a mut self,
        table: &'a Table,
        rows: &'a mut dyn RowSource,
    ) -> BoxFuture<'a, Result<u64>>;

    /// Why [`Session::load`] took a slower way than the database has, if it did, and the remedy.
    fn slow_load(&self) -> Option<&'static str>;

    /// Removes the place of a set of tables, such as a schema, that [`crate::Environment::create`] made, if
    /// nothing is left in it. The session is of no use afterwards.
    fn drop_set(&mut self) -> BoxFuture<'_, Result<()>>;

    /// What else can be asked of the database on this connection. A decorator returns that of the inner
    /// session; a driver without a server returns an [`crate::Uninspected`].
    fn inspector(&mut self) -> &mut dyn Inspector;

    /// Ends the connection in good order.
    fn close(self: Box<Self>) -> BoxFuture<'static, Result<()>>;
}

/// Rows to be loaded, made batch by batch.
pub trait RowSource: Send {
    /// Appends the values of the next rows, column by column, and returns how many rows; 0 at the
    /// end. A batch is some hundred rows.
    fn next_batch(&mut self, rows: &mut Values) -> usize;

    /// Why it came to its end before the last row, if it did: asked when it is at its end.
    fn error(&mut self) -> Option<Error> {
        None
    }
}

/// Rows as text, each value `None` for NULL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextRows {
    /// Names of the columns; empty for a statement without rows, or if the driver does not know them.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Option<String>>>,
    /// Rows that the statement has changed, if the server says so.
    pub changed: u64,
}

/// [`Session::simple`] of a driver that cannot send statements as text.
pub fn without_simple_form<'a>() -> BoxFuture<'a, Result<()>> {
    let text = "the driver cannot send statements as text";
    Box::pin(async move { Err(Error::new(ErrorKind::Unsupported, text).hint("use --form sql")) })
}

/// [`Session::text_rows`] of a driver that cannot return rows as text.
pub fn without_text_rows<'a>() -> BoxFuture<'a, Result<TextRows>> {
    let text = "the driver cannot return rows as text";
    Box::pin(async move { Err(Error::new(ErrorKind::Unsupported, text)) })
}
