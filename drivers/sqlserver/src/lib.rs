//! The driver for SQL Server. It implements the protocol versions TDS 7.4 and 8.0.
//!
//! The driver must never block, because its sessions share a thread. Start reading at `session.rs`.

mod admin;
mod batch;
mod bulk;
mod bytes;
mod collect;
mod config;
mod connect;
mod dialect;
mod errors;
mod facts;
mod first_words;
mod greeting;
mod insert;
mod inspector;
mod link;
mod load;
mod manifest;
mod memory;
mod objects;
mod product;
mod request;
mod returning;
mod session;
mod settings;
mod storage;
mod tokens;
mod types;
mod values;
mod waits;
mod wire;

use tacho_core::Result;
use tacho_driver::{
    BoxFuture, CollectorFuture, DeferredWorkFuture, Driver, Environment, RemovalFuture, Session,
    SettingsFuture, Target, describes, is_named, no_answers,
};
use tacho_net::variable;

pub use first_words::GREETING;

struct SqlServer;

/// Returns the driver.
pub fn driver() -> Box<dyn Driver> {
    Box::new(SqlServer)
}

impl Driver for SqlServer {
    describes!(manifest::MANIFEST, manifest::capabilities(), dialect::SqlServer, Task);

    fn check(&self, target: &Target) -> Result<()> {
        config::Config::read(target, &variable).map(|_| ())
    }

    fn connect<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> BoxFuture<'a, Result<Box<dyn Session>>> {
        Box::pin(session::open(target, environment))
    }

    fn remove<'a>(&'a self, target: &'a Target) -> RemovalFuture<'a> {
        Box::pin(async move { connect::remove(target).await.map(Some) })
    }

    fn collector<'a>(&'a self, target: &'a Target, world: Environment) -> CollectorFuture<'a> {
        Box::pin(collect::open(target, world.set))
    }

    fn settings<'a>(&'a self, target: &'a Target) -> SettingsFuture<'a> {
        Box::pin(async move { settings::open(target).await.map(Some) })
    }

    fn deferred_work<'a>(&'a self, _: &'a Target, _: Environment) -> DeferredWorkFuture<'a> {
        Box::pin(async { Ok(None) })
    }

    fn runs_code(&self, setting: &str) -> bool {
        is_named(setting, settings::CODE)
    }

    no_answers!(code, library);
}
