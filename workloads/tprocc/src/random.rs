//! The workload's random functions: NURand, last names, alphabets and the run constants.
//!
//! All numbers must come from the given random number generator. Start reading at [`Constants`].

use tacho_core::{Rng, Seed};

/// Letters for the state in an address.
pub const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// The alphabet for a-strings, clause 4.3.2.2.
pub const ALPHANUMERIC: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// The alphabet for n-strings, clause 4.3.2.2.
pub const DIGITS: &[u8] = b"0123456789";

/// Syllables that make up last names, clause 4.3.2.3.
const SYLLABLES: [&[u8]; 10] =
    [b"BAR", b"OUGHT", b"ABLE", b"PRI", b"PRES", b"ESE", b"ANTI", b"CALLY", b"ATION", b"EING"];

/// NURand's range parameter A for last names, clause 2.1.6.
const NAME_A: i64 = 255;
/// NURand's range parameter A for customer IDs, clause 2.1.6.
const CUSTOMER_A: i64 = 1023;
/// NURand's range parameter A for item IDs, clause 2.1.6.
const ITEM_A: i64 = 8191;
/// HammerDB's constant for last names, used both for the load and for runs.
const SAME_CONSTANT: i64 = 123;

/// Draws `NURand(a, x, y)` with the constant `c`, clause 2.1.6.
#[inline]
pub fn nurand(rng: &mut Rng, a: i64, range: (i64, i64), c: i64) -> i64 {
    let (low, high) = range;
    (((rng.between(0, a) | rng.between(low, high)) + c) % (high - low + 1)) + low
}

/// Appends the last name for a number in 0..=999, clause 4.3.2.3.
pub fn last_name(number: i64, out: &mut Vec<u8>) {
    for digit in [number / 100, number / 10 % 10, number % 10] {
        out.extend_from_slice(SYLLABLES[digit as usize]);
    }
}

/// NURand's constants C, clause 2.1.6.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constants {
    /// The constant for last names at load time.
    pub name_load: i64,
    /// The constant for last names at run time.
    pub name_run: i64,
    /// The constant for customer IDs.
    pub customer: i64,
    /// The constant for item IDs.
    pub item: i64,
}

impl Constants {
    /// Derives the constant for the load from the data seed, and the constants for runs from the run's seed.
    ///
    /// If `same` is true, the load and the run both use HammerDB's constant for last names.
    pub fn new(data_seed: Seed, seed: Seed, same: bool) -> Self {
        let mut load = data_seed.child("nurand").rng(0);
        let mut run = seed.child("nurand").rng(1);
        let name_load = load.between(0, NAME_A);
        // Draw until the value is allowed. This takes about four draws, once per run.
        let mut name_run = run.between(0, NAME_A);
        while !allowed_delta((name_run - name_load).abs()) {
            name_run = run.between(0, NAME_A);
        }
        let (customer, item) = (run.between(0, CUSTOMER_A), run.between(0, ITEM_A));
        if same {
            let (name_load, name_run) = (SAME_CONSTANT, SAME_CONSTANT);
            return Self { name_load, name_run, customer, item };
        }
        Self { name_load, name_run, customer, item }
    }

    /// Returns a copy of these constants in which all constants for runs are zero.
    pub fn without_run(self) -> Self {
        Self { name_run: 0, customer: 0, item: 0, ..self }
    }

    /// Draws a last-name number at load time.
    #[inline]
    pub fn load_name(&self, rng: &mut Rng) -> i64 {
        nurand(rng, NAME_A, (0, 999), self.name_load)
    }

    /// Draws a last-name number at run time.
    pub fn run_name(&self, rng: &mut Rng) -> i64 {
        nurand(rng, NAME_A, (0, 999), self.name_run)
    }

    /// Draws a customer ID at run time.
    pub fn customer(&self, rng: &mut Rng) -> i64 {
        nurand(rng, CUSTOMER_A, (1, crate::schema::CUSTOMERS), self.customer)
    }

    /// Draws an item id at run time.
    pub fn item(&self, rng: &mut Rng) -> i64 {
        nurand(rng, ITEM_A, (1, crate::schema::ITEMS), self.item)
    }
}

/// Returns true if clause 2.1.6.1 allows a difference of `delta` between the load and run constants.
fn allowed_delta(delta: i64) -> bool {
    (65..=119).contains(&delta) && delta != 96 && delta != 112
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_names_are_those_of_the_specification() {
        let table: [(i64, &str); 6] = [
            (0, "BARBARBAR"),
            (371, "PRICALLYOUGHT"),
            (123, "OUGHTABLEPRI"),
            (456, "PRESESEANTI"),
            (789, "CALLYATIONEING"),
            (999, "EINGEINGEING"),
        ];
        for (number, name) in table {
            let mut out = Vec::new();
            last_name(number, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), name);
        }
    }

    #[test]
    fn nurand_stays_in_range_and_repeats() {
        let mut rng = Seed(7).rng(0);
        let drawn: Vec<i64> = (0..6).map(|_| nurand(&mut rng, 255, (0, 999), 123)).collect();
        assert_eq!(drawn, GOLDEN_NAMES);
        for _ in 0..100_000 {
            assert!((1..=3000).contains(&nurand(&mut rng, 1023, (1, 3000), 1023)));
        }
    }

    /// Numbers that were computed independently of this code. They must not change, because every
    /// user's data would change, too.
    const GOLDEN_NAMES: [i64; 6] = [886, 342, 310, 569, 810, 500];

    #[test]
    fn nurand_is_as_uneven_as_its_definition() {
        // NURand combines a random number with a uniform 8-bit number in a bitwise OR. This sets each of the eight low
        // bits with a probability of 3/4.
        let mut rng = Seed(8).rng(0);
        let draws = 200_000;
        let odd = (0..draws).filter(|_| nurand(&mut rng, 255, (0, 999), 0) % 2 == 1).count();
        let share = odd as f64 / f64::from(draws);
        assert!((0.745..0.755).contains(&share), "{share}");
    }

    #[test]
    fn load_and_run_constants_keep_their_distance() {
        for number in 0..2_000 {
            let constants = Constants::new(Seed(number), Seed(number * 31 + 5), false);
            assert!(allowed_delta((constants.name_run - constants.name_load).abs()));
            let same = Constants::new(Seed(number), Seed(1), true);
            assert_eq!((same.name_load, same.name_run), (123, 123));
        }
    }
}
