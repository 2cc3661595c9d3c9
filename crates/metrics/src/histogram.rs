//! Latency histograms, which store times of any size with three significant digits.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer as Reader, Serializer as _, V2DeflateSerializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Finest resolution, which is 64 ns. Shorter times would not be meaningful, because reading the clock takes 20–100 ns.
const STEP_NS: u64 = 64;
/// Initial range. The histogram grows if necessary, so no value is ever cut off.
const FIRST_RANGE_NS: u64 = 1_000_000_000;
const DIGITS: u8 = 3;

/// A histogram of durations. Values are precise to 0.1 % or 64 ns, whichever is larger.
#[derive(Clone, Debug)]
pub struct Latencies {
    counts: Histogram<u64>,
}

impl Default for Latencies {
    fn default() -> Self {
        Self::new()
    }
}

impl Latencies {
    /// Creates an empty histogram.
    ///
    /// # Panics
    /// This never panics, because the constants are valid bounds.
    pub fn new() -> Self {
        let mut counts = Histogram::new_with_bounds(STEP_NS, FIRST_RANGE_NS, DIGITS)
            .expect("64 ns to 1 s with three digits are valid bounds");
        counts.auto(true);
        Self { counts }
    }

    /// Counts one duration.
    #[inline]
    pub fn record(&mut self, span: Duration) {
        let nanos = span.as_nanos().min(u128::from(u64::MAX / 4)) as u64;
        // Recording cannot fail, because the histogram resizes itself.
        let _ = self.counts.record(nanos);
    }

    /// Adds all counts from another histogram.
    pub fn merge(&mut self, other: &Self) {
        if other.counts.is_empty() {
            return;
        }
        // Merging cannot fail, because the histogram resizes itself and both have 64-bit counts.
        let _ = self.counts.add(&other.counts);
    }

    /// Removes all counts without freeing memory.
    pub fn clear(&mut self) {
        if !self.counts.is_empty() {
            self.counts.reset();
        }
    }

    /// Returns the number of durations recorded.
    pub fn count(&self) -> u64 {
        self.counts.len()
    }

    /// Returns the number of durations that are distinguishable from zero.
    pub fn count_above_zero(&self) -> u64 {
        self.counts.len() - self.counts.count_at(0)
    }

    /// Returns the longest duration, within the histogram's error, or zero if the histogram is empty.
    pub fn max(&self) -> Duration {
        Duration::from_nanos(self.counts.max())
    }

    /// Returns the shortest duration, within the histogram's error, or zero if the histogram is empty.
    pub fn min(&self) -> Duration {
        if self.counts.is_empty() {
            Duration::ZERO
        } else {
            Duration::from_nanos(self.counts.min())
        }
    }

    /// Returns the mean duration.
    pub fn mean(&self) -> Duration {
        Duration::from_nanos(self.counts.mean() as u64)
    }

    /// Returns a quantile: the duration that this fraction of all durations does not exceed.
    pub fn quantile(&self, quantile: f64) -> Duration {
        let nanos = self.counts.value_at_quantile(quantile).min(self.counts.max());
        // A duration below the finest resolution cannot be distinguished from zero.
        Duration::from_nanos(if nanos < STEP_NS { 0 } else { nanos })
    }

    /// Returns the standard deviation, within the histogram's error, or zero if the histogram is empty.
    pub fn deviation(&self) -> Duration {
        Duration::from_nanos(self.counts.stdev() as u64)
    }

    /// Returns the underlying histogram of the library, which can be written in the standard format.
    pub fn inner(&self) -> &Histogram<u64> {
        &self.counts
    }

    /// Wraps a histogram that was read from a file.
    pub fn from_inner(counts: Histogram<u64>) -> Self {
        Self { counts }
    }
}

