//! The driver for the embedded database DuckDB.
//!
//! The library is loaded at run time, so Tacho can be built and started without DuckDB.
//!
//! DuckDB runs inside Tacho's process and its calls block, so each session has its own thread.
//!
//! Only `library.rs`, `handles.rs`, `load.rs` and `vectors.rs` may contain unsafe code.
//!
//! Start reading at `session.rs`.

mod config;
mod deferred;
mod dialect;
mod errors;
mod facts;
mod handles;
mod inspector;
mod library;
mod load;
mod objects;
mod plan;
mod session;
mod vectors;

use tacho_core::Result;
use tacho_driver::{
    BoxFuture, Capabilities, DeferredWorkFuture, Driver, Environment, Manifest, Session, Target,
    describes, no_answers,
};

use crate::config::Config;

static MANIFEST: Manifest = Manifest {
    id: "duckdb",
    title: "DuckDB",
    schemes: &[],
    tested: "1.5",
    docs: include_str!("../docs.md"),
    plain_words: "",
};

struct DuckDb;

/// Returns the driver.
pub fn driver() -> Box<dyn Driver> {
    Box::new(DuckDb)
}

fn capabilities() -> Capabilities {
    Capabilities {
        stores_data: true,
        embedded: true,
        simple: true,
        concurrent_writers: true,
        transactional_ddl: true,
        ..Capabilities::default()
    }
}

impl Driver for DuckDb {
    describes!(MANIFEST, capabilities(), dialect::DuckDb, Thread);

    fn check(&self, target: &Target) -> Result<()> {
        Config::from_target(target).map(|_| ())
    }

    /// With a location such as `md:x`, DuckDB loads an extension.
    fn code(&self, target: &Target) -> Option<String> {
        let extension = || {
            let (prefix, _) = target.place.split_once(':')?;
            // A single letter is a drive.
            let is_name = prefix.len() > 1 && !prefix.contains(['/', '\\', '.']);
            is_name.then(|| target.place.clone())
        };
        target.given_of(&["library"]).or_else(extension)
    }

    fn library(&self, target: Option<&Target>) -> Result<Option<String>> {
        library::described(target).map(Some)
    }

    fn deferred_work<'a>(&'a self, target: &'a Target, _: Environment) -> DeferredWorkFuture<'a> {
        Box::pin(async move { deferred::open(target).map(Some) })
    }

    fn connect<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> BoxFuture<'a, Result<Box<dyn Session>>> {
        Box::pin(async move { session::open(target, environment.create) })
    }

    no_answers!(runs_code, remove, collector, settings);
}
