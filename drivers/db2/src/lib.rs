//! The Db2 driver, which uses IBM's client library.
//!
//! The library is loaded at run time, so Tacho can be built and started without it. Tacho calls the library directly
//! rather than through a driver manager, because the library passes lengths as 32-bit integers and driver managers
//! expect 64 bits.
//!
//! Every call blocks, so each session has its own thread.
//!
//! The calls are in `crates/calls`.
//!
//! Start reading at `connect.rs`.

mod collect;
mod config;
mod connect;
mod dialect;
mod errors;
mod library;
mod manifest;
mod plan;
mod questions;
mod waits;

use tacho_calls::code_of;
use tacho_core::Result;
use tacho_driver::{
    BoxFuture, CollectorFuture, Driver, Environment, Session, Target, describes, no_answers,
};

use crate::config::Config;

struct Db2;

/// Returns the driver.
pub fn driver() -> Box<dyn Driver> {
    Box::new(Db2)
}

impl Driver for Db2 {
    describes!(manifest::MANIFEST, manifest::CAPABILITIES, dialect::Db2, Thread);

    fn check(&self, target: &Target) -> Result<()> {
        Config::from_target(target).map(|_| ())
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

    fn collector<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> CollectorFuture<'a> {
        Box::pin(async move { collect::open(target, environment) })
    }

    no_answers!(runs_code, remove, settings, deferred_work);
}
