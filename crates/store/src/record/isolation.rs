//! The isolation between transactions, as checked after the load.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_core::IsolationLevel;
use tacho_isolation::{Anomaly, Findings};

/// The anomalies in the transactions of the whole run, and the isolation level that the sessions used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IsolationRecord {
    /// The sessions' isolation level, as the database names it; absent if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// The level that the vendor promises for this name, because vendors use the same names for different levels;
    /// absent if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub promised: Option<IsolationLevel>,
    /// The anomalies; absent if the history could not be checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub findings: Option<Findings>,
    /// Number of attempts that are missing from the history because it reached its maximum size or could not be written.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
    /// Reasons why the check is incomplete.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub incomplete: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl IsolationRecord {
    /// Returns the level against which the anomalies are evaluated. If the vendor's promise is unknown, this is the
    /// weakest level, because every database must meet it.
    pub fn required(&self) -> IsolationLevel {
        self.promised.unwrap_or(IsolationLevel::ReadUncommitted)
    }

    /// Returns the anomalies that contradict the promise, and those that do not.
    pub fn by_promise(&self) -> (Vec<&Anomaly>, Vec<&Anomaly>) {
        let all = self.findings.iter().flat_map(|findings| &findings.anomalies);
        all.partition(|anomaly| anomaly.class.is_excluded_by(self.required()))
    }
}
