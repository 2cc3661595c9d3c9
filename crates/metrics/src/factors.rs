//! The main effects and two-way interactions in an experiment that varies several factors together.
//!
//! All values are logarithms, so effects are relative changes. The main effect of a level is the mean difference from
//! the factor's first level, over all combinations of the other factors' levels. The method is from Box, Hunter and
//! Hunter, *Statistics for Experimenters*, chapter 5.
//!
//! Start reading at [`factor_effects`].

use std::collections::BTreeMap;

use crate::effect::floored;
use crate::{Change, Mean, Sample, holm};

/// A level of a factor, given by the factor's index and the level's index.
pub type FactorLevel = (usize, usize);

/// A combination of levels, with the logarithms of the values from its runs.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The level of each factor.
    pub levels: Vec<usize>,
    /// The runs.
    pub sample: Sample,
}

/// An effect.
#[derive(Clone, Debug)]
pub struct FactorEffect {
    /// The levels that the effect is about, each with its factor: one level for a main effect, and two for an
    /// interaction.
    pub of: Vec<FactorLevel>,
    /// For a main effect, the change from the factor's first level to this level. For an interaction, the change caused
    /// by both levels together, divided by the product of the changes caused by each level alone.
    pub change: Change,
    /// The p-value, adjusted for the number of effects in the experiment.
    pub adjusted_p: f64,
}

/// Returns the main effects and, if requested, the interactions. Returns `None` if the noise cannot be estimated, or if
/// the levels of two factors are not combined equally often, as they are in a grid and in half of one.
pub fn factor_effects(cells: &[Cell], interactions: bool) -> Option<Vec<FactorEffect>> {
    let factors = cells.first()?.levels.len();
    let counts: Vec<usize> = (0..factors)
        .map(|factor| cells.iter().map(|cell| cell.levels[factor] + 1).max().unwrap_or(0))
        .collect();
    if !is_balanced(cells, &counts) {
        return None;
    }
    let (variance, freedom) = noise(cells, &counts)?;
    let levels = |factor: usize| (1..counts[factor]).map(move |level| (factor, level));
    let mut of: Vec<Vec<FactorLevel>> =
        (0..factors).flat_map(levels).map(|level| vec![level]).collect();
    if interactions {
        for (first, second) in (0..factors).flat_map(|a| (a + 1..factors).map(move |b| (a, b))) {
            for one in levels(first) {
                of.extend(levels(second).map(|other| vec![one, other]));
            }
        }
    }
    let changes: Vec<Change> = of
        .iter()
        .map(|of| {
            let contrast = contrast(cells, of);
            let each = || contrast.iter().zip(cells);
            let value = each().map(|(weight, cell)| weight * cell.sample.value()).sum();
            let share: f64 = each().map(|(weight, cell)| weight.powi(2) / cell.sample.runs()).sum();
            Change::of_logarithm(Mean { value, error: (variance * share).sqrt(), freedom })
        })
        .collect();
    let adjusted = holm(&changes.iter().map(|change| change.p).collect::<Vec<f64>>());
    let effects = of.into_iter().zip(changes).zip(adjusted);
    Some(
        effects.map(|((of, change), adjusted_p)| FactorEffect { of, change, adjusted_p }).collect(),
    )
}

/// Returns true if any two levels of two factors occur together in equally many cells. Otherwise, the difference between
/// the means of two levels would also contain the effects of other factors.
fn is_balanced(cells: &[Cell], counts: &[usize]) -> bool {
    let pairs = (0..counts.len()).flat_map(|a| (a + 1..counts.len()).map(move |b| (a, b)));
    pairs.into_iter().all(|(a, b)| {
        let mut together: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        for cell in cells {
            *together.entry(levels_of(cell, &[a, b])).or_default() += 1;
        }
        together.len() == counts[a] * counts[b]
            && together.values().all(|count| *count == cells.len() / together.len())
    })
}

/// Returns the weight of each cell in an effect. The weight is zero unless the cell has the first level or the effect's
/// level of every factor involved.
fn contrast(cells: &[Cell], of: &[FactorLevel]) -> Vec<f64> {
    let sign = |cell: &Cell| -> f64 {
        let signs = of.iter().map(|(factor, level)| match cell.levels[*factor] {
            0 => -1.0,
            other if other == *level => 1.0,
            _ => 0.0,
        });
        signs.product()
    };
    let signs: Vec<f64> = cells.iter().map(sign).collect();
    let used = signs.iter().filter(|sign| **sign != 0.0).count() as f64;
    // Divide by the number of cells in a group, so that each group contributes its mean. A main effect compares 2
    // groups of cells, and an interaction compares 4.
    let groups = 2_f64.powi(of.len() as i32);
    signs.iter().map(|sign| sign * groups / used).collect()
}

