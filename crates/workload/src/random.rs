//! Distributions over a range of integers.
//!
//! The functions keep no state. They draw from the random generator that the caller passes to them. Start reading at
//! [`Zipf`].

use tacho_core::Rng;

/// A Zipf distribution over ranks from 1 to `size`. A rank's probability is proportional to `rank ^ -exponent`.
///
/// Rejection-inversion sampling (Hörmann and Derflinger 1996) makes the cost independent of the size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zipf {
    size: f64,
    exponent: f64,
    first: f64,
    last: f64,
    shift: f64,
}

impl Zipf {
    /// Precomputes constants. The size must be at least 1, and the exponent at least 0.
    pub fn new(size: u64, exponent: f64) -> Self {
        let size = size as f64;
        let first = integral(1.5, exponent) - 1.0;
        let last = integral(size + 0.5, exponent);
        let second = integral(2.5, exponent) - 2_f64.powf(-exponent);
        Self { size, exponent, first, last, shift: 2.0 - inverse(second, exponent) }
    }

    /// Returns the parameters of the distribution: the number of ranks and the exponent.
    pub fn shape(&self) -> (u64, f64) {
        (self.size as u64, self.exponent)
    }

    /// Draws a rank.
    #[inline]
    pub fn draw(&self, rng: &mut Rng) -> i64 {
        loop {
            let u = self.last + rng.unit() * (self.first - self.last);
            let x = inverse(u, self.exponent);
            let rank = x.round().clamp(1.0, self.size);
            if rank - x <= self.shift
                || u >= integral(rank + 0.5, self.exponent) - rank.powf(-self.exponent)
            {
                return rank as i64;
            }
        }
    }

    /// Returns the probability of the first rank.
    pub fn share_of_first(size: u64, exponent: f64) -> f64 {
        // Add up the first terms exactly, and approximate the rest by an integral.
        let exact = size.min(100_000);
        let sum: f64 = (1..=exact).map(|rank| (rank as f64).powf(-exponent)).sum();
        let rest = integral(size as f64 + 0.5, exponent) - integral(exact as f64 + 0.5, exponent);
        1.0 / (sum + rest)
    }
}

/// Returns the integral of the function `t ^ -exponent` from 1 to `x`.
fn integral(x: f64, exponent: f64) -> f64 {
    let log = x.ln();
    let t = (1.0 - exponent) * log;
    if t.abs() > 1e-8 { t.exp_m1() / t * log } else { log * (1.0 + t / 2.0) }
}

/// The inverse of [`integral`].
fn inverse(y: f64, exponent: f64) -> f64 {
    let t = ((1.0 - exponent) * y).max(-1.0);
    let factor = if t.abs() > 1e-8 { t.ln_1p() / t } else { 1.0 - t / 2.0 };
    (factor * y).exp()
}

/// Returns the number at a relative position in `low..=high`. A `share` of 0 is the start of the
/// range, and 1 is its end.
fn at_share(low: i64, high: i64, share: f64) -> i64 {
    let size = (i128::from(high) - i128::from(low) + 1) as f64;
    let place = i128::from(low) + (size * share) as i128;
    place.clamp(i128::from(low), i128::from(high)) as i64
}

/// Draws from a normal distribution around the middle of the range, truncated at `spread` standard
/// deviations.
pub fn normal(low: i64, high: i64, spread: f64, rng: &mut Rng) -> i64 {
    loop {
        // The Box–Muller transform. The argument of the logarithm is in (0, 1].
        let length = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
        let deviation = length * (std::f64::consts::TAU * rng.unit()).sin();
        if (-spread..spread).contains(&deviation) {
            return at_share(low, high, (deviation + spread) / (2.0 * spread));
        }
    }
}

/// Draws from a truncated exponential distribution. Its density at the low end is `e ^ steepness`
/// times that at the high end.
pub fn exponential(low: i64, high: i64, steepness: f64, rng: &mut Rng) -> i64 {
    let cut = (-steepness).exp();
    let share = -(cut + (1.0 - cut) * (1.0 - rng.unit())).ln() / steepness;
    at_share(low, high, share)
}

/// Draws from a skewed distribution. For example, if `hot` is 0.2, the lowest 20 % of the range get
/// 80 % of the draws.
pub fn pareto(low: i64, high: i64, hot: f64, rng: &mut Rng) -> i64 {
    let power = hot.ln() / (1.0 - hot).ln();
    at_share(low, high, rng.unit().powf(power))
}

/// Draws a non-uniform random number as defined by TPC-C, clause 2.1.6.
pub fn nurand(a: i64, low: i64, high: i64, constant: i64, rng: &mut Rng) -> i64 {
    let either = rng.between(0, a) | rng.between(low, high);
    let size = i128::from(high) - i128::from(low) + 1;
    ((i128::from(either) + i128::from(constant)).rem_euclid(size) + i128::from(low)) as i64
}

