//! The standard error of a percentile.
//!
//! A single stall affects many neighbouring transactions, so their latencies are not independent. A bootstrap sample is
//! therefore drawn from the parts of a run rather than from single latencies. The error of the percentile is how much
//! it varies between the samples (block bootstrap: Künsch, Annals of Statistics 17, 1989; number of samples: Efron and
//! Tibshirani, "An Introduction to the Bootstrap", §6.4).
//!
//! Start reading at [`quantile_mean`].

use tacho_core::{Rng, Seed};

use crate::estimate::variance;
use crate::{Latencies, Mean, sample_floor};

/// Number of bootstrap samples. According to Efron and Tibshirani (§6.4), this number is sufficient for a standard
/// error.
const DRAWS: usize = 200;
/// Minimum number of parts that is needed to estimate an error. The same minimum applies to means.
const PARTS_MIN: usize = 5;

/// Returns a percentile over all parts of a run, or `None` if there is not enough data. A `share` of 0.95 means the
/// 95th percentile. The seed is fixed, so the result is reproducible.
pub fn quantile_mean(parts: &[Latencies], share: f64) -> Option<Mean> {
    let [mean] = quantile_means(parts, [share]);
    mean
}

/// Returns several percentiles at once, which is faster than computing each of them separately.
pub fn quantile_means<const N: usize>(parts: &[Latencies], shares: [f64; N]) -> [Option<Mean>; N] {
    if parts.len() < PARTS_MIN {
        return [None; N];
    }
    let total: u64 = parts.iter().map(Latencies::count).sum();
    let grid = Grid::of(parts);
    shares.map(|share| (total >= sample_floor(share)).then(|| grid.mean(share)))
}

/// Draws a bootstrap sample. Returns how many times each part occurs in the sample.
fn draw(parts: usize, rng: &mut Rng) -> Vec<f64> {
    let mut times = vec![0.0; parts];
    for _ in 0..parts {
        times[rng.below(parts as u64) as usize] += 1.0;
    }
    times
}

/// The values of all parts in ascending order, with the number of values in each part.
struct Grid {
    /// Values in nanoseconds, in ascending order.
    values: Vec<u64>,
    /// For each value, one count per part: how many of the part's values are not greater than this value. With these
    /// counts, the percentile of a bootstrap sample is found quickly.
    below: Vec<f64>,
    parts: usize,
}

impl Grid {
    fn of(parts: &[Latencies]) -> Self {
        let mut cells: Vec<(u64, usize, f64)> = Vec::new();
        for (part, latencies) in parts.iter().enumerate() {
            let recorded = latencies.inner().iter_recorded();
            cells.extend(
                recorded.map(|cell| (cell.value_iterated_to(), part, cell.count_at_value() as f64)),
            );
        }
        cells.sort_unstable_by_key(|(value, ..)| *value);
        let (mut values, mut below) = (Vec::new(), Vec::new());
        let mut seen = vec![0.0; parts.len()];
        for equal in cells.chunk_by(|a, b| a.0 == b.0) {
            for (_, part, count) in equal {
                seen[*part] += count;
            }
            values.push(equal[0].0);
            below.extend_from_slice(&seen);
        }
        Self { values, below, parts: parts.len() }
    }

    /// Returns the percentile over all parts. Its error is the spread of this percentile over the bootstrap samples.
    fn mean(&self, share: f64) -> Mean {
        let mut rng = Seed(0).rng(self.parts as u64);
        let drawn: Vec<f64> =
            (0..DRAWS).map(|_| self.quantile(&draw(self.parts, &mut rng), share)).collect();
        let count = self.parts as f64;
        // The spread of bootstrap samples corresponds to a division by n, but a standard error requires a division by n
        // − 1.
        let error = (variance(&drawn) * count / (count - 1.0)).sqrt();
        let value = self.quantile(&vec![1.0; self.parts], share);
        Mean { value, error, freedom: count - 1.0 }
    }

    /// Returns a percentile of a bootstrap sample. `times` says how many times each part occurs in the sample.
    fn quantile(&self, times: &[f64], share: f64) -> f64 {
        let seen = |place: usize| -> f64 {
            let row = &self.below[place * self.parts..][..self.parts];
            row.iter().zip(times).map(|(count, times)| count * times).sum()
        };
        let Some(last) = self.values.len().checked_sub(1) else { return 0.0 };
        let wanted = seen(last) * share;
        let (mut low, mut high) = (0, last);
        while low < high {
            let middle = usize::midpoint(low, high);
            let so_far = seen(middle);
            if so_far >= wanted && so_far > 0.0 { high = middle } else { low = middle + 1 }
        }
        self.values[low] as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Direction, Verdict, change};
    use proptest::prelude::*;
    use std::time::Duration;
    use tacho_core::Rng;

