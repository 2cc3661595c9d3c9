//! The difference between the two sides of a comparison. Each side was measured several times, at one or more points.
//!
//! All values are logarithms, so their differences are relative changes. If there are several runs, their spread
//! determines the error.
//!
//! Start reading at [`Effect`] and [`overall_effect`].

use crate::change::difference;
use crate::estimate::{mean, variance};
use crate::{Mean, Moderation};

/// Minimum number of points for estimating the overall error from how much the effects at these points differ.
pub const POINTS_BY_SPREAD: usize = 4;
/// Minimum number of runs per side if the runs of both sides are compared in pairs. With fewer runs, pairing would make
/// the result less certain.
pub const PAIRS_MIN: usize = 4;

/// The logarithms of one metric's values in all runs of one side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Their mean.
    value: f64,
    /// Number of runs.
    runs: usize,
    /// Variance between the runs. `None` if there is only one run.
    between: Option<f64>,
    /// Squared error of a single run, and the degrees of freedom of all runs together. Each run's error is estimated
    /// from the run's parts. The median of these errors is used, so that a single uneven run does not dominate.
    within: Option<(f64, f64)>,
}

impl Sample {
    /// Creates a sample. `values` contains each run's value, and `within` contains its error as estimated from the
    /// run's parts. Returns `None` if a value is not positive.
    pub fn of(values: &[f64], within: &[Mean]) -> Option<Self> {
        if values.is_empty() || values.iter().any(|value| *value <= 0.0) {
            return None;
        }
        let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
        let known: Vec<Mean> = within.iter().filter_map(|estimate| estimate.ln()).collect();
        let is_known = known.len() == values.len();
        let mut squares: Vec<f64> = known.iter().map(|estimate| estimate.error.powi(2)).collect();
        squares.sort_by(f64::total_cmp);
        let freedom = known.iter().map(|estimate| estimate.freedom).sum();
        Some(Self {
            value: mean(&logs),
            runs: values.len(),
            between: (logs.len() > 1).then(|| variance(&logs)),
            within: is_known.then(|| (squares[(squares.len() - 1) / 2], freedom)),
        })
    }

    /// Returns the mean of the logarithms.
    pub(crate) const fn value(&self) -> f64 {
        self.value
    }

    /// Returns the number of runs.
    pub(crate) const fn runs(&self) -> f64 {
        self.runs as f64
    }

    /// Returns the variance between the runs.
    pub(crate) const fn between(&self) -> Option<f64> {
        self.between
    }

    /// Returns the squared error of a single run, as estimated from its parts. The second value is the sum of the
    /// degrees of freedom of all runs.
    pub(crate) const fn within(&self) -> Option<(f64, f64)> {
        self.within
    }

    /// Returns the mean with its error. The error is computed from the spread between the runs or from the error within
    /// the runs, whichever is larger.
    fn estimate(&self) -> Option<Mean> {
        let runs = self.runs as f64;
        let (variance, freedom) = match (self.between, self.within) {
            (Some(between), Some(within)) => floored((between, runs - 1.0), within),
            (Some(between), None) => (between, runs - 1.0),
            (None, within) => within?,
        };
        Some(Mean { value: self.value, error: (variance / runs).sqrt(), freedom })
    }
}

/// Returns the larger of two variances with its degrees of freedom: the one between the runs or the one within a run.
/// If the second one is larger, both are estimates of the same value, so their degrees of freedom are added.
pub(crate) fn floored(between: (f64, f64), within: (f64, f64)) -> (f64, f64) {
    if between.0 > within.0 { between } else { (within.0, between.1 + within.1) }
}

/// The difference between two sides in one metric, along with all the data needed for its error.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    sides: [Sample; 2],
    /// The logarithm of the ratio in each pair of runs, if the two sides were measured alternately.
    turns: Vec<f64>,
}

impl Effect {
    /// Returns the difference between the second side and the first.
    pub const fn of(first: Sample, second: Sample) -> Self {
        Self { sides: [first, second], turns: Vec::new() }
    }

    /// Returns the effect computed from pairs of runs that were measured one after the other. Requires at least
    /// [`PAIRS_MIN`] pairs.
    #[must_use]
    pub fn in_turns(mut self, pairs: &[(f64, f64)]) -> Self {
        let is_usable = pairs.len() >= PAIRS_MIN && pairs.iter().all(|(a, b)| *a > 0.0 && *b > 0.0);
        if is_usable {
            self.turns = pairs.iter().map(|(a, b)| (b / a).ln()).collect();
        }
        self
    }

