//! Calendar days, represented by their midnight in microseconds since 1970.

use tpchgen::dates::{MIN_GENERATE_DATE, TOTAL_DATE_RANGE, TPCHDate};

const DAY_US: i64 = 86_400_000_000;

/// Returns a day in the Gregorian calendar. Months are counted from 1. A month above 12 belongs to a later year.
pub const fn day(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = (year + (month - 1) / 12, (month - 1) % 12 + 1);
    // Let the year start on 1 March, so that the leap day is its last day.
    let shifted = if month > 2 { year } else { year - 1 };
    let month = (month + 9) % 12;
    let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400;
    (days + (153 * month + 2) / 5 + day - 1 - 719_468) * DAY_US
}

/// Returns the day that is `days` days later.
pub const fn later(day: i64, days: i64) -> i64 {
    day + days * DAY_US
}

/// Formats a day, as in `1995-03-15`. The generator supports only the years 1992 to 1998.
pub fn text(midnight: i64) -> String {
    let index = midnight.div_euclid(DAY_US) - i64::from(TPCHDate::UNIX_EPOCH_OFFSET);
    match i32::try_from(index) {
        Ok(index) if (0..TOTAL_DATE_RANGE).contains(&index) => {
            TPCHDate::new(MIN_GENERATE_DATE + index).to_string()
        }
        _ => format!("{midnight} µs since 1970"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_generator() {
        for index in 0..2_557 {
            let date = TPCHDate::new(MIN_GENERATE_DATE + index);
            let (year, month, of_month) = date.to_ymd();
            let expected = i64::from(date.to_unix_epoch()) * DAY_US;
            assert_eq!(text(expected), date.to_string());
            assert_eq!(day(1900 + i64::from(year), month.into(), of_month.into()), expected);
        }
        assert_eq!((day(1970, 1, 1), day(1995, 14, 1)), (0, day(1996, 2, 1)));
        assert_eq!(later(day(1998, 12, 1), -90), day(1998, 9, 2));
    }
}
