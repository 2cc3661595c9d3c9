//! Run identifiers: four characters that are easy to read aloud and to type.
//!
//! A new id must be unused in the store. Start reading at [`draw`].

use std::collections::HashSet;

use tacho_core::Seed;

/// Crockford's base-32 alphabet in lower case. It omits `i`, `l`, `o` and `u`, because they are easily misread. An id
/// can therefore never be `latest`.
const ALPHABET: &[u8] = b"0123456789abcdefghjkmnpqrstvwxyz";
const SHORTEST: usize = 4;
const DRAWS_PER_LENGTH: usize = 8;

/// Draws an unused id. After every eight draws of an id that is already in use, the drawn ids become longer by one
/// character.
pub(crate) fn draw(seed: Seed, taken: &HashSet<String>) -> String {
    let mut rng = seed.child("run id").rng(0);
    let mut draws = 0;
    loop {
        let mut id = Vec::new();
        rng.string(SHORTEST + draws / DRAWS_PER_LENGTH, ALPHABET, &mut id);
        let id: String = id.into_iter().map(char::from).collect();
        if !taken.contains(&id) {
            return id;
        }
        draws += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_ids_and_taken_ones_are_not_given() {
        let mut taken = HashSet::new();
        let first = draw(Seed(1), &taken);
        assert_eq!(first, draw(Seed(1), &taken));
        assert_eq!(first.len(), 4);
        for _ in 0..40 {
            assert!(taken.insert(draw(Seed(1), &taken)));
        }
        assert_eq!(taken.iter().map(String::len).max(), Some(8));
    }
}
