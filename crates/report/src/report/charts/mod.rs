//! Chart data: arrays of numbers, compact enough to be part of the page.
//!
//! No data is cut off silently. If intervals are merged, the chart says what each column covers.
//!
//! Start reading at [`columns`](columns::columns).

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

/// Number of significant digits in chart data. Full precision would take three times as much space.
const DIGITS: i32 = 5;

fn short(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10_f64.powi(DIGITS - 1 - value.abs().log10().floor() as i32);
    // Integers remain integers.
    if scale <= 1.0 { value.round() } else { (value * scale).round() / scale }
}

/// Rounds a time to milliseconds.
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
