//! The Oracle Database driver. It uses Oracle's thin client, the `oracledb` crate.
//!
//! The client blocks, so each session has its own thread.
//!
//! The client's types must not be exposed outside this crate.
//!
//! Start reading at `session.rs`.

mod binds;
mod collect;
mod config;
mod connect;
mod dialect;
mod errors;
mod facts;
mod inspector;
mod load;
mod manifest;
mod objects;
mod query;
mod session;
mod waits;

use tacho_core::Result;
use tacho_driver::{
    BoxFuture, CollectorFuture, Driver, Environment, Session, Target, describes, no_answers,
};
use tacho_net::variable;

struct Oracle;

/// Returns the driver.
pub fn driver() -> Box<dyn Driver> {
    Box::new(Oracle)
}

impl Driver for Oracle {
    describes!(manifest::MANIFEST, manifest::CAPABILITIES, dialect::Oracle, Thread);

    fn check(&self, target: &Target) -> Result<()> {
        config::Config::read(target, &variable).map(|_| ())
    }

    /// Returns a description of the client instead of a library's path, because the client is built in. The description
    /// also tells what has not been tested.
    fn library(&self, _: Option<&Target>) -> Result<Option<String>> {
        Ok(Some(manifest::CLIENT.into()))
    }

    fn connect<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> BoxFuture<'a, Result<Box<dyn Session>>> {
        Box::pin(async move { session::open(target, environment.set) })
    }

    fn collector<'a>(&'a self, target: &'a Target, world: Environment) -> CollectorFuture<'a> {
        Box::pin(async move { collect::open(target, world.set) })
    }

    no_answers!(code, runs_code, remove, settings, deferred_work);
}
