//! The percentiles that Tacho reports, and the minimum number of samples for each of them.

use std::time::Duration;

use crate::Latencies;

/// A percentile that Tacho reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantile {
    /// Name, such as `p99`.
    pub name: &'static str,
    /// Share, from 0 to 1.
    pub share: f64,
}

/// The percentiles that are shown everywhere, together with the maximum.
pub const QUANTILES: [Quantile; 5] = [
    Quantile { name: "p50", share: 0.5 },
    Quantile { name: "p90", share: 0.9 },
    Quantile { name: "p95", share: 0.95 },
    Quantile { name: "p99", share: 0.99 },
    Quantile { name: "p99.9", share: 0.999 },
];

/// Returns the number of samples that a percentile requires. With this number, ten samples are expected to lie above
/// the percentile.
pub fn sample_floor(share: f64) -> u64 {
    (10.0 / (1.0 - share) - 1e-6).ceil() as u64
}

impl Latencies {
    /// Returns the duration at this percentile, or `None` if there are too few samples.
    pub fn at(&self, quantile: Quantile) -> Option<Duration> {
        (self.count() >= sample_floor(quantile.share)).then(|| self.quantile(quantile.share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors() {
        let floors: Vec<u64> = QUANTILES.iter().map(|q| sample_floor(q.share)).collect();
        assert_eq!(floors, [20, 100, 200, 1_000, 10_000]);
    }

    #[test]
    fn a_percentile_of_too_few_samples_is_not_given() {
        let mut latencies = Latencies::new();
        for _ in 0..199 {
            latencies.record(Duration::from_millis(1));
        }
        assert!(latencies.at(QUANTILES[1]).is_some());
        assert!(latencies.at(QUANTILES[2]).is_none());
    }
}
