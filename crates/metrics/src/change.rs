//! Compares two means, and estimates their difference with a confidence interval.
//!
//! Means are compared by Welch's test (Welch, Biometrika 34, 1947). Ratios are compared on a logarithmic scale, because
//! an increase and the decrease that reverses it are equally large on this scale.
//!
//! Start reading at [`Mean`] and [`change`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Mean;

/// Returns the second mean minus the first.
pub fn difference(first: Mean, second: Mean) -> Mean {
    let (a, b) = (first.error.powi(2), second.error.powi(2));
    let freedom = (a + b).powi(2) / (a.powi(2) / first.freedom + b.powi(2) / second.freedom);
    Mean {
        value: second.value - first.value,
        error: (a + b).sqrt(),
        // If neither mean varies, the degrees of freedom are 0/0. Any number can replace them, because the error is 0.
        freedom: if freedom.is_finite() { freedom } else { 1.0 },
    }
}

/// A relative change; 0.05 means an increase of 5 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// (second − first) ÷ first.
    pub value: f64,
    /// Lower end of the 95 % confidence interval.
    pub low: f64,
    /// Upper end of the 95 % confidence interval.
    pub high: f64,
    /// True if the 99 % confidence interval does not contain zero either.
    pub significant: bool,
    /// The two-sided p-value, which is the probability of such a large change if there is no real difference.
    pub p: f64,
}

/// Returns the change from one mean to another. Returns `None` unless both are positive.
pub fn change(first: Mean, second: Mean) -> Option<Change> {
    Some(Change::of_logarithm(difference(first.ln()?, second.ln()?)))
}

/// Returns the mean change from the first to the second value of each pair. Returns `None` if there are fewer than two
/// pairs, or if a value is not positive.
pub fn paired_change(pairs: &[(f64, f64)]) -> Option<Change> {
    if pairs.iter().any(|(first, second)| *first <= 0.0 || *second <= 0.0) {
        return None;
    }
    let ratios: Vec<f64> = pairs.iter().map(|(first, second)| (second / first).ln()).collect();
    Mean::of_repeats(&ratios).map(Change::of_logarithm)
}

impl Change {
    /// Creates a change from the mean of the logarithms of several ratios.
    pub fn of_logarithm(ratio: Mean) -> Self {
        let (low, high) = ratio.interval_95();
        Self {
            value: ratio.value.exp_m1(),
            low: low.exp_m1(),
            high: high.exp_m1(),
            significant: ratio.value.abs() > ratio.half(0.995),
            p: ratio.p(),
        }
    }
}

/// The direction in which a metric becomes better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Higher is better, as for throughput.
    Up,
    /// Lower is better, as for latency.
    Down,
}

/// A comparison's verdict on one metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Better, at the 99 % level.
    Better,
    /// Worse, at the 99 % level.
    Worse,
    /// The 95 % confidence interval excludes zero, but the 99 % interval contains it. In a table with many rows, some
    /// changes do this by chance.
    Unclear,
    /// The 95 % confidence interval contains zero.
    NoDifference,
    /// There are too few values to compute an interval.
    NotEnoughData,
    /// The metric was not evaluated, because one of the two sides is a single UNSTABLE run.
    Unstable,
}

impl Verdict {
    /// Returns the verdict on a change when no other changes are evaluated. It is based on the 95 % confidence
    /// interval.
    pub fn of_one(change: Option<Change>, good: Direction) -> Self {
        Self::of(change.map(|change| Change { significant: true, ..change }), good)
    }

