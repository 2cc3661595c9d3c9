//! A mean with its 95 % interval, from values that follow each other in time.
//!
//! Method: non-overlapping batch means (Law, "Simulation Modeling and Analysis", 5th ed., §9.5.3).
//! Neighbouring intervals of a run are not independent, so they are joined into batches until the
//! batches are nearly uncorrelated, and the spread between batches gives the interval.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::Mean;

/// A figure with its uncertainty; printed the same way everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean.
    pub value: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// Number of batches it rests on.
    pub batches: u64,
    /// Number of values it rests on.
    pub samples: u64,
}

impl Estimate {
    /// Half the interval, relative to the value: 0.008 is ±0.8 %.
    pub fn relative(&self) -> f64 {
        if self.value == 0.0 { 0.0 } else { (self.high - self.low) / 2.0 / self.value.abs() }
    }
}

/// Fewest batches an interval is given for.
const BATCHES_MIN: usize = 5;
/// Largest correlation of neighbouring batches that counts as none.
const CORRELATION_MAX: f64 = 0.3;

/// The mean of `values` with its 95 % interval; `None` for fewer than five values.
pub fn batch_means(values: &[f64]) -> Option<Estimate> {
    let batches = batches(values)?;
    let mean = correlated(values, &batches);
    let (low, high) = mean.interval_95();
    Some(Estimate {
        value: mean.value,
        low,
        high,
        batches: batches.len() as u64,
        samples: values.len() as u64,
    })
}

/// The mean of `values` that follow each other in time, with its standard error.
pub(crate) fn over_time(values: &[f64]) -> Option<Mean> {
    Some(correlated(values, &batches(values)?))
}

/// Joins neighbours until they are nearly uncorrelated.
///
/// Batches are doubled in size while neighbours correlate by more than 0.3 and at least ten
/// batches would remain.
fn batches(values: &[f64]) -> Option<Vec<f64>> {
    if values.len() < BATCHES_MIN {
        return None;
    }
    let mut batches = values.to_vec();
    while batches.len() >= 20 && correlation(&batches) > CORRELATION_MAX {
        // Pairs from the end, so that an odd first value (the least settled one) is dropped from
        // the spread; it stays in the mean.
        let odd = batches.len() % 2;
        batches =
            batches[odd..].chunks_exact(2).map(|pair| f64::midpoint(pair[0], pair[1])).collect();
    }
    Some(batches)
}

/// If correlation is left between batches, the variance of the mean is widened by the factor
/// (1+ρ)/(1−ρ) of a first-order autoregressive process, so the interval stays honest.
fn correlated(values: &[f64], batches: &[f64]) -> Mean {
    let count = batches.len() as f64;
    let rho = correlation(batches).clamp(0.0, 0.9);
    let widening = (1.0 + rho) / (1.0 - rho);
    Mean {
        value: mean(values),
        error: (variance(batches) * widening / count).sqrt(),
        freedom: count - 1.0,
    }
}

/// The quantile of Student's t distribution.
pub(crate) fn t_quantile(share: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom.max(1.0)).map_or(f64::NAN, |t| t.inverse_cdf(share))
}

/// The chance that Student's t lies above this value.
pub(crate) fn t_tail(value: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom.max(1.0)).map_or(f64::NAN, |t| t.sf(value))
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The unbiased sample variance.
pub(crate) fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}

/// Correlation of each value with the next; 0 for constant values.
fn correlation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let spread: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    if spread == 0.0 {
        return 0.0;
    }
    let together: f64 = values.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum();
    together / spread
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacho_core::Seed;

    /// Two-sided 95 % values from the usual table of Student's t.
    #[test]
    fn t_quantiles_match_the_table() {
        for (freedom, table) in [(1.0, 12.706), (4.0, 2.776), (9.0, 2.262), (30.0, 2.042)] {
            assert!((t_quantile(0.975, freedom) - table).abs() < 1e-3, "{freedom}");
        }
    }

    #[test]
    fn few_values_have_no_interval_and_constant_ones_a_narrow_one() {
        assert_eq!(batch_means(&[1.0; 4]), None);
        let estimate = batch_means(&[7.0; 30]).expect("thirty values");
        assert_eq!((estimate.low, estimate.value, estimate.high), (7.0, 7.0, 7.0));
    }

    /// Normal numbers by the sum of twelve uniform ones: mean 0, variance 1.
    fn normal(rng: &mut tacho_core::Rng) -> f64 {
        (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0
    }

    fn coverage(rho: f64, length: usize) -> f64 {
        let trials = 1_000;
        let hits = (0..trials)
            .filter(|trial| {
                let mut rng = Seed(5).rng(*trial);
                let mut last = normal(&mut rng) / (1.0 - rho * rho).sqrt();
                let values: Vec<f64> = (0..length)
                    .map(|_| {
                        last = rho * last + normal(&mut rng);
                        100.0 + last
                    })
                    .collect();
                let estimate = batch_means(&values).expect("enough values");
                estimate.low <= 100.0 && 100.0 <= estimate.high
            })
            .count();
        hits as f64 / trials as f64
    }

    #[test]
    fn the_interval_covers_the_truth_in_about_95_percent() {
        for (rho, length, least) in [(0.0, 60, 0.93), (0.5, 300, 0.91), (0.8, 600, 0.90)] {
            let share = coverage(rho, length);
            assert!((least..0.995).contains(&share), "ρ = {rho}: {share}");
        }
    }
}
