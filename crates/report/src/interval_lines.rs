//! Progress of a run in fixed columns, for people and `grep`.
//!
//! Start reading at [`interval_line`].

use tacho_analysis::QUERIES_PER_HOUR;
use tacho_core::units::grouped;
use tacho_store::IntervalRecord;

use crate::padding::{pad, pad_left};
use crate::words::{ABSENT, compact, maybe_micros, micros};

/// Widths of the columns; a negative one is left-aligned after two spaces.
const WIDTHS: [i32; 11] = [8, -9, 10, 8, 9, 9, 9, 9, 9, 8, 9];

/// Width of the column of runs with streams next to the transactions.
const QUERIES: usize = 13;
/// Width of the column of open runs.
const BACKLOG: usize = 11;
/// Shorter stops of this process are not printed.
const STOPPED_TOLD_US: f64 = 100_000.0;

/// The titles of the columns. `headline` is the name of the workload's own figure, and `queries` are
/// whether streams are next to the transactions. `backlog` is whether arrivals can wait.
pub fn interval_header(headline: Option<&str>, queries: bool, backlog: bool) -> String {
    let headline = headline.map_or_else(|| ABSENT.into(), str::to_lowercase);
    let columns = line(&[
        "time", "phase", "sessions", "tps", &headline, "p50", "p95", "p99", "max", "failed", "late",
    ]);
    let queries = if queries { pad_left(QUERIES_PER_HOUR, QUERIES) } else { String::new() };
    let backlog = if backlog { pad_left("backlog", BACKLOG) } else { String::new() };
    columns + &queries + &backlog
}

/// One interval, all kinds of transactions together, and all queries of streams next to them.
pub fn interval_line(interval: &IntervalRecord) -> String {
    let all = &interval.totals;
    let skipped = match interval.skipped {
        0 => String::new(),
        skipped => format!("  {} skipped", grouped(skipped)),
    };
    let columns = line(&[
        &clock(interval.at_s),
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
    let queries = queries.map_or_else(String::new, |own| pad_left(&own, QUERIES));
    let backlog = interval.backlog.map(|own| pad_left(&grouped(own), BACKLOG));
    columns + &queries + &backlog.unwrap_or_default() + &skipped + &stopped(interval)
}

/// That this process did not run for a part of the interval.
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

/// Minutes and seconds, and hours if there are any.
fn clock(at_s: f64) -> String {
    let seconds = at_s.round() as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes:02}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}
