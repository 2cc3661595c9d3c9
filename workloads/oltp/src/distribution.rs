//! ID distributions, which match sysbench's.
//!
//! A distribution must use only the random number generator that it is given.
//!
//! Start reading at [`Distribution::draw`].

use tacho_core::Rng;
use tacho_workload::Options;
use tacho_workload::random::{Zipf, pareto};

use crate::params::{ITERATIONS, PARETO_H, SPECIAL_PCT, SPECIAL_RES, ZIPFIAN_EXP};

/// A distribution of numbers from 1 to a given size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    Uniform,
    /// Each draw is the mean of this many uniform random numbers, so the draws are nearly normally distributed.
    Gaussian(u32),
    /// Some of the draws fall into a band near the middle, and the others are distributed as in `Gaussian`.
    Special {
        iterations: u32,
        pct: f64,
        res: f64,
    },
    /// The lowest numbers, a fraction `h` of all, receive a fraction `1 - h` of the draws.
    Pareto(f64),
    Zipfian(Zipf),
}

impl Distribution {
    /// Returns distribution `name` for the numbers from 1 to `size`, with sysbench's default constants.
    pub fn usual(name: &str, size: u64) -> Self {
        Self::new(name, size, 12, [1.0, 75.0, 0.2, 0.8])
    }

    /// Returns distribution `name` for the numbers from 1 to `size`, with the constants from `options`.
    pub fn of(name: &str, size: u64, options: &Options) -> Self {
        let factor = |key| options.text(key).parse().unwrap_or_default();
        let iterations = options.count(ITERATIONS) as u32;
        let shapes = [SPECIAL_PCT, SPECIAL_RES, PARETO_H, ZIPFIAN_EXP].map(factor);
        Self::new(name, size, iterations, shapes)
    }

    fn new(name: &str, size: u64, iterations: u32, shapes: [f64; 4]) -> Self {
        let [pct, res, h, exponent] = shapes;
        match name {
            "uniform" => Self::Uniform,
            "gaussian" => Self::Gaussian(iterations),
            "pareto" => Self::Pareto(h),
            "zipfian" => Self::Zipfian(Zipf::new(size, exponent)),
            _ => Self::Special { iterations, pct, res },
        }
    }

    /// Draws a number in `low..=high`. Zipfian draws use the distribution's own size and are capped at `high`.
    #[inline]
    pub fn draw(&self, low: i64, high: i64, rng: &mut Rng) -> i64 {
        match self {
            Self::Uniform => rng.between(low, high),
            Self::Gaussian(iterations) => {
                let size = (high - low + 1) as f64;
                low + (size * mean(*iterations, rng)) as i64
            }
            Self::Special { iterations, pct, res } => {
                let width = (high - low) as f64;
                let u = rng.unit();
                let place = if u < (100.0 - res) / 100.0 {
                    width * mean(*iterations, rng)
                } else {
                    // As in sysbench, a single random number decides whether the draw falls into the band and, if so,
                    // where. The positions in the band are therefore not uniform.
                    u * (width * pct / 100.0 + 1.0) + width / 2.0 - width * pct / 200.0
                };
                (low + place as i64).min(high)
            }
            Self::Pareto(h) => pareto(low, high, *h, rng),
            Self::Zipfian(zipf) => (low - 1 + zipf.draw(rng)).min(high),
        }
    }

    /// Returns a limit and the fraction of draws that are expected to be at most this limit, or
    /// `None` if the fraction cannot be computed exactly.
    pub fn promise(&self, size: i64) -> Option<(i64, f64)> {
        let half = size / 2;
        let share_of_half = half as f64 / size as f64;
        match self {
            Self::Uniform => Some((half, share_of_half)),
            // All distributions except `uniform` round their draws to integers, which distorts the
            // fraction if there are few distinct values.
            _ if size < 1_000 => None,
            Self::Gaussian(_) => Some((half, 0.5)),
            Self::Special { res, .. } => {
                // Of the draws outside the band, half are below the middle. Draws inside the band are not symmetric,
                // because their position depends on the number that selected the band.
                let bell = 1.0 - res / 100.0;
                Some((half, bell / 2.0 + (0.5 - bell).max(0.0)))
            }
            Self::Pareto(h) => Some(((size as f64 * h) as i64, 1.0 - h)),
            Self::Zipfian(zipf) => {
                let (size, exponent) = zipf.shape();
                Some((1, Zipf::share_of_first(size, exponent)))
            }
        }
    }
}

/// Returns the mean of `iterations` uniform random numbers.
fn mean(iterations: u32, rng: &mut Rng) -> f64 {
    let sum: f64 = (0..iterations).map(|_| rng.unit()).sum();
    sum / f64::from(iterations)
}

#[cfg(test)]
mod tests {
    use tacho_core::Seed;

    use super::*;

    const SIZE: i64 = 1_000_000;
    const DRAWS: u32 = 200_000;

    fn share(distribution: Distribution, within: std::ops::RangeInclusive<i64>) -> f64 {
        let mut rng = Seed(7).rng(0);
        let hits = (0..DRAWS)
            .filter(|_| {
                let number = distribution.draw(1, SIZE, &mut rng);
                assert!((1..=SIZE).contains(&number));
                within.contains(&number)
            })
            .count();
        hits as f64 / f64::from(DRAWS)
    }

    /// In sysbench 1.0.20 with a million rows, 75 % of the draws select the same 0.75 % of the
    /// rows, which are not in the centre.
    #[test]
    fn special_has_its_band_off_the_middle() {
        let special = Distribution::usual("special", SIZE as u64);
        let hot = share(special, 497_501..=505_001);
        // The draws outside the band form a bell curve. It covers the band too, so 3.6 % of these draws are also in the
        // band.
        assert!((hot - 0.759).abs() < 0.01, "{hot}");
        assert!(share(special, 1..=100_000) < 0.001);
    }

    #[test]
    fn draws_the_expected_share() {
        for name in ["uniform", "gaussian", "special", "pareto", "zipfian"] {
            let distribution = Distribution::usual(name, SIZE as u64);
            let (limit, expected) = distribution.promise(SIZE).expect("a promise");
            let found = share(distribution, 1..=limit);
            assert!((found - expected).abs() < 0.005, "{name}: {found} {expected}");
        }
        assert_eq!(Distribution::usual("special", 10).promise(10), None);
    }

    #[test]
    fn the_smallest_range_is_drawn_from() {
        for name in ["uniform", "gaussian", "special", "pareto", "zipfian"] {
            let distribution = Distribution::usual(name, 1);
            assert_eq!(distribution.draw(1, 1, &mut Seed(1).rng(0)), 1, "{name}");
        }
    }
}
