//! Questions to a database, on the connection of a session and off the hot path.
//!
//! No method has a default: a database that has no answer says so with [`no_answers!`](crate::no_answers), and a decorator that
//! lacks a method does not compile. Start reading at [`Inspector`].

use std::time::Duration;

use tacho_core::{QueryStats, Result, Schema};

use crate::decorators::inspector_around;
use crate::{
    BoxFuture, Counters, DataSizes, Headroom, Object, Privileges, ServerFacts, ServerMachine,
    Statement, TablePart, Values,
};

/// What can be asked of a database: [`crate::Session::inspector`].
///
/// A decorator of a session forwards all of it in one line, by returning the inspector of the inner
/// session. One that changes an answer forwards the remaining methods itself:
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
/// One that lacks a method, such as `server_time`, does not compile:
///
#[doc = concat!("```compile_fail,E0046", inspector_around!(), "}\n```")]
pub trait Inspector: Send {
    /// Names of the existing tables, as [`crate::NameCase::shown`] returns them.
    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>>;

    /// The same tables, as far as a statement finds them without a schema, the stored routines of the same place, and
    /// what else has a name that a table cannot have then, as the database describes them now.
    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>>;

    /// Columns, indexes, constraints and triggers of at least these tables, and the options of the tables, as the
    /// database describes them now; none if it does not describe them. A table that does not exist has none.
    fn table_parts<'a>(
        &'a mut self,
        tables: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Vec<TablePart>>>;

    /// Why these tables cannot be removed without harm to anything else, as far as the database shows it:
    /// views and foreign keys of other tables that need them, and missing privileges. Sentences without a
    /// full stop, each with the names of both sides; none if nothing stands in the way.
    fn obstacles<'a>(&'a mut self, tables: &'a [&'a Object]) -> BoxFuture<'a, Result<Vec<String>>>;

    /// Fails, with the remedy, if the server does not support the storage options of these tables. Asked
    /// before the first of them is created; what its dialect cannot write is refused before that.
    fn accepts<'a>(&'a mut self, schema: &'a Schema) -> BoxFuture<'a, Result<()>>;

    /// Version and settings.
    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>>;

    /// What the server reports about its machine and the place of the data; `None` if it reports nothing.
    /// Of a database inside our process only the place of the data.
    fn machine(&mut self) -> BoxFuture<'_, Result<Option<ServerMachine>>>;

    /// The sizes of the tables where this session is; `None` if the database does not report them. It reads
    /// the catalogue and no table.
    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>>;

    /// The server's own counters; `None` if it has none.
    fn counters(&mut self) -> BoxFuture<'_, Result<Option<Counters>>>;

    /// How many more sessions the server takes; `None` if nothing limits them or the limit is not known.
    fn headroom(&mut self) -> BoxFuture<'_, Result<Option<Headroom>>>;

    /// Whether this session may create and drop tables where it is. Asked in a way that creates nothing,
    /// so that nothing can be left behind; `None` if the database cannot be asked so.
    fn privileges(&mut self) -> BoxFuture<'_, Result<Option<Privileges>>>;

    /// The server's time, since 1970-01-01T00:00:00Z; `None` if it has no clock of its own.
    fn server_time(&mut self) -> BoxFuture<'_, Result<Option<Duration>>>;

    /// The plan by which the server would run a statement with these values, which is not run: a line for
    /// each step, without estimates and without the values, see [`crate::plan`]. `None` if the database
    /// does not report it. The statement is sent as text.
    fn plan<'a>(
        &'a mut self,
        statement: &'a Statement,
        values: &'a Values,
    ) -> BoxFuture<'a, Result<Option<String>>>;

    /// What the database has done so far, since some fixed point: the difference of two readings is what it
    /// did for the queries between them. With `exclusive`, which says that no other client uses the
    /// database, also what it counts for all sessions together. `None` if it reports nothing.
    fn query_stats(&mut self, exclusive: bool) -> BoxFuture<'_, Result<Option<QueryStats>>>;
}

/// The inspector of a driver without a server: it has no tables and answers nothing but its version.
#[derive(Clone, Copy, Debug)]
pub struct Uninspected {
    /// What [`ServerFacts::version`] reads.
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
