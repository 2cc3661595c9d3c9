//! A database that responds immediately, so that a run measures only Tacho's overhead.
//!
//! The driver must never allocate, wait or read a clock. Start reading at `session.rs`.

mod dialect;
mod session;

use tacho_core::{Error, Result};
use tacho_driver::{
    BoxFuture, Capabilities, Driver, Environment, Manifest, Session, Target, describes, no_answers,
};

static MANIFEST: Manifest = Manifest {
    id: "noop",
    title: "No operation",
    schemes: &[],
    tested: "needs no server",
    docs: include_str!("../docs.md"),
    plain_words: "",
};

struct Noop;

/// Returns the driver.
pub fn driver() -> Box<dyn Driver> {
    Box::new(Noop)
}

fn capabilities() -> Capabilities {
    Capabilities {
        procedures: true,
        pipelining: true,
        concurrent_writers: true,
        ..Capabilities::default()
    }
}

impl Driver for Noop {
    describes!(MANIFEST, capabilities(), dialect::Noop, Task);

    fn check(&self, target: &Target) -> Result<()> {
        if !target.place.is_empty() {
            let error = Error::usage(format!("noop has no place \"{}\"", target.place));
            return Err(error.hint("write it as noop"));
        }
        target.check_options(&[])
    }

    fn connect<'a>(
        &'a self,
        target: &'a Target,
        _: Environment,
    ) -> BoxFuture<'a, Result<Box<dyn Session>>> {
        Box::pin(async move {
            self.check(target)?;
            Ok(session::open())
        })
    }

    no_answers!(code, runs_code, library, remove, collector, settings, deferred_work);
}
