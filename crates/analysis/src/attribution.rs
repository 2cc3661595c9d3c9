//! The cost of each group of settings that differ between two configurations.
//!
//! Groups of settings may interact, so they are changed in two different orders. Each effect is the average over both
//! orders.
//!
//! Start reading at [`attribute`].

use schemars::JsonSchema;
use serde::Serialize;
use tacho_metrics::{Change, Mean};

/// A group of settings that differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GroupChange {
    /// Title of the group.
    pub title: String,
    /// The changes that make up the group, such as `ping: false, then true`.
    pub changes: Vec<String>,
}

/// The measurements for one order of the groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    /// The groups in this order, as indexes into the list of all groups.
    pub order: Vec<usize>,
    /// Throughput with the initial configuration and after each change, for every round; `None` if the run failed.
    pub rounds: Vec<Vec<Option<f64>>>,
}

/// The effect of a group on the throughput.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GroupEffect {
    /// The group.
    #[serde(flatten)]
    pub group: GroupChange,
    /// Relative change in throughput, averaged over both orders.
    pub change: Change,
    /// Relative change in throughput in the first order.
    pub first_order: f64,
    /// Relative change in throughput in the second order of the groups; absent if there was only one order.
    pub second_order: Option<f64>,
    /// The group's share of the whole change. Shares are computed from logarithms, so those of all groups add up to 1.
    pub share: f64,
    /// True if the 95 % confidence interval excludes zero.
    pub found: bool,
}

/// A change in throughput, divided into the effects of the groups.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Attribution {
    /// Workload ID.
    pub workload: String,
    /// Target name.
    pub target: String,
    /// The initial configuration.
    pub from: String,
    /// The final configuration.
    pub to: String,
    /// Number of complete rounds. Rounds in which a run failed are not used.
    pub rounds: usize,
    /// Number of rounds that were measured.
    pub rounds_measured: usize,
    /// Mean throughput of the initial configuration, in transactions per second.
    pub from_per_s: f64,
    /// Mean throughput of the final configuration, in transactions per second.
    pub to_per_s: f64,
    /// Change from the initial to the final configuration; absent if fewer than two rounds are complete.
    pub whole: Option<Change>,
    /// The effect of each group. The groups are listed in the first order.
    pub groups: Vec<GroupEffect>,
    /// Fraction of the whole change that statistically significant groups account for.
    pub explained: f64,
    /// Titles of the groups in the second order; empty if that order was not measured.
    pub second_order: Vec<String>,
}

/// The workload, target and configurations of an attribution.
#[derive(Clone, Debug, Default)]
pub struct Sides {
    /// Workload ID.
    pub workload: String,
    /// Target name.
    pub target: String,
    /// The initial configuration.
    pub from: String,
    /// The final configuration.
    pub to: String,
}

/// Divides the difference between two configurations among groups of settings. `paths[1]` is empty if only one order
/// was measured.
pub fn attribute(sides: Sides, groups: &[GroupChange], paths: &[Path; 2]) -> Attribution {
    let complete = |round: &usize| {
        let full = |path: &Path| {
            path.rounds.get(*round).is_none_or(|values| values.iter().all(|value| good(*value)))
        };
        paths.iter().all(full)
    };
    let measured = paths[0].rounds.len();
    let rounds: Vec<usize> = (0..measured).filter(complete).collect();
    let second = !paths[1].order.is_empty();
    let logs = |path: &Path, group: usize| -> Vec<f64> {
        rounds.iter().filter_map(|round| step(path, *round, group)).collect()
    };
    let whole: Vec<f64> = rounds.iter().filter_map(|round| ends(&paths[0], *round)).collect();
    let whole_mean = mean(&whole);
    let mut effects = Vec::new();
    for (at, group) in paths[0].order.iter().map(|at| (*at, groups[*at].clone())) {
        let first = logs(&paths[0], at);
        let other = if second { logs(&paths[1], at) } else { Vec::new() };
        let both: Vec<f64> = if second {
            first.iter().zip(&other).map(|(a, b)| f64::midpoint(*a, *b)).collect()
        } else {
            first.clone()
        };
        let Some(change) = Mean::of_repeats(&both).map(Change::of_logarithm) else { continue };
        effects.push(GroupEffect {
            group,
            change,
            first_order: mean(&first).exp_m1(),
            second_order: second.then(|| mean(&other).exp_m1()),
            share: if whole_mean == 0.0 { 0.0 } else { mean(&both) / whole_mean },
            found: change.low > 0.0 || change.high < 0.0,
        });
    }
    let ends_of = |last: bool| {
        let one = |round: &usize| {
            let values = paths[0].rounds.get(*round)?;
            if last { *values.last()? } else { *values.first()? }
        };
        mean(&rounds.iter().filter_map(one).collect::<Vec<f64>>())
    };
    Attribution {
        workload: sides.workload,
        target: sides.target,
        from: sides.from,
        to: sides.to,
        rounds: rounds.len(),
        rounds_measured: measured,
        from_per_s: ends_of(false),
        to_per_s: ends_of(true),
        whole: Mean::of_repeats(&whole).map(Change::of_logarithm),
        explained: effects.iter().filter(|effect| effect.found).map(|effect| effect.share).sum(),
        groups: effects,
        second_order: paths[1].order.iter().map(|at| groups[*at].title.clone()).collect(),
    }
}

