//! The data that `prepare` builds: tables, rows and their size.

use std::sync::Arc;

use tacho_core::{Result, Schema};
use tacho_driver::require_storage;
use tacho_workload::{Choices, Instance, Marker, MarkerState};

use crate::Job;
use crate::access::data_parameters;

/// What a preparation will do.
pub struct Preparation {
    /// The workload with its values.
    pub instance: Arc<dyn Instance>,
    /// Their source.
    pub choices: Choices,
    /// The tables as the database shall have them.
    pub layout: Arc<Schema>,
    /// Rows in all tables of all sets, about.
    pub rows: u64,
    /// Bytes of their values, about; the database adds its own.
    pub bytes: u64,
}

impl Preparation {
    /// Whether rows are kept out of the server's log, and so are gone when it crashes.
    pub(crate) fn unlogged(&self) -> bool {
        self.layout.tables.iter().any(|table| table.storage.unlogged)
    }
}

/// Returns the data for these values, with its estimated size; nothing is touched.
pub(crate) fn preparation(job: &Job, choices: Choices) -> Result<Preparation> {
    let instance = job.workload.instance(&choices)?;
    let dialect = job.driver.dialect();
    let layout = Arc::new(instance.layout(dialect)?);
    require_storage(dialect, &layout)?;
    let mut rows = 0;
    let mut bytes = 0;
    for (index, table) in layout.tables.iter().enumerate() {
        let count = instance.expected_rows(index) * u64::from(job.sets());
        rows += count;
        bytes += count * table.mean_row_bytes();
    }
    Ok(Preparation { instance, choices, layout, rows, bytes })
}

pub(crate) fn new_marker(job: &Job, wanted: &Preparation) -> Marker {
    let manifest = job.workload.manifest();
    Marker {
        workload: manifest.id.into(),
        version: manifest.version,
        scale: wanted.choices.scale,
        profile: wanted.choices.profile.clone(),
        set: data_parameters(job, wanted.instance.as_ref()),
        seed: wanted.choices.data_seed,
        loaded_at: wanted.choices.loaded_at,
        state: MarkerState::Building,
        runs: 0,
    }
}
