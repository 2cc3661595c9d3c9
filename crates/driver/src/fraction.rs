//! Decimals in floating-point columns. The database stores a decimal as the floating-point number that is closest to
//! it.
//!
//! A number that is not the closest one to any decimal with the given number of digits is not treated as a decimal,
//! because it is usually the result of a computation.

/// The limit up to which every integer has an exact floating-point representation.
pub const EXACT: u64 = 1 << 53;

/// Returns the unscaled decimal that this double stands for, with `scale` digits after the decimal point.
pub fn of_double(number: f64, scale: u8) -> Option<i64> {
    let factor = 10_f64.powi(scale.into());
    let unscaled = (number * factor).round();
    #[expect(clippy::float_cmp, reason = "the comparison is true only for the nearest number")]
    let is_nearest = unscaled / factor == number;
    (is_nearest && unscaled.abs() <= EXACT as f64).then_some(unscaled as i64)
}

/// Returns the unscaled decimal that this single-precision number stands for.
pub fn of_single(number: f32, scale: u8) -> Option<i64> {
    let factor = 10_f64.powi(scale.into());
    let unscaled = (f64::from(number) * factor).round();
    #[expect(clippy::float_cmp, reason = "the comparison is true only for the nearest number")]
    let is_nearest = (unscaled / factor) as f32 == number;
    (is_nearest && unscaled.abs() <= EXACT as f64).then_some(unscaled as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_is_the_decimal_that_it_is_nearest_to() {
        for (number, scale, decimal) in [
            (0.1, 1, Some(1)),
            (0.2, 4, Some(2_000)),
            (-12.34, 2, Some(-1_234)),
            (0.1 + 0.2, 1, None),
            (1.0 / 3.0, 4, None),
            (9.0e15, 0, Some(9_000_000_000_000_000)),
            (1.0e16, 0, None),
            (f64::NAN, 2, None),
            (f64::INFINITY, 2, None),
        ] {
            assert_eq!(of_double(number, scale), decimal, "{number} {scale}");
        }
        assert_eq!(of_single(0.1999, 4), Some(1_999));
        assert_eq!(of_single(0.1, 1), Some(1));
        assert_eq!(of_single(1.0 / 3.0, 4), None);
        assert_eq!(of_single(f32::NAN, 0), None);
    }
}
