//! Estimates the highest rate of transactions at which the database still meets a limit, such as a maximum latency. The
//! load runs at various rates for one measurement window each. The estimate is based on which of these windows met the
//! limit.
//!
//! A window meets the limit by chance, because it may or may not contain a checkpoint. The probability is therefore
//! modelled as a curve over the logarithm of the rate. The curve is logistic, possibly with a cliff at the capacity, or
//! it has a step below the capacity, caused by rare long stalls. The highest rate is the rate at which 95 % of windows
//! meet the limit. The next window always has the rate that is expected to reveal the most.
//!
//! The method is from Kontsevich and Tyler, "Bayesian adaptive estimation of psychometric slope and threshold", Vision
//! Research 39, 1999. The shape of the curve is a nuisance parameter, as in Prins, "The psi-marginal adaptive method",
//! Journal of Vision 13, 2013.
//!
//! Start reading at [`RateSearch`].

use std::sync::LazyLock;

/// The share of windows that must meet the limit at the highest rate.
pub const HELD: f64 = 0.95;
/// Recommended rate, as a fraction of the highest rate. The rest is headroom.
const HEADROOM: f64 = 0.6;
/// Distance between two grid positions, as the difference between the logarithms of their rates.
const STEP: f64 = 0.02;
/// Logarithm of the lowest rate on the grid. This rate is 2 % of the throughput without a rate limit.
const LOWEST: f64 = -4.0;
/// Number of rates on the grid. The highest is 17 % above the throughput without a rate limit, because the capacity may
/// be higher than this throughput.
const POSITIONS: usize = 209;
/// Possible widths of the curve. The width is the distance, in logarithms, between the rates at which 95 % and 50 % of
/// the windows meet the limit.
const WIDTHS: [f64; 7] = [0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28];
/// Possible distances from the highest rate to the capacity, in units of the curve's width. At the capacity, the curve
/// falls to zero as steeply as a cliff. A curve with an infinite distance has no cliff.
const CLIFFS: [f64; 4] = [f64::INFINITY, 0.3, 0.6, 1.0];
/// Steepness of the cliff, per width.
const STEEP: f64 = 40.0;
/// Share of windows in which a rare long stall occurs. These windows may miss the limit even at rates below the
/// capacity.
const STALLED: f64 = 0.2;
/// Possible depths of the step in a curve with rare long stalls. The depth is how much lower the highest rate is in a
/// window with such a stall, as a difference between the logarithms of the rates.
const DEPTHS: [f64; 4] = [0.2, 0.4, 0.6, 1.0];
/// Variation of the depth, relative to it.
const DEPTH_SPREAD: f64 = 0.15;
/// Width of the drop at the capacity, as a difference between logarithms of rates. Applies to curves with rare long
/// stalls.
const CAPACITY_SPREAD: f64 = 0.012;
/// Prior probability of a single curve without a cliff, with a cliff, and with rare long stalls. The numbers are not
/// normalized.
///
/// Because there are several curves of each kind, the three kinds have total probabilities of 50 %, 30 % and 20 %.
const PRIOR: [f64; 3] = [0.5, 0.1, 0.35];
/// Number of curves.
const SHAPES: usize = WIDTHS.len() * CLIFFS.len() + DEPTHS.len();
/// Quantiles of the rate's distribution that are used as the ends of the interval.
///
/// In simulations, the interval contains the true rate in about 95 % of searches.
const ENDS: [f64; 2] = [0.015, 0.94];
/// The position that is most likely before any measurement, as a fraction of the throughput without a rate limit.
const USUAL: f64 = 0.75;
/// Scale of the prior distribution of the position, which is a Laplace distribution.
const SCALE: f64 = 0.7;
/// Minimum and maximum number of windows.
const WINDOWS: [usize; 2] = [10, 32];
/// The search ends when the ratio between the upper and lower ends of the interval falls below this.
const CLOSE: f64 = 1.12;
/// Number of windows after which the search ends if all of them met the limit or all of them missed it.
const SAME_MAX: usize = 8;
/// Maximum number of rates that are considered for the next window.
const CANDIDATES: usize = 24;
/// Minimum probability of a possible highest rate, relative to the most likely one. Less likely rates are ignored.
const NEGLIGIBLE: f64 = 1e-6;

