//! Driver and session: what a database adapter must offer.

use std::collections::BTreeMap;
use std::future::Future;
use std::io::Write;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use tacho_core::{Clock, Error, ErrorKind, Result, Schema, Seed, Table, Work};

use crate::{
    Catalog, DataSizes, Dialect, Object, ObjectKind, Reply, ServerMachine, SettingsFuture,
    Statement, Steps, Target, Values,
};

/// The table that says that the tables beside it are ours. A file without it is not to be changed.
pub const MARKER_TABLE: &str = "tacho_marker";

/// A boxed future, for what is not on the hot path.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Where a driver that writes text writes it.
pub type Output = Arc<Mutex<dyn Write + Send>>;

/// What a driver is.
#[derive(Clone, Copy, Debug)]
pub struct Manifest {
    /// Name in targets and on the command line, such as `sqlite`.
    pub id: &'static str,
    /// Product name, such as `SQLite`.
    pub title: &'static str,
    /// Other schemes it answers to.
    pub schemes: &'static [&'static str],
    /// Versions it is tested with.
    pub tested: &'static str,
    /// The driver's page: how to connect, privileges, options, known limits. Markdown.
    pub docs: &'static str,
}

/// What a database can do. Plain fields: behaviour and the choice of tests both follow from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, read by name")]
pub struct Capabilities {
    /// It keeps rows, so data can be checked and counted.
    pub stores_data: bool,
    /// It has stored routines: form `procedures`.
    pub procedures: bool,
    /// Several statements travel in one round trip: form `pipelined`.
    pub pipelining: bool,
    /// Statements can travel as text with their values in it: form `simple`.
    pub simple: bool,
    /// Several sessions can write at the same time.
    pub concurrent_writers: bool,
    /// It runs inside our process, so our CPU time includes its own.
    pub embedded: bool,
    /// The server itself counts commits and rollbacks: [`Session::counters`].
    pub counters: bool,
    /// Settings of the server can be changed and put back: [`Driver::settings`].
    pub settings: bool,
    /// Several complete sets of tables lie side by side: [`Environment::set`].
    pub sets: bool,
    /// Tables and routines are created and removed within a transaction, which a rollback undoes.
    pub transactional_ddl: bool,
}

/// How the sessions of a driver are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// Event-driven: many sessions on few threads.
    Task,
    /// Blocking: each session owns a thread, and its futures are never pending.
    Thread,
    /// All sessions on one thread, on virtual time.
    Virtual,
}

/// Sessions from this number on do not work for the load: the probes of the engine, one for each set of
/// tables, and [`ADMINISTRATOR`].
pub const ADMINISTRATION: u32 = 1 << 31;
/// The session of a command: it builds, checks, and reads settings and counters.
pub const ADMINISTRATOR: u32 = u32::MAX;

/// What a driver may use of the world; nothing else is allowed to it.
#[derive(Clone)]
pub struct Environment {
    /// The run's clock.
    pub clock: Arc<dyn Clock>,
    /// For drivers that write text.
    pub output: Output,
    /// For drivers that draw random numbers.
    pub seed: Seed,
    /// Number of this session, from 0; see [`ADMINISTRATION`].
    pub session: u32,
    /// Whether a database that is not there may be made. Only a preparation may.
    pub create: bool,
    /// Which of several complete sets of tables, from 1; 0 for the place itself that the target names.
    pub set: u32,
}

/// What is known of the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerFacts {
    /// Product and version as printed, such as `SQLite 3.50.1`.
    pub version: String,
    /// The settings that matter for speed or durability.
    pub settings: Vec<Setting>,
    /// Values of settings that are not set, where the server lists them: to compare with, not to record.
    pub unset: BTreeMap<String, String>,
    /// What somebody who knows the product would change before a measurement.
    pub advice: Vec<Advice>,
}

/// A condition of the server under which a figure says something else than one thinks. What can lose
/// commits is told by [`Setting::durability_risk`], and not here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What was found, beginning with the setting.
    pub text: String,
    /// What to do.
    pub hint: String,
}

