#![doc = include_str!("../docs.md")]
//!
//! ## The code
//!
//! The schema, rows, transactions, conditions and headline come from the order-processing workload.
//! This package adds three tables and the queries.
//!
//! Database names may appear only in the list of SQL override files in `statements.rs`. The code must not read the
//! clock or print.
//!
//! Start reading at [`workload`]. `instance.rs` combines the workloads, and `stream.rs` has the query streams.

mod checks;
mod generate;
mod instance;
mod nations;
mod params;
mod queries;
mod schema;
mod statements;
mod stream;

use std::sync::Arc;

use tacho_core::{Parameter, Result};
use tacho_driver::{Catalog, Dialect};
use tacho_workload::{Choices, Instance, Manifest, Profile, Quirk, Workload};

static MANIFEST: Manifest = Manifest {
    id: "chbench",
    title: "CH-benCHmark",
    scale_unit: "warehouse",
    scale_steps: 1,
    // The queries compute a supplier number from warehouse number times item number. This product
    // must fit into 32 bits.
    scale_max: 20_000,
    version: 1,
    notice: "Derived from the TPC-C and TPC-H benchmarks; not a TPC result and not comparable to \
             published TPC results.",
    docs: include_str!("../docs.md"),
};

struct ChBench;

/// Returns the workload.
pub fn workload() -> Box<dyn Workload> {
    Box::new(ChBench)
}

/// Returns the order-processing workload. Its parameters, profiles and deviations also apply here.
fn orders() -> Box<dyn Workload> {
    tacho_workload_tprocc::workload()
}

impl Workload for ChBench {
    fn manifest(&self) -> &'static Manifest {
        &MANIFEST
    }

    fn parameters(&self) -> &'static [Parameter] {
        &params::PARAMETERS
    }

    fn profiles(&self) -> &'static [Profile] {
        orders().profiles()
    }

    fn quirks(&self) -> &'static [Quirk] {
        orders().quirks()
    }

    fn data_parameters(&self) -> &'static [&'static str] {
        orders().data_parameters()
    }

    fn catalog(&self, dialect: &dyn Dialect) -> Result<Catalog> {
        Ok(orders().catalog(dialect)?.and(&statements::catalog(dialect)?))
    }

    fn instance(&self, choices: &Choices) -> Result<Arc<dyn Instance>> {
        Ok(Arc::new(instance::Chosen::new(choices)?))
    }
}
