//! The session contract. A session is a connection. It prepares statements, exchanges requests and loads rows.
//!
//! Queries that describe the database are in `inspector.rs`. The traits have no default methods, because a decorator
//! could fail to forward them.
//!
//! Start reading at [`Session`].

use std::sync::Arc;
use std::task::{Context, Poll};

use tacho_core::{Error, ErrorKind, Result, Table};

use crate::{BoxFuture, Catalog, Inspector, Reply, Steps, Values};

/// A connection to a database.
///
/// Only [`Session::poll_exchange`] is on the hot path. It is not an `async fn`, because that would allocate memory for
/// every statement.
pub trait Session: Send {
    /// Prepares the statements of a catalog, which replaces the previous catalog.
    fn prepare(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>>;

    /// Sets the catalog without preparing its statements, because they will be sent as text. Drivers without
    /// [`crate::Capabilities::simple`] use [`without_simple_form`].
    fn simple(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>>;

    /// Sends `steps` in one round trip. Appends one result to `reply` for each `Execute`.
    ///
    /// The first call sends the request. Each further call continues until the response is complete. After an error,
    /// the caller must send a rollback.
    fn poll_exchange(
        &mut self,
        steps: Steps<'_>,
        reply: &mut Reply,
        context: &mut Context<'_>,
    ) -> Poll<Result<()>>;

    /// Runs statements without parameters, such as DDL, separated by semicolons.
    fn script<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Runs a user-written statement and returns its rows as text. A driver that cannot do this uses
    /// [`without_text_rows`].
    fn text_rows<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<TextRows>>;

    /// Loads rows by the fastest available method, as part of the open transaction if there is one. Returns the number
    /// of rows that the database accepted.
    fn load<'a>(
        &'a mut self,
        table: &'a Table,
        rows: &'a mut dyn RowSource,
    ) -> BoxFuture<'a, Result<u64>>;

    /// Returns why [`Session::load`] could not use the database's fastest method and how to fix this, or `None` if it
    /// could.
    fn slow_load(&self) -> Option<&'static str>;

    /// Drops a table set's schema, which [`crate::Environment::create`] created and which is now empty. The session
    /// cannot be used afterwards.
    fn drop_set(&mut self) -> BoxFuture<'_, Result<()>>;

    /// Returns an inspector that uses this connection. A decorator returns the inner session's inspector. A driver
    /// without a server returns a [`crate::Uninspected`].
    fn inspector(&mut self) -> &mut dyn Inspector;

    /// Closes the connection gracefully.
    fn close(self: Box<Self>) -> BoxFuture<'static, Result<()>>;
}

/// A source of rows to load, which produces one batch at a time.
pub trait RowSource: Send {
    /// Appends the values of the next few hundred rows. Returns the number of rows, or 0 if there are no more.
    fn next_batch(&mut self, rows: &mut Values) -> usize;

    /// Returns the error that ended the rows early, if any. Called after the last row.
    fn error(&mut self) -> Option<Error> {
        None
    }
}

/// Rows as text, in which NULL is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextRows {
    /// Column names. Empty if there are no rows or the driver does not know the names.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Option<String>>>,
    /// Number of rows that the statement changed, if the server reports it.
    pub changed: u64,
}

/// Implements [`Session::simple`] for a driver that cannot send statements as text.
pub fn without_simple_form<'a>() -> BoxFuture<'a, Result<()>> {
    let text = "the driver cannot send statements as text";
    Box::pin(async move { Err(Error::new(ErrorKind::Unsupported, text).hint("use --form sql")) })
}

/// Implements [`Session::text_rows`] for a driver that cannot return rows as text.
pub fn without_text_rows<'a>() -> BoxFuture<'a, Result<TextRows>> {
    let text = "the driver cannot return rows as text";
    Box::pin(async move { Err(Error::new(ErrorKind::Unsupported, text)) })
}
