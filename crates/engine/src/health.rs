//! Tracks which database addresses can be used. If an address fails, it receives no transactions until it has
//! recovered.
//!
//! Sessions read this state before each transaction, but it changes only when an address fails or recovers.
//!
//! Start reading at [`Health::leave_out`].

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// The state of all addresses.
#[derive(Debug, Default)]
pub struct Health {
    places: Vec<Place>,
    /// Number of addresses that are excluded.
    out: AtomicU32,
}

#[derive(Debug, Default)]
struct Place {
    out: AtomicBool,
    /// Number of times that the address has been excluded. Connections that were opened before the latest exclusion are
    /// unusable.
    generation: AtomicU32,
    why: Mutex<Option<String>>,
}

impl Health {
    /// Creates the state for `addresses` addresses, all of which are working.
    pub fn new(addresses: usize) -> Self {
        Self { places: (0..addresses).map(|_| Place::default()).collect(), out: AtomicU32::new(0) }
    }

    /// Returns true if all addresses are working.
    #[inline]
    pub(crate) fn is_good(&self) -> bool {
        self.out.load(Ordering::Relaxed) == 0
    }

    /// Returns true if the address is excluded.
    pub fn is_out(&self, address: usize) -> bool {
        self.places[address].out.load(Ordering::Acquire)
    }

    /// Returns the number of times that the address has been excluded.
    #[inline]
    pub(crate) fn generation(&self, address: usize) -> u32 {
        self.places[address].generation.load(Ordering::Acquire)
    }

    /// Excludes an address whose connection failed. A failure has no effect if the connection was opened before the
    /// address was last excluded.
    pub fn leave_out(&self, address: usize, generation: u32, why: &str) {
        let place = &self.places[address];
        let mut reason = place.why.lock().unwrap_or_else(PoisonError::into_inner);
        if self.generation(address) != generation || self.is_out(address) {
            return;
        }
        *reason = Some(why.to_owned());
        place.generation.fetch_add(1, Ordering::AcqRel);
        place.out.store(true, Ordering::Release);
        self.out.fetch_add(1, Ordering::AcqRel);
    }

    /// Makes an address available again after it has recovered.
    pub fn take_back(&self, address: usize) {
        if self.places[address].out.swap(false, Ordering::AcqRel) {
            self.out.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Returns the reason why an address was last excluded. Each reason is returned only once.
    pub fn take_reason(&self, address: usize) -> Option<String> {
        self.places[address].why.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_excluded_once_per_failure() {
        let health = Health::new(2);
        health.leave_out(1, 0, "gone");
        health.leave_out(1, 0, "gone too");
        assert!(health.is_out(1) && !health.is_out(0) && !health.is_good());
        assert_eq!((health.generation(1), health.take_reason(1)), (1, Some("gone".into())));
        health.take_back(1);
        health.take_back(1);
        assert!(health.is_good() && health.take_reason(1).is_none());
        // This failure concerns a connection from before the latest exclusion, so it does not show whether the address
        // works now.
        health.leave_out(1, 0, "still gone");
        assert!(health.is_good());
        health.leave_out(1, 1, "again");
        assert_eq!((health.is_out(1), health.generation(1)), (true, 2));
    }
}
