//! Which of several addresses work: one that fails is left out of its routes until it is found again.
//!
//! All sessions of a run share it, and read it before each transaction; it is written only when an address fails
//! or is back. Who looks whether an address is back is outside of the engine. Start reading at
//! [`Health::leave_out`].

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// The state of each address.
#[derive(Debug, Default)]
pub struct Health {
    places: Vec<Place>,
    /// How many are out.
    out: AtomicU32,
}

#[derive(Debug, Default)]
struct Place {
    out: AtomicBool,
    /// How often it was left out. A connection that was opened before is of no use any more.
    generation: AtomicU32,
    why: Mutex<Option<String>>,
}

impl Health {
    /// So many addresses, all of which work.
    pub fn new(addresses: usize) -> Self {
        Self { places: (0..addresses).map(|_| Place::default()).collect(), out: AtomicU32::new(0) }
    }

    /// Whether all work.
    #[inline]
    pub(crate) fn is_good(&self) -> bool {
        self.out.load(Ordering::Relaxed) == 0
    }

    /// Whether one is left out.
    pub fn is_out(&self, address: usize) -> bool {
        self.places[address].out.load(Ordering::Acquire)
    }

    /// How often it was left out.
    #[inline]
    pub(crate) fn generation(&self, address: usize) -> u32 {
        self.places[address].generation.load(Ordering::Acquire)
    }

    /// Leaves one out that a connection of this generation has found to fail. What an older connection finds is
    /// known already.
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

    /// Takes one back that works again.
    pub fn take_back(&self, address: usize) {
        if self.places[address].out.swap(false, Ordering::AcqRel) {
            self.out.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Why an address was left out last; returned once.
    pub fn take_reason(&self, address: usize) -> Option<String> {
        self.places[address].why.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_left_out_once_for_all_who_see_it_fail() {
        let health = Health::new(2);
        health.leave_out(1, 0, "gone");
        health.leave_out(1, 0, "gone too");
        assert!(health.is_out(1) && !health.is_out(0) && !health.is_good());
        assert_eq!((health.generation(1), health.take_reason(1)), (1, Some("gone".into())));
        health.take_back(1);
        health.take_back(1);
        assert!(health.is_good() && health.take_reason(1).is_none());
        // A connection of before has nothing new to say.
        health.leave_out(1, 0, "still gone");
        assert!(health.is_good());
        health.leave_out(1, 1, "again");
        assert_eq!((health.is_out(1), health.generation(1)), (true, 2));
    }
}