/// The probability that a window meets the limit. The first index is the distance from the highest rate on the grid,
/// and the second is the shape of the curve.
static CURVES: LazyLock<Vec<[f64; SHAPES]>> = LazyLock::new(|| {
    let most = POSITIONS as i32 - 1;
    let curve = |steps: i32| std::array::from_fn(|at| holding(at, f64::from(steps) * STEP));
    (-most..=most).map(curve).collect()
});

/// Returns the probability that a window meets the limit. `distance` is the logarithm of its rate relative to the
/// highest rate.
fn holding(shape: usize, distance: f64) -> f64 {
    let logistic = |exponent: f64| 1.0 / (1.0 + exponent.exp());
    let Some(depth) = shape.checked_sub(WIDTHS.len() * CLIFFS.len()).map(|at| DEPTHS[at]) else {
        let (width, cliff) = (WIDTHS[shape / CLIFFS.len()], CLIFFS[shape % CLIFFS.len()]);
        let odds = (HELD / (1.0 - HELD)).ln();
        let distance = distance / width;
        return logistic(odds * (distance - 1.0)) * logistic(STEEP * (distance - cliff));
    };
    let spread = DEPTH_SPREAD * depth;
    let failing = (1.0 - HELD) / STALLED;
    // The curve is shifted so that 5 % of the windows miss the limit at the highest rate, which is at distance zero.
    let distance = distance + spread * (failing / (1.0 - failing)).ln();
    (1.0 - STALLED * logistic(-distance / spread)) * logistic((distance - depth) / CAPACITY_SPREAD)
}

/// Returns the prior probability of a curve, which is not normalized.
fn prior(shape: usize) -> f64 {
    let [plain, cliff, stalled] = PRIOR;
    match shape {
        shape if shape >= WIDTHS.len() * CLIFFS.len() => stalled,
        shape if CLIFFS[shape % CLIFFS.len()].is_finite() => cliff,
        _ => plain,
    }
}

/// The result of a window that was measured at a fixed rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Rate, in transactions per second.
    pub rate: f64,
    /// True if the window met the limit.
    pub holds: bool,
}

/// The rate at which 95 % of windows meet the limit, and its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateEstimate {
    /// The rate.
    pub per_s: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl RateEstimate {
    /// Returns 60 % of the highest rate, which leaves enough headroom.
    pub fn headroom(&self) -> f64 {
        rounded(HEADROOM * self.per_s)
    }
}

/// The state of a search. It depends only on the windows that have been measured so far.
#[derive(Clone, Debug)]
pub struct RateSearch {
    capacity: f64,
    held: usize,
    failed: usize,
    /// Probability of each combination of position and shape, given the windows measured so far.
    weights: Vec<[f64; SHAPES]>,
}

impl RateSearch {
    /// Maximum number of windows in a search.
    pub const WINDOWS_MAX: usize = WINDOWS[1];

    /// Computes the state of the search from these windows. `capacity` is the throughput without a rate limit, and must
    /// be positive.
    pub fn of(capacity: f64, windows: &[Window]) -> Option<Self> {
        if capacity <= 0.0 {
            return None;
        }
        let prior_at = |at| {
            let position = (-(position(at) - USUAL.ln()).abs() / SCALE).exp();
            std::array::from_fn(|shape| position * prior(shape))
        };
        let weights = (0..POSITIONS).map(prior_at).collect();
        let mut search = Self { capacity, held: 0, failed: 0, weights };
        search.normalize();
        for window in windows {
            search.observe(*window);
        }
        Some(search)
    }

