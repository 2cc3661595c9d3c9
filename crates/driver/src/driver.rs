//! The driver contract. A driver connects Tacho to one database product and describes the product.
//!
//! No method has a default implementation. Otherwise, a decorator (a driver that wraps another one) could forget to
//! forward a method. Start reading at [`Driver`].

use std::io::Write;
use std::sync::{Arc, Mutex};

use tacho_core::{Clock, Result, Seed};

use crate::{
    BoxFuture, Cancels, Collector, DeferredWork, Dialect, Session, SettingsFuture, Target,
};

/// An adapter to one database product.
pub trait Driver: Send + Sync {
    /// Returns the driver's manifest.
    fn manifest(&self) -> &'static Manifest;

    /// Returns the capabilities of the database.
    fn capabilities(&self) -> Capabilities;

    /// Returns the SQL dialect of the database.
    fn dialect(&self) -> &dyn Dialect;

    /// Returns how sessions are scheduled.
    fn scheduling(&self) -> Scheduling;

    /// Checks a target's address and options without connecting.
    fn check(&self, target: &Target) -> Result<()>;

    /// Returns the target's option that loads code or starts a program, such as `library=/path/lib.so`.
    fn code(&self, target: &Target) -> Option<String>;

    /// Returns true if a server setting with this name, such as `init_connect`, can make the server load code, start a
    /// program or write to a file of its choice. If in doubt, returns true. The name is in lower case, with underscores.
    fn runs_code(&self, setting: &str) -> bool;

    /// Returns a description of the library that the driver loads at run time, or `None` if it needs no library.
    /// Returns an error if the library is missing.
    fn library(&self, target: Option<&Target>) -> Result<Option<String>>;

    /// Opens one session.
    fn connect<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> BoxFuture<'a, Result<Box<dyn Session>>>;

    /// Reverses [`Environment::create`]. Removes the target's database if it is empty, and the role if an administrator
    /// is given. Returns `None` for a target without a server.
    fn remove<'a>(&'a self, target: &'a Target) -> RemovalFuture<'a>;

    /// Opens an observer of the server. Returns `None` if the server provides nothing to observe.
    fn collector<'a>(&'a self, target: &'a Target, environment: Environment)
    -> CollectorFuture<'a>;

    /// Opens access to the server's settings. Returns `None` if the driver cannot change any.
    fn settings<'a>(&'a self, target: &'a Target) -> SettingsFuture<'a>;

    /// Opens access to the server's deferred work, or returns `None` if the server cannot be made to do it faster.
    fn deferred_work<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> DeferredWorkFuture<'a>;
}

/// The identity of a driver.
#[derive(Clone, Copy, Debug)]
pub struct Manifest {
    /// Name used in targets and on the command line, such as `sqlite`.
    pub id: &'static str,
    /// Product name, such as `SQLite`.
    pub title: &'static str,
    /// Other schemes that the driver accepts.
    pub schemes: &'static [&'static str],
    /// The versions that the driver is tested with.
    pub tested: &'static str,
    /// The driver's page in Markdown. It describes connecting, privileges, options and limits.
    pub docs: &'static str,
    /// Words that may appear in the settings and options of a redacted report, because they do not identify a machine,
    /// user or file. They are in lower case, separated by spaces.
    pub plain_words: &'static str,
}

/// The capabilities of a database. They determine how Tacho uses the database and which tests are run with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent flags, accessed by name")]
pub struct Capabilities {
    /// The database stores rows, so that the data can be checked and counted.
    pub stores_data: bool,
    /// The database supports stored procedures (form `procedures`).
    pub procedures: bool,
    /// Several statements can be sent in one round trip (form `pipelined`).
    pub pipelining: bool,
    /// A statement and its COMMIT can share a round trip. If the statement fails, nothing is committed.
    pub joins_commit: bool,
    /// Statements can be sent as text that includes their values, as the form `simple` requires.
    pub simple: bool,
    /// Several sessions can write at the same time.
    pub concurrent_writers: bool,
    /// The database runs inside the Tacho process, so its CPU time is included in Tacho's.
    pub embedded: bool,
    /// The server counts commits and rollbacks itself ([`crate::Inspector::counters`]).
    pub counters: bool,
    /// Server settings can be changed and restored ([`Driver::settings`]).
    pub settings: bool,
    /// Several complete table sets can exist side by side ([`Environment::set`]).
    pub sets: bool,
    /// Tables and routines can be created and dropped within a transaction, and a rollback undoes this.
    pub transactional_ddl: bool,
    /// The driver writes its results to [`Environment::output`], so nothing else may be printed there.
    pub writes_output: bool,
}

/// The way in which a driver's sessions are distributed over threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// Event-driven. A few threads run many sessions.
    Task,
    /// Blocking. Each session has its own thread. A session's futures block this thread, so a single poll completes
    /// them.
    Thread,
    /// All sessions run on one thread, in virtual time.
    Virtual,
}

/// The first session number that does not belong to the load. Sessions with this number or a higher one read the
/// database's counters for the engine or belong to the [`ADMINISTRATOR`].
pub const ADMINISTRATION: u32 = 1 << 31;
/// The number of the session in which a command builds and checks data and reads settings and counters.
pub const ADMINISTRATOR: u32 = u32::MAX;

/// The only services that a driver may use, for example instead of the system's clock.
#[derive(Clone)]
pub struct Environment {
    /// The run's clock.
    pub clock: Arc<dyn Clock>,
    /// The output for drivers that write text.
    pub output: Output,
    /// The seed for drivers that generate random numbers.
    pub seed: Seed,
    /// The number of the session, from 0; see [`ADMINISTRATION`].
    pub session: u32,
    /// True if the session prepares data, so that the driver may create a missing database.
    pub create: bool,
    /// The number of the table set, from 1. If 0, the target's own database is used.
    pub set: u32,
    /// The sessions that block their threads and whose statements can be cancelled.
    pub cancels: Cancels,
}

/// The output for drivers that write text.
pub type Output = Arc<Mutex<dyn Write + Send>>;

/// The outcome of [`Driver::remove`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// True if the database was dropped.
    pub database: bool,
    /// The role that owned the database. Present only if the role was dropped as well.
    pub role: Option<String>,
    /// The reasons why the database or role was not dropped.
    pub kept: Vec<String>,
}

impl Removed {
    /// Returns the result of a removal that drops the database only if it is empty.
    pub fn if_empty(database: &str, was_empty: bool) -> Self {
        let why = || {
            format!(
                "database {database} was not dropped: it contains objects that Tacho \
                did not create"
            )
        };
        let kept = (!was_empty).then(why).into_iter().collect();
        Self { database: was_empty, role: None, kept }
    }
}

/// The result type of [`Driver::remove`].
pub type RemovalFuture<'a> = BoxFuture<'a, Result<Option<Removed>>>;

/// The result type of [`Driver::collector`].
pub type CollectorFuture<'a> = BoxFuture<'a, Result<Option<Box<dyn Collector>>>>;

/// The result type of [`Driver::deferred_work`].
pub type DeferredWorkFuture<'a> = BoxFuture<'a, Result<Option<Box<dyn DeferredWork>>>>;
