//! The addresses specified with `--route`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DistributionRecord;

/// An address that received transactions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AddressRecord {
    /// The target address, without its password.
    pub target: String,
    /// Periods during which no transactions were sent to this address.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutRecord>,
    /// Delay in the measured phase from a commit at the run's target until the row could be read at
    /// this address. Absent for the target itself, or if no row was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staleness: Option<DistributionRecord>,
    /// Number of rows written in the measured phase to measure the staleness of this address.
    #[serde(default)]
    pub written: u64,
    /// Number of rows written to measure staleness that did not become readable at this address
    /// before the end of the run.
    #[serde(default)]
    pub unread: u64,
}

/// A period during which the routes skipped an address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOutRecord {
    /// Start of the period, relative to the start of the load, rounded to a tenth of a second.
    pub from_s: f64,
    /// End of the period; absent if the run ended first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_s: Option<f64>,
    /// The reason for skipping the address, as determined by a session.
    pub why: String,
}
