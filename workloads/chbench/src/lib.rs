#![doc = include_str!("../docs.md")]
//!
//! ## The code
//!
//! Schema, rows, transactions, conditions and figure are those of the order-processing workload, which is
//! asked through its own instance and never copied; three tables, the queries and their streams are
//! added. It must never name a database outside the list of SQL override files in `statements.rs`, take
//! time, or print. Start reading at [`workload`], then `instance.rs` for how the two are put together,
//! `stream.rs` for who asks the queries.

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
    // The number of a supplier is the product of a warehouse and an item, which must fit 32 bits.
    scale_max: 20_000,
    version: 1,
    notice: "Derived from the TPC-C and TPC-H benchmarks; not a TPC result and not comparable to \
             published TPC results.",
    docs: include_str!("../docs.md"),
};

struct ChBench;

/// The workload.
pub fn workload() -> Box<dyn Workload> {
    Box::new(ChBench)
}

/// The order-processing workload, whose parameters, profiles and deviations are ours too.
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
