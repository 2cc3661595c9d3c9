//! The addresses specified with `--route`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DistributionRecord;

/// An address that received transactions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AddressRecord {
    /// The target address, without its password.
    pub target: String,
    /// Periods during which the routes skipped this address.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutRecord>,
    /// Staleness of this address in the measured phase, which is the time from a commit at the
    /// run's target until the row could be read here. Absent for the run's target, or if no row was
    /// read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staleness: Option<DistributionRecord>,
    /// Number of rows written in the measured phase to measure the staleness of this address.
    #[serde(default)]
    pub written: u64,
    /// Number of rows written to measure staleness that could not be read at this address even at
    /// the end.
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
