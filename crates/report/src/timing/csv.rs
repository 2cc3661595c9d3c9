//! The time profile as a single table with one value per cell, which any program can filter and
//! pivot.

use serde_json::{Value, json};
use tacho_analysis::{Figures, Timing};
use tacho_store::IntervalRecord;

/// Returns the profile as CSV with a header. Unknown values are left empty.
pub fn csv(timing: &Timing) -> String {
    let mut rows = Vec::new();
    for procedure in &timing.procedures {
        for (time, figures) in [("service", &procedure.service), ("latency", &procedure.latency)] {
            let mut row = row("summary", &procedure.name, time, figures);
            row["length_s"] = timing.measured_s.into();
            row["failed"] = procedure.failed.into();
            row["ratio"] = json!((time == "service").then_some(procedure.ratio));
            rows.push(row);
        }
    }
    for span in &timing.spans {
        for transaction in &span.transactions {
            for (time, figures) in
                [("service", &transaction.service), ("latency", &transaction.latency)]
            {
                let mut row = row("span", &transaction.name, time, figures);
                row["start_s"] = span.start_s.into();
                row["length_s"] = span.length_s.into();
                rows.push(row);
            }
        }
    }
    rows.extend(timing.intervals.iter().flat_map(interval_rows));
    crate::csv::text(&rows, "\n")
}

/// Returns the rows of an interval. Some of their cells are empty, because the record stores fewer
/// statistics for an interval than a histogram provides.
fn interval_rows(interval: &IntervalRecord) -> impl Iterator<Item = Value> {
    interval.transactions.iter().chain([&interval.totals]).map(|transaction| {
        let (calls, max_us) = (transaction.count(), transaction.max_us);
        let (p50_us, p95_us, p99_us) = (transaction.p50_us, transaction.p95_us, transaction.p99_us);
        let known = Figures { calls, max_us, p50_us, p95_us, p99_us, ..Figures::default() };
        let mut row = row("interval", &transaction.name, "latency", &known);
        row["start_s"] = format!("{:.3}", interval.at_s - interval.length_s).into();
        row["length_s"] = interval.length_s.into();
        row["phase"] = interval.phase.as_str().into();
        row["failed"] = transaction.failed.into();
        row["total_ms"] = Value::Null;
        row
    })
}

/// Returns a row for the measured phase. Its start and length are still missing and must be added
/// by the caller.
fn row(part: &str, transaction: &str, time: &str, figures: &Figures) -> Value {
    json!({
        "part": part,
        "start_s": null,
        "length_s": null,
        "phase": "measure",
        "transaction": transaction,
        "time": time,
        "calls": figures.calls,
        "failed": null,
        "min_ms": ms(figures.min_us),
        "mean_ms": ms(figures.mean_us),
        "max_ms": ms(figures.max_us),
        "total_ms": ms(Some(figures.total_us)),
        "sd_ms": ms(figures.sd_us),
        "p25_ms": ms(figures.p25_us),
        "p50_ms": ms(figures.p50_us),
        "p75_ms": ms(figures.p75_us),
        "p95_ms": ms(figures.p95_us),
        "p99_ms": ms(figures.p99_us),
        "ratio": null,
    })
}

/// Converts microseconds to milliseconds without losing nanosecond precision.
fn ms(us: Option<f64>) -> Option<f64> {
    us.map(|us| (us * 1e3).round() / 1e6)
}
