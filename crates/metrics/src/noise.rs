//! Estimates from an A/A calibration how much two equal measurements differ, and therefore how small a change can be
//! detected.
//!
//! Under equal conditions, the true ratio in each pair is 1. The mean square of the logarithms of the ratios is
//! therefore their variance. Drift within the pairs would increase it.
//!
//! Start reading at [`Noise`].

use crate::estimate::t_quantile;

/// Maximum number of repetitions that is recommended.
const REPEATS_MAX: u32 = 1_000;

/// The random variation of the ratio between two measurements of the same thing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Standard deviation of the logarithm of the ratio.
    spread: f64,
    /// Number of pairs from which the standard deviation was computed.
    pairs: usize,
}

impl Noise {
    /// Computes the noise from pairs of measurements under equal conditions. Returns `None` if there are fewer than two
    /// pairs, or if a value is not positive.
    pub fn of(pairs: &[(f64, f64)]) -> Option<Self> {
        if pairs.len() < 2 || pairs.iter().any(|(first, second)| *first <= 0.0 || *second <= 0.0) {
            return None;
        }
        let squares: f64 = pairs.iter().map(|(first, second)| (second / first).ln().powi(2)).sum();
        Some(Self { spread: (squares / pairs.len() as f64).sqrt(), pairs: pairs.len() })
    }

    /// Returns the smallest relative change that can be detected with this number of pairs, at the 95 % level. There
    /// are as many degrees of freedom as pairs, minus one, but no more than there were pairs in the calibration.
    pub fn floor(self, repeats: u32) -> f64 {
        let freedom = f64::from(repeats.saturating_sub(1)).min(self.pairs as f64);
        (t_quantile(0.975, freedom) * self.spread / f64::from(repeats.max(1)).sqrt()).exp_m1()
    }

    /// Returns the number of pairs needed to detect a relative change of `wanted`, or `None` if a thousand pairs are
    /// not enough.
    pub fn repeats_for(self, wanted: f64) -> Option<u32> {
        (2..=REPEATS_MAX).find(|repeats| self.floor(*repeats) <= wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Direction, Verdict, paired_change};
    use tacho_core::Seed;

    /// Returns pairs in which each value has a spread of 2 %. `change` is the true relative change.
    fn pairs(trial: u64, count: usize, change: f64) -> Vec<(f64, f64)> {
        let mut rng = Seed(trial).rng(0);
        // The sum of twelve uniform random numbers is approximately normal and has a variance of 1.
        let mut noise = || 1.0 + 0.02 * ((0..12).map(|_| rng.unit()).sum::<f64>() - 6.0);
        (0..count).map(|_| (1_000.0 * noise(), 1_000.0 * (1.0 + change) * noise())).collect()
    }

    fn claims(count: usize, change: f64) -> usize {
        let claims = |trial: &u64| {
            let verdict = Verdict::of(paired_change(&pairs(*trial, count, change)), Direction::Up);
            matches!(verdict, Verdict::Better | Verdict::Worse)
        };
        (0..400).filter(claims).count()
    }

    #[test]
    fn equal_runs_are_rarely_told_apart() {
        for count in [3, 4, 8, 16] {
            let claims = claims(count, 0.0);
            assert!(
                claims <= 20,
                "{claims} false claims in 400 trials with {count} pairs, but at most 5 % are allowed"
            );
        }
        assert!(claims(16, 0.05) > 360);
    }

    #[test]
    fn the_floor_is_what_pairs_can_tell() {
        // The logarithms of the ratios have a standard deviation of 0.02 · √2, and t(0.975, 15) is 2.131.
        let floors: f64 =
            (0..200).filter_map(|t| Some(Noise::of(&pairs(t, 16, 0.0))?.floor(16))).sum::<f64>();
        let expected = (2.131 * 0.02 * 2_f64.sqrt() / 4.0).exp_m1();
        assert!((floors / 200.0 - expected).abs() < 0.1 * expected, "{floors} {expected}");
    }

    #[test]
    fn more_repetitions_lower_the_noise_floor() {
        let noise = Noise::of(&[(100.0, 102.0), (100.0, 98.0), (100.0, 101.0)]).expect("noise");
        let needed = noise.repeats_for(0.01).expect("a number");
        assert!(needed > 2 && noise.floor(needed) <= 0.01 && noise.floor(needed - 1) > 0.01);
        assert_eq!(noise.repeats_for(1e-9), None);
        for bad in [&[(1.0, 1.0)][..], &[(0.0, 1.0), (1.0, 1.0)]] {
            assert_eq!(Noise::of(bad), None);
        }
        assert!(Noise::of(&[(1.0, 1.0), (2.0, 2.0)]).is_some_and(|noise| noise.floor(2) == 0.0));
    }
}