/// Returns the variance of a single run, with its degrees of freedom. If runs were not repeated, it is estimated from
/// interactions between three or more factors, because these are usually small.
fn noise(cells: &[Cell], counts: &[usize]) -> Option<(f64, f64)> {
    let repeated =
        cells.iter().filter_map(|cell| Some((cell.sample.between()?, cell.sample.runs() - 1.0)));
    let (squares, freedom) = repeated.fold((0.0, 0.0), |(squares, all), (variance, freedom)| {
        (squares + variance * freedom, all + freedom)
    });
    let between = if freedom > 0.0 { (squares / freedom, freedom) } else { higher(cells, counts)? };
    let mut within: Vec<(f64, f64)> =
        cells.iter().map(|cell| cell.sample.within()).collect::<Option<_>>().unwrap_or_default();
    within.sort_by(|one, other| one.0.total_cmp(&other.0));
    let Some((median, _)) = within.get(within.len() / 2).copied() else { return Some(between) };
    Some(floored(between, (median, within.iter().map(|one| one.1).sum())))
}

/// Returns the variance that remains after main effects and two-way interactions, with its degrees of freedom.
fn higher(cells: &[Cell], counts: &[usize]) -> Option<(f64, f64)> {
    let factors = counts.len();
    let free = |factor: usize| counts[factor] as f64 - 1.0;
    let pairs: Vec<(usize, usize)> =
        (0..factors).flat_map(|a| (a + 1..factors).map(move |b| (a, b))).collect();
    let explained: f64 = (0..factors).map(free).sum::<f64>()
        + pairs.iter().map(|(a, b)| free(*a) * free(*b)).sum::<f64>();
    let freedom = cells.len() as f64 - 1.0 - explained;
    if cells.len() != counts.iter().product::<usize>() || freedom < 1.0 {
        return None;
    }
    let mut fitted =
        vec![binomial_2(factors as f64 - 1.0) * mean_over(cells, &[])[&Vec::new()]; cells.len()];
    let mut add = |of: &[usize], factor: f64| {
        let means = mean_over(cells, of);
        for (fit, cell) in fitted.iter_mut().zip(cells) {
            *fit += factor * means[&levels_of(cell, of)];
        }
    };
    for (a, b) in &pairs {
        add(&[*a, *b], 1.0);
    }
    (0..factors).for_each(|one| add(&[one], 2.0 - factors as f64));
    let residual = fitted.iter().zip(cells).map(|(fit, cell)| (cell.sample.value() - fit).powi(2));
    Some((residual.sum::<f64>() / freedom, freedom))
}

fn binomial_2(n: f64) -> f64 {
    n * (n - 1.0) / 2.0
}

fn levels_of(cell: &Cell, factors: &[usize]) -> Vec<usize> {
    factors.iter().map(|factor| cell.levels[*factor]).collect()
}

