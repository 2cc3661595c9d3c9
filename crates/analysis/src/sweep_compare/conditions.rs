//! Conditions that differ between two sweeps. Each condition is listed once, even if it differs at many points.

use schemars::JsonSchema;
use serde::Serialize;

use super::PointComparison;

/// A condition that differs at one or more points.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SweepDifference {
    /// Path of the condition in the record, such as `server.settings.fsync`.
    pub name: String,
    /// Value in the baseline; absent if it has none or if the value varies from point to point.
    pub baseline: Option<String>,
    /// Value in the run; absent if it has none or if the value varies from point to point.
    pub run: Option<String>,
    /// True if the values vary from point to point. In this case, each point lists its own values.
    pub varies: bool,
    /// True if this difference makes the results incomparable.
    pub hinders: bool,
    /// Number of points at which the condition differs.
    pub points: u64,
}

/// Merges the differences at all points. Differences that prevent a comparison come first.
pub(super) fn merged(points: &[PointComparison]) -> Vec<SweepDifference> {
    let mut merged: Vec<SweepDifference> = Vec::new();
    for one in points.iter().flat_map(|point| &point.conditions) {
        let Some(known) = merged.iter_mut().find(|condition| condition.name == one.name) else {
            let one = one.clone();
            merged.push(SweepDifference {
                name: one.name,
                baseline: one.baseline,
                run: one.run,
                varies: false,
                hinders: one.hinders,
                points: 1,
            });
            continue;
        };
        known.points += 1;
        if known.varies || (&known.baseline, &known.run) != (&one.baseline, &one.run) {
            (known.varies, known.baseline, known.run) = (true, None, None);
        }
    }
    merged.sort_by(|a, b| b.hinders.cmp(&a.hinders).then(a.name.cmp(&b.name)));
    merged
}
