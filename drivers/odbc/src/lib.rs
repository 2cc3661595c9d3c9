//! Any database with an ODBC driver, through the driver manager of the machine.
//!
//! The manager is found at run time, so the binary needs none to be built or started. Every call blocks: a
//! session owns its thread. What a data source speaks is the dialect of one of the other drivers, which
//! [`over`] finds; this crate knows none of them. Start reading at `session.rs`; all that is unsafe is in
//! `library.rs`, `handles.rs` and `buffers.rs`.

mod buffers;
mod config;
mod dialect;
mod errors;
mod handles;
mod inspector;
mod library;
mod load;
mod rows;
mod script;
mod session;

use std::sync::Arc;

use tacho_core::{Error, Result, nearest};
use tacho_driver::{
    BoxFuture, Capabilities, CollectorFuture, DeferredWorkFuture, Dialect, Driver, Environment,
    Manifest, RemovalFuture, Scheduling, Session, SettingsFuture, Target, no_answer,
};

use crate::config::Config;
use crate::dialect::Spoken;

static MANIFEST: Manifest = Manifest {
    id: "odbc",
    title: "ODBC",
    schemes: &[],
    tested: "unixODBC 2.3 with the drivers of PostgreSQL 13.02, MariaDB 3.1 and SQLite 0.9998",
    docs: include_str!("../docs.md"),
    plain_words: "",
};

/// `SQL_DBMS_NAME`.
const DBMS_NAME: u16 = 17;

struct Odbc {
    spoken: Spoken,
}

/// The driver of a data source of which nothing is known: it speaks standard SQL.
pub fn driver() -> Box<dyn Driver> {
    Box::new(Odbc { spoken: Spoken { base: None } })
}

/// Whether a target is a data source, so that [`over`] finds its dialect.
pub fn serves(target: &Target) -> bool {
    target.scheme == MANIFEST.id
}

/// The driver of a data source, in the dialect of one of these drivers: the one that the target names, or
/// the one whose database the data source says it is. It connects to ask.
pub fn over(target: &Target, known: &[Arc<dyn Driver>]) -> Result<Arc<dyn Driver>> {
    let config = Config::from_target(target)?;
    let name = match &config.dialect[..] {
        "" => product(&config)?,
        named => named.to_lowercase(),
    };
    let is_it = |driver: &&Arc<dyn Driver>| {
        let manifest = driver.manifest();
        let stores = driver.capabilities().stores_data && manifest.id != MANIFEST.id;
        let names = manifest.schemes.iter().chain([&manifest.id]);
        stores
            && (manifest.title.to_lowercase() == name || names.into_iter().any(|id| **id == name))
    };
    let base = known.iter().find(is_it).cloned();
    if base.is_none() && !config.dialect.is_empty() && name != "standard" {
        let ids = known.iter().map(|driver| driver.manifest().id).chain(["standard"]);
        let close = nearest(&name, ids).join(", ");
        return Err(Error::usage(format!("unknown dialect \"{name}\""))
            .hint(format!("did you mean {close}?")));
    }
    Ok(Arc::new(Odbc { spoken: Spoken { base } }))
}

/// What the data source says it is, in lower case.
fn product(config: &Config) -> Result<String> {
    let connection = handles::Connection::open(config, Arc::new(Spoken { base: None }))
        .map_err(|error| error.during("connect to the data source"))?;
    let name = connection.info(DBMS_NAME).to_lowercase();
    connection.close()?;
    Ok(name)
}

impl Driver for Odbc {
    fn manifest(&self) -> &'static Manifest {
        &MANIFEST
    }

    fn capabilities(&self) -> Capabilities {
        let base = self.spoken.base.as_ref().map(|base| base.capabilities());
        Capabilities {
            stores_data: true,
            simple: base.is_some_and(|base| base.simple),
            embedded: base.is_some_and(|base| base.embedded),
            concurrent_writers: base.is_none_or(|base| base.concurrent_writers),
            transactional_ddl: base.is_some_and(|base| base.transactional_ddl),
            ..Capabilities::default()
        }
    }

    fn dialect(&self) -> &dyn Dialect {
        &self.spoken
    }

    fn scheduling(&self) -> Scheduling {
        Scheduling::Thread
    }

    fn check(&self, target: &Target) -> Result<()> {
        Config::from_target(target).map(|_| ())
    }

    fn library(&self, target: Option<&Target>) -> Result<Option<String>> {
        let named = target.map(Config::from_target).transpose()?.and_then(|config| config.library);
        library::find(named.as_deref())?;
        let place = named
            .map_or("where the system has its libraries".into(), |path| path.display().to_string());
        Ok(Some(format!("the ODBC driver manager, {place}")))
    }

    fn connect<'a>(
        &'a self,
        target: &'a Target,
        _: Environment,
    ) -> BoxFuture<'a, Result<Box<dyn Session>>> {
        Box::pin(async move { session::open(target, self.spoken.clone()) })
    }

    fn remove<'a>(&'a self, _: &'a Target) -> RemovalFuture<'a> {
        no_answer()
    }

    fn collector<'a>(&'a self, _: &'a Target, _: Environment) -> CollectorFuture<'a> {
        no_answer()
    }

    fn settings<'a>(&'a self, _: &'a Target) -> SettingsFuture<'a> {
        no_answer()
    }

    fn deferred_work<'a>(&'a self, _: &'a Target, _: Environment) -> DeferredWorkFuture<'a> {
        no_answer()
    }
}
