//! The outcome of a search for the highest rate that meets a limit.
//!
//! The search depends only on the windows so far, so an interrupted search can be resumed.
//!
//! Start reading at [`found`].

use tacho_metrics::{RateEstimate, Window};
use tacho_store::sweep::{Found, RateInterval};

/// Returns the outcome of a search. Without an estimate, it is the highest passing rate below every failing rate.
pub(super) fn found(limit: String, windows: &[Window], estimate: Option<RateEstimate>) -> Found {
    let held = || windows.iter().filter(|window| window.holds);
    let failed = windows.iter().filter(|window| !window.holds);
    let fails_at_per_s = failed.map(|window| window.rate).min_by(f64::total_cmp);
    let ceiling = fails_at_per_s.unwrap_or(f64::INFINITY);
    let highest = held().map(|window| window.rate).filter(|rate| *rate < ceiling);
    let interval = estimate.map(|estimate| RateInterval {
        low_per_s: estimate.low,
        high_per_s: estimate.high,
        windows: windows.len() as u32,
        held: held().count() as u32,
    });
    let holds_at_per_s =
        estimate.map(|estimate| estimate.per_s).or_else(|| highest.max_by(f64::total_cmp));
    Found { limit, holds_at_per_s, fails_at_per_s, interval, in_steps: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_an_estimate_the_highest_rate_is_below_every_failure() {
        let windows = [(100.0, true), (200.0, false), (300.0, true)]
            .map(|(rate, holds)| Window { rate, holds });
        let found = found("p99<1s".into(), &windows, None);
        assert_eq!((found.holds_at_per_s, found.fails_at_per_s), (Some(100.0), Some(200.0)));
    }
}
