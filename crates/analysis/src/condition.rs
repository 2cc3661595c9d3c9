//! The answer to a condition that a comparison was made for.

use schemars::JsonSchema;
use serde::Serialize;
use tacho_metrics::Change;

/// The answer that the runs give to a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateVerdict {
    /// The metric became worse by more than the limit.
    Worse,
    /// It did not, and the runs would show it if it did.
    Within,
    /// The interval contains the limit, or there is none.
    CannotTell,
}

/// A condition with its answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GateOutcome {
    /// As it was written, such as `new_order.p95>5%`.
    pub condition: String,
    /// Name of the metric.
    pub metric: String,
    /// The limit as a relative change; negative where less is worse.
    pub limit: f64,
    /// The change with its 95 % interval, over all points; absent if either side has a single run.
    pub change: Option<Change>,
    /// The answer.
    pub verdict: GateVerdict,
    /// Points at which the metric is worse than the limit, though it is not over all points.
    pub worse_at: Vec<String>,
    /// Runs of each side at a point.
    pub repeats: u32,
    /// Runs of each side that would tell; absent if the condition is decided or a thousand would not.
    pub repeats_needed: Option<u32>,
}
