//! Formatting of a record's numbers, which is identical in every output.
//!
//! Start reading at [`duration`] and [`micros`].

use std::time::Duration;

use tacho_config::Stop;
use tacho_core::units::{self, THIN_SPACE, grouped, significant};
use tacho_metrics::Change;

/// Placeholder for an absent value.
pub(crate) const ABSENT: &str = "–";

/// Joins a number and its unit with a non-breaking space.
pub(crate) fn with_unit(number: &str, unit: &str) -> String {
    format!("{number}{THIN_SPACE}{unit}")
}

/// Converts seconds, as they are stored in a record, to a duration.
pub(crate) fn seconds(time: f64) -> Duration {
    Duration::try_from_secs_f64(time).unwrap_or_default()
}

/// Formats a duration for a sentence, such as `250 ms`, `10 s`, `3.4 s`, `2 min 51 s` or `1 h 30 min`.
pub(crate) fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match seconds {
        s if s <= 0.0 => with_unit("0", "s"),
        s if s < 0.95 => units::latency(Duration::from_secs_f64(s)),
        s if s < 59.95 && (s - s.round()).abs() >= 0.05 => with_unit(&format!("{s:.1}"), "s"),
        s if s < 59.95 => with_unit(&whole.to_string(), "s"),
        s if s < 3599.5 => two([whole / 60, whole % 60], ["min", "s"]),
        _ => two([whole / 3600, whole % 3600 / 60], ["h", "min"]),
    }
}

/// Formats a [`Duration`] like [`duration`].
pub(crate) fn span(time: Duration) -> String {
    duration(time.as_secs_f64())
}

/// Turns a clause into a sentence. Adds a full stop and a capital letter at the start, except if the clause starts with
/// the name of a setting.
pub(crate) fn sentence(clause: &str) -> String {
    let stop = if clause.ends_with('.') { "" } else { "." };
    if clause.split(' ').next().is_some_and(|word| word.contains('_')) {
        return format!("{clause}{stop}");
    }
    let mut chars = clause.chars();
    let first = chars.next().map(char::to_uppercase);
    let first: String = first.into_iter().flatten().collect();
    format!("{first}{}{stop}", chars.as_str())
}

/// Describes how long a run is planned to last: a time, a number of transactions, or until all
/// sessions end.
pub(crate) fn planned(stop: Stop) -> String {
    match stop {
        Stop::After(length) => span(length),
        Stop::Count(count) => units::counted(count, "transaction"),
        Stop::Done => "until all sessions are done".into(),
    }
}

/// Formats a duration in two units, as in `2 min 51 s`. The second number is omitted if it is 0.
fn two(numbers: [u64; 2], units: [&str; 2]) -> String {
    let first = with_unit(&grouped(numbers[0]), units[0]);
    match numbers[1] {
        0 => first,
        rest => format!("{first}{THIN_SPACE}{}", with_unit(&rest.to_string(), units[1])),
    }
}

/// Formats a number of cores, such as `1 core` or `16 cores`.
pub(crate) fn cores(count: u32) -> String {
    units::counted(count.into(), "core")
}

pub(crate) fn micros(us: f64) -> String {
    units::latency(Duration::from_nanos((us.max(0.0) * 1e3).round() as u64))
}

/// Formats a latency like [`micros`], or returns a dash if it is absent.
pub(crate) fn maybe_micros(us: Option<f64>) -> String {
    us.map_or_else(|| ABSENT.into(), micros)
}

/// Returns the date and time of an RFC 3339 timestamp to the minute. The time zone is that of the
/// timestamp.
pub(crate) fn minute(date: &str) -> String {
    date.chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect()
}

/// Formats a number in at most seven characters, such as `68 500`, `114 k` or `10.2 M`.
pub(crate) fn compact(value: f64) -> String {
    match value {
        v if v < 99_999.5 => significant(v),
        v if v < 9_999_500.0 => with_unit(&grouped((v / 1e3).round() as i64), "k"),
        v => with_unit(&significant(v / 1e6), "M"),
    }
}

/// Formats the uncertainty of a value as a percentage, such as `±0.8 %`. This is half the width of the interval,
/// relative to the value.
pub(crate) fn relative(value: f64, low: f64, high: f64) -> String {
    let share = if value == 0.0 { 0.0 } else { (high - low) / 2.0 / value.abs() * 100.0 };
    let digits = if share < 0.095 { 2 } else { 1 };
    with_unit(&format!("±{share:.digits$}"), "%")
}

/// Formats a change with its sign, such as `+0.4 %` or `−9.7 %`.
pub(crate) fn change(share: f64) -> String {
    let sign = if share < 0.0 { '−' } else { '+' };
    format!("{sign}{}", units::percent(share.abs()))
}

/// Changes of at least this factor are not shown as percentages, because a number such as +16408.6 % is hard to read.
pub(crate) const FACTOR_FROM: f64 = 9.0;

/// Formats both ends of a change's confidence interval.
pub(crate) fn interval(change: Change) -> String {
    format!("{} … {}", relative_change(change.low), relative_change(change.high))
}

/// Formats a relative change with its sign, or as a factor if it is large.
pub(crate) fn relative_change(share: f64) -> String {
    if share < FACTOR_FROM { change(share) } else { format!("×{}", compact(1.0 + share)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (seconds, expected) in [
            (0.0, "0 s"),
            (0.25, "250 ms"),
            (0.999, "1 s"),
            (10.002, "10 s"),
            (3.42, "3.4 s"),
            (59.97, "1 min"),
            (171.0, "2 min 51 s"),
            (600.0, "10 min"),
            (5_400.0, "1 h 30 min"),
        ] {
            assert_eq!(duration(seconds).replace(THIN_SPACE, " "), expected);
        }
    }

    #[test]
    fn figures() {
        let plain = |text: String| text.replace(THIN_SPACE, " ");
        assert_eq!(plain(compact(114_210.0)), "114 k");
        assert_eq!(plain(compact(68_500.0)), "68 500");
        assert_eq!(plain(compact(10_200_000.0)), "10.2 M");
        assert_eq!(plain(relative(100.0, 99.2, 100.8)), "±0.8 %");
        assert_eq!(plain(relative(100.0, 99.97, 100.03)), "±0.03 %");
        assert_eq!(plain(change(-0.097)), "−9.7 %");
        assert_eq!(minute("2026-03-02T10:13:44Z"), "2026-03-02 10:13");
    }
}
