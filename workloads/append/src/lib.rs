#![doc = include_str!("../docs.md")]
//!
//! ## The code
//!
//! The code must not mention any database by name, read the clock, or print.
//!
//! Start reading at [`workload`]. `client.rs` draws transactions, and `transactions/` runs them.

mod audit;
mod checks;
mod client;
mod final_reads;
mod generate;
mod input;
mod instance;
mod keys;
mod params;
mod schema;
mod setup;
mod statements;
mod transactions;

use std::sync::Arc;

use tacho_core::{Parameter, Result};
use tacho_driver::{Catalog, Dialect};
use tacho_workload::{Choices, Instance, Manifest, Profile, Workload};

static MANIFEST: Manifest = Manifest {
    id: "append",
    title: "appends to lists and reads of lists, to check isolation",
    scale_unit: "key block",
    scale_steps: 1,
    scale_max: 10_000,
    version: 1,
    notice: "Checks the isolation between transactions; not a TPC workload.",
    docs: include_str!("../docs.md"),
};

struct Append;

/// Returns the workload.
pub fn workload() -> Box<dyn Workload> {
    Box::new(Append)
}

impl Workload for Append {
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