    /// Returns true if each side has several runs.
    pub fn is_repeated(&self) -> bool {
        self.sides.iter().all(|side| side.between.is_some())
    }

    /// Returns the mean of the logarithm of the ratio between the two sides.
    pub fn value(&self) -> f64 {
        self.sides[1].value - self.sides[0].value
    }

    /// Returns the difference with its error. If there are pairs, the error is computed from the pairs. If there are
    /// none and both sides have the same number of repeated runs, it is computed from their common variance. In all
    /// other cases, Welch's test is used.
    pub fn estimate(&self) -> Option<Mean> {
        if let Some(pairs) = Mean::of_repeats(&self.turns) {
            let within = self.within().map_or(0.0, |variance| variance.0 * self.share());
            return Some(Mean { error: pairs.error.max(within.sqrt()), ..pairs });
        }
        let [first, second] = &self.sides;
        if first.runs == second.runs && self.is_repeated() {
            return Some(self.with(self.variance()?));
        }
        Some(difference(first.estimate()?, second.estimate()?))
    }

    /// Returns the variance of a single run, estimated from both sides together, with its degrees of freedom. Returns
    /// `None` unless both sides have several runs.
    fn variance(&self) -> Option<(f64, f64)> {
        let between = self.between()?;
        Some(self.within().map_or(between, |within| floored(between, within)))
    }

    /// Returns the relative standard deviation of a single run, or `None` unless both sides have several runs.
    pub fn noise(&self) -> Option<f64> {
        Some(self.variance()?.0.sqrt())
    }

    fn between(&self) -> Option<(f64, f64)> {
        let [first, second] = &self.sides;
        let freedom = [first, second].map(|side| side.runs as f64 - 1.0);
        let squares = first.between? * freedom[0] + second.between? * freedom[1];
        let all = freedom[0] + freedom[1];
        Some((squares / all, all))
    }

    fn within(&self) -> Option<(f64, f64)> {
        let [first, second] = [self.sides[0].within?, self.sides[1].within?];
        Some((f64::midpoint(first.0, second.0), first.1 + second.1))
    }

    /// Returns the factor by which the variance of a single run must be multiplied in order to get the variance of the
    /// difference.
    fn share(&self) -> f64 {
        self.sides.iter().map(|side| 1.0 / side.runs as f64).sum()
    }

    fn with(&self, (variance, freedom): (f64, f64)) -> Mean {
        Mean { value: self.value(), error: (variance * self.share()).sqrt(), freedom }
    }
}

/// Returns the differences at several points. If runs were repeated, each point's variance is improved by taking the
/// other points' variances into account ([`Moderation`]).
pub fn moderated(points: &[&Effect]) -> Vec<Option<Mean>> {
    let variances: Vec<(f64, f64)> = points.iter().filter_map(|point| point.between()).collect();
    let moderation = Moderation::of(&variances);
    let one = |point: &&Effect| {
        let Some(between) = point.between() else { return point.estimate() };
        let moderate = moderation.of_one(between);
        let variance = point.within().map_or(moderate, |within| floored(moderate, within));
        Some(point.with(variance))
    };
    points.iter().map(one).collect()
}

