//! Queries that describe a database. They use a session's connection outside the hot path.
//!
//! A driver declares unsupported methods with [`no_answers!`](crate::no_answers). A decorator that lacks a method does
//! not compile, because no method has a default implementation. Start reading at [`Inspector`].

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
    /// Returns the existing tables' names in the form of [`crate::NameCase::shown`].
    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>>;

    /// Returns the tables that unqualified names find, and the stored routines in their schema. Also returns other
    /// objects whose names are therefore not available for tables.
    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>>;

    /// Returns the columns, indexes, constraints, triggers and options of these tables, and perhaps of others. Empty if
    /// the database does not describe them. A table that does not exist has no parts.
    fn table_parts<'a>(
        &'a mut self,
        tables: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Vec<TablePart>>>;

    /// Returns the known reasons not to remove these tables: dependent views, foreign keys of other tables, and missing
    /// privileges. Each reason is a sentence without a full stop that names the objects. Empty if the tables can be
    /// removed.
    fn obstacles<'a>(&'a mut self, tables: &'a [&'a Object]) -> BoxFuture<'a, Result<Vec<String>>>;

    /// Returns an error with a hint if the server does not support a storage option that its dialect supports. Called
    /// before the first table is created.
    fn accepts<'a>(&'a mut self, schema: &'a Schema) -> BoxFuture<'a, Result<()>>;

    /// Returns the version and the settings.
    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>>;

    /// Returns the server's machine and the data's location, or `None` if the server reports neither. A database inside
    /// the Tacho process reports only the location.
    fn machine(&mut self) -> BoxFuture<'_, Result<Option<ServerMachine>>>;

    /// Returns the table sizes in the session's schema or database from its catalog, or `None` if it reports none.
    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>>;

    /// Returns the server's counters, or `None` if it has none.
    fn counters(&mut self) -> BoxFuture<'_, Result<Option<Counters>>>;

    /// Returns how many more sessions the server can accept, or `None` if there is no known limit.
    fn headroom(&mut self) -> BoxFuture<'_, Result<Option<Headroom>>>;

    /// Returns the session's privileges to create and drop tables without creating anything. `None` if the database
    /// cannot check this.
    fn privileges(&mut self) -> BoxFuture<'_, Result<Option<Privileges>>>;

    /// Returns the server's time since 1970-01-01T00:00:00Z, or `None` if it has no clock.
    fn server_time(&mut self) -> BoxFuture<'_, Result<Option<Duration>>>;

    /// Returns the server's plan for a statement with these values, or `None` if it reports no plans. The statement is
    /// sent as text but not executed. The plan has one line per step, without estimates and values; see
    /// [`crate::plan`].
    fn plan<'a>(
        &'a mut self,
        statement: &'a Statement,
        values: &'a Values,
    ) -> BoxFuture<'a, Result<Option<String>>>;

    /// Returns the database's accumulated work, or `None` if it reports nothing. The difference between two readings is
    /// the work of the queries between them. If `exclusive` is true, no other client is connected, so values for all
    /// sessions are included.
    fn query_stats(&mut self, exclusive: bool) -> BoxFuture<'_, Result<Option<QueryStats>>>;
}

/// An inspector for a driver without a server. It has no tables and reports only a version.
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