/// One setting of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// Its own name.
    pub name: String,
    /// Its value as text.
    pub value: String,
    /// The value that it has if nobody sets it, where that is known.
    pub default: Option<String>,
    /// Set if commits may be lost in a crash with this value; says how.
    pub durability_risk: Option<String>,
}

/// The server's own count of ended transactions since some fixed point, in all its databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Commits.
    pub commits: u64,
    /// Rollbacks.
    pub rollbacks: u64,
    /// Rollbacks in this session's database alone, where the server tells them apart: what the
    /// client counts is compared with it.
    pub rollbacks_here: Option<u64>,
    /// The most rollbacks there that processes of the server itself have yet to report, such as those of
    /// maintenance that gave way to a lock.
    pub rollbacks_pending: u64,
}

/// How many more sessions a server takes at this moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// Sessions of this user on this database, beside those that are open.
    pub sessions: u32,
    /// How to make more room: which setting limits it, and its value.
    pub remedy: String,
}

/// What a session may do of what a build needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// What it may do, such as `create tables in schema public`.
    pub granted: Vec<String>,
    /// What it may not do, each with the remedy.
    pub missing: Vec<Advice>,
}

/// Sessions of ours that wait for the same thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Class, in the database's own words; `CPU` for sessions that run.
    pub class: String,
    /// Event; empty for sessions that run.
    pub event: String,
    /// How many sessions.
    pub sessions: u32,
}

impl Wait {
    /// Whether what they wait for is a lock, of a row or of a table, that another session holds.
    pub fn is_lock(&self) -> bool {
        self.class.eq_ignore_ascii_case("lock") || self.is_table_lock()
    }

    /// Whether it is a lock of a whole table, or of all tables, which no transaction of a workload takes.
    pub fn is_table_lock(&self) -> bool {
        let [class, event] = [&self.class, &self.event].map(|word| word.to_lowercase());
        let of_a_state = event.starts_with("waiting for") && event.ends_with(" lock");
        class == "lock" && event == "relation" || class.starts_with("lock/") || of_a_state
    }
}

/// What a server says of itself at one moment, by name with the unit last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// What only grows while the server is up, such as bytes written.
    pub counters: Vec<(&'static str, u64)>,
    /// What rises and falls, such as dirty pages.
    pub gauges: Vec<(&'static str, u64)>,
}

/// An observer of a server during a run, on a connection of its own.
pub trait Collector: Send {
    /// The server's counters and gauges.
    fn read(&mut self) -> BoxFuture<'_, Result<Reading>>;

    /// What our sessions are doing at this moment; idle ones are left out.
    fn waits(&mut self) -> BoxFuture<'_, Result<Vec<Wait>>>;

    /// What cannot be seen for want of privileges or extensions, in sentences with the remedy.
    fn missing(&self) -> &[String];
}

/// Work that a server puts off while it is busy, such as writing changed pages back. After a run it can
/// be told to do it at once, one kind after the other, and to go back to its usual ways.
pub trait Backlog: Send {
    /// The kinds of work, in the order in which they are done.
    fn kinds(&self) -> &'static [&'static str];

    /// How much there is of a kind. From now on the server does it as fast as it can.
    fn begin(&mut self, kind: usize) -> BoxFuture<'_, Result<u64>>;

    /// How much of it is left.
    fn left(&mut self) -> BoxFuture<'_, Result<Left>>;

    /// Stops what still goes on, and puts every setting back that was changed. Called after each kind,
    /// also after one that could not begin.
    fn end(&mut self) -> BoxFuture<'_, Result<()>>;
}

/// What is left of work that a server has put off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// How much, in the unit of its kind.
    pub amount: u64,
    /// Whether it goes on.
    pub pace: Pace,
}

/// Whether a server goes on with its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// It says that it is at work.
    Working,
    /// It says that it has ended, whatever is left.
    Over,
    /// It does not say: what is left tells.
    Unknown,
}

/// What [`Driver::remove`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Whether the database went.
    pub database: bool,
    /// The role that owned it, if it went.
    pub role: Option<String>,
    /// Why something stays that was to go, in sentences.
    pub kept: Vec<String>,
}

/// What [`Driver::remove`] becomes.
pub type RemovalFuture<'a> = BoxFuture<'a, Result<Option<Removed>>>;

