//! The outcome of a gate. A gate is a condition under which a comparison fails.

use schemars::JsonSchema;
use serde::Serialize;
use tacho_metrics::Change;

/// The verdict on a gate's condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateVerdict {
    /// The metric became worse by more than the limit.
    Worse,
    /// The metric is not worse by more than the limit, and there were enough runs to detect such a change.
    Within,
    /// The confidence interval contains the limit or is too wide, or there is no interval.
    CannotTell,
}

/// A condition with its verdict.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GateOutcome {
    /// The condition as written by the user, such as `new_order.p95>5%`.
    pub condition: String,
    /// Name of the metric.
    pub metric: String,
    /// The limit as a relative change. It is negative if a lower value of the metric is worse.
    pub limit: f64,
    /// Mean change over all compared points with its 95 % confidence interval; absent if a side has a single run.
    pub change: Option<Change>,
    /// The verdict.
    pub verdict: GateVerdict,
    /// The points at which the metric is worse by more than the limit. They are listed only if the mean over all
    /// points is not.
    pub worse_at: Vec<String>,
    /// Number of runs per side at each point.
    pub repeats: u32,
    /// True if any of the runs has no value for the metric, for example because a percentile needs more transactions.
    pub is_unmeasured: bool,
    /// Number of runs per side that would be enough for a decision. Absent if it is unknown, above a thousand, or
    /// already reached.
    pub repeats_needed: Option<u32>,
    /// Assumed noise of a run, used to compute the required number of runs; absent if the noise was measured.
    pub assumed_noise: Option<f64>,
}
