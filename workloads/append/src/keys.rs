//! The keys in use. A key is replaced by an unused one after 32 appends, so that lists and reads stay short.
//!
//! Sessions share no lock: each slot is an atomic word that contains its current key and the number of appends to it.
//!
//! Start reading at [`Keys::for_append`].

use std::sync::atomic::{AtomicU64, Ordering};

/// Number of appends to a key, including attempts that fail.
pub const APPENDS_MAX: u64 = 32;
/// Number of bits for the number of appends.
const COUNT_BITS: u32 = 8;

/// The keys in use, one for each slot.
#[derive(Debug)]
pub struct Keys {
    slots: Box<[AtomicU64]>,
    first: AtomicU64,
    next: AtomicU64,
    last: u64,
}

impl Keys {
    /// Assigns the first keys to the slots. The data has the keys from 1 to `last`, and no run has used any of them.
    pub fn new(slots: u64, last: u64) -> Self {
        let slots = (0..slots).map(|_| AtomicU64::new(0)).collect();
        let keys = Self { slots, first: AtomicU64::new(1), next: AtomicU64::new(1), last };
        keys.start_after(0);
        keys
    }

    /// Assigns unused keys to all slots. Keys up to `used` were used by earlier runs. Returns false if too few are left.
    pub fn start_after(&self, used: u64) -> bool {
        for (slot, key) in self.slots.iter().zip(used + 1..) {
            slot.store(key << COUNT_BITS, Ordering::Relaxed);
        }
        let next = used + 1 + self.slots.len() as u64;
        self.first.store(used + 1, Ordering::Relaxed);
        self.next.store(next, Ordering::Relaxed);
        next <= self.last + 1
    }

    /// Returns the key for a read.
    #[inline]
    pub fn for_read(&self, slot: u64) -> u64 {
        self.slots[slot as usize].load(Ordering::Relaxed) >> COUNT_BITS
    }

    /// Returns the key for an append, or `None` if all keys have been used.
    #[inline]
    pub fn for_append(&self, slot: u64) -> Option<u64> {
        let slot = &self.slots[slot as usize];
        let mut fresh = None;
        let mut word = slot.load(Ordering::Relaxed);
        loop {
            let count = word & ((1 << COUNT_BITS) - 1);
            let new = if count < APPENDS_MAX {
                word + 1
            } else {
                // Another session may replace the key first. The fresh key then remains unused.
                let key = *fresh.get_or_insert_with(|| self.next.fetch_add(1, Ordering::Relaxed));
                if key > self.last {
                    return None;
                }
                key << COUNT_BITS | 1
            };
            match slot.compare_exchange_weak(word, new, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(new >> COUNT_BITS),
                Err(found) => word = found,
            }
        }
    }

    /// Returns the keys that clients may have used.
    pub fn used(&self) -> std::ops::RangeInclusive<u64> {
        let next = self.next.load(Ordering::Relaxed);
        self.first.load(Ordering::Relaxed)..=(next - 1).min(self.last)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_key_is_replaced_after_its_last_append() {
        let keys = Keys::new(2, 10);
        for _ in 0..APPENDS_MAX {
            assert_eq!((keys.for_append(1), keys.for_read(1)), (Some(2), 2));
        }
        assert_eq!((keys.for_append(1), keys.for_read(1), keys.for_read(0)), (Some(3), 3, 1));
        assert_eq!(keys.used(), 1..=3);
        assert!(keys.start_after(8) && !keys.start_after(9));
        let left = (0..2 * APPENDS_MAX).filter_map(|at| keys.for_append(at % 2)).count();
        // The second slot has received key 11, which does not exist. In a run, the check at the start prevents this.
        assert_eq!(left as u64, 2 * APPENDS_MAX);
        assert_eq!(keys.for_append(0), None);
        assert_eq!(keys.used(), 10..=10);
    }

    #[test]
    fn concurrent_sessions_never_append_more_often() {
        let keys = Keys::new(3, 1_000_000);
        let work = || (0..20_000).filter_map(|at| keys.for_append(at % 3)).collect::<Vec<u64>>();
        let all: Vec<u64> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("joined")).collect()
        });
        let mut counts = BTreeMap::new();
        for key in &all {
            *counts.entry(key).or_insert(0) += 1;
        }
        assert_eq!(all.len(), 80_000);
        assert!(counts.values().all(|count| *count <= APPENDS_MAX));
    }
}