    /// Takes a window into account.
    fn observe(&mut self, window: Window) {
        if window.holds {
            self.held += 1;
        } else {
            self.failed += 1;
        }
        let candidate = index((window.rate / self.capacity).ln());
        for (at, weights) in self.weights.iter_mut().enumerate() {
            for (weight, holds) in weights.iter_mut().zip(curve(candidate, at)) {
                *weight *= if window.holds { *holds } else { 1.0 - holds };
            }
        }
        self.normalize();
    }

    fn normalize(&mut self) {
        let sum: f64 = self.weights.iter().flatten().sum();
        self.weights.iter_mut().flatten().for_each(|weight| *weight /= sum);
    }

    /// Returns the estimate. Returns `None` if all windows met the limit or all missed it.
    pub fn estimate(&self) -> Option<RateEstimate> {
        (self.held > 0 && self.failed > 0).then(|| RateEstimate {
            per_s: self.quantile(0.5),
            low: self.quantile(ENDS[0]),
            high: self.quantile(ENDS[1]),
        })
    }

    /// Returns the rate to measure next, or `None` if the search is complete.
    pub fn next_rate(&self) -> Option<f64> {
        if self.is_complete() {
            return None;
        }
        let marginal = self.marginal();
        let most = marginal.iter().copied().fold(0.0, f64::max);
        let likely: Vec<usize> =
            (0..POSITIONS).filter(|at| marginal[*at] > NEGLIGIBLE * most).collect();
        let [low, high] = [0.005, 0.995].map(|share| (self.quantile(share) / self.capacity).ln());
        let [first, last] = [low, high + WIDTHS[4]].map(|at| index(at).min(POSITIONS - 1));
        let stride = (last - first) / CANDIDATES + 1;
        let candidates = (first..=last).step_by(stride);
        let entropies = candidates.map(|at| (at, self.entropy(&marginal, &likely, at)));
        let (best, _) = entropies.min_by(|one, other| one.1.total_cmp(&other.1))?;
        Some(rounded(self.capacity * position(best).exp()))
    }

    fn is_complete(&self) -> bool {
        let count = self.held + self.failed;
        match self.estimate() {
            None => count >= SAME_MAX,
            Some(_) if count >= WINDOWS[1] => true,
            Some(estimate) => count >= WINDOWS[0] && estimate.high < CLOSE * estimate.low,
        }
    }

    /// Returns the probability of each position.
    fn marginal(&self) -> Vec<f64> {
        self.weights.iter().map(|shapes| shapes.iter().sum()).collect()
    }

    /// Returns the expected entropy of the position's distribution after another window at this rate.
    fn entropy(&self, marginal: &[f64], likely: &[usize], candidate: usize) -> f64 {
        let (mut sums, mut terms) = ([0.0; 2], 0.0);
        for at in likely {
            let shapes = self.weights[*at].iter().zip(curve(candidate, *at));
            let holds: f64 = shapes.map(|(weight, holds)| weight * holds).sum();
            for (sum, part) in sums.iter_mut().zip([holds, marginal[*at] - holds]) {
                if part > 0.0 {
                    *sum += part;
                    terms -= part * part.ln();
                }
            }
        }
        terms + sums.iter().filter(|sum| **sum > 0.0).map(|sum| sum * sum.ln()).sum::<f64>()
    }

    /// Returns a quantile of the rate's distribution, interpolated between grid positions.
    fn quantile(&self, share: f64) -> f64 {
        let mut below = 0.0;
        for (at, weight) in self.marginal().into_iter().enumerate() {
            if below + weight >= share && weight > 0.0 {
                let within = (share - below) / weight - 0.5;
                return self.capacity * (position(at) + within * STEP).exp();
            }
            below += weight;
        }
        self.capacity * position(POSITIONS - 1).exp()
    }
}

/// Returns the probability that a window meets the limit, for each shape of the curve. Both arguments are positions on
/// the grid: `window` is that of the window's rate, and `highest` is that of the highest rate.
fn curve(window: usize, highest: usize) -> &'static [f64; SHAPES] {
    &CURVES[POSITIONS - 1 + window - highest]
}

