//! Detects lasting changes in a series of results.
//!
//! The method is E-divisive (Matteson and James, Journal of the American Statistical Association 109, 2014). It cuts
//! the series at the place where the two sides differ most. If they differ more than the two sides of a randomly
//! shuffled series, this place is a change. Each side is then examined in the same way. The method does not assume a
//! normal distribution.
//!
//! Start reading at [`change_points`].

use tacho_core::{Rng, Seed};

/// Minimum number of values on each side of a cut.
const SIDE_MIN: usize = 3;
/// Number of shuffled series with which the series is compared.
const SHUFFLES: usize = 199;
/// Significance level: the maximum fraction of shuffled series whose best cut is at least as strong as that of the
/// original.
const LEVEL: f64 = 0.05;

/// Returns the index of the first value after each change. The seed is fixed, so the result is reproducible.
pub fn change_points(values: &[f64]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut open = vec![(0, values.len())];
    let mut rng = Seed(0).rng(values.len() as u64);
    while let Some((start, end)) = open.pop() {
        if let Some(cut) = cut(&values[start..end], &mut rng) {
            let at = start + cut;
            found.push(at);
            open.extend([(start, at), (at, end)]);
        }
    }
    found.sort_unstable();
    found
}

/// Returns the best cut of a series, if it is better than can be expected by chance.
fn cut(values: &[f64], rng: &mut Rng) -> Option<usize> {
    let (at, strength) = best(values)?;
    if strength <= 0.0 {
        return None;
    }
    let allowed = (LEVEL * (SHUFFLES + 1) as f64) as usize;
    let mut shuffled = values.to_vec();
    // Start at 1, because the original series also counts as one of the shuffled series.
    let mut reached = 1;
    for _ in 0..SHUFFLES {
        shuffle(&mut shuffled, rng);
        reached += usize::from(best(&shuffled).is_some_and(|(_, other)| other >= strength));
        if reached > allowed {
            return None;
        }
    }
    Some(at)
}

/// The Fisher–Yates shuffle.
fn shuffle(values: &mut [f64], rng: &mut Rng) {
    for last in (1..values.len()).rev() {
        values.swap(last, rng.below(last as u64 + 1) as usize);
    }
}

