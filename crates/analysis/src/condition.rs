//! The outcome of a gate, which is a condition that a comparison must not meet.

use schemars::JsonSchema;
use serde::Serialize;
use tacho_metrics::Change;

/// The verdict on a gate's condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateVerdict {
    /// The metric became worse by more than the limit.
    Worse,
    /// The metric did not become worse by more than the limit, and the runs would have shown it.
    Within,
    /// The confidence interval contains the limit, is too wide, or does not exist.
    CannotTell,
}

/// A condition with its verdict.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GateOutcome {
    /// The condition as written by the user, such as `new_order.p95>5%`.
    pub condition: String,
    /// Name of the metric.
    pub metric: String,
    /// Limit as a relative change; negative if lower values are worse.
    pub limit: f64,
    /// Change over all points with its 95 % confidence interval; absent if either side has a single run.
    pub change: Option<Change>,
    /// The verdict.
    pub verdict: GateVerdict,
    /// Points at which the metric is worse by more than the limit, although it is not over all points.
    pub worse_at: Vec<String>,
    /// Number of runs of each side per point.
    pub repeats: u32,
    /// True if a run has no value of the metric, for example because too few transactions ended for a percentile.
    pub is_unmeasured: bool,
    /// Number of runs of each side that would allow a decision; absent if the condition is decided, if the metric was
    /// not measured, or if not even a thousand runs would be enough.
    pub repeats_needed: Option<u32>,
    /// Noise of a run on which the number of runs rests if repeated runs did not show it; absent if they did.
    pub assumed_noise: Option<f64>,
}
