//! Formats numbers and lines to fit the space. A number is shown completely or not at all.

use std::time::Duration;

use tacho_core::units::{THIN_SPACE, grouped, latency, significant};

/// Shown in place of an unknown value.
pub(crate) const ABSENT: &str = "–";
/// Mark that replaces text that does not fit.
const MORE: &str = "…";

pub(crate) fn width(text: &str) -> usize {
    ratatui::text::Span::raw(text).width()
}

/// Joins as many parts as fit, separated by `gap`. If parts are omitted, appends a mark.
pub(crate) fn parts<T: AsRef<str>>(all: &[T], gap: &str, room: usize) -> String {
    let mut line = String::new();
    for (place, part) in all.iter().enumerate() {
        let part = part.as_ref();
        let gap = if place == 0 { "" } else { gap };
        let is_last = place + 1 == all.len();
        let mark = if is_last { 0 } else { 1 + width(MORE) };
        if width(&line) + width(gap) + width(part) + mark > room {
            let mark = if line.is_empty() { MORE.to_owned() } else { format!(" {MORE}") };
            return if width(&line) + width(&mark) <= room { line + &mark } else { line };
        }
        line.push_str(gap);
        line.push_str(part);
    }
    line
}

/// Truncates a sentence between two words.
pub(crate) fn sentence(text: &str, room: usize) -> String {
    parts(&text.split(' ').collect::<Vec<_>>(), " ", room)
}

/// Truncates a name to this width. The cut may be in the middle of a word.
pub(crate) fn name(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut cut = String::new();
    for letter in text.chars() {
        if width(&cut) + width(letter.encode_utf8(&mut [0; 4])) + 1 > room {
            break;
        }
        cut.push(letter);
    }
    if room > 0 { cut + MORE } else { cut }
}

/// Formats a latency with its unit.
pub(crate) fn micros(us: Option<f64>) -> String {
    us.map_or_else(|| ABSENT.into(), |us| latency(Duration::from_nanos((us * 1e3) as u64)))
}

/// Formats a rate with three significant digits, even if the rate is small.
pub(crate) fn rate(value: f64) -> String {
    match value {
        v if v <= 0.0 => "0".into(),
        v if v < 0.000_5 => format!("{v:.1e}"),
        v if v < 1.0 => format!("{v:.3}"),
        v => significant(v),
    }
}

/// Formats a duration as `03:20`, with hours if necessary.
pub(crate) fn clock(span: Duration) -> String {
    let seconds = span.as_secs();
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes:02}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// Formats a server counter. If its name shows that it is a size, adds a unit.
pub(crate) fn counter(name: &str, value: u64) -> String {
    if name.ends_with("bytes") { tacho_core::units::bytes(value) } else { grouped(value) }
}

/// Formats a round number for an axis, such as `200`, `50k` or `0.02`.
pub(crate) fn round(value: f64) -> String {
    match value {
        v if v >= 1e9 => format!("{}G", v / 1e9),
        v if v >= 1e6 => format!("{}M", v / 1e6),
        v if v >= 1e4 => format!("{}k", v / 1e3),
        v if v >= 1.0 || v == 0.0 => format!("{v}"),
        v => format!("{v:.*}", (-v.log10()).ceil() as usize),
    }
}

/// Returns the smallest number that is not below `value` and is 1, 2 or 5 times a power of ten.
pub(crate) fn ceiling(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 1.0;
    }
    steps(value).find(|step| *step >= value * 0.999_999).unwrap_or(value)
}

/// Returns the largest number, at most `value`, that is 1, 2 or 5 times a power of ten.
pub(crate) fn floor(value: f64) -> f64 {
    steps(value).take_while(|step| *step <= value * 1.000_001).last().unwrap_or(value)
}

fn steps(value: f64) -> impl Iterator<Item = f64> {
    let power = 10f64.powi(value.log10().floor() as i32);
    [1.0, 2.0, 5.0, 10.0].into_iter().map(move |step| step * power)
}

/// Formats a round time in microseconds for an axis, such as `200 µs` or `1 s`.
pub(crate) fn time(us: f64) -> String {
    let (value, unit) = match us {
        us if us < 0.999 => (us * 1e3, "ns"),
        us if us < 999.0 => (us, "µs"),
        us if us < 999e3 => (us / 1e3, "ms"),
        us => (us / 1e6, "s"),
    };
    format!("{value:.0}{THIN_SPACE}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        text.replace(THIN_SPACE, " ")
    }

    #[test]
    fn parts_are_whole_or_left_out() {
        let all = ["errors 12 345", "late 40 µs", "sessions 64"];
        assert_eq!(parts(&all, "  ", 40), "errors 12 345  late 40 µs  sessions 64");
        assert_eq!(parts(&all, "  ", 30), "errors 12 345  late 40 µs …");
        assert_eq!(parts(&all, "  ", 15), "errors 12 345 …");
        assert_eq!(parts(&all, "  ", 14), "…");
        assert_eq!(parts(&all, "  ", 0), "");
    }

    #[test]
    fn names_are_cut_and_axes_are_round() {
        assert_eq!(name("stock_level", 6), "stock…");
        assert_eq!(name("stock", 6), "stock");
        for (value, expected) in [(0.0, "1"), (71_771.0, "100k"), (0.013, "0.02"), (5.0, "5")] {
            assert_eq!(round(ceiling(value)), expected);
        }
        assert_eq!(round(ceiling(1.3e10)), "20G");
        let times: Vec<String> =
            [0.1, 1.0, 200.0, 1e3, 5e5, 1e6, 1e8].map(|us| plain(&time(us))).into();
        assert_eq!(times, ["100 ns", "1 µs", "200 µs", "1 ms", "500 ms", "1 s", "100 s"]);
        assert_eq!((floor(3_999.0), floor(1e3), ceiling(1e3)), (2e3, 1e3, 1e3));
        assert_eq!(
            (rate(0.0), rate(0.012), rate(1e-5)),
            ("0".into(), "0.012".into(), "1.0e-5".into())
        );
    }
}
