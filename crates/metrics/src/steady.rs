//! Compares the two halves of a run to find out if its throughput was steady.

use schemars::JsonSchema;
use tacho_core::choice;

use crate::estimate::{mean, t_quantile, variance};

choice! {
    /// The verdict on how steady the throughput was.
    #[derive(JsonSchema)]
    pub enum SteadinessVerdict {
        /// The halves do not differ.
        Steady = "steady",
        /// The halves differ.
        Drifting = "drifting",
        /// The throughput varies too much to tell.
        Unclear = "unclear",
        /// There are too few intervals to tell.
        TooShort = "too_short",
    }
}

/// Maximum drift at which the throughput always counts as steady, even if the drift is significant.
const DRIFT_MAX: f64 = 0.03;
/// Minimum drift at which the throughput is never called steady, even if the drift is not significant because the
/// throughput varies too much.
const UNCLEAR_FROM: f64 = 0.10;
const VALUES_MIN: usize = 8;

/// Compares the means of the two halves. Returns the verdict and the drift, which is (second − first) ÷ first.
///
/// Uses Welch's test (Welch, Biometrika 34, 1947). The level is 99 %, because every run is tested.
pub fn steadiness(values: &[f64]) -> (SteadinessVerdict, Option<f64>) {
    if values.len() < VALUES_MIN {
        return (SteadinessVerdict::TooShort, None);
    }
    let (first, second) = values.split_at(values.len() / 2);
    let drift = if mean(first) == 0.0 { 0.0 } else { mean(second) / mean(first) - 1.0 };
    let (a, b) = (variance(first) / first.len() as f64, variance(second) / second.len() as f64);
    let freedom = (a + b).powi(2)
        / (a.powi(2) / (first.len() as f64 - 1.0) + b.powi(2) / (second.len() as f64 - 1.0));
    let limit = if a + b == 0.0 { 0.0 } else { t_quantile(0.995, freedom) * (a + b).sqrt() };
    let significant = (mean(second) - mean(first)).abs() > limit;
    let verdict = if significant && drift.abs() > DRIFT_MAX {
        SteadinessVerdict::Drifting
    } else if drift.abs() > UNCLEAR_FROM {
        SteadinessVerdict::Unclear
    } else {
        SteadinessVerdict::Steady
    };
    (verdict, Some(drift))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_told_apart() {
        let noise = |i: usize| f64::from((i * 7 % 5) as u32) - 2.0;
        let flat: Vec<f64> = (0..30).map(|i| 100.0 + noise(i)).collect();
        let rising: Vec<f64> = (0..30).map(|i| 100.0 + i as f64 + noise(i)).collect();
        let wild: Vec<f64> =
            (0..10).map(|i| if i == 7 { 300.0 } else { 50.0 * f64::from(i % 3) }).collect();
        for (values, verdict) in [
            (&flat[..], SteadinessVerdict::Steady),
            (&rising, SteadinessVerdict::Drifting),
            (&wild, SteadinessVerdict::Unclear),
            (&[0.0; 10], SteadinessVerdict::Steady),
            (&[5.0; 10], SteadinessVerdict::Steady),
            (&flat[..5], SteadinessVerdict::TooShort),
        ] {
            let (found, drift) = steadiness(values);
            assert_eq!(found, verdict, "{values:?}");
            assert_eq!(drift.is_none(), verdict == SteadinessVerdict::TooShort);
        }
        assert!(steadiness(&rising).1.is_some_and(|drift| drift > 0.1));
    }
}