/// What [`Driver::collector`] becomes.
pub type CollectorFuture<'a> = BoxFuture<'a, Result<Option<Box<dyn Collector>>>>;

/// What [`Driver::backlog`] becomes.
pub type BacklogFuture<'a> = BoxFuture<'a, Result<Option<Box<dyn Backlog>>>>;

/// An adapter to one database product.
pub trait Driver: Send + Sync {
    /// What it is.
    fn manifest(&self) -> &'static Manifest;

    /// What the database can do.
    fn capabilities(&self) -> Capabilities;

    /// How the database writes SQL.
    fn dialect(&self) -> &dyn Dialect;

    /// How sessions are run.
    fn scheduling(&self) -> Scheduling;

    /// Checks place and options of a target without connecting.
    fn check(&self, target: &Target) -> Result<()>;

    /// The library that is found at run time, in words; `None` if the driver needs none. Fails with the
    /// remedy if it is not there. A target may say where it is.
    fn library(&self, _target: Option<&Target>) -> Result<Option<String>> {
        Ok(None)
    }

    /// Opens one session.
    fn connect<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> BoxFuture<'a, Result<Box<dyn Session>>>;

    /// Removes the database that the target names, and its role where the target names an
    /// administrator, if nothing is left in them: the other end of [`Environment::create`]. `None`
    /// where a target is no database of a server.
    fn remove<'a>(&'a self, _target: &'a Target) -> RemovalFuture<'a> {
        Box::pin(async { Ok(None) })
    }

    /// Opens an observer of the server; `None` if there is nothing to see.
    fn collector<'a>(&'a self, _target: &'a Target, _: Environment) -> CollectorFuture<'a> {
        Box::pin(async { Ok(None) })
    }

    /// Opens access to the server's settings; `None` if it has none that could be changed.
    fn settings<'a>(&'a self, _target: &'a Target) -> SettingsFuture<'a> {
        Box::pin(async { Ok(None) })
    }

    /// Opens what can hurry work that the server puts off; `None` if nothing can be hurried.
    fn backlog<'a>(&'a self, _target: &'a Target, _: Environment) -> BacklogFuture<'a> {
        Box::pin(async { Ok(None) })
    }
}

/// Rows to be loaded, made batch by batch.
pub trait RowSource: Send {
    /// Appends the values of the next rows, column by column, and returns how many rows; 0 at the
    /// end. A batch is some hundred rows.
    fn next_batch(&mut self, rows: &mut Values) -> usize;
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

/// One connection.
///
/// Only [`Session::poll_exchange`] is on the hot path. It is a poll function and not an `async fn`
/// so that it can be called through `dyn` without a boxed future for every statement.
pub trait Session: Send {
    /// Prepares all statements of a catalog, in place of an earlier one, also of one that was not
    /// prepared.
    fn prepare(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>>;

    /// Takes a catalog in place of an earlier one and prepares nothing: from now on each statement
    /// leaves as text, with its values written by [`Dialect::literal`]. Only where
    /// [`Capabilities::simple`] says so.
    fn simple(&mut self, _catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        let text = "the driver cannot send statements as text";
        Box::pin(
            async move { Err(Error::new(ErrorKind::Unsupported, text).hint("use --form sql")) },
        )
    }

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
    /// statements that a user has written.
    fn text_rows<'a>(&'a mut self, _sql: &'a str) -> BoxFuture<'a, Result<TextRows>> {
        let text = "the driver cannot return rows as text";
        Box::pin(async move { Err(Error::new(ErrorKind::Unsupported, text)) })
    }

    /// Loads rows into a table by the fastest way there is, within the open transaction if there
    /// is one; returns how many rows the server took.
    fn load<'a>(
        &'a mut self,
        table: &'a Table,
        rows: &'a mut dyn RowSource,
    ) -> BoxFuture<'a, Result<u64>>;

    /// Why [`Session::load`] took a slower way than the database has, if it did, and the remedy.
    fn slow_load(&self) -> Option<&'static str> {
        None
    }

    /// Names of the tables that are there, lower case.
    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>>;

