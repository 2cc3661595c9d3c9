#![doc = include_str!("../docs.md")]
//!
//! ## The code
//!
//! Database names may appear only in the lists of SQL files in `statements.rs`, `routines.rs` and `layout.rs`. The code
//! must not read the clock or print.
//!
//! Start reading at [`workload`]. `params.rs` has the choices, `client.rs` draws transactions, and `transactions/` runs
//! them.

mod audit;
mod checks;
mod client;
mod entry;
mod generate;
mod homes;
mod instance;
mod layout;
mod lists;
mod mix;
mod names;
mod pacing;
mod params;
mod payment_notes;
mod peers;
mod physical;
mod profiles;
mod proof;
mod random;
mod replies;
mod routines;
mod samples;
mod schema;
mod settings;
mod setup;
mod statements;
mod style;
mod transactions;

use std::sync::Arc;

use tacho_core::{Parameter, Result};
use tacho_driver::{Catalog, Dialect};
use tacho_workload::{Choices, Instance, Manifest, Profile, Quirk, Workload};

pub use instance::Chosen;

static MANIFEST: Manifest = Manifest {
    id: "tprocc",
    title: "TPROC-C",
    scale_unit: "warehouse",
    scale_steps: 1,
    scale_max: 100_000,
    version: 1,
    notice: "Derived from the TPC-C benchmark; not a TPC result and not comparable to published \
             TPC results.",
    docs: include_str!("../docs.md"),
};

struct Tprocc;

/// Returns the workload.
pub fn workload() -> Box<dyn Workload> {
    Box::new(Tprocc)
}

impl Workload for Tprocc {
    fn manifest(&self) -> &'static Manifest {
        &MANIFEST
    }

    fn parameters(&self) -> &'static [Parameter] {
        &params::PARAMETERS
    }

    fn profiles(&self) -> &'static [Profile] {
        &profiles::PROFILES
    }

    fn quirks(&self) -> &'static [Quirk] {
        &params::QUIRKS
    }

    fn switch_groups(&self) -> &'static [(&'static str, &'static [&'static str])] {
        &profiles::GROUPS
    }

    fn data_parameters(&self) -> &'static [&'static str] {
        &params::DATA_PARAMETERS
    }

    fn catalog(&self, dialect: &dyn Dialect) -> Result<Catalog> {
        statements::catalog(dialect, None, names::Names::default())
    }

    fn instance(&self, choices: &Choices) -> Result<Arc<dyn Instance>> {
        Ok(Arc::new(Chosen::new(choices)?))
    }
}
