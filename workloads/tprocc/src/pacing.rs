//! Keying and think times, clauses 5.2.5.2, 5.2.5.4 and 5.2.5.7.
//!
//! The engine decides whether sessions actually wait. Start reading at [`think`].

use std::time::Duration;

use tacho_core::Rng;

use crate::mix::{DELIVERY, KINDS, ORDER_STATUS};
use crate::settings::Behaviour;

/// Time to key in the input of each transaction, in seconds.
const KEYING: [u64; KINDS] = [18, 3, 2, 2, 2];
/// Mean time to think about the result of each transaction, in seconds.
const THINK: [f64; KINDS] = [12.0, 12.0, 10.0, 5.0, 5.0];
/// Maximum think time, as a multiple of the mean think time.
const CAP: f64 = 10.0;

/// Returns the keying time for a transaction.
#[inline]
pub fn keying(kind: usize) -> Duration {
    Duration::from_secs(KEYING[kind])
}

/// Returns the mean keying and think time of a transaction in a mix with these shares.
pub fn cycle(behaviour: &Behaviour, shares: [f64; KINDS]) -> Duration {
    // Cutting an exponential distribution off at `CAP` times its mean lowers the mean by this factor.
    let capped = if behaviour.think_uncapped { 1.0 } else { 1.0 - (-CAP).exp() };
    let of = |kind: usize| KEYING[kind] as f64 + think_mean(behaviour, kind) * capped;
    Duration::from_secs_f64((0..KINDS).map(|kind| shares[kind] * of(kind)).sum())
}

/// Draws the think time after a transaction.
#[inline]
pub fn think(behaviour: &Behaviour, kind: usize, rng: &mut Rng) -> Duration {
    let mean = think_mean(behaviour, kind);
    let drawn = rng.exponential(mean);
    let capped = if behaviour.think_uncapped { drawn } else { drawn.min(CAP * mean) };
    Duration::from_secs_f64(if behaviour.think_rounded { capped.round() } else { capped })
}

/// Returns the mean think time after a transaction, in seconds.
#[inline]
fn think_mean(behaviour: &Behaviour, kind: usize) -> f64 {
    match kind {
        ORDER_STATUS if behaviour.think_means_swapped => THINK[DELIVERY],
        DELIVERY if behaviour.think_means_swapped => THINK[ORDER_STATUS],
        _ => THINK[kind],
    }
}
