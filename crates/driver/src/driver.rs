//! A driver: the adapter to one database product, and what it says of it.
//!
//! No method has a default: a decorator that lacks one does not compile. Start reading at [`Driver`].

use std::io::Write;
use std::sync::{Arc, Mutex};

use tacho_core::{Clock, Result, Seed};

use crate::{
    BoxFuture, Cancels, Collector, DeferredWork, Dialect, Session, SettingsFuture, Target,
};

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

    /// The part of a target that loads code into this process or starts a program, such as
    /// `library=/path/lib.so`; `None` if it only names a server, a database or data. Nothing is loaded.
    fn code(&self, target: &Target) -> Option<String>;

    /// The library that is found at run time, in words; `None` if the driver needs none. Fails with the
    /// remedy if it is not there. A target may say where it is.
    fn library(&self, target: Option<&Target>) -> Result<Option<String>>;

    /// Opens one session.
    fn connect<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> BoxFuture<'a, Result<Box<dyn Session>>>;

    /// Removes the database that the target names, and its role where the target names an
    /// administrator, if nothing is left in them: the other end of [`Environment::create`]. `None`
    /// where a target is no database of a server.
    fn remove<'a>(&'a self, target: &'a Target) -> RemovalFuture<'a>;

    /// Opens an observer of the server; `None` if there is nothing to see.
    fn collector<'a>(&'a self, target: &'a Target, environment: Environment)
    -> CollectorFuture<'a>;

    /// Opens access to the server's settings; `None` if it has none that can be changed.
    fn settings<'a>(&'a self, target: &'a Target) -> SettingsFuture<'a>;

    /// Opens the server's deferred work; `None` if none can be accelerated.
    fn deferred_work<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> DeferredWorkFuture<'a>;
}

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
    /// Words in values of its settings and options that name no machine, user or file, in lower case and
    /// with blanks between them: a redacted report shows them.
    pub plain_words: &'static str,
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
    /// A statement and the COMMIT after it travel in one round trip, and an error of the statement keeps the COMMIT
    /// from running; so with all that is pipelined.
    pub joins_commit: bool,
    /// Statements can travel as text with their values in it: form `simple`.
    pub simple: bool,
    /// Several sessions can write at the same time.
    pub concurrent_writers: bool,
    /// It runs inside our process, so our CPU time includes its own.
    pub embedded: bool,
    /// The server itself counts commits and rollbacks: [`crate::Inspector::counters`].
    pub counters: bool,
    /// Settings of the server can be changed and put back: [`Driver::settings`].
    pub settings: bool,
    /// Several complete sets of tables lie side by side: [`Environment::set`].
    pub sets: bool,
    /// Tables and routines are created and removed within a transaction, which a rollback undoes.
    pub transactional_ddl: bool,
    /// It writes to [`Environment::output`], where nothing else may then be printed.
    pub writes_output: bool,
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
    /// Where a session whose calls block says how it is interrupted.
    pub cancels: Cancels,
}

/// Where a driver that writes text writes it.
pub type Output = Arc<Mutex<dyn Write + Send>>;

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

impl Removed {
    /// A database that went if it was empty, and otherwise stays.
    pub fn if_empty(database: &str, was_empty: bool) -> Self {
        let why =
            || format!("the database {database} stays: there is more in it than what we made");
        let kept = (!was_empty).then(why).into_iter().collect();
        Self { database: was_empty, role: None, kept }
    }
}

/// What [`Driver::remove`] becomes.
pub type RemovalFuture<'a> = BoxFuture<'a, Result<Option<Removed>>>;

/// What [`Driver::collector`] becomes.
pub type CollectorFuture<'a> = BoxFuture<'a, Result<Option<Box<dyn Collector>>>>;

/// What [`Driver::deferred_work`] becomes.
pub type DeferredWorkFuture<'a> = BoxFuture<'a, Result<Option<Box<dyn DeferredWork>>>>;
