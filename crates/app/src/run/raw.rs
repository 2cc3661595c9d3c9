//! The measurements and settings from which the values in a run's result are calculated.

use std::time::Duration;

use tacho_collect::Hiccups;
use tacho_driver::Capabilities;
use tacho_engine::{LoadPlan, Measurement};
use tacho_workload::Instance;

/// The inputs from which the values in a result are calculated.
pub(super) struct Raw<'a> {
    pub(super) plan: &'a LoadPlan,
    pub(super) instance: &'a dyn Instance,
    pub(super) capabilities: Capabilities,
    pub(super) measurement: &'a Measurement,
    /// The CPU time of this process during the measured phase.
    pub(super) cpu: Option<Duration>,
    /// The pauses of this process during the measured phase.
    pub(super) hiccups: Option<Hiccups>,
    /// True if TPM is calculated from the server's counters.
    pub(super) server_tpm: bool,
    /// The number of Tacho's own monitoring transactions that the server counted during the measured phase.
    pub(super) monitored: u64,
    /// True if no other client changes the data. Only then can the database's counters be compared with this client's.
    pub(super) alone: bool,
}
