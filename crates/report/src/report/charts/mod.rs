//! The data of the charts: arrays of figures, short enough to travel with the page.
//!
//! It must never cut anything off silently: where neighbours are put together, the note of the
//! chart says how long a column is. Start reading at [`columns`](columns::columns).

mod columns;
pub mod compare;
mod events;
pub(super) mod hosts;
pub(super) mod latency;
pub(super) mod queries;
pub(super) mod runs;
pub(super) mod sweep;
pub(super) mod timeline;
pub(super) mod waits;

/// Digits of a figure in a chart: more than any axis or table shows, and a third of the size.
const DIGITS: i32 = 5;

/// A figure with five significant digits.
fn short(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10_f64.powi(DIGITS - 1 - value.abs().log10().floor() as i32);
    // Whole numbers stay whole.
    if scale <= 1.0 { value.round() } else { (value * scale).round() / scale }
}

/// Times are rounded to the millisecond.
fn at(seconds: f64) -> f64 {
    (seconds * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_five_digits() {
        let shortened = [123_456.0, 12.345_678, 0.0, 0.000_123_456_7].map(short);
        assert_eq!(format!("{shortened:?}"), "[123456.0, 12.346, 0.0, 0.00012346]");
    }
}
