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
    /// The metric did not become worse by more than the limit, and there were enough runs to detect it if it had.
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
    /// Limit, expressed as a relative change; negative if lower values are worse.
    pub limit: f64,
    /// Change over all points with its 95 % confidence interval; absent if either side has only a single run.
    pub change: Option<Change>,
    /// The verdict.
    pub verdict: GateVerdict,
    /// Points at which the metric is worse by more than the limit, even though it is not worse by that much over all
    /// points.
    pub worse_at: Vec<String>,
    /// Number of runs per side at each point.
    pub repeats: u32,
    /// True if the metric has no value in one of the runs, for example because too few transactions completed for a
    /// percentile.
    pub is_unmeasured: bool,
    /// Number of runs per side that would be enough for a decision; absent if the condition has been decided, if the
    /// metric was not measured, or if even a thousand runs would not be enough.
    pub repeats_needed: Option<u32>,
    /// Assumed noise of a run, on which the required number of runs is based; absent if the noise could be determined
    /// from repeated runs.
    pub assumed_noise: Option<f64>,
}