    /// Evaluates the change in a metric.
    pub fn of(change: Option<Change>, good: Direction) -> Self {
        let Some(change) = change else { return Self::NotEnoughData };
        if change.low <= 0.0 && 0.0 <= change.high {
            Self::NoDifference
        } else if !change.significant {
            Self::Unclear
        } else if (change.value > 0.0) == (good == Direction::Up) {
            Self::Better
        } else {
            Self::Worse
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tacho_core::{Rng, Seed};

    /// The sleep data of Cushny and Peebles (Student, Biometrika 6, 1908). For `t.test(extra ~ group, data = sleep)`, R
    /// prints t = −1.8608, df = 17.776, and an interval from −3.3655 to 0.2055.
    #[test]
    fn welch_agrees_with_a_published_example() {
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let mean = |values: &[f64]| Mean::of_repeats(values).expect("ten values");
        let apart = difference(mean(&second), mean(&first));
        assert!((apart.value / apart.error + 1.8608).abs() < 1e-4, "{apart:?}");
        assert!((apart.freedom - 17.776).abs() < 1e-3, "{apart:?}");
        let (low, high) = apart.interval_95();
        assert!((low + 3.3655).abs() < 1e-3 && (high - 0.2055).abs() < 1e-3, "{low} {high}");
        assert!((apart.p() - 0.07939).abs() < 1e-5, "{}", apart.p());
    }

    /// Six workloads on two systems (Jain, "The Art of Computer Systems Performance Analysis", §13.4). The differences
    /// have a mean of −0.32 and a standard deviation of 9.03. Their 90 % confidence interval is −7.75 to 7.11.
    #[test]
    fn paired_observations_agree_with_a_published_example() {
        let pairs = [(5.4, 19.1), (16.6, 3.5), (0.6, 3.4), (1.4, 2.5), (0.6, 3.6), (7.3, 1.7)];
        let differences = pairs.map(|(a, b)| a - b);
        let mean = Mean::of_repeats(&differences).expect("six pairs");
        assert!((mean.value + 0.32).abs() < 0.005, "{mean:?}");
        assert!((mean.error * 6.0_f64.sqrt() - 9.03).abs() < 0.005, "{mean:?}");
        let half = mean.half(0.95);
        assert!((mean.value - half + 7.75).abs() < 0.01 && (mean.value + half - 7.11).abs() < 0.01);
    }

    /// Returns the mean of a simulated run, which has 30 slightly correlated intervals with values around `level`.
    fn run(rng: &mut Rng, level: f64) -> Mean {
        let mut last = 0.0;
        let values: Vec<f64> = (0..30)
            .map(|_| {
                let noise = (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0;
                last = 0.3 * last + noise;
                level * (1.0 + 0.03 * last)
            })
            .collect();
        Mean::over_time(&values).expect("thirty values")
    }

    fn claims(level: f64) -> usize {
        let claimed = |trial: u64| {
            let mut rng = Seed(11).rng(trial);
            let (first, second) = (run(&mut rng, 1_000.0), run(&mut rng, level));
            matches!(
                Verdict::of(change(first, second), Direction::Up),
                Verdict::Better | Verdict::Worse
            )
        };
        (0..1_000).filter(|trial| claimed(*trial)).count()
    }

    #[test]
    fn differences_are_claimed_where_they_are() {
        let (none, five) = (claims(1_000.0), claims(1_050.0));
        assert!(none <= 50, "{none} false claims of 1000");
        assert!(five >= 900, "{five} of 1000 found");
    }

    #[test]
    fn paired_changes_cancel_common_effects() {
        let pairs: Vec<(f64, f64)> =
            [100.0, 150.0, 80.0, 120.0].map(|level| (level, level * 1.03)).to_vec();
        let change = paired_change(&pairs).expect("four pairs");
        assert!((change.value - 0.03).abs() < 1e-12 && change.significant, "{change:?}");
        assert_eq!(paired_change(&pairs[..1]), None);
    }

    #[test]
    fn verdicts_depend_on_the_better_direction() {
        let up = Change { value: 0.1, low: 0.05, high: 0.15, significant: true, p: 0.001 };
        assert_eq!(Verdict::of(Some(up), Direction::Up), Verdict::Better);
        assert_eq!(Verdict::of(Some(up), Direction::Down), Verdict::Worse);
        let weak = Change { significant: false, ..up };
        assert_eq!(Verdict::of(Some(weak), Direction::Up), Verdict::Unclear);
        let none = Change { low: -0.01, ..up };
        assert_eq!(Verdict::of(Some(none), Direction::Up), Verdict::NoDifference);
        assert_eq!(Verdict::of(None, Direction::Up), Verdict::NotEnoughData);
    }

    proptest! {
        /// If the two means are exchanged, the ratio becomes its reciprocal, and the ends of the interval change
        /// places.
        #[test]
        fn changes_are_antisymmetric(a in 1.0..1e6_f64, b in 1.0..1e6_f64, e in 0.001..0.2_f64) {
            let mean = |value: f64| Mean { value, error: value * e, freedom: 9.0 };
            let there = change(mean(a), mean(b)).expect("positive");
            let back = change(mean(b), mean(a)).expect("positive");
            let inverse = |change: f64| 1.0 / (1.0 + change) - 1.0;
            prop_assert!((inverse(there.value) - back.value).abs() < 1e-6 * (1.0 + back.value.abs()));
            prop_assert!((inverse(there.low) - back.high).abs() < 1e-6 * (1.0 + back.high.abs()));
            prop_assert_eq!(there.significant, back.significant);
            prop_assert!(there.low <= there.value && there.value <= there.high);
            prop_assert_eq!(there.significant, there.p < 0.01);
            prop_assert_eq!(there.low > 0.0 || there.high < 0.0, there.p < 0.05);
        }
    }
}
