//! A database that only prints its statements.
//!
//! The driver must never run a statement, and must not write anywhere except to its output.
//!
//! Start reading at `session.rs`. Values are formatted in `literal.rs`.

mod block;
mod dialect;
mod session;

use tacho_core::{Error, Result};
use tacho_driver::{
    BoxFuture, Capabilities, Driver, Environment, Manifest, Session, Target, describes, no_answers,
};

static MANIFEST: Manifest = Manifest {
    id: "print",
    title: "Print",
    schemes: &[],
    tested: "needs no server",
    docs: include_str!("../docs.md"),
    plain_words: "",
};

struct Print;

/// Returns the driver.
pub fn driver() -> Box<dyn Driver> {
    Box::new(Print)
}

fn capabilities() -> Capabilities {
    Capabilities {
        procedures: true,
        pipelining: true,
        simple: true,
        concurrent_writers: true,
        writes_output: true,
        ..Capabilities::default()
    }
}

impl Driver for Print {
    describes!(MANIFEST, capabilities(), dialect::Print, Task);

    fn check(&self, target: &Target) -> Result<()> {
        if !target.place.is_empty() {
            let error = Error::usage(format!("print has no place \"{}\"", target.place));
            return Err(error.hint("write the target as print, and redirect the output to a file"));
        }
        target.check_options(&[])
    }

    fn connect<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> BoxFuture<'a, Result<Box<dyn Session>>> {
        Box::pin(async move {
            self.check(target)?;
            Ok(session::open(environment))
        })
    }

    no_answers!(code, runs_code, library, remove, collector, settings, deferred_work);
}