fn position(at: usize) -> f64 {
    LOWEST + at as f64 * STEP
}

/// Returns the grid position closest to this one.
fn index(position: f64) -> usize {
    (((position - LOWEST) / STEP).round().max(0.0) as usize).min(POSITIONS - 1)
}

/// Rounds a rate to four significant digits, which is much more precise than the grid.
fn rounded(rate: f64) -> f64 {
    let digits = (3.0 - rate.log10().floor()) as i32;
    let size = 10_f64.powi(digits.abs());
    // Divide by a power of ten instead of multiplying by its inverse, because only the power is exact.
    if digits < 0 { (rate / size).round() * size } else { (rate * size).round() / size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacho_core::{Rng, Seed};

    const CAPACITY: f64 = 1_000.0;
    const SEARCHES: u64 = 300;

    /// Simulates a search for the highest rate. `highest` is called for each window and returns the highest rate at
    /// which that window would meet the limit.
    fn search(mut highest: impl FnMut() -> f64) -> (Vec<Window>, Option<RateEstimate>) {
        let mut windows = Vec::new();
        let mut search = RateSearch::of(CAPACITY, &windows).expect("a capacity");
        while let Some(rate) = search.next_rate() {
            let window = Window { rate, holds: rate <= highest() };
            search.observe(window);
            windows.push(window);
        }
        (windows, search.estimate())
    }

    /// Returns a random rate whose logarithm is normally distributed, by the Box–Muller method.
    fn noisy(rng: &mut Rng, median: f64, noise: f64) -> f64 {
        let size = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
        median * (noise * size * (std::f64::consts::TAU * rng.unit()).cos()).exp()
    }

    /// Simulates a database that stalls about twice a minute, for 30 ms on average. Returns the highest rate at which
    /// it meets a p99 limit in a minute. It meets the limit if all stalls together take less than 600 ms, which is one
    /// percent of the minute.
    fn stalling(rng: &mut Rng) -> f64 {
        let mut stalled = 0.0;
        let mut at = rng.exponential(30.0);
        while at < 60.0 {
            stalled += rng.exponential(0.03);
            at += rng.exponential(30.0);
        }
        noisy(rng, 950.0, 0.02) * (1.0 - stalled / 0.6).max(0.02)
    }

    /// Like [`stalling`], but there is one stall a minute, which lasts 90 ms on average.
    fn stalling_long(rng: &mut Rng) -> f64 {
        noisy(rng, 950.0, 0.02) * (1.0 - rng.exponential(0.15)).max(0.02)
    }

    /// Draws the rate that a database can sustain in a window. In one out of five windows, stalls cost it nearly half
    /// of its capacity.
    fn stalling_rarely(rng: &mut Rng) -> f64 {
        let stalled = if rng.unit() < 0.2 { 0.55 } else { 1.0 };
        noisy(rng, 950.0, 0.02) * stalled
    }

    /// Runs many searches for the rate that 95 % of windows sustain. Returns the share of searches whose interval
    /// contains this rate, and the median ratio between the ends of the intervals.
    fn covered(highest: fn(&mut Rng) -> f64, seed: u64) -> (f64, f64) {
        let mut rng = Seed(1).rng(0);
        let mut drawn: Vec<f64> = (0..100_000).map(|_| highest(&mut rng)).collect();
        drawn.sort_by(f64::total_cmp);
        let truth = drawn[drawn.len() / 20];
        let estimate = |trial| {
            let mut rng = Seed(seed).rng(trial);
            search(|| highest(&mut rng)).1.expect("an estimate")
        };
        let estimates: Vec<RateEstimate> = (0..SEARCHES).map(estimate).collect();
        let contains = |one: &&RateEstimate| one.low <= truth && truth <= one.high;
        let share = estimates.iter().filter(contains).count() as f64 / SEARCHES as f64;
        let mut ratios: Vec<f64> = estimates.iter().map(|one| one.high / one.low).collect();
        ratios.sort_by(f64::total_cmp);
        (share, ratios[ratios.len() / 2])
    }

    #[test]
    fn the_interval_contains_the_rate_of_a_stalling_database() {
        let (share, ratio) = covered(stalling, 47);
        assert!((0.9..=0.98).contains(&share) && ratio < 2.0, "{share} {ratio}");
    }

    #[test]
    fn the_interval_contains_the_rate_with_a_long_stall_in_each_window() {
        let (share, ratio) = covered(stalling_long, 47);
        assert!((0.9..=0.98).contains(&share) && ratio < 2.5, "{share} {ratio}");
    }

    #[test]
    fn the_interval_contains_the_rate_with_rare_long_stalls() {
        let (share, ratio) = covered(stalling_rarely, 47);
        assert!((0.9..=0.98).contains(&share) && ratio < 2.5, "{share} {ratio}");
    }

    #[test]
    fn the_interval_contains_the_rate_of_a_noisy_capacity() {
        /// A function that draws the database's capacity in a window, and the largest allowed ratio between the ends of
        /// the estimated interval.
        type Model = (fn(&mut Rng) -> f64, f64);
        let models: [Model; 2] =
            [(|rng| noisy(rng, 800.0, 0.03), 1.5), (|rng| noisy(rng, 600.0, 0.15), 1.95)];
        for (highest, widest) in models {
            let (share, ratio) = covered(highest, 47);
            assert!((0.9..=0.985).contains(&share) && ratio < widest, "{share} {ratio}");
        }
    }

    /// Uses the same seeds as the table on the documentation page about statistics, so that the numbers agree.
    #[test]
    fn the_interval_contains_the_rate_of_little_and_much_noise() {
        let models: [fn(&mut Rng) -> f64; 3] = [
            |rng| noisy(rng, 800.0, 0.01),
            |rng| noisy(rng, 700.0, 0.08),
            |rng| noisy(rng, 500.0, 0.3),
        ];
        for highest in models {
            for seed in [101, 102] {
                let (share, _) = covered(highest, seed);
                assert!((0.9..=0.98).contains(&share), "{share}");
            }
        }
    }

    #[test]
    fn a_sharp_limit_is_found_closely_and_soon() {
        for limit in [310.0, 700.0, 790.0, 950.0] {
            let (windows, estimate) = search(|| limit);
            let RateEstimate { per_s, low, high } = estimate.expect("an estimate");
            // Allow a difference of half a grid step, because the ends of the interval cannot be more precise than the
            // grid.
            let reach = high * (STEP / 2.0).exp();
            assert!(low <= limit && limit <= reach && high / low < CLOSE, "{low} {limit} {high}");
            assert!((low..high).contains(&per_s) && windows.len() <= 32, "{}", windows.len());
        }
    }

    #[test]
    fn a_limit_that_always_or_never_holds_ends_the_search() {
        let (windows, estimate) = search(|| f64::INFINITY);
        assert!(estimate.is_none() && windows.len() == SAME_MAX, "{windows:?}");
        assert!(windows.iter().any(|window| window.rate > CAPACITY), "{windows:?}");
        let (windows, estimate) = search(|| 0.0);
        assert!(estimate.is_none() && windows.len() == SAME_MAX, "{windows:?}");
        assert!(windows.iter().any(|window| window.rate < CAPACITY / 20.0), "{windows:?}");
        assert!(RateSearch::of(0.0, &[]).is_none());
    }

    #[test]
    fn the_first_rate_is_close_to_the_usual_one() {
        let search = RateSearch::of(CAPACITY, &[]).expect("a capacity");
        let first = search.next_rate().expect("a rate");
        assert!((400.0..1_000.0).contains(&first), "{first}");
    }

    #[test]
    fn rates_have_four_digits_and_no_more() {
        let shown = [45.756, 22.875_1, 0.361_34, 12_345.6, 1_827.6, 9_999.9]
            .map(|rate| rounded(rate).to_string());
        assert_eq!(shown, ["45.76", "22.88", "0.3613", "12350", "1828", "10000"]);
    }
}