/// Returns the mean of all cells with the same levels of these factors, for each combination of these levels.
fn mean_over(cells: &[Cell], factors: &[usize]) -> BTreeMap<Vec<usize>, f64> {
    let mut sums: BTreeMap<Vec<usize>, (f64, f64)> = BTreeMap::new();
    for cell in cells {
        let (sum, count) = sums.entry(levels_of(cell, factors)).or_default();
        (*sum, *count) = (*sum + cell.sample.value(), *count + 1.0);
    }
    sums.into_iter().map(|(levels, (sum, count))| (levels, sum / count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacho_core::{Rng, Seed};

    const TRIALS: u64 = 1_000;
    /// The simulated effects as logarithms: of A, of B, and of their interaction.
    const PLANTED: [f64; 3] = [0.25, -0.2, 0.25];

    /// Returns a number from a standard normal distribution, by the Box–Muller method.
    fn normal(rng: &mut Rng) -> f64 {
        let size = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
        size * (std::f64::consts::TAU * rng.unit()).cos()
    }

    /// Returns a grid of three factors with two levels each. A, B and their interaction have effects, but C has none.
    fn grid(rng: &mut Rng, noise: fn(usize) -> f64, repeats: usize) -> Vec<Cell> {
        (0..8)
            .map(|at: usize| {
                let levels = vec![at >> 2, (at >> 1) & 1, at & 1];
                let [a, b] = [0, 1].map(|factor| levels[factor] as f64);
                let mean = PLANTED[0] * a + PLANTED[1] * b + PLANTED[2] * a * b;
                let run = |_| 1_000.0 * (mean + noise(at) * normal(rng)).exp();
                let values: Vec<f64> = (0..repeats).map(run).collect();
                Cell { levels, sample: Sample::of(&values, &[]).expect("values") }
            })
            .collect()
    }

    /// Results of a simulation. `covered` contains, for each effect, the fraction of trials in which the interval
    /// contained the true value. `claimed` contains the fraction of trials in which the effect was found to be
    /// significant.
    #[derive(Debug)]
    struct Shares {
        covered: Vec<f64>,
        claimed: Vec<f64>,
        any_false: f64,
    }

    fn shares(noise: fn(usize) -> f64, repeats: usize) -> Shares {
        // The effects are in the order A, B, C, AB, AC, BC. A main effect is a mean over all levels of the other
        // factors.
        let half = PLANTED[2] / 2.0;
        let truth = [PLANTED[0] + half, PLANTED[1] + half, 0.0, PLANTED[2], 0.0, 0.0];
        let (mut covered, mut claimed, mut any_false) = (vec![0.0; 6], vec![0.0; 6], 0.0);
        for trial in 0..TRIALS {
            let cells = grid(&mut Seed(46).rng(trial), noise, repeats);
            let effects = factor_effects(&cells, true).expect("effects");
            let is_claimed = |at: &usize| effects[*at].adjusted_p <= 0.05;
            for (at, effect) in effects.iter().enumerate() {
                let change = effect.change;
                let value = truth[at].exp_m1();
                covered[at] += f64::from(change.low <= value && value <= change.high);
                claimed[at] += f64::from(is_claimed(&at));
            }
            any_false += f64::from([2, 4, 5].iter().any(is_claimed));
        }
        let share = |counts: Vec<f64>| counts.iter().map(|count| count / TRIALS as f64).collect();
        Shares {
            covered: share(covered),
            claimed: share(claimed),
            any_false: any_false / TRIALS as f64,
        }
    }

    #[test]
    fn planted_effects_and_an_interaction_are_found_in_a_factorial() {
        for (noise, repeats, most) in [
            ((|_| 0.05) as fn(usize) -> f64, 2, 0.05),
            (|_| 0.05, 4, 0.05),
            // The noise differs between combinations. Some have three times as much noise as others.
            (|at| 0.025 * (1.0 + at as f64 * 2.0 / 7.0), 3, 0.07),
        ] {
            let shares = shares(noise, repeats);
            assert!(shares.covered.iter().all(|share| (0.93..=0.97).contains(share)), "{shares:?}");
            // If the amount of noise differs between combinations, the pooled degrees of freedom are slightly too high.
            // The test then claims a false effect slightly more often.
            assert!(shares.any_false <= most, "{shares:?}");
            assert!(shares.claimed[0] > 0.99 && shares.claimed[3] > 0.5, "{shares:?}");
        }
    }

    #[test]
    fn without_repeats_the_higher_interactions_are_the_noise() {
        let cells = |factors: usize| -> Vec<Cell> {
            let mut rng = Seed(7).rng(0);
            let cell = |at: usize| {
                let levels: Vec<usize> = (0..factors).map(|factor| (at >> factor) & 1).collect();
                let mean = 0.3 * levels[0] as f64 + 0.02 * normal(&mut rng);
                Cell { levels, sample: Sample::of(&[mean.exp()], &[]).expect("a value") }
            };
            (0..1 << factors).map(cell).collect()
        };
        let effects = factor_effects(&cells(4), true).expect("five degrees of freedom");
        assert!(effects.len() == 10 && effects[0].change.significant, "{effects:?}");
        assert!((effects[0].change.value - 0.3_f64.exp_m1()).abs() < 0.05, "{effects:?}");
        assert!(effects[1..].iter().all(|effect| effect.adjusted_p > 0.05), "{effects:?}");
        assert!(factor_effects(&cells(2), true).is_none());
    }

    #[test]
    fn a_half_fraction_yields_main_effects() {
        let mut rng = Seed(9).rng(0);
        let full = grid(&mut rng, |_| 0.001, 2).into_iter();
        let half: Vec<Cell> =
            full.filter(|cell| cell.levels.iter().sum::<usize>() % 2 == 0).collect();
        let effects = factor_effects(&half, false).expect("effects");
        // In half of a grid, the interaction of A and B cannot be distinguished from an effect of C, although C has no
        // effect.
        let half = PLANTED[2] / 2.0;
        let expected = [PLANTED[0] + half, PLANTED[1] + half, -half].map(f64::exp_m1);
        for (effect, expected) in effects.iter().zip(expected) {
            assert!((effect.change.value - expected).abs() < 0.01, "{effect:?} {expected}");
        }
    }

    #[test]
    fn changing_one_factor_at_a_time_yields_no_effects() {
        let mut rng = Seed(9).rng(0);
        let full = grid(&mut rng, |_| 0.001, 2).into_iter();
        let one: Vec<Cell> = full.filter(|cell| cell.levels.iter().sum::<usize>() < 2).collect();
        assert_eq!(one.len(), 4);
        assert!(factor_effects(&one, false).is_none());
    }
}
