//! Any database with an ODBC driver, through the driver manager of the machine.
//!
//! The manager is found at run time, so the binary needs none to be built or started. Every call blocks: a
//! session owns its thread. What a data source speaks is the dialect of one of the other drivers, which
//! [`over`] finds; this crate knows none of them. The calls are those of `crates/calls`.

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

/// The driver of a data source of which nothing is known: it speaks standard SQL.
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

    no_answers!(remove, collector, settings, deferred_work);
}
