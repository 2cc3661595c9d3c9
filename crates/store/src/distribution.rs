//! Converts histograms to the statistics in a run record.

use tacho_metrics::{Latencies, QUANTILES};

use crate::interval::{micros, percentile_us};
use crate::record::DistributionRecord;

impl From<&Latencies> for DistributionRecord {
    fn from(latencies: &Latencies) -> Self {
        let [p50, p90, p95, p99, p999] =
            QUANTILES.map(|quantile| percentile_us(latencies, quantile));
        Self {
            count: latencies.count(),
            min_us: micros(latencies.min()),
            mean_us: micros(latencies.mean()),
            p50_us: p50,
            p90_us: p90,
            p95_us: p95,
            p99_us: p99,
            p999_us: p999,
            max_us: micros(latencies.max()),
        }
    }
}
