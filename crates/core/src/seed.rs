//! Seeds and the random numbers that follow from them.
//!
//! Every generator is a pure function of a seed and an index, so any row and any input can be made
//! alone, in any order, on any thread. The generator is our own fifteen lines and not a library's
//! because generated data must stay byte for byte the same across releases, which general-purpose
//! random crates do not promise.

use serde::{Deserialize, Serialize};

/// Golden-ratio increment of SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number
/// Generators", OOPSLA 2014).
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The one number from which all data and all inputs of a run follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seed(pub u64);

impl Seed {
    /// An independent seed for one purpose, such as the rows of one table.
    pub const fn child(self, purpose: &str) -> Self {
        // FNV-1a, 64 bit: constant-time to evaluate at compile time and stable for ever.
        let bytes = purpose.as_bytes();
        let mut hash = 0xCBF2_9CE4_8422_2325_u64;
        let mut i = 0;
        while i < bytes.len() {
            hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01B3);
            i += 1;
        }
        Self(mix(self.0 ^ mix(hash)))
    }

    /// An independent seed for the member `index` of this purpose, such as one session.
    pub const fn nth(self, index: u64) -> Self {
        Self(mix(self.0 ^ mix(index.wrapping_add(GOLDEN))))
    }

    /// The stream of random numbers that belongs to `index`.
    pub const fn rng(self, index: u64) -> Rng {
        Rng { state: self.nth(index).0 }
    }
}

/// A stream of random numbers: SplitMix64.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// The next 64 random bits.
    #[inline]
    pub const fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// A uniform number in `0..bound`; 0 if `bound` is 0. The bias is below `bound / 2^64`.
    #[inline]
    pub const fn below(&mut self, bound: u64) -> u64 {
        ((self.bits() as u128 * bound as u128) >> 64) as u64
    }

    /// A uniform number in `low..=high`.
    #[inline]
    pub const fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }

    /// True in `parts` of `whole` cases.
    #[inline]
    pub const fn chance(&mut self, parts: u64, whole: u64) -> bool {
        self.below(whole) < parts
    }

    /// A uniform number in `[0, 1)` with 53 random bits.
    #[inline]
    pub const fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// An exponentially distributed number with this mean: `-ln(u) * mean`, `u` in `(0, 1]`.
    #[inline]
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -(1.0 - self.unit()).ln() * mean
    }

    /// Appends `length` characters, each uniform over `alphabet` (at most 65,536 characters).
    ///
    /// Four characters are taken from each draw of 64 bits; a character's probability is off by
    /// less than 0.1 % for alphabets of up to 62.
    #[inline]
    pub fn string(&mut self, length: usize, alphabet: &[u8], out: &mut Vec<u8>) {
        let size = alphabet.len() as u64;
        let mut left = length;
        while left > 0 {
            let mut bits = self.bits();
            for _ in 0..left.min(4) {
                out.push(alphabet[(((bits & 0xFFFF) * size) >> 16) as usize]);
                bits >>= 16;
            }
            left -= left.min(4);
        }
    }
}

/// The finalizer of SplitMix64: a bijection that spreads every input bit over the output.
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First outputs of SplitMix64 from state 1234567, as published with the algorithm.
    #[test]
    fn known_vector() {
        let mut rng = Rng { state: 1_234_567 };
        let got = [rng.bits(), rng.bits(), rng.bits()];
        assert_eq!(
            got,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn children_differ_and_repeat() {
        let seed = Seed(42);
        assert_eq!(seed.child("stock"), seed.child("stock"));
        assert_ne!(seed.child("stock"), seed.child("item"));
        assert_ne!(seed.nth(0), seed.nth(1));
        assert_ne!(seed.nth(0), seed);
    }

    #[test]
    fn between_covers_both_ends_evenly() {
        let mut rng = Seed(1).rng(0);
        let mut seen = [0_u32; 6];
        for _ in 0..60_000 {
            seen[rng.between(5, 10) as usize - 5] += 1;
        }
        assert!(seen.iter().all(|n| (9_500..10_500).contains(n)), "{seen:?}");
    }

    #[test]
    fn strings_have_their_length_and_alphabet() {
        let mut out = Vec::new();
        for length in 0..20 {
            out.clear();
            Seed(3).rng(length).string(length as usize, b"abc", &mut out);
            assert_eq!(out.len() as u64, length);
            assert!(out.iter().all(|c| b"abc".contains(c)));
        }
    }

    #[test]
    fn exponential_has_its_mean() {
        let mut rng = Seed(9).rng(0);
        let mean = (0..100_000).map(|_| rng.exponential(12.0)).sum::<f64>() / 100_000.0;
        assert!((11.8..12.2).contains(&mean), "{mean}");
    }
}
