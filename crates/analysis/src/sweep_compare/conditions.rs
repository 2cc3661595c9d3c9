//! What differs between two sweeps besides their results: the differences of all pairs of points,
//! each stated once.

use schemars::JsonSchema;
use serde::Serialize;

use super::PointComparison;

/// A condition that is not the same at one point or more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SweepDifference {
    /// Its place in the record, such as `server.settings.fsync`.
    pub name: String,
    /// Its value in the baseline; absent if there was none, or if it is another at each point.
    pub baseline: Option<String>,
    /// Its value in the run.
    pub run: Option<String>,
    /// Whether its values are not the same at all points; the points have them.
    pub varies: bool,
    /// Whether it makes the figures incomparable.
    pub hinders: bool,
    /// At how many points it differs.
    pub points: u64,
}

/// The differences of all points, those that hinder first.
pub(super) fn merged(points: &[PointComparison]) -> Vec<SweepDifference> {
    let mut merged: Vec<SweepDifference> = Vec::new();
    for one in points.iter().flat_map(|point| &point.conditions) {
        let Some(known) = merged.iter_mut().find(|own| own.name == one.name) else {
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
