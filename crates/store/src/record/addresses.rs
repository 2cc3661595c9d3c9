//! The addresses that `--route` names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DistributionRecord;

/// An address that transactions went to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AddressRecord {
    /// The target, without its password.
    pub target: String,
    /// Times in which it was left out of its routes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutRecord>,
    /// From the acknowledged commit of a row at the target of the run until it was read here, in the measured phase; an
    /// upper limit, which includes the reading. Absent at the target of the run, and where nothing was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staleness: Option<DistributionRecord>,
    /// Rows that were written for it in the measured phase.
    #[serde(default)]
    pub written: u64,
    /// Those that were not read here before the end.
    #[serde(default)]
    pub unread: u64,
}

/// A time in which an address was left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOutRecord {
    /// Begin, since the start of the load, to a tenth of a second.
    pub from_s: f64,
    /// End; absent if the run ended first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_s: Option<f64>,
    /// What a session found.
    pub why: String,
}
