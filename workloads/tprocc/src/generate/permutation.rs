//! A permutation of 0..3000 for each seed, computed without a table.
//!
//! A 12-bit Feistel network is a bijection on 0..4096. Repeating it until the result is below 3000 gives a bijection on
//! 0..3000.
//!
//! This computes the customer of any single order without the others, in about six rounds of hashing.

use tacho_core::Seed;

const HALF_BITS: u64 = 6;
const HALF_MASK: u64 = (1 << HALF_BITS) - 1;
const ROUNDS: u64 = 4;
const SIZE: u64 = crate::schema::CUSTOMERS as u64;

/// Returns the image of `index` under the permutation of `seed`. `index` must be below 3000.
pub fn permuted(seed: Seed, index: u64) -> u64 {
    let mut number = encrypt(seed, index);
    while number >= SIZE {
        number = encrypt(seed, number);
    }
    number
}

fn encrypt(seed: Seed, number: u64) -> u64 {
    let (mut left, mut right) = (number >> HALF_BITS, number & HALF_MASK);
    for round in 0..ROUNDS {
        let hash = seed.nth(round << HALF_BITS | right).0 & HALF_MASK;
        (left, right) = (right, left ^ hash);
    }
    left << HALF_BITS | right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_bijection_for_any_seed() {
        for seed in 0..300 {
            let mut seen = vec![false; SIZE as usize];
            for index in 0..SIZE {
                let image = permuted(Seed(seed), index) as usize;
                assert!(!std::mem::replace(&mut seen[image], true), "seed {seed} index {index}");
            }
        }
    }

    #[test]
    fn mixes_well() {
        // Over many seeds, the number to which 0 is mapped must be uniformly distributed. The
        // chi-square test uses 30 cells of 100 customers.
        let mut cells = [0_u32; 30];
        for seed in 0..30_000 {
            cells[permuted(Seed(seed), 0) as usize / 100] += 1;
        }
        let chi: f64 = cells.iter().map(|n| (f64::from(*n) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi < 60.0, "{chi}");
    }
}
