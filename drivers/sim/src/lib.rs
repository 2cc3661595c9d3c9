//! A simulated database that runs on virtual time.
//!
//! The driver must not read a real clock, and must get all random numbers from its environment, so that runs with the
//! same seed are identical.
//!
//! Start reading at `session.rs`. The options are in `config.rs`.

mod config;
mod dialect;
mod inspector;
mod server;
mod session;

use tacho_core::Result;
use tacho_driver::{
    BoxFuture, Capabilities, Driver, Environment, Manifest, Session, Target, describes, no_answers,
};

use crate::config::Config;
use crate::server::Servers;

static MANIFEST: Manifest = Manifest {
    id: "sim",
    title: "Simulation",
    schemes: &[],
    tested: "needs no server",
    docs: include_str!("../docs.md"),
    plain_words: "",
};

#[derive(Default)]
struct Sim {
    servers: Servers,
}

/// Returns the driver.
pub fn driver() -> Box<dyn Driver> {
    Box::new(Sim::default())
}

fn capabilities() -> Capabilities {
    Capabilities {
        procedures: true,
        pipelining: true,
        concurrent_writers: true,
        counters: true,
        ..Capabilities::default()
    }
}

impl Driver for Sim {
    describes!(MANIFEST, capabilities(), dialect::Sim, Virtual);

    fn check(&self, target: &Target) -> Result<()> {
        Config::from_target(target).map(|_| ())
    }

    fn connect<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> BoxFuture<'a, Result<Box<dyn Session>>> {
        Box::pin(async move {
            let config = Config::from_target(target)?;
            if config.down(environment.clock.now()) {
                return Err(session::down());
            }
            let server = self.servers.of(target, &config);
            Ok(session::open(&config, server, &environment))
        })
    }

    no_answers!(code, runs_code, library, remove, collector, settings, deferred_work);
}