/// Returns the cut with the largest scaled energy distance, which is n·m/(n+m) · (2·E|X−Y| − E|X−X'| − E|Y−Y'|).
fn best(values: &[f64]) -> Option<(usize, f64)> {
    let length = values.len();
    let apart = |a: f64, among: &[f64]| among.iter().map(|b| (a - b).abs()).sum::<f64>();
    // The sums of the distances within the left side, within the right side, and between the sides. When the cut moves
    // by one value, that value changes sides. To update the sums, only its own distances to the other values are
    // needed.
    let (mut left, mut between) = (0.0, 0.0);
    let mut right: f64 = (0..length).map(|i| apart(values[i], &values[i + 1..])).sum();
    let mut best = None;
    for at in 1..length {
        let (moved, before, after) = (values[at - 1], &values[..at - 1], &values[at..]);
        let (to_left, to_right) = (apart(moved, before), apart(moved, after));
        left += to_left;
        right -= to_right;
        between += to_right - to_left;
        if at < SIDE_MIN || length - at < SIDE_MIN {
            continue;
        }
        let (n, m) = (at as f64, (length - at) as f64);
        let within = |sum: f64, count: f64| 2.0 * sum / (count * (count - 1.0));
        let distance = 2.0 * between / (n * m) - within(left, n) - within(right, m);
        let strength = n * m / (n + m) * distance;
        if best.is_none_or(|(_, most)| strength > most) {
            best = Some((at, strength));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Annual flow of the Nile from 1871 to 1970 (Cobb, Biometrika 65, 1978). The flow is lower from the 29th year
    /// (1899) onwards.
    const NILE: [f64; 100] = [
        1120., 1160., 963., 1210., 1160., 1160., 813., 1230., 1370., 1140., 995., 935., 1110.,
        994., 1020., 960., 1180., 799., 958., 1140., 1100., 1210., 1150., 1250., 1260., 1220.,
        1030., 1100., 774., 840., 874., 694., 940., 833., 701., 916., 692., 1020., 1050., 969.,
        831., 726., 456., 824., 702., 1120., 1100., 832., 764., 821., 768., 845., 864., 862., 698.,
        845., 744., 796., 1040., 759., 781., 865., 845., 944., 984., 897., 822., 1010., 771., 676.,
        649., 846., 812., 742., 801., 1040., 860., 874., 848., 890., 744., 749., 838., 1050., 918.,
        986., 797., 923., 975., 815., 1020., 906., 901., 1170., 912., 746., 919., 718., 714., 740.,
    ];

    #[test]
    fn the_published_change_of_the_nile_is_found() {
        assert_eq!(change_points(&NILE), [28]);
    }

    /// Returns the strength of a cut as defined by the authors (equations 5 and 6).
    fn defined(x: &[f64], y: &[f64]) -> f64 {
        let pairs = |side: &[f64]| {
            let sum: f64 = (0..side.len())
                .flat_map(|i| (i + 1..side.len()).map(move |k| (i, k)))
                .map(|(i, k)| (side[i] - side[k]).abs())
                .sum();
            sum / (side.len() * (side.len() - 1) / 2) as f64
        };
        let between: f64 = x.iter().flat_map(|a| y.iter().map(move |b| (a - b).abs())).sum();
        let (n, m) = (x.len() as f64, y.len() as f64);
        n * m / (n + m) * (2.0 / (n * m) * between - pairs(x) - pairs(y))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn the_best_cut_is_that_of_the_definition(
            values in prop::collection::vec(0.0..100.0_f64, 6..40),
        ) {
            let cuts = SIDE_MIN..=values.len() - SIDE_MIN;
            let most = cuts
                .map(|at| defined(&values[..at], &values[at..]))
                .fold(f64::NEG_INFINITY, f64::max);
            let (at, strength) = best(&values).expect("six values");
            prop_assert!((strength - most).abs() < 1e-6, "{strength} {most}");
            let direct = defined(&values[..at], &values[at..]);
            prop_assert!((direct - most).abs() < 1e-6, "{at}");
        }

        /// Changes must be found at the same positions, whatever the unit of the values is. In addition, there must be
        /// enough values on each side of a change.
        #[test]
        fn changes_do_not_depend_on_the_unit(
            values in prop::collection::vec(0.0..100.0_f64, 0..30),
            step in 0.0..1_000.0_f64,
        ) {
            let half = values.len() / 2;
            let raise = |(i, value): (usize, &f64)| if i < half { *value } else { value + step };
            let values: Vec<f64> = values.iter().enumerate().map(raise).collect();
            let found = change_points(&values);
            let scaled: Vec<f64> = values.iter().map(|value| value / 1_024.0).collect();
            prop_assert_eq!(&change_points(&scaled), &found);
            let edges: Vec<usize> =
                std::iter::once(0).chain(found).chain([values.len()]).collect();
            if edges.len() > 2 {
                prop_assert!(edges.windows(2).all(|pair| pair[1] - pair[0] >= SIDE_MIN));
            }
        }
    }

    #[test]
    fn noise_has_hardly_any_change() {
        let series = |trial: u64| {
            let mut rng = Seed(8).rng(trial);
            (0..40).map(|_| 100.0 + rng.unit()).collect::<Vec<f64>>()
        };
        let alarms = (0..100).filter(|trial| !change_points(&series(*trial)).is_empty()).count();
        assert!(alarms <= 11, "{alarms} of 100, 5 expected");
    }

    #[test]
    fn a_small_step_and_two_steps_are_found() {
        let mut rng = Seed(9).rng(0);
        let level = |i: usize| match i {
            0..20 => 1_000.0,
            20..45 => 970.0,
            _ => 1_040.0,
        };
        let values: Vec<f64> = (0..60).map(|i| level(i) + 20.0 * (rng.unit() - 0.5)).collect();
        assert_eq!(change_points(&values), [20, 45]);
        for few in [&values[..0], &values[..5], &[7.0; 30]] {
            assert!(change_points(few).is_empty());
        }
    }
}
