//! Encodes and decodes `numeric` values in binary form, as groups of four decimal digits.
//!
//! The header has four 16-bit fields: the number of groups, the weight of the first group as a power of 10,000, the
//! sign, and the number of decimal places. The groups follow as 16-bit numbers, the most significant first.
//!
//! Nothing is ever rounded. The caller reports an error if a value does not fit.

const HEADER_BYTES: usize = 8;
const NEGATIVE: u16 = 0x4000;
const BASE: u128 = 10_000;
/// Maximum number of four-digit groups in a 64-bit integer. Groups are counted from the decimal point, so 19 digits may
/// need six groups: one digit, four full groups, and two digits.
const GROUPS_MAX: usize = 6;

/// Appends `unscaled` / 10^`scale`.
#[inline]
pub fn encode(unscaled: i64, scale: u8, out: &mut Vec<u8>) {
    let scale = u16::from(scale);
    let fraction_groups = scale.div_ceil(4);
    let mut rest =
        u128::from(unscaled.unsigned_abs()) * 10_u128.pow(u32::from(fraction_groups * 4 - scale));
    let mut groups = [0_u16; GROUPS_MAX];
    let mut count = 0;
    while rest > 0 {
        groups[count] = (rest % BASE) as u16;
        rest /= BASE;
        count += 1;
    }
    let weight = count as i16 - fraction_groups as i16 - 1;
    let sign = if unscaled < 0 { NEGATIVE } else { 0 };
    out.extend_from_slice(&(count as u16).to_be_bytes());
    out.extend_from_slice(&weight.to_be_bytes());
    out.extend_from_slice(&sign.to_be_bytes());
    out.extend_from_slice(&scale.to_be_bytes());
    for group in groups[..count].iter().rev() {
        out.extend_from_slice(&group.to_be_bytes());
    }
}

/// Returns the value times 10^`scale`, or `None` if the result is not a 64-bit whole number.
#[inline]
pub fn decode(bytes: &[u8], scale: u8) -> Option<i64> {
    let (header, groups) = bytes.split_at_checked(HEADER_BYTES)?;
    let field = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
    let (count, weight, sign) = (field(0), field(2) as i16, field(4));
    if groups.len() != usize::from(count) * 2 || sign & !NEGATIVE != 0 {
        return None;
    }
    let mut whole: u128 = 0;
    for group in groups.chunks_exact(2) {
        let digits = u16::from_be_bytes([group[0], group[1]]);
        whole = whole.checked_mul(BASE)?.checked_add(u128::from(digits))?;
    }
    // The value at the requested scale is `whole` × 10^`power`.
    let power = (i32::from(weight) + 1 - i32::from(count)) * 4 + i32::from(scale);
    let size = shifted(whole, power)?;
    if sign == NEGATIVE { 0_i64.checked_sub_unsigned(size) } else { i64::try_from(size).ok() }
}

/// Returns `whole` × 10^`power` if the result is a 64-bit whole number.
#[inline]
fn shifted(whole: u128, power: i32) -> Option<u64> {
    if whole == 0 {
        return Some(0);
    }
    let factor = 10_u128.checked_pow(power.unsigned_abs())?;
    if power >= 0 {
        return u64::try_from(whole.checked_mul(factor)?).ok();
    }
    // Use a 64-bit division if possible. Most amounts of money fit into 64 bits, and a 128-bit division is a function
    // call that takes 30 ns.
    match (u64::try_from(whole), u64::try_from(factor)) {
        (Ok(whole), Ok(factor)) => whole.is_multiple_of(factor).then(|| whole / factor),
        _ => whole.is_multiple_of(factor).then(|| u64::try_from(whole / factor).ok())?,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_at_their_scale_and_at_larger_ones() {
        let numbers =
            [0, 1, -1, 9, 10_000, 99_999, -12_345_678, 999_999_999_999, i64::MAX, i64::MIN];
        for unscaled in numbers {
            for scale in 0..=20 {
                let mut bytes = Vec::new();
                encode(unscaled, scale, &mut bytes);
                assert_eq!(decode(&bytes, scale), Some(unscaled), "{unscaled} at {scale}");
                let more = decode(&bytes, scale + 3);
                assert_eq!(more, unscaled.checked_mul(1_000), "{unscaled} at {scale} + 3");
            }
        }
    }

    fn sent(weight: i16, sign: u16, groups: &[u16]) -> Vec<u8> {
        let header = [groups.len() as u16, weight as u16, sign, 0];
        header.iter().chain(groups).flat_map(|field| field.to_be_bytes()).collect()
    }

    #[test]
    fn accepts_only_exact_numbers() {
        let table = [
            (sent(0, 0, &[12, 3400]), 2, Some(1_234)),
            (sent(0, 0, &[12, 3400]), 1, None),
            (sent(0, NEGATIVE, &[12, 3400]), 4, Some(-123_400)),
            (sent(-1, 0, &[1]), 4, Some(1)),
            (sent(-1, 0, &[1]), 3, None),
            (sent(1, 0, &[1]), 2, Some(1_000_000)),
            (sent(0, 0, &[]), 30, Some(0)),
            (sent(4, 0, &[922, 3372, 368, 5477, 5807]), 0, Some(i64::MAX)),
            (sent(4, 0, &[922, 3372, 368, 5477, 5808]), 0, None),
            (sent(4, NEGATIVE, &[922, 3372, 368, 5477, 5808]), 0, Some(i64::MIN)),
            (sent(100, 0, &[1]), 0, None),
            (sent(9, 0, &[9_999; 10]), 0, None),
            // NaN and the two infinities, which PostgreSQL supports since version 14, have their own sign values.
            (sent(0, 0xC000, &[]), 2, None),
            (sent(0, 0xD000, &[]), 2, None),
            (sent(0, 0xF000, &[]), 2, None),
            (vec![0, 1, 0, 0], 2, None),
            (vec![0, 2, 0, 0, 0, 0, 0, 0, 0, 1], 2, None),
        ];
        for (bytes, scale, expected) in table {
            assert_eq!(decode(&bytes, scale), expected, "{bytes:?} at {scale}");
        }
    }
}
