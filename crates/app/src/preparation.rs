//! Describes the data that `prepare` builds, including its tables, rows, and size.

use std::sync::Arc;

use tacho_core::{Result, Schema};
use tacho_driver::require_storage;
use tacho_workload::{Choices, Instance, Marker, MarkerState};

use crate::Job;
use crate::access::data_parameters;

/// The work of a preparation.
pub struct Preparation {
    /// The workload instance.
    pub instance: Arc<dyn Instance>,
    /// The user's choices, such as the scale and the profile, from which the instance was created.
    pub choices: Choices,
    /// The tables, as they will be created in the database.
    pub layout: Arc<Schema>,
    /// The approximate number of rows in all tables of all sets.
    pub rows: u64,
    /// The approximate size of the values in bytes, excluding the database's overhead.
    pub bytes: u64,
}

impl Preparation {
    /// Returns true if any table is unlogged, so that the server would lose its rows in a crash.
    pub(crate) fn unlogged(&self) -> bool {
        self.layout.tables.iter().any(|table| table.storage.unlogged)
    }
}

/// Returns the data for these choices and its estimated size, without connecting to the database.
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
