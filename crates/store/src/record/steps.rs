//! The steps of a varying load, each with its own results, ledger and verdict.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_config::Step;

use super::{
    DistributionRecord, Estimate, LedgerRecord, RunVerdict, SteadinessRecord, ThresholdRecord,
};

/// A step of a varying load. Its results cover the transactions that completed during the step. Its
/// ledger covers the transactions that were due during the step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepRecord {
    /// Step number, from 1.
    pub number: u32,
    /// The load during the step, and the step's planned length.
    #[serde(flatten)]
    pub step: Step,
    /// Time at which the step started, relative to the start of the load.
    pub at_s: f64,
    /// Actual length of the step.
    pub measured_s: f64,
    /// The verdict on the step's results.
    pub verdict: RunVerdict,
    /// Reasons for any verdict other than valid, as text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Transactions per second that committed or were rolled back as intended.
    pub throughput_per_s: f64,
    /// 95 % confidence interval of the throughput, computed from the step's reporting intervals.
    pub interval_95: Option<Estimate>,
    /// The steadiness of the throughput.
    #[serde(default, skip_serializing_if = "SteadinessRecord::is_unknown")]
    pub steadiness: SteadinessRecord,
    /// The workload's headline metric, such as NOPM, as counted by the client.
    pub headline_per_minute: Option<f64>,
    /// Number of transactions that failed during the step.
    pub failed: u64,
    /// Latency of all transaction types combined, from the due time to the end.
    pub latency: DistributionRecord,
    /// Thresholds for all transaction types combined, with their outcomes for the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thresholds: Vec<ThresholdRecord>,
    /// The ledger of all transactions that were due during the step.
    pub accounting: LedgerRecord,
}

impl StepRecord {
    /// Returns true if the step is valid and meets all thresholds that could be checked for it.
    pub fn holds(&self) -> bool {
        self.verdict != RunVerdict::Invalid
            && self.thresholds.iter().all(|threshold| threshold.passed)
    }
}
