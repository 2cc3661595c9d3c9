//! The driver for MySQL and MariaDB, which use the same protocol. The greeting tells which of the two a server is.
//!
//! The driver must never block, because its sessions share a thread. Start reading at `session.rs`.

mod admin;
mod advice;
mod answer;
mod auth;
mod batch;
mod bytes;
mod collect;
mod config;
mod connect;
mod deferred;
mod dialect;
mod errors;
mod facts;
mod first_words;
mod greeting;
mod insert;
mod inspector;
mod link;
mod load;
mod machine;
mod manifest;
mod objects;
mod option_file;
mod prepare;
mod privileges;
mod product;
mod server;
mod session;
mod settings;
mod statements;
mod values;
mod waits;
mod wire;

use tacho_core::Result;
use tacho_driver::{
    BoxFuture, CollectorFuture, DeferredWorkFuture, Driver, Environment, RemovalFuture, Session,
    SettingsFuture, Target, describes, is_named, no_answers,
};

pub use first_words::GREETING;
pub use server::{MARIADB, MYSQL};

struct MySql;

/// Returns the driver.
pub fn driver() -> Box<dyn Driver> {
    Box::new(MySql)
}

impl Driver for MySql {
    describes!(manifest::MANIFEST, manifest::capabilities(), dialect::MySql, Task);

    fn check(&self, target: &Target) -> Result<()> {
        connect::check(target)
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

    fn deferred_work<'a>(&'a self, target: &'a Target, env: Environment) -> DeferredWorkFuture<'a> {
        Box::pin(deferred::open(target, env.set))
    }

    /// Both options contain SQL that every session runs. An option file can contain `init-command`.
    fn code(&self, target: &Target) -> Option<String> {
        target.given_of(&["init-command", "defaults-file"])
    }

    fn runs_code(&self, setting: &str) -> bool {
        is_named(setting, settings::CODE)
    }

    no_answers!(library);
}
