//! pgbench's functions that turn a number into one that looks random: two hash functions and a permutation.
//!
//! Tests compare the results with pgbench's results. Start reading at [`permuted`].

/// Returns the 64-bit FNV-1a hash of a number's bytes.
pub fn fnv1a(number: i64, seed: i64) -> i64 {
    let start = 0xCBF2_9CE4_8422_2325_u64 ^ seed as u64;
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    number.to_le_bytes().into_iter().fold(start, mix) as i64
}

/// Returns the 64-bit `MurmurHash2` of a number.
pub fn murmur2(number: i64, seed: i64) -> i64 {
    const FACTOR: u64 = 0xC6A4_A793_5BD1_E995;
    let mut hash = seed as u64 ^ 8_u64.wrapping_mul(FACTOR);
    let mut key = (number as u64).wrapping_mul(FACTOR);
    key ^= key >> 47;
    hash = (hash ^ key.wrapping_mul(FACTOR)).wrapping_mul(FACTOR);
    hash = (hash ^ (hash >> 47)).wrapping_mul(FACTOR);
    (hash ^ (hash >> 47)) as i64
}

/// The random number generator xoroshiro128**, which supplies the constants of the permutation.
struct Generator(u64, u64);

impl Generator {
    /// Creates a generator. Its initial state consists of two numbers that splitmix64 computes from the seed.
    fn new(seed: i64) -> Self {
        let mut state = seed as u64;
        let mut split = || {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut bits = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            bits ^ (bits >> 31)
        };
        let (first, second) = (split(), split());
        Self(first, second)
    }

    fn bits(&mut self) -> u64 {
        let Self(first, second) = *self;
        let both = first ^ second;
        *self = Self(first.rotate_left(24) ^ both ^ (both << 16), both.rotate_left(37));
        first.wrapping_mul(5).rotate_left(7).wrapping_mul(9)
    }

    /// Draws a random number from 0 to `most`. It does this by drawing numbers that have as many bits as `most`, until
    /// one of them does not exceed `most`.
    fn up_to(&mut self, most: u64) -> u64 {
        if most == 0 {
            return 0;
        }
        loop {
            let drawn = self.bits() >> most.leading_zeros();
            if drawn <= most {
                return drawn;
            }
        }
    }
}

/// Returns the position to which `number` modulo `size` is moved by a permutation that depends on `seed`.
///
/// There are six rounds. Each round first mixes the numbers in the lower and in the upper part of the range, and then
/// shifts all positions. The size of each part is a power of two.
pub fn permuted(number: i64, size: i64, seed: i64) -> i64 {
    if size < 2 {
        return 0;
    }
    let mut generator = Generator::new(seed);
    let size = size as u64;
    let length = size.ilog2();
    let mask = (1_u64 << length) - 1;
    let mut place = number as u64 % size;
    for _ in 0..6 {
        for upper in [false, true] {
            let factor = (generator.bits() & mask) | 1;
            let change = generator.bits() & mask;
            let position = if upper { size - 1 - place } else { place };
            if position <= mask {
                let mixed = (position.wrapping_mul(factor) ^ change) & mask;
                let mixed = ((mixed << 1) & mask) | (mixed >> (length - 1));
                place = if upper { size - 1 - mixed } else { mixed };
            }
        }
        // Both numbers are below 2^63, so their sum fits into 64 unsigned bits.
        place = (place + generator.up_to(size - 1)) % size;
    }
    place as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permutation_leaves_nothing_out() {
        for size in [1, 2, 3, 7, 64, 1000] {
            let mut places: Vec<i64> = (0..size).map(|n| permuted(n, size, 42)).collect();
            places.sort_unstable();
            assert_eq!(places, (0..size).collect::<Vec<i64>>());
        }
    }
}