/// Maps each number in `low..=high` to a different number in the same range.
pub fn permuted(number: i64, low: i64, high: i64) -> i64 {
    let size = (i128::from(high) - i128::from(low) + 1) as u128;
    let offset = (i128::from(number) - i128::from(low)).rem_euclid(size as i128) as u128;
    // A Feistel network permutes a range whose size is a power of two. Apply it repeatedly until the result is in the
    // smaller range.
    let half = (128 - (size - 1).leading_zeros()).div_ceil(2).max(1);
    let mask = (1_u128 << half) - 1;
    let mut place = offset;
    loop {
        let (mut left, mut right) = (place >> half, place & mask);
        for round in 0..4 {
            (left, right) =
                (right, left ^ (u128::from(hashed(right as u64 ^ (round << 60))) & mask));
        }
        place = (left << half) | right;
        if place < size {
            return (i128::from(low) + place as i128) as i64;
        }
    }
}

/// Returns a pseudorandom number: an FNV-1a hash of the bytes of `number`, followed by a finalizer.
pub fn hashed(number: u64) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for byte in number.to_le_bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    }
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    hash ^ (hash >> 29)
}

#[cfg(test)]
mod tests {
    use tacho_core::Seed;

    use super::*;

    const DRAWS: usize = 200_000;

    fn shares(size: usize, mut draw: impl FnMut(&mut Rng) -> i64) -> Vec<f64> {
        let (mut counts, mut rng) = (vec![0_u32; size], Seed(5).rng(0));
        for _ in 0..DRAWS {
            counts[draw(&mut rng) as usize - 1] += 1;
        }
        counts.into_iter().map(|count| f64::from(count) / DRAWS as f64).collect()
    }

    #[test]
    fn zipf_has_its_probabilities() {
        for exponent in [0.0, 0.5, 0.99, 1.0, 1.5, 3.0] {
            let zipf = Zipf::new(20, exponent);
            let found = shares(20, |rng| zipf.draw(rng));
            let sum: f64 = (1..=20).map(|rank| f64::from(rank).powf(-exponent)).sum();
            for (at, share) in found.iter().enumerate() {
                let expected = ((at + 1) as f64).powf(-exponent) / sum;
                assert!((share - expected).abs() < 0.006, "{exponent} {at}: {share} {expected}");
            }
            let first = Zipf::share_of_first(20, exponent);
            assert!((first - 1.0 / sum).abs() < 1e-9);
        }
        let (exact, short): (f64, f64) = (
            (1..=1_000_000).map(|rank| f64::from(rank).powf(-0.99)).sum(),
            1.0 / Zipf::share_of_first(1_000_000, 0.99),
        );
        assert!((exact - short).abs() < 1e-6, "{exact} {short}");
        assert_eq!(Zipf::new(1, 0.9).draw(&mut Seed(1).rng(0)), 1);
    }

    #[test]
    fn other_distributions_have_the_expected_shares() {
        let found = shares(100, |rng| pareto(1, 100, 0.2, rng));
        let hot: f64 = found[..20].iter().sum();
        assert!((hot - 0.8).abs() < 0.01, "{hot}");
        let found = shares(100, |rng| normal(1, 100, 5.0, rng));
        let middle: f64 = found[40..60].iter().sum();
        // This is the probability of being within one standard deviation of the mean. The distribution is cut off at
        // five standard deviations, which hardly matters.
        assert!((middle - 0.6827).abs() < 0.01, "{middle}");
        let found = shares(100, |rng| exponential(1, 100, 10.0, rng));
        let first: f64 = found[..10].iter().sum();
        assert!((first - (1.0 - (-1.0_f64).exp())).abs() < 0.01, "{first}");
        let found = shares(100, |rng| nurand(15, 1, 100, 7, rng));
        assert!(found.iter().all(|share| *share > 0.0));
    }

    #[test]
    fn a_permutation_has_every_number_once() {
        for (low, high) in [(1, 1), (1, 2), (-3, 13), (0, 999)] {
            let mut all: Vec<i64> = (low..=high).map(|n| permuted(n, low, high)).collect();
            let ordered: Vec<i64> = (low..=high).collect();
            assert!(high - low < 100 || all != ordered);
            all.sort_unstable();
            assert_eq!(all, ordered);
        }
        assert_eq!(permuted(7, 0, i64::MAX), permuted(7, 0, i64::MAX));
    }

    #[test]
    fn wide_ranges_do_not_overflow() {
        let mut rng = Seed(2).rng(0);
        for _ in 0..1_000 {
            normal(i64::MIN, i64::MAX, 2.0, &mut rng);
            exponential(i64::MIN, i64::MAX, 2.0, &mut rng);
            pareto(i64::MIN, i64::MAX, 0.2, &mut rng);
            nurand(i64::MAX - 1, 0, i64::MAX - 1, i64::MAX, &mut rng);
        }
    }
}
