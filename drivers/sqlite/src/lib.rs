//! The driver for the embedded database SQLite.
//!
//! SQLite runs inside Tacho's process and every call blocks, so each session has its own thread.
//!
//! The driver must never change a file unless it is an SQLite database.
//!
//! Start reading at `session.rs`. The settings are in `config.rs`.

mod config;
mod dialect;
mod errors;
mod facts;
mod inspector;
mod load;
mod objects;
mod open;
mod query_stats;
mod session;
mod values;

use tacho_core::Result;
use tacho_driver::{
    BoxFuture, Capabilities, Driver, Environment, Manifest, Session, Target, describes, no_answers,
};

use crate::config::Config;

static MANIFEST: Manifest = Manifest {
    id: "sqlite",
    title: "SQLite",
    schemes: &["sqlite3"],
    tested: "3.54, built in",
    docs: include_str!("../docs.md"),
    plain_words: "wal persist extra",
};

struct Sqlite;

/// Returns the driver.
pub fn driver() -> Box<dyn Driver> {
    Box::new(Sqlite)
}

fn capabilities() -> Capabilities {
    Capabilities {
        stores_data: true,
        simple: true,
        embedded: true,
        transactional_ddl: true,
        ..Capabilities::default()
    }
}

impl Driver for Sqlite {
    describes!(MANIFEST, capabilities(), dialect::Sqlite, Thread);

    fn check(&self, target: &Target) -> Result<()> {
        Config::from_target(target).map(|_| ())
    }

    fn connect<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> BoxFuture<'a, Result<Box<dyn Session>>> {
        Box::pin(async move {
            let mut config = Config::from_target(target)?;
            config.create &= environment.create;
            Ok(session::over(open::open(&config, &*environment.clock)?))
        })
    }

    no_answers!(code, runs_code, library, remove, collector, settings, deferred_work);
}
