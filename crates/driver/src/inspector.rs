//! Queries that describe a database. They use the session's connection, but never on the hot path.
//!
//! Drivers declare unsupported methods with [`no_answers!`](crate::no_answers). There are no default methods, because a
//! decorator could fail to forward them.
//!
//! Start reading at [`Inspector`].

use std::time::Duration;

use tacho_core::{QueryStats, Result, Schema};

use crate::decorators::inspector_around;
use crate::{
    BoxFuture, Counters, DataSizes, Headroom, Object, Privileges, ServerFacts, ServerMachine,
    Statement, TablePart, Values,
};

/// Queries that describe a database. [`crate::Session::inspector`] returns their implementation.
///
/// A session decorator can return the inner session's inspector unchanged. To change one result, it must return its own
/// inspector, which forwards all other methods, as in this example:
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
/// Decorators must implement all methods. If a method such as `server_time` is missing, the code does not compile:
///
#[doc = concat!("```compile_fail,E0046", inspector_around!(), "}\n```")]
pub trait Inspector: Send {
    /// Returns the names of the existing tables, as converted by [`crate::NameCase::shown`].
    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>>;

    /// Returns all objects whose names are in use. These are the tables that statements can name without a schema, and
    /// the routines in the same schema. Other objects in that schema are included if they prevent a table from having
    /// the same name.
    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>>;

    /// Returns the columns, indexes, constraints, triggers and options of these tables, if the database describes them.
    fn table_parts<'a>(
        &'a mut self,
        tables: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Vec<TablePart>>>;

    /// Returns the reasons why these tables cannot be removed, such as dependent views or missing privileges. Each
    /// reason is a sentence without a full stop.
    fn obstacles<'a>(&'a mut self, tables: &'a [&'a Object]) -> BoxFuture<'a, Result<Vec<String>>>;

    /// Returns an error with a hint if the server does not support a requested storage option. Called before tables are
    /// created.
    fn accepts<'a>(&'a mut self, schema: &'a Schema) -> BoxFuture<'a, Result<()>>;

    /// Returns the version and the settings.
    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>>;

    /// Returns the server's machine and the location of its data. If the database runs inside this process, only the
    /// location is reported.
    fn machine(&mut self) -> BoxFuture<'_, Result<Option<ServerMachine>>>;

    /// Returns the sizes of the tables from the catalog, or `None` if the database does not report them.
    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>>;

    /// Returns the server's counters, or `None` if it has none.
    fn counters(&mut self) -> BoxFuture<'_, Result<Option<Counters>>>;

    /// Returns the number of further sessions that the server can accept, or `None` if there is no known limit.
    fn headroom(&mut self) -> BoxFuture<'_, Result<Option<Headroom>>>;

    /// Returns the session's privileges for creating and dropping tables. This function itself does not create
    /// anything.
    fn privileges(&mut self) -> BoxFuture<'_, Result<Option<Privileges>>>;

    /// Returns the server's time since 1970-01-01T00:00:00Z, or `None` if it has no clock.
    fn server_time(&mut self) -> BoxFuture<'_, Result<Option<Duration>>>;

    /// Returns the plan for a statement with these values, without executing it. The plan has one line per step; see
    /// [`crate::plan`].
    fn plan<'a>(
        &'a mut self,
        statement: &'a Statement,
        values: &'a Values,
    ) -> BoxFuture<'a, Result<Option<String>>>;

    /// Returns counters of the work that the database has done so far, or `None` if it has no such counters. Counters
    /// that cover all sessions together are included only if `exclusive` is true, which means that no other session
    /// uses the database.
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