/// Returns the mean difference over all points.
///
/// With four or more points, the error is computed from the spread of the differences between the points. With fewer
/// points, it is computed from the variances of the runs, with Satterthwaite's degrees of freedom. Returns `None` if no
/// error can be computed.
pub fn overall_effect(points: &[&Effect]) -> Option<Mean> {
    let count = points.len() as f64;
    let values: Vec<f64> = points.iter().map(|point| point.value()).collect();
    if points.len() < POINTS_BY_SPREAD {
        let estimates = points.iter().map(|point| point.estimate());
        let estimates = estimates.collect::<Option<Vec<Mean>>>()?;
        let squares: Vec<f64> = estimates.iter().map(|estimate| estimate.error.powi(2)).collect();
        let all: f64 = squares.iter().sum();
        let parts = squares.iter().zip(&estimates);
        let freedom =
            all.powi(2) / parts.map(|(square, by)| square.powi(2) / by.freedom).sum::<f64>();
        return (!values.is_empty()).then(|| Mean {
            value: mean(&values),
            error: all.sqrt() / count,
            freedom: if freedom.is_finite() { freedom } else { 1.0 },
        });
    }
    let spread = Mean::of_repeats(&values)?;
    let within = points.iter().map(|point| Some(point.within()?.0 * point.share()));
    let within =
        within.collect::<Option<Vec<f64>>>().map_or(0.0, |parts| parts.iter().sum::<f64>());
    Some(Mean { error: spread.error.max(within.sqrt() / count), ..spread })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Change, holm};
    use tacho_core::{Rng, Seed};

    const TRIALS: u64 = 4_000;

    /// The noise of simulated sweeps. The percentages are standard deviations of a single run.
    #[derive(Clone, Copy, Debug)]
    enum Noise {
        /// 6 % at every point.
        Equal,
        /// 2 to 12 %, different at each point.
        Sixfold,
        /// A standard deviation of 4 % at every point, plus a drift of 10 % from the first run to the last.
        Drift,
        /// A standard deviation of 2 to 12 %, different at each point. In addition, one run has only half the speed.
        Half,
    }
    const NOISES: [Noise; 4] = [Noise::Equal, Noise::Sixfold, Noise::Drift, Noise::Half];

    fn normal(rng: &mut Rng) -> f64 {
        (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0
    }

    /// Simulates a sweep with two sides, which alternate at each point. Every second repetition uses the reverse order.
    fn sweeps(rng: &mut Rng, noise: Noise, points: usize, repeats: usize, by: f64) -> Vec<Effect> {
        let all = points * repeats;
        let slow = (rng.unit() * all as f64) as usize;
        let one = |point: usize, rng: &mut Rng| {
            let spread = match noise {
                Noise::Equal => 0.06,
                Noise::Drift => 0.04,
                Noise::Sixfold | Noise::Half => 0.02 * 6_f64.powf(rng.unit()),
            };
            let mut sides = [Vec::new(), Vec::new()];
            for repeat in 0..repeats {
                let is_back = repeat % 2 == 1;
                let place = if is_back { points - 1 - point } else { point } + repeat * points;
                for (side, values) in sides.iter_mut().enumerate() {
                    let turn = if is_back { 1 - side } else { side };
                    let mut log = spread * normal(rng) + side as f64 * by.ln_1p();
                    if matches!(noise, Noise::Drift) {
                        log += 0.1 * (2 * place + turn) as f64 / (2 * all) as f64;
                    }
                    if matches!(noise, Noise::Half) && side == 0 && place == slow {
                        log += 0.5_f64.ln();
                    }
                    values.push(log.exp());
                }
            }
            let [first, second] = sides.map(|values| Sample::of(&values, &[]).expect("values"));
            Effect::of(first, second)
        };
        (0..points).map(|point| one(point, rng)).collect()
    }

    /// Returns the fraction of simulated sweeps that satisfy a condition. `holds` returns true if a sweep satisfies it.
    fn share(
        (noise, points, repeats, by): (Noise, usize, usize, f64),
        holds: impl Fn(&[&Effect]) -> bool,
    ) -> f64 {
        let held = |trial: &u64| {
            let effects = sweeps(&mut Seed(46).rng(*trial), noise, points, repeats, by);
            holds(&effects.iter().collect::<Vec<_>>())
        };
        (0..TRIALS).filter(held).count() as f64 / TRIALS as f64
    }

    fn claims_overall(points: &[&Effect]) -> bool {
        overall_effect(points).expect("repeats").p() <= 0.05
    }

    fn claims_a_point(points: &[&Effect]) -> bool {
        let p: Vec<f64> = moderated(points).into_iter().flatten().map(Mean::p).collect();
        holm(&p).iter().any(|adjusted| *adjusted <= 0.01)
    }

    #[test]
    fn an_overall_effect_is_found_and_rarely_claimed_falsely() {
        for noise in NOISES {
            let wrong = share((noise, 5, 2, 0.0), claims_overall);
            // If the noise is the same at every point, the test is exact: it reports a false effect in 5 % of the
            // sweeps, apart from random error.
            let most = if matches!(noise, Noise::Equal) { 0.057 } else { 0.05 };
            assert!(wrong <= most, "{noise:?}: {wrong}");
        }
        let found = share((Noise::Sixfold, 5, 2, 0.1), claims_overall);
        assert!(found >= 0.65, "{found}");
        for points in [2, 3] {
            let wrong = share((Noise::Sixfold, points, 2, 0.0), claims_overall);
            assert!(wrong <= 0.05, "{points} points: {wrong}");
        }
        let found = share((Noise::Sixfold, 3, 2, 0.2), claims_overall);
        assert!(found >= 0.74, "{found}");
    }

    #[test]
    fn points_borrow_variance_and_are_rarely_claimed_falsely() {
        for noise in NOISES {
            let wrong = share((noise, 5, 2, 0.0), claims_a_point);
            assert!(wrong <= 0.03, "{noise:?}: {wrong}");
        }
        let found = share((Noise::Sixfold, 5, 2, 0.2), claims_a_point);
        assert!(found >= 0.5, "{found}");
    }

    #[test]
    fn more_repeats_never_widen_the_overall_interval() {
        let of_five = NOISES.map(|noise| (noise, 5));
        for (noise, points) in of_five.into_iter().chain([(Noise::Equal, 2)]) {
            let width = |repeats: usize| {
                let one = |trial: u64| {
                    let effects = sweeps(&mut Seed(47).rng(trial), noise, points, repeats, 0.1);
                    let effects: Vec<&Effect> = effects.iter().collect();
                    overall_effect(&effects).expect("repeats").half(0.975)
                };
                (0..1_000).map(one).sum::<f64>() / 1_000.0
            };
            let widths: Vec<f64> = [2, 3, 4, 6, 8].map(width).to_vec();
            assert!(widths.windows(2).all(|pair| pair[1] < pair[0]), "{noise:?} {widths:?}");
        }
    }

    /// Returns a side whose runs have these values. `error` is the relative error estimated from the parts of each run.
    fn side(values: &[f64], error: f64) -> Sample {
        let within: Vec<Mean> = values
            .iter()
            .map(|value| Mean { value: *value, error: value * error, freedom: 20.0 })
            .collect();
        Sample::of(values, &within).expect("values")
    }

    fn change(first: Sample, second: Sample) -> Change {
        Change::of_logarithm(Effect::of(first, second).estimate().expect("an error"))
    }

    #[test]
    fn two_pairs_do_not_contradict_the_first_of_them() {
        let one = change(side(&[1_000.0], 0.01), side(&[1_100.0], 0.01));
        let two = change(side(&[1_000.0, 1_008.0], 0.01), side(&[1_100.0, 1_093.0], 0.01));
        assert!(one.significant && two.significant, "{one:?} {two:?}");
        assert!(two.high - two.low < one.high - one.low, "{one:?} {two:?}");
        // Two equal runs have a spread of zero, so the error must be computed from the parts of the runs.
        let equal = change(side(&[1_000.0, 1_000.0], 0.02), side(&[1_001.0, 1_001.0], 0.02));
        assert!(equal.low < -0.02 && equal.high > 0.02, "{equal:?}");
        // The runs of each side differ widely, so the interval must be wide too. A single run per side would not show
        // this.
        let apart = change(side(&[1_000.0, 1_300.0], 0.01), side(&[1_100.0, 900.0], 0.01));
        assert!(apart.low < -0.3 && apart.high > 0.1, "{apart:?}");
    }

    #[test]
    fn pairs_remove_a_drift_that_both_sides_share() {
        let first: Vec<f64> = (0..6).map(|at| 1_000.0 * 0.95_f64.powi(at)).collect();
        let second: Vec<f64> = first
            .iter()
            .zip([0.99, 1.0, 1.01, 1.0, 0.99, 1.01])
            .map(|(a, b)| a * b * 1.1)
            .collect();
        let pairs: Vec<(f64, f64)> = first.iter().copied().zip(second.iter().copied()).collect();
        let samples = [&first, &second].map(|values| Sample::of(values, &[]).expect("values"));
        let effect = Effect::of(samples[0], samples[1]);
        let apart = effect.clone().estimate().expect("an error");
        let paired = effect.in_turns(&pairs).estimate().expect("an error");
        assert!(
            paired.error < apart.error / 5.0 && (paired.value - 0.1).abs() < 0.01,
            "{paired:?}"
        );
    }

    #[test]
    fn values_without_a_logarithm_have_no_effect() {
        assert_eq!(Sample::of(&[1.0, 0.0], &[]), None);
        assert_eq!(Sample::of(&[], &[]), None);
        assert_eq!(overall_effect(&[]), None);
    }
}
