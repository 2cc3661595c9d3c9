//! Makes variances that were estimated from only a few repeats more accurate. Each variance is moved towards a value
//! that is common to all of them.
//!
//! The method is from Smyth, "Linear models and empirical Bayes methods for assessing differential expression in
//! microarray experiments", Statistical Applications in Genetics and Molecular Biology 3, 2004. A variance from two
//! repeats is very uncertain, but there are many such variances. The more similar they are, the closer each is moved to
//! the common value.
//!
//! Start reading at [`Moderation`].

use statrs::function::gamma::digamma;

use crate::estimate::{mean, variance};

/// The distribution of the variances, described by a common value and its degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moderation {
    common: f64,
    freedom: f64,
}

/// Smallest variance that is used, as a fraction of the mean variance. Smaller variances are replaced with this value,
/// because the logarithm of zero is not finite.
const SMALLEST: f64 = 1e-5;
/// The largest value for which the inverse of [`trigamma`] is computed. Larger values would mean less than 0.02 degrees
/// of freedom.
const TRIGAMMA_MAX: f64 = 1e4;

impl Moderation {
    /// Estimates the distribution from variances and their degrees of freedom.
    ///
    /// The common variance always has fewer degrees of freedom than there are variances. With more degrees of freedom,
    /// effects were too often found to be significant in simulations.
    pub fn of(variances: &[(f64, f64)]) -> Self {
        let average = mean(&variances.iter().map(|variance| variance.0).collect::<Vec<f64>>());
        if variances.len() < 2 || average <= 0.0 {
            return Self { common: 0.0, freedom: 0.0 };
        }
        let logs: Vec<f64> = variances
            .iter()
            .map(|(variance, freedom)| {
                let variance = variance.max(SMALLEST * average);
                variance.ln() - digamma(freedom / 2.0) + (freedom / 2.0).ln()
            })
            .collect();
        let sampling: Vec<f64> =
            variances.iter().map(|variance| trigamma(variance.1 / 2.0)).collect();
        let excess = variance(&logs) - mean(&sampling);
        let most = variances.len() as f64 - 1.0;
        if excess <= 0.0 {
            return Self { common: average, freedom: most };
        }
        let half = trigamma_inverse(excess);
        let common = (mean(&logs) + digamma(half) - half.ln()).exp();
        Self { common, freedom: (2.0 * half).min(most) }
    }

    /// Returns a variance that has been moved towards the common value, and its degrees of freedom.
    pub fn of_one(self, (variance, freedom): (f64, f64)) -> (f64, f64) {
        let all = self.freedom + freedom;
        ((self.freedom * self.common + freedom * variance) / all, all)
    }
}

/// Returns the second derivative of ln Γ. Uses the recurrence relation and the asymptotic series.
fn trigamma(value: f64) -> f64 {
    let mut value = value;
    let mut sum = 0.0;
    while value < 6.0 {
        sum += value.powi(-2);
        value += 1.0;
    }
    let inverse = value.recip();
    let square = inverse * inverse;
    let series = 1.0 / 6.0 - square * (1.0 / 30.0 - square * (1.0 / 42.0 - square / 30.0));
    sum + inverse + square / 2.0 + inverse * square * series
}

/// Returns the argument at which [`trigamma`] has this value. Uses bisection on a logarithmic scale.
fn trigamma_inverse(value: f64) -> f64 {
    let value = value.min(TRIGAMMA_MAX);
    let (mut low, mut high) = (-10.0_f64, 20.0_f64);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if trigamma(middle.exp()) > value { low = middle } else { high = middle }
    }
    f64::midpoint(low, high).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    /// Abramowitz and Stegun, §6.4: ψ'(1) = π² ÷ 6, ψ'(½) = π² ÷ 2.
    #[test]
    fn trigamma_has_its_published_values() {
        for (at, known) in [(1.0, PI * PI / 6.0), (0.5, PI * PI / 2.0), (2.0, PI * PI / 6.0 - 1.0)]
        {
            assert!((trigamma(at) - known).abs() < 1e-7, "{at}: {}", trigamma(at));
            assert!((trigamma_inverse(known) - at).abs() < 1e-5);
        }
    }

    #[test]
    fn equal_variances_are_pooled_and_different_ones_kept() {
        let alike = Moderation::of(&[(1.0, 2.0), (1.1, 2.0), (0.9, 2.0), (1.0, 2.0)]);
        assert!((alike.of_one((0.4, 2.0)).1 - 5.0).abs() < 1e-9);
        assert!((alike.of_one((0.4, 2.0)).0 - 0.76).abs() < 1e-9, "{alike:?}");
        let apart = Moderation::of(&[(1e-6, 2.0), (1.0, 2.0), (1e3, 2.0), (1e-3, 2.0)]);
        let (variance, freedom) = apart.of_one((1e3, 2.0));
        assert!(variance > 600.0 && freedom < 3.0, "{apart:?}: {variance}");
    }

    #[test]
    fn a_single_variance_is_kept() {
        assert_eq!(Moderation::of(&[(2.0, 2.0)]).of_one((2.0, 2.0)), (2.0, 2.0));
        assert_eq!(Moderation::of(&[(0.0, 2.0); 3]).of_one((0.0, 2.0)), (0.0, 2.0));
    }
}
