//! The session contract. A session is a connection that prepares statements, exchanges requests and results, and loads
//! rows.
//!
//! Further queries that describe the database are in `inspector.rs`. No method has a default implementation, so a
//! decorator that lacks a method does not compile. Start reading at [`Session`].

use std::sync::Arc;
use std::task::{Context, Poll};

use tacho_core::{Error, ErrorKind, Result, Table};

use crate::{BoxFuture, Catalog, Inspector, Reply, Steps, Values};

/// A connection to a database.
///
/// Only [`Session::poll_exchange`] is on the hot path. It is a poll function rather than an `async fn`, so that calling
/// it through `dyn` does not allocate a boxed future for every statement.
pub trait Session: Send {
    /// Prepares all statements of a catalog, which replaces any earlier catalog, even one that was not prepared.
    fn prepare(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>>;

    /// Replaces any earlier catalog with this one, without preparing anything. From then on, each statement is sent as
    /// text that contains its values, written by [`crate::Dialect::literal`]. Only for drivers with
    /// [`crate::Capabilities::simple`]; other drivers use [`without_simple_form`].
    fn simple(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>>;

    /// Sends `steps` in one round trip and appends one result to `reply` for each `Execute`.
    ///
    /// The first call sends the request. Further calls with the same steps continue until the response is complete.
    /// After an error, no later step has been executed, and the transaction is either open or failed, depending on the
    /// database. The caller then sends a rollback.
    fn poll_exchange(
        &mut self,
        steps: Steps<'_>,
        reply: &mut Reply,
        context: &mut Context<'_>,
    ) -> Poll<Result<()>>;

    /// Runs statements without parameters, such as DDL, separated by semicolons.
    fn script<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Runs one statement without parameters and returns its rows as text. This is not on the hot path and is used only
    /// for statements written by a user. A driver that cannot return rows as text uses [`without_text_rows`].
    fn text_rows<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<TextRows>>;

    /// Loads rows into a table by the fastest available method, within the open transaction if there is one. Returns
    /// the number of rows that the server accepted.
    fn load<'a>(
        &'a mut self,
        table: &'a Table,
        rows: &'a mut dyn RowSource,
    ) -> BoxFuture<'a, Result<u64>>;

    /// If [`Session::load`] used a slower method than the database offers, returns the reason together with the fix;
    /// otherwise, returns `None`.
    fn slow_load(&self) -> Option<&'static str>;

    /// Drops the schema or similar container that [`crate::Environment::create`] created for a table set, if the
    /// container is empty. The session is unusable afterwards.
    fn drop_set(&mut self) -> BoxFuture<'_, Result<()>>;

    /// Returns the inspector, which runs further queries about the database on this connection. A decorator returns the
    /// inner session's inspector. A driver without a server returns an [`crate::Uninspected`].
    fn inspector(&mut self) -> &mut dyn Inspector;

    /// Closes the connection gracefully.
    fn close(self: Box<Self>) -> BoxFuture<'static, Result<()>>;
}

/// A source of rows to load, which produces one batch at a time.
pub trait RowSource: Send {
    /// Appends the values of the next rows, row by row, and returns the number of rows, or 0 at the end. A batch
    /// contains a few hundred rows.
    fn next_batch(&mut self, rows: &mut Values) -> usize;

    /// Returns the error that ended the rows early, if any. Called after the last row.
    fn error(&mut self) -> Option<Error> {
        None
    }
}

/// Rows as text. Each value is `None` for NULL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextRows {
    /// Column names. Empty for a statement that returns no rows, or if the driver does not know the names.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Option<String>>>,
    /// Number of rows that the statement changed, if the server reports it.
    pub changed: u64,
}

/// The implementation of [`Session::simple`] for a driver that cannot send statements as text.
pub fn without_simple_form<'a>() -> BoxFuture<'a, Result<()>> {
    let text = "the driver cannot send statements as text";
    Box::pin(async move { Err(Error::new(ErrorKind::Unsupported, text).hint("use --form sql")) })
}

/// The implementation of [`Session::text_rows`] for a driver that cannot return rows as text.
pub fn without_text_rows<'a>() -> BoxFuture<'a, Result<TextRows>> {
    let text = "the driver cannot return rows as text";
    Box::pin(async move { Err(Error::new(ErrorKind::Unsupported, text)) })
}
