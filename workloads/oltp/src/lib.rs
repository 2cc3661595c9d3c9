#![doc = include_str!("../docs.md")]
//!
//! ## The code
//!
//! The code must not mention any database by name, read the clock, or print.
//!
//! Start reading at [`workload`]. `client.rs` draws events, and `transaction.rs` runs them.

mod audit;
mod checks;
mod client;
mod distribution;
mod event;
mod generate;
mod input;
mod instance;
mod params;
mod samples;
mod schema;
mod setup;
mod statements;
mod transaction;

use std::sync::Arc;

use tacho_core::{Parameter, Result};
use tacho_driver::{Catalog, Dialect};
use tacho_workload::{Choices, Instance, Manifest, Profile, Workload};

use crate::statements::Lists;

/// Maximum number of tables. A check reads all tables in one statement, and databases limit the
/// number of tables that a statement may use.
const TABLES_MAX: u64 = 500;

static MANIFEST: Manifest = Manifest {
    id: "oltp",
    title: "point and range reads, updates, deletes and inserts, as in sysbench",
    scale_unit: "table",
    scale_steps: 1,
    scale_max: TABLES_MAX,
    version: 1,
    notice: "Reimplements the statements of sysbench's OLTP scripts; not a TPC workload.",
    docs: include_str!("../docs.md"),
};

struct Oltp;

/// Returns the workload.
pub fn workload() -> Box<dyn Workload> {
    Box::new(Oltp)
}

impl Workload for Oltp {
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
        statements::catalog(dialect, 1, Lists::default())
    }

    fn instance(&self, choices: &Choices) -> Result<Arc<dyn Instance>> {
        Ok(Arc::new(instance::Chosen::new(choices)?))
    }
}
