//! The addresses that `--route` names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DistributionRecord;

/// An address that received transactions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AddressRecord {
    /// The target, without its password.
    pub target: String,
    /// Periods in which the routes skipped this address.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutRecord>,
    /// Staleness of this address in the measured phase: the time from the acknowledged commit of a row at the run's
    /// target until the row was read at this address. The time is an upper limit because it includes the read itself.
    /// Absent for the run's target, and for addresses at which nothing was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staleness: Option<DistributionRecord>,
    /// Number of rows that were written in the measured phase in order to be read at this address.
    #[serde(default)]
    pub written: u64,
    /// Number of these rows that had not been read at this address by the end.
    #[serde(default)]
    pub unread: u64,
}

/// A period in which the routes skipped an address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOutRecord {
    /// Start of the period since the start of the load, rounded to a tenth of a second.
    pub from_s: f64,
    /// End of the period; absent if the run ended first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_s: Option<f64>,
    /// The reason that a session found.
    pub why: String,
}