fn good(value: Option<f64>) -> bool {
    value.is_some_and(|value| value > 0.0)
}

/// Returns the change that a group caused in one round, as a logarithm.
fn step(path: &Path, round: usize, group: usize) -> Option<f64> {
    let at = path.order.iter().position(|changed| *changed == group)?;
    let values = path.rounds.get(round)?;
    Some(((*values.get(at + 1)?)? / (*values.get(at)?)?).ln())
}

/// Returns the change from the first to the last configuration, as a logarithm.
fn ends(path: &Path, round: usize) -> Option<f64> {
    let values = path.rounds.get(round)?;
    Some(((*values.last()?)? / (*values.first()?)?).ln())
}

fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(count: usize) -> Vec<GroupChange> {
        let one = |at| GroupChange { title: format!("g{at}"), changes: Vec::new() };
        (0..count).map(one).collect()
    }

    /// Returns throughputs with random noise for an order of the groups. Each group changes the throughput by a
    /// given factor.
    fn path(order: &[usize], factors: &[f64], noise: &[f64]) -> Path {
        let round = |noise: &f64| {
            let mut at = 1_000.0 * (1.0 + noise);
            let mut all = vec![Some(at)];
            for (place, group) in order.iter().enumerate() {
                at *= factors[*group] * (1.0 + noise * (place as f64 - 0.5));
                all.push(Some(at));
            }
            all
        };
        Path { order: order.to_vec(), rounds: noise.iter().map(round).collect() }
    }

    #[test]
    fn each_factor_is_found_and_the_parts_make_the_whole() {
        let factors = [0.5, 0.9, 1.0];
        let noise = [0.01, -0.01, 0.005, -0.004];
        let paths = [path(&[0, 1, 2], &factors, &noise), path(&[2, 1, 0], &factors, &noise)];
        let found = attribute(Sides::default(), &groups(3), &paths);
        assert_eq!((found.rounds, found.groups.len()), (4, 3));
        for (effect, factor) in found.groups.iter().zip(factors) {
            let (low, high) = (effect.change.low, effect.change.high);
            assert!(low <= factor - 1.0 && factor - 1.0 <= high, "{effect:?}");
            assert_eq!(effect.found, factor < 1.0, "{effect:?}");
        }
        let shares: f64 = found.groups.iter().map(|group| group.share).sum();
        // Apart from the noise, both orders end with the same throughput.
        assert!((shares - 1.0).abs() < 0.02, "{shares}");
        assert!(found.explained > 0.95);
    }

    #[test]
    fn in_one_order_the_parts_are_exactly_the_whole() {
        let only = path(&[1, 0], &[0.7, 1.3], &[0.02, -0.03, 0.01]);
        let found = attribute(Sides::default(), &groups(2), &[only, Path::default()]);
        let product: f64 = found.groups.iter().map(|group| group.change.value + 1.0).product();
        assert!((product - 1.0 - found.whole.expect("a whole").value).abs() < 1e-12);
        assert_eq!(found.groups[0].group.title, "g1");
        assert_eq!(found.groups[0].second_order, None);
    }

    #[test]
    fn a_round_with_a_failed_run_is_left_out() {
        let mut only = path(&[0], &[0.5], &[0.01, 0.02, 0.03]);
        only.rounds[1][1] = None;
        let found = attribute(Sides::default(), &groups(1), &[only.clone(), Path::default()]);
        assert_eq!((found.rounds, found.rounds_measured, found.groups.len()), (2, 3, 1));
        only.rounds[0][0] = None;
        let found = attribute(Sides::default(), &groups(1), &[only, Path::default()]);
        assert!(found.whole.is_none() && found.groups.is_empty());
    }
}
