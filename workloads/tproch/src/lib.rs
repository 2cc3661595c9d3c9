#![doc = include_str!("../docs.md")]
//!
//! ## The code
//!
//! Database names may appear only in the list of SQL override files in `statements.rs`. The code must not read the
//! clock or print.
//!
//! Start reading at [`workload`]. Query parameters are in `queries/`, rows in `generate.rs`, correct results in
//! `answers.rs`, refresh functions in `refresh/`, and HammerDB's deviations in `hammerdb.rs`.

mod answers;
mod checks;
mod client;
mod files;
mod generate;
mod hammerdb;
mod instance;
mod layout;
mod names;
mod params;
mod queries;
mod refresh;
mod row_counts;
mod samples;
mod schema;
mod setup;
mod statements;

use std::sync::Arc;

use tacho_core::{Parameter, Result};
use tacho_driver::{Catalog, Dialect};
use tacho_workload::{Choices, Instance, Manifest, Profile, Quirk, Workload};

use hammerdb::Deviations;

static MANIFEST: Manifest = Manifest {
    id: "tproch",
    title: "TPROC-H",
    scale_unit: "gigabyte",
    scale_steps: 100,
    scale_max: 3_000_000,
    version: 2,
    notice: "Derived from the TPC-H benchmark; not a TPC result and not comparable to published \
             TPC results.",
    docs: include_str!("../docs.md"),
};

struct Tproch;

/// Returns the workload.
pub fn workload() -> Box<dyn Workload> {
    Box::new(Tproch)
}

impl Workload for Tproch {
    fn manifest(&self) -> &'static Manifest {
        &MANIFEST
    }

    fn parameters(&self) -> &'static [Parameter] {
        &params::PARAMETERS
    }

    fn profiles(&self) -> &'static [Profile] {
        &params::PROFILES
    }

    fn quirks(&self) -> &'static [Quirk] {
        &params::QUIRKS
    }

    fn data_parameters(&self) -> &'static [&'static str] {
        &params::DATA_PARAMETERS
    }

    fn catalog(&self, dialect: &dyn Dialect) -> Result<Catalog> {
        statements::catalog(dialect, &Deviations::default(), true, None)
    }

    fn instance(&self, choices: &Choices) -> Result<Arc<dyn Instance>> {
        Ok(Arc::new(instance::Chosen::new(choices)?))
    }
}
