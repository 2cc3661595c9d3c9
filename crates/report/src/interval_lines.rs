//! The progress of a run in fixed-width columns, for people and for `grep`.
//!
//! Start reading at [`interval_line`].

use tacho_analysis::QUERIES_PER_HOUR;
use tacho_core::units::grouped;
use tacho_store::IntervalRecord;

use crate::padding::{pad, pad_left};
use crate::words::{ABSENT, compact, maybe_micros, micros};

/// Column widths. If a width is negative, the column is left-aligned, and two spaces separate it
/// from the previous column.
const WIDTHS: [i32; 11] = [8, -9, 10, 8, 9, 9, 9, 9, 9, 8, 9];

/// Width of the query column, which is shown only for runs with query streams.
const QUERIES: usize = 13;
/// Width of the backlog column. It is shown only if transactions arrive at a given rate, so that a
/// backlog can occur.
const BACKLOG: usize = 11;
/// Length of the shortest pause of this process that is printed, in microseconds.
const STOPPED_TOLD_US: f64 = 100_000.0;

/// Returns the column titles. `queries` adds a column for query streams, and `backlog` adds one for waiting arrivals.
pub fn interval_header(headline: Option<&str>, queries: bool, backlog: bool) -> String {
    let headline = headline.map_or_else(|| ABSENT.into(), str::to_lowercase);
    let columns = line(&[
        "time", "phase", "sessions", "tps", &headline, "p50", "p95", "p99", "max", "failed", "late",
    ]);
    let queries = if queries { pad_left(QUERIES_PER_HOUR, QUERIES) } else { String::new() };
    let backlog = if backlog { pad_left("backlog", BACKLOG) } else { String::new() };
    columns + &queries + &backlog
}

/// Formats the results of an interval as one row of the table. The rate of stream queries has a
/// column of its own.
pub fn interval_line(interval: &IntervalRecord) -> String {
    let all = &interval.totals;
    let skipped = match interval.skipped {
        0 => String::new(),
        skipped => format!("  {} skipped", grouped(skipped)),
    };
    let columns = line(&[
        &clock(interval.at_s, interval.length_s),
        &interval.phase,
        &format!("{}/{}", interval.sessions, interval.sessions_planned),
        &compact(interval.throughput_per_s),
        &interval.headline_per_minute.map_or_else(|| ABSENT.into(), compact),
        &maybe_micros(all.p50_us),
        &maybe_micros(all.p95_us),
        &maybe_micros(all.p99_us),
        &maybe_micros(all.max_us),
        &grouped(all.failed),
        &maybe_micros(interval.late_max_us.or(interval.late_p99_us)),
    ]);
    let queries = interval.queries_per_hour.map(compact);
    let queries = queries.map_or_else(String::new, |rate| pad_left(&rate, QUERIES));
    let backlog = interval.backlog.map(|count| pad_left(&grouped(count), BACKLOG));
    columns + &queries + &backlog.unwrap_or_default() + &skipped + &stopped(interval)
}

/// Reports that this process paused during the interval.
fn stopped(interval: &IntervalRecord) -> String {
    match interval.tool_stopped_us {
        Some(us) if us >= STOPPED_TOLD_US => format!("  this tool stopped for {}", micros(us)),
        _ => String::new(),
    }
}

fn line(cells: &[&str; WIDTHS.len()]) -> String {
    let cell = |(text, width): (&&str, i32)| match width.try_into() {
        Ok(width) => pad_left(text, width),
        Err(_) => format!("  {}", pad(text, width.unsigned_abs() as usize)),
    };
    cells.iter().zip(WIDTHS).map(cell).collect()
}

/// Formats a time as minutes and seconds. If intervals are shorter than a second, adds fractions.
fn clock(at_s: f64, length_s: f64) -> String {
    let unit = match length_s {
        0.095..0.95 => 10_u32,
        0.001..0.095 => 100,
        _ => 1,
    };
    let units = (at_s * f64::from(unit)).round() as u64;
    let (seconds, part) = (units / u64::from(unit), units % u64::from(unit));
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let part = match unit {
        1 => String::new(),
        10 => format!(".{part}"),
        _ => format!(".{part:02}"),
    };
    match hours {
        0 => format!("{minutes:02}:{seconds:02}{part}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}{part}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_successive_intervals_differ() {
        let table = [
            (61.0, 1.0, "01:01"),
            (3_661.2, 10.0, "1:01:01"),
            (1.5, 0.5, "00:01.5"),
            (2.0, 0.5, "00:02.0"),
            (0.049, 0.05, "00:00.05"),
        ];
        for (at_s, length_s, expected) in table {
            assert_eq!(clock(at_s, length_s), expected);
        }
    }
}
