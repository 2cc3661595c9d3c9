//! The smallest difference that repeated runs can detect. It is computed before measuring.
//!
//! A difference can be detected if four out of five trials would find it to be significant. Start reading at [`Power`].

use crate::effect::POINTS_BY_SPREAD;
use crate::estimate::t_quantile;

/// Fraction of trials in which a difference of the computed size is found to be significant.
const FOUND: f64 = 0.8;
/// Probability that an overall effect is found to be significant when there is none.
const OVERALL: f64 = 0.05;
/// Probability of at least one false positive among all points.
pub const FAMILY_WISE: f64 = 0.01;
/// Maximum number of repetitions that is recommended.
const REPEATS_MAX: u32 = 1_000;

/// The smallest differences that can be detected with this number of points and repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power {
    /// Standard deviation of a run, as a fraction of its value.
    pub noise: f64,
    /// Number of points at which both sides are measured.
    pub points: u32,
}

impl Power {
    /// Returns the smallest overall change that can be detected from all points together, or `None` if there are too
    /// few runs.
    pub fn overall(self, repeats: u32) -> Option<f64> {
        let points = f64::from(self.points);
        let freedom = if self.points < POINTS_BY_SPREAD as u32 {
            2.0 * points * (f64::from(repeats) - 1.0)
        } else {
            points - 1.0
        };
        self.change(OVERALL / 2.0, freedom, f64::from(repeats) * points)
    }

    /// Returns the smallest change that can be detected at a single point, or `None` if there are too few runs.
    pub fn at_a_point(self, repeats: u32) -> Option<f64> {
        let points = f64::from(self.points);
        let freedom = 2.0 * (f64::from(repeats) - 1.0);
        let borrowed = if repeats > 1 { points - 1.0 } else { 0.0 };
        self.change(FAMILY_WISE / 2.0 / points, freedom + borrowed, f64::from(repeats))
    }

    /// Returns the number of repeats needed to detect an overall change of this size, or `None` if a thousand repeats
    /// are not enough.
    pub fn repeats_for(self, wanted: f64) -> Option<u32> {
        let shows = |repeats: u32| self.overall(repeats).is_some_and(|change| change <= wanted);
        if !shows(REPEATS_MAX) {
            return None;
        }
        // More repeats can always detect smaller changes, so the minimum number is found by bisection.
        let (mut low, mut high) = (0, REPEATS_MAX);
        while high - low > 1 {
            let middle = u32::midpoint(low, high);
            if shows(middle) { high = middle } else { low = middle }
        }
        Some(high)
    }

    fn change(self, tail: f64, freedom: f64, runs: f64) -> Option<f64> {
        if freedom < 1.0 {
            return None;
        }
        let distance = t_quantile(1.0 - tail, freedom) + t_quantile(FOUND, freedom);
        Some((distance * self.noise * (2.0 / runs).sqrt()).exp_m1())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_runs_show_less() {
        let power = Power { noise: 0.05, points: 5 };
        let shown = [2, 4, 8].map(|repeats| power.overall(repeats).expect("repeats"));
        assert!(shown[0] > shown[1] && shown[1] > shown[2], "{shown:?}");
        let shown = [2, 4, 8].map(|repeats| power.at_a_point(repeats).expect("repeats"));
        assert!(shown[0] > shown[1] && shown[1] > shown[2], "{shown:?}");
        let needed = power.repeats_for(0.03).expect("a number");
        let shown = [needed, needed - 1].map(|repeats| power.overall(repeats).expect("repeats"));
        assert!(shown[0] <= 0.03 && shown[1] > 0.03, "{needed} {shown:?}");
    }

    #[test]
    fn single_runs_at_few_points_show_nothing() {
        let power = Power { noise: 0.05, points: 2 };
        assert_eq!((power.overall(1), power.at_a_point(1)), (None, None));
        assert!(Power { points: 5, ..power }.overall(1).is_some());
        assert_eq!(power.repeats_for(1e-6), None);
    }
}
