//! The driver for any database with an ODBC driver, using the system's driver manager.
//!
//! The driver manager is loaded at run time, so Tacho can be built and started without one.
//!
//! Every call blocks, so each session has its own thread.
//!
//! A data source uses the dialect of another driver. The caller passes the other drivers to [`over`], so this crate
//! does not depend on them.
//!
//! The ODBC calls are in `crates/calls`.

mod behind;
mod config;
mod connect;
mod dialect;
mod inspector;
mod library;
mod manifest;

use tacho_calls::code_in;
use tacho_core::Result;
use tacho_driver::{
    BoxFuture, Capabilities, Dialect, Driver, Environment, Manifest, Scheduling, Session, Target,
    no_answers,
};

pub use crate::behind::{over, serves};
use crate::config::Config;
use crate::dialect::SourceDialect;

struct Odbc {
    dialect: SourceDialect,
}

/// Returns the driver for an unknown database, for which it uses standard SQL.
pub fn driver() -> Box<dyn Driver> {
    Box::new(Odbc { dialect: SourceDialect { base: None } })
}

impl Driver for Odbc {
    fn manifest(&self) -> &'static Manifest {
        &manifest::MANIFEST
    }

    fn capabilities(&self) -> Capabilities {
        manifest::capabilities(self.dialect.base.as_deref())
    }

    fn dialect(&self) -> &dyn Dialect {
        &self.dialect
    }

    fn scheduling(&self) -> Scheduling {
        Scheduling::Thread
    }

    fn check(&self, target: &Target) -> Result<()> {
        Config::from_target(target).map(|_| ())
    }

    fn code(&self, target: &Target) -> Option<String> {
        target.given_of(&["library"]).or_else(|| code_in(&target.place))
    }

    fn library(&self, target: Option<&Target>) -> Result<Option<String>> {
        connect::described(target).map(Some)
    }

    fn connect<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> BoxFuture<'a, Result<Box<dyn Session>>> {
        let session = connect::open(target, self.dialect.clone(), &environment.cancels);
        Box::pin(async move { session })
    }

    no_answers!(runs_code, remove, collector, settings, deferred_work);
}
