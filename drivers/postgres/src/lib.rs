//! The `PostgreSQL` driver, which implements the client protocol. It sends a batch in one write with one `Sync`.
//!
//! The driver must never block, because its sessions share a thread.
//!
//! Start reading at `session.rs` and `config.rs`.

mod admin;
mod auth;
mod cancel;
mod code;
mod collect;
mod config;
mod connect;
mod deferred;
mod dialect;
mod errors;
mod facts;
mod first_words;
mod inspector;
mod load;
mod machine;
mod manifest;
mod numeric;
mod objects;
mod open;
mod passfile;
mod pooler;
mod privileges;
mod request;
mod roles;
mod server;
mod service;
mod session;
mod settings;
mod statements;
mod types;
mod values;
mod waits;
mod wire;

use tacho_core::Result;
use tacho_driver::{
    BoxFuture, CollectorFuture, DeferredWorkFuture, Driver, Environment, RemovalFuture, Session,
    SettingsFuture, Target, describes, no_answers,
};
use tacho_net::variable;

pub use first_words::GREETING;
pub use server::PrivateServer;

struct Postgres;

/// Returns the driver.
pub fn driver() -> Box<dyn Driver> {
    Box::new(Postgres)
}

impl Driver for Postgres {
    describes!(manifest::MANIFEST, manifest::capabilities(), dialect::Postgres, Task);

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
        Box::pin(async move { roles::remove(target).await.map(Some) })
    }

    fn collector<'a>(&'a self, target: &'a Target, _: Environment) -> CollectorFuture<'a> {
        Box::pin(async move { collect::open(target).await.map(Some) })
    }

    fn settings<'a>(&'a self, target: &'a Target) -> SettingsFuture<'a> {
        Box::pin(async move { settings::open(target).await.map(Some) })
    }

    fn deferred_work<'a>(&'a self, target: &'a Target, _: Environment) -> DeferredWorkFuture<'a> {
        Box::pin(deferred::open(target))
    }

    fn code(&self, target: &Target) -> Option<String> {
        code::in_options(target)
    }

    fn runs_code(&self, setting: &str) -> bool {
        code::is_code(setting)
    }

    no_answers!(library);
}
