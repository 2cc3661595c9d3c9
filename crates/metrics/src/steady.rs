//! Whether throughput had settled: a test of the first half against the second.

use serde::{Deserialize, Serialize};

use crate::estimate::{mean, t_quantile, variance};

/// What the halves of a measurement say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Steadiness {
    /// No difference, or one below [`DRIFT_MAX`].
    Steady {
        /// (second − first) ÷ first.
        drift: f64,
    },
    /// The second half differs.
    Drifting {
        /// (second − first) ÷ first.
        drift: f64,
    },
    /// The halves differ by more than [`UNCLEAR_FROM`], but the values vary so much that this may
    /// be chance.
    Unclear {
        /// (second − first) ÷ first.
        drift: f64,
    },
    /// Too few intervals to tell.
    TooShort,
}

/// A drift that is significant but smaller than this is still called steady.
const DRIFT_MAX: f64 = 0.03;
/// A drift of this size is not called steady, whatever the spread.
const UNCLEAR_FROM: f64 = 0.10;
const VALUES_MIN: usize = 8;

/// Compares the means of both halves by Welch's test at 99 % (Welch, Biometrika 34, 1947), with the
/// Welch–Satterthwaite degrees of freedom. 99 % and not 95 % because it is asked of every run.
pub fn steadiness(values: &[f64]) -> Steadiness {
    if values.len() < VALUES_MIN {
        return Steadiness::TooShort;
    }
    let (first, second) = values.split_at(values.len() / 2);
    let drift = if mean(first) == 0.0 { 0.0 } else { mean(second) / mean(first) - 1.0 };
    let (a, b) = (variance(first) / first.len() as f64, variance(second) / second.len() as f64);
    let freedom = (a + b).powi(2)
        / (a.powi(2) / (first.len() as f64 - 1.0) + b.powi(2) / (second.len() as f64 - 1.0));
    let limit = if a + b == 0.0 { 0.0 } else { t_quantile(0.995, freedom) * (a + b).sqrt() };
    let significant = (mean(second) - mean(first)).abs() > limit;
    if significant && drift.abs() > DRIFT_MAX {
        Steadiness::Drifting { drift }
    } else if drift.abs() > UNCLEAR_FROM {
        Steadiness::Unclear { drift }
    } else {
        Steadiness::Steady { drift }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_told_apart() {
        let noise = |i: usize| f64::from((i * 7 % 5) as u32) - 2.0;
        let flat: Vec<f64> = (0..30).map(|i| 100.0 + noise(i)).collect();
        let rising: Vec<f64> = (0..30).map(|i| 100.0 + i as f64 + noise(i)).collect();
        assert!(matches!(steadiness(&flat), Steadiness::Steady { .. }));
        assert!(matches!(steadiness(&rising), Steadiness::Drifting { drift } if drift > 0.1));
        let wild: Vec<f64> =
            (0..10).map(|i| if i == 7 { 300.0 } else { 50.0 * f64::from(i % 3) }).collect();
        assert!(matches!(steadiness(&wild), Steadiness::Unclear { .. }), "{:?}", steadiness(&wild));
        assert_eq!(steadiness(&flat[..5]), Steadiness::TooShort);
        assert!(matches!(steadiness(&[0.0; 10]), Steadiness::Steady { .. }));
        assert!(matches!(steadiness(&[5.0; 10]), Steadiness::Steady { .. }));
    }
}