    /// Returns parts with exponentially distributed latencies and different means.
    fn parts(rng: &mut Rng, count: usize, mean_us: f64) -> Vec<Latencies> {
        let part = |rng: &mut Rng| {
            let mut latencies = Latencies::new();
            let level = mean_us * (0.95 + 0.1 * rng.unit());
            for _ in 0..400 {
                latencies.record(Duration::from_secs_f64(rng.exponential(level) / 1e6));
            }
            latencies
        };
        (0..count).map(|_| part(rng)).collect()
    }

    /// The interval must contain the true percentile in about 95 of 100 cases.
    #[test]
    fn the_interval_covers_the_truth() {
        for (share, floor) in [(0.5, 0.90), (0.95, 0.90)] {
            let truth = -1_000_000.0 * f64::ln(1.0 - share);
            let hits = (0..300).filter(|trial| {
                let parts = parts(&mut Seed(3).rng(*trial), 20, 1_000.0);
                let (low, high) = quantile_mean(&parts, share).expect("enough").interval_95();
                low <= truth && truth <= high
            });
            let covered = hits.count() as f64 / 300.0;
            assert!((floor..1.0).contains(&covered), "{share}: {covered}");
        }
    }

    #[test]
    fn equal_runs_differ_rarely_and_slower_ones_mostly() {
        let claims = |mean_us: f64| {
            let claimed = |trial: u64| {
                let mut rng = Seed(4).rng(trial);
                let both = [parts(&mut rng, 20, 1_000.0), parts(&mut rng, 20, mean_us)];
                let [a, b] = both.map(|parts| quantile_mean(&parts, 0.95).expect("enough"));
                Verdict::of(change(a, b), Direction::Down) == Verdict::Worse
            };
            (0..200).filter(|trial| claimed(*trial)).count()
        };
        let (equal, slower) = (claims(1_000.0), claims(1_150.0));
        assert!(equal <= 6, "{equal} of 200");
        assert!(slower >= 180, "{slower} of 200");
    }

    /// Survival times of seven mice in days (Efron and Tibshirani, table 2.1). Table 2.2 contains the standard error of
    /// the median for increasing numbers of samples: 32.21, 36.35, 34.46, 36.72 and 36.48. For infinitely many samples,
    /// it is 37.83.
    #[test]
    fn agrees_with_a_published_example() {
        let mice = [94, 197, 16, 38, 99, 141, 23].map(|days| {
            let mut latencies = Latencies::new();
            // Record each value three times, because an error is computed only if there are at least twenty values.
            (0..3).for_each(|_| latencies.record(Duration::from_millis(days)));
            latencies
        });
        let median = quantile_mean(&mice, 0.5).expect("seven parts");
        assert!((median.value / 94e6 - 1.0).abs() < 1e-3, "{median:?}");
        // The published error was computed with a division by n instead of n − 1.
        let error = median.error * (6.0_f64 / 7.0).sqrt() / 1e6;
        assert!(
            (33.0..42.7).contains(&error),
            "{error}, but 37.83 is expected for infinitely many samples"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn equal_parts_have_no_error_and_the_value_knows_no_order(
            times in prop::collection::vec(1_u64..1_000_000, 20..60),
            share in 0.05..0.5_f64,
        ) {
            let part = |times: &[u64]| {
                let mut latencies = Latencies::new();
                for us in times {
                    latencies.record(Duration::from_micros(*us));
                }
                latencies
            };
            let equal = quantile_mean(&vec![part(&times); 6], share).expect("six parts");
            prop_assert!(equal.error.abs() < 1e-9, "{equal:?}");
            let mut parts: Vec<Latencies> = times.chunks(4).map(part).collect();
            prop_assume!(parts.len() >= 5);
            let value = quantile_mean(&parts, share).expect("five parts").value;
            parts.reverse();
            let turned = quantile_mean(&parts, share).expect("five parts").value;
            prop_assert!((turned - value).abs() < 1e-9, "{turned} {value}");
        }
    }

    #[test]
    fn too_few_values_have_no_error() {
        let mut rng = Seed(5).rng(0);
        assert_eq!(quantile_mean(&parts(&mut rng, 4, 1_000.0), 0.5), None);
        let few: Vec<Latencies> = (0..5).map(|_| Latencies::new()).collect();
        assert_eq!(quantile_mean(&few, 0.5), None);
    }

    #[test]
    fn the_value_is_that_of_all_parts_together() {
        let parts = parts(&mut Seed(6).rng(0), 10, 1_000.0);
        let mut all = Latencies::new();
        for part in &parts {
            all.merge(part);
        }
        let value = quantile_mean(&parts, 0.9).expect("enough").value;
        let whole = all.quantile(0.9).as_nanos() as f64;
        assert!((value / whole - 1.0).abs() < 0.002, "{value} {whole}");
    }
}