    /// The same tables, and the stored routines of the same place, as the database describes them now.
    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>> {
        Box::pin(async move {
            let object = |name: String| Object {
                kind: ObjectKind::Table,
                drop: format!("DROP TABLE {name}"),
                name,
                identity: String::new(),
                shape: Vec::new(),
            };
            Ok(self.tables().await?.into_iter().map(object).collect())
        })
    }

    /// Why these tables cannot be removed without harm to anything else, as far as the database shows it:
    /// views and foreign keys of other tables that need them, and missing rights. Sentences without a
    /// full stop, each with the names of both sides; none if nothing stands in the way.
    fn obstacles<'a>(
        &'a mut self,
        _tables: &'a [&'a Object],
    ) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Removes the place of a set of tables, such as a schema, that [`Environment::create`] made, if
    /// nothing is left in it. The session is of no use afterwards.
    fn drop_set(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    /// Fails, with the remedy, if the server cannot keep tables as they ask. Asked before the first of
    /// them is made; what its dialect cannot write is refused before that.
    fn accepts<'a>(&'a mut self, _schema: &'a Schema) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    /// Version and settings.
    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>>;

    /// What the server says of its machine and of where the data lies; `None` if it says nothing. Of a
    /// database inside our process only the place of the data.
    fn machine(&mut self) -> BoxFuture<'_, Result<Option<ServerMachine>>> {
        Box::pin(async { Ok(None) })
    }

    /// How much room the tables take where this session is; `None` if the database does not say. It reads
    /// the catalogue and no table.
    fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>> {
        Box::pin(async { Ok(None) })
    }

    /// The server's own counters; `None` if it has none.
    fn counters(&mut self) -> BoxFuture<'_, Result<Option<Counters>>> {
        Box::pin(async { Ok(None) })
    }

    /// How many more sessions the server takes; `None` if nothing limits them or nobody knows.
    fn room(&mut self) -> BoxFuture<'_, Result<Option<Room>>> {
        Box::pin(async { Ok(None) })
    }

    /// Whether this session may create and drop tables where it is. Asked in a way that makes nothing,
    /// so that nothing can be left behind; `None` if the database cannot be asked so.
    fn rights(&mut self) -> BoxFuture<'_, Result<Option<Rights>>> {
        Box::pin(async { Ok(None) })
    }

    /// The server's date, as time since 1970-01-01T00:00:00Z; `None` if it has no clock of its own.
    fn date(&mut self) -> BoxFuture<'_, Result<Option<Duration>>> {
        Box::pin(async { Ok(None) })
    }

    /// The plan by which the server would run a statement with these values, which is not run: a line for
    /// each step, without estimates and without the values, see [`crate::plan`]. `None` if the database
    /// does not tell. The statement travels as text.
    fn plan<'a>(
        &'a mut self,
        _statement: &'a Statement,
        _values: &'a Values,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(async { Ok(None) })
    }

    /// What the database has done so far, since some fixed point: two readings tell what it did for the
    /// queries between them. With `alone`, which says that nobody else works in the database, also
    /// what it counts for all sessions together. `None` if nothing is told.
    fn work(&mut self, _alone: bool) -> BoxFuture<'_, Result<Option<Work>>> {
        Box::pin(async { Ok(None) })
    }

    /// Ends the connection in good order.
    fn close(self: Box<Self>) -> BoxFuture<'static, Result<()>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_are_told_from_other_waits() {
        let table = [
            ("Lock", "transactionid", [true, false]),
            ("Lock", "relation", [true, true]),
            ("lock", "row", [true, false]),
            ("lock/metadata", "sql/mdl", [true, true]),
            ("state", "Waiting for table metadata lock", [true, true]),
            ("state", "Waiting for backup lock", [true, true]),
            ("state", "Waiting for work", [false, false]),
            ("LWLock", "WALWrite", [false, false]),
            ("IO", "DataFileRead", [false, false]),
            ("CPU", "", [false, false]),
        ];
        for (class, event, expected) in table {
            let wait = Wait { class: class.into(), event: event.into(), sessions: 1 };
            assert_eq!([wait.is_lock(), wait.is_table_lock()], expected, "{class} {event}");
        }
    }
}
