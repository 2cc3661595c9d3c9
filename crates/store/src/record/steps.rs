//! The steps of a load that changes, each with figures, accounts and a verdict of its own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_config::Step;

use super::{
    DistributionRecord, Estimate, LedgerRecord, RunVerdict, SteadinessRecord, ThresholdRecord,
};

/// One step: figures of the transactions that ended in it, accounts of those that were due in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepRecord {
    /// Number, from 1.
    pub number: u32,
    /// Its load, and its planned length.
    #[serde(flatten)]
    pub step: Step,
    /// Start, since the start of the load.
    pub at_s: f64,
    /// Actual length.
    pub measured_s: f64,
    /// The verdict on its figures.
    pub verdict: RunVerdict,
    /// Reasons for a verdict other than valid, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Transactions per second that committed or were rolled back as intended.
    pub throughput_per_s: f64,
    /// 95 % interval of the throughput, from the intervals of the step.
    pub interval_95: Option<Estimate>,
    /// Whether the throughput was steady.
    #[serde(default, skip_serializing_if = "SteadinessRecord::is_unknown")]
    pub steadiness: SteadinessRecord,
    /// The workload's own figure, such as NOPM, as counted by the client.
    pub headline_per_minute: Option<f64>,
    /// Failed transactions that ended in the step.
    pub failed: u64,
    /// End − due of all transaction types together.
    pub latency: DistributionRecord,
    /// Limits on all transaction types together with their outcome in the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thresholds: Vec<ThresholdRecord>,
    /// The accounts of all transactions that were due in the step.
    pub accounting: LedgerRecord,
}

impl StepRecord {
    /// Whether it is valid and within all limits that it could be judged by.
    pub fn holds(&self) -> bool {
        self.verdict != RunVerdict::Invalid && self.thresholds.iter().all(|own| own.passed)
    }
}
