//! The inputs of the numbers that a result consists of.

use std::time::Duration;

use tacho_collect::Hiccups;
use tacho_driver::Capabilities;
use tacho_engine::{LoadPlan, Measurement};
use tacho_workload::Instance;

/// The inputs of the numbers that a result consists of.
pub(super) struct Raw<'a> {
    pub(super) plan: &'a LoadPlan,
    pub(super) instance: &'a dyn Instance,
    pub(super) capabilities: Capabilities,
    pub(super) measurement: &'a Measurement,
    /// CPU time of this process over the measured phase.
    pub(super) cpu: Option<Duration>,
    /// Times in it in which this process was stopped.
    pub(super) hiccups: Option<Hiccups>,
    /// True if TPM is read from the server's counters.
    pub(super) server_tpm: bool,
    /// Transactions in the server's counters that Tacho's monitoring ended in the measured phase.
    pub(super) monitored: u64,
    /// True if nobody else works on the data, so that the database's counters can be compared with this client's.
    pub(super) alone: bool,
}
