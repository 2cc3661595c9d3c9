//! The TimesTen driver, which uses TimesTen's own ODBC driver.
//!
//! The ODBC driver is loaded at run time, so Tacho can be started without it. It is called directly, because TimesTen's
//! manual advises against a driver manager.
//!
//! Every call blocks, so each session has its own thread.
//!
//! The calls are in `crates/calls`.
//!
//! Start reading at `connect.rs`.

mod catalogue;
mod config;
mod connect;
mod dialect;
mod errors;
mod library;
mod manifest;

use tacho_calls::code_of;
use tacho_core::Result;
use tacho_driver::{BoxFuture, Driver, Environment, Session, Target, describes, no_answers};

struct TimesTen;

/// Returns the driver.
pub fn driver() -> Box<dyn Driver> {
    Box::new(TimesTen)
}

impl Driver for TimesTen {
    describes!(manifest::MANIFEST, manifest::CAPABILITIES, dialect::TimesTen, Thread);

    fn check(&self, target: &Target) -> Result<()> {
        config::login(target).map(|_| ())
    }

    fn code(&self, target: &Target) -> Option<String> {
        code_of(target)
    }

    fn library(&self, target: Option<&Target>) -> Result<Option<String>> {
        connect::described(target).map(Some)
    }

    fn connect<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> BoxFuture<'a, Result<Box<dyn Session>>> {
        let session = connect::open(target, &environment);
        Box::pin(async move { session })
    }

    no_answers!(runs_code, remove, collector, settings, deferred_work);
}
