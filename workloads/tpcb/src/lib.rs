#![doc = include_str!("../docs.md")]
//!
//! ## The code
//!
//! Database names may appear only in the list of SQL override files in `statements.rs`. The code must not read the
//! clock or print.
//!
//! Start reading at [`workload`]. `client.rs` draws transactions, and `transactions/` runs them.

mod audit;
mod checks;
mod client;
mod generate;
mod input;
mod instance;
mod params;
mod replies;
mod schema;
mod setup;
mod statements;
mod transactions;

use std::sync::Arc;

use tacho_core::{Parameter, Result};
use tacho_driver::{Catalog, Dialect};
use tacho_workload::{Choices, Instance, Manifest, Profile, Workload};

static MANIFEST: Manifest = Manifest {
    id: "tpcb",
    title: "TPC-B-like bank, as in pgbench",
    scale_unit: "scale unit",
    scale_steps: 1,
    scale_max: 100_000,
    version: 1,
    notice: "Derived from the TPC-B benchmark in the same way as pgbench; not a TPC result and not \
        comparable to published TPC results.",
    docs: include_str!("../docs.md"),
};

struct Tpcb;

/// Returns the workload.
pub fn workload() -> Box<dyn Workload> {
    Box::new(Tpcb)
}

impl Workload for Tpcb {
    fn manifest(&self) -> &'static Manifest {
        &MANIFEST
    }

    fn parameters(&self) -> &'static [Parameter] {
        &params::PARAMETERS
    }

    fn profiles(&self) -> &'static [Profile] {
        &params::PROFILES
    }

    fn data_parameters(&self) -> &'static [&'static str] {
        &params::DATA_PARAMETERS
    }

    fn catalog(&self, dialect: &dyn Dialect) -> Result<Catalog> {
        statements::catalog(dialect)
    }

    fn instance(&self, choices: &Choices) -> Result<Arc<dyn Instance>> {
        Ok(Arc::new(instance::Chosen::new(choices)?))
    }
}
