//! Queries that describe a database, run on a session's connection, outside the hot path.
//!
//! No method has a default implementation. A database that does not support a method says so with
//! [`no_answers!`](crate::no_answers), and a decorator that lacks a method does not compile. Start reading at
//! [`Inspector`].

use std::time::Duration;

use tacho_core::{QueryStats, Result, Schema};

use crate::decorators::inspector_around;
use crate::{
    BoxFuture, Counters, DataSizes, Headroom, Object, Privileges, ServerFacts, ServerMachine,
    Statement, TablePart, Values,
};

/// Queries that describe a database. Returned by [`crate::Session::inspector`].
///
/// A session decorator can forward all inspector methods in one line by returning the inner session's inspector. A
/// decorator that changes one of the results forwards the remaining methods itself:
///
#[doc = concat!(
    "```",
    inspector_around!(),
    "    fn server_time(&mut self) -> BoxFuture<'_, Result<Option<Duration>>> {
        self.0.server_time()
    }
}
```"
)]
///
/// A decorator that lacks a method, such as `server_time`, does not compile:
///
#[doc = concat!("```compile_fail,E0046", inspector_around!(), "}\n```")]
pub trait Inspector: Send {
    /// Returns the names of the existing tables, in the form returned by [`crate::NameCase::shown`].
    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>>;

    /// Returns current descriptions of the tables that a statement finds without specifying a schema, and of the stored
    /// routines in the same schema. Also describes any other objects there whose names can therefore not be used for
    /// tables.
    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>>;

    /// Returns the current columns, indexes, constraints, triggers and options of these tables and possibly of others.
    /// The list is empty if the database does not describe them. A table that does not exist has no parts.
    fn table_parts<'a>(
        &'a mut self,
        tables: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Vec<TablePart>>>;

    /// Returns the reasons why these tables cannot be removed without affecting other objects, to the extent that the
    /// database reports them: dependent views, foreign keys of other tables, and missing privileges. Each reason is a
    /// sentence without a full stop that names the objects involved. The list is empty if the tables can be removed.
    fn obstacles<'a>(&'a mut self, tables: &'a [&'a Object]) -> BoxFuture<'a, Result<Vec<String>>>;

    /// Returns an error with a hint if the server does not support these tables' storage options. Called before the
    /// first table is created. Options that the dialect does not support have already been rejected.
    fn accepts<'a>(&'a mut self, schema: &'a Schema) -> BoxFuture<'a, Result<()>>;

    /// Returns the version and the settings.
    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>>;

    /// Returns the server's machine and the location of the data, or `None` if the server reports nothing. For a
    /// database inside the Tacho process, returns only the location of the data.
    fn machine(&mut self) -> BoxFuture<'_, Result<Option<ServerMachine>>>;

    /// Returns the sizes of the tables in the session's schema or database, or `None` if the database does not report
    /// them. Reads only the catalog, not the tables themselves.
    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>>;

    /// Returns the server's counters, or `None` if it has none.
    fn counters(&mut self) -> BoxFuture<'_, Result<Option<Counters>>>;

    /// Returns the number of additional sessions that the server can accept, or `None` if there is no limit or the
    /// limit is unknown.
    fn headroom(&mut self) -> BoxFuture<'_, Result<Option<Headroom>>>;

    /// Returns the session's privileges to create and drop tables. Checking them creates nothing, so nothing can be
    /// left behind. Returns `None` if the database does not support such a check.
    fn privileges(&mut self) -> BoxFuture<'_, Result<Option<Privileges>>>;

    /// Returns the server's time since 1970-01-01T00:00:00Z, or `None` if the server has no clock.
    fn server_time(&mut self) -> BoxFuture<'_, Result<Option<Duration>>>;

    /// Returns the plan that the server would use to execute a statement with these values. The statement is sent as
    /// text but not executed. The plan has one line per step, without estimates and values; see [`crate::plan`].
    /// Returns `None` if the database does not report plans.
    fn plan<'a>(
        &'a mut self,
        statement: &'a Statement,
        values: &'a Values,
    ) -> BoxFuture<'a, Result<Option<String>>>;

    /// Returns the work that the database has done since a fixed point in time. The difference between two readings is
    /// the work done by the queries between them. If `exclusive` is true, no other client is using the database, and
    /// the result includes values that the database counts only for all sessions combined. Returns `None` if the
    /// database reports nothing.
    fn query_stats(&mut self, exclusive: bool) -> BoxFuture<'_, Result<Option<QueryStats>>>;
}

/// The inspector for a driver that has no server. It has no tables and reports only its version.
#[derive(Clone, Copy, Debug)]
pub struct Uninspected {
    /// The value of [`ServerFacts::version`].
    pub version: &'static str,
}

impl Inspector for Uninspected {
    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>> {
        let version = self.version.to_owned();
        Box::pin(async { Ok(ServerFacts { version, ..ServerFacts::default() }) })
    }

    crate::no_answers!(
        tables,
        objects,
        table_parts,
        obstacles,
        accepts,
        machine,
        sizes,
        counters,
        headroom,
        privileges,
        server_time,
        plan,
        query_stats
    );
}