/// Serializes the histogram in the format of histogram logs. An empty histogram becomes an empty string.
impl Serialize for Latencies {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::new();
        if !self.counts.is_empty() {
            let written = V2DeflateSerializer::new().serialize(&self.counts, &mut bytes);
            written.map_err(|error| serde::ser::Error::custom(format!("{error:?}")))?;
        }
        serializer.serialize_str(&STANDARD.encode(bytes))
    }
}

impl<'de> Deserialize<'de> for Latencies {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let text = String::deserialize(deserializer)?;
        let mut latencies = Self::new();
        if !text.is_empty() {
            let bytes = STANDARD.decode(text).map_err(D::Error::custom)?;
            let read = Reader::new().deserialize(&mut bytes.as_slice());
            let counts = read.map_err(|error| D::Error::custom(format!("{error:?}")))?;
            latencies.merge(&Self::from_inner(counts));
        }
        Ok(latencies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An example by the library's author: 10 000 values of 1 ms and one of 100 s (`HistogramDataAccessTest` of
    /// HdrHistogram).
    #[test]
    fn agrees_with_a_published_example() {
        let mut latencies = Latencies::new();
        (0..10_000).for_each(|_| latencies.record(Duration::from_millis(1)));
        latencies.record(Duration::from_secs(100));
        let near =
            |found: Duration, expected: f64| (found.as_secs_f64() / expected - 1.0).abs() < 1e-3;
        for (percentile, seconds) in
            [(0.3, 1e-3), (0.99, 1e-3), (0.9999, 1e-3), (0.99999, 100.0), (1.0, 100.0)]
        {
            assert!(near(latencies.quantile(percentile), seconds), "{percentile}");
        }
        assert!(near(latencies.mean(), (10_000.0 * 1e-3 + 100.0) / 10_001.0));
        assert!(near(latencies.min(), 1e-3) && near(latencies.max(), 100.0));
        assert_eq!(latencies.count(), 10_001);
    }

    proptest! {
        /// Compares percentiles of histograms with those of the sorted times. The times are recorded in several
        /// histograms, which are then merged.
        #[test]
        fn percentiles_are_those_of_the_sorted_times(
            nanos in prop::collection::vec(1_u64..20_000_000_000, 1..300),
            place in 0.0..1.0_f64,
        ) {
            let counted = |nanos: &[u64]| {
                let mut latencies = Latencies::new();
                for time in nanos {
                    latencies.record(Duration::from_nanos(*time));
                }
                latencies
            };
            let whole = counted(&nanos);
            let (first, second) = nanos.split_at(nanos.len() / 2);
            let mut merged = counted(first);
            merged.merge(&counted(second));
            let mut sorted = nanos;
            sorted.sort_unstable();
            let rank = (place * sorted.len() as f64) as usize;
            // Choose a fraction halfway between two ranks, so that the result does not depend on rounding.
            let share = (rank as f64 + 0.5) / sorted.len() as f64;
            let (found, expected) = (whole.quantile(share).as_nanos() as f64, sorted[rank] as f64);
            prop_assert!((found - expected).abs() <= (1e-3 * expected).max(64.0), "{found} {expected}");
            prop_assert_eq!(merged.quantile(share), whole.quantile(share));
            prop_assert_eq!((merged.count(), merged.max()), (whole.count(), whole.max()));
        }
    }

    #[test]
    fn hours_and_nanoseconds_fit() {
        let mut latencies = Latencies::new();
        latencies.record(Duration::from_nanos(1));
        latencies.record(Duration::from_hours(10));
        assert_eq!(latencies.count(), 2);
        let hours = latencies.max().as_secs_f64() / 3600.0;
        assert!((9.99..10.02).contains(&hours), "{hours}");
    }

    #[test]
    fn merging_with_nothing_changes_nothing() {
        let mut a = Latencies::new();
        a.record(Duration::from_millis(5));
        let before = a.quantile(0.5);
        a.merge(&Latencies::new());
        assert_eq!((a.count(), a.quantile(0.5)), (1, before));
    }
}
