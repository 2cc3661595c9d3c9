//! The time profile as one table of plain values: every row names its part, its time and its kind of
//! transaction, so that any program can filter and turn it.

use std::fmt::Write;

use tacho_analysis::{Figures, Timing};
use tacho_store::IntervalRecord;

use crate::words::csv_cell;

const HEADER: &str = "part,start_s,length_s,phase,transaction,time,calls,failed,min_ms,mean_ms,\
                      max_ms,total_ms,sd_ms,p25_ms,p50_ms,p75_ms,p95_ms,p99_ms,ratio";

/// As CSV with a header; what is not known is empty.
pub fn csv(timing: &Timing) -> String {
    let mut text = format!("{HEADER}\n");
    for own in &timing.procedures {
        for (time, figures) in [("service", &own.service), ("latency", &own.latency)] {
            let ratio = if time == "service" { own.ratio.to_string() } else { String::new() };
            let start = [
                "summary",
                "",
                &timing.measured_s.to_string(),
                "measure",
                &csv_cell(&own.name),
                time,
            ]
            .join(",");
            line(&mut text, &start, &own.failed.to_string(), figures, &ratio);
        }
    }
    for span in &timing.spans {
        for own in &span.transactions {
            for (time, figures) in [("service", &own.service), ("latency", &own.latency)] {
                let (start, length) = (span.start_s.to_string(), span.length_s.to_string());
                let start =
                    ["span", &start, &length, "measure", &csv_cell(&own.name), time].join(",");
                line(&mut text, &start, "", figures, "");
            }
        }
    }
    timing.intervals.iter().for_each(|interval| interval_lines(&mut text, interval));
    text
}

fn line(text: &mut String, start: &str, failed: &str, own: &Figures, ratio: &str) {
    let values = [
        ms(own.min_us),
        ms(own.mean_us),
        ms(own.max_us),
        ms(Some(own.total_us)),
        ms(own.sd_us),
        ms(own.p25_us),
        ms(own.p50_us),
        ms(own.p75_us),
        ms(own.p95_us),
        ms(own.p99_us),
    ];
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{start},{},{failed},{},{ratio}", own.calls, values.join(","));
}

/// An interval of the record, which keeps fewer figures than a histogram.
fn interval_lines(text: &mut String, interval: &IntervalRecord) {
    let start = interval.at_s - interval.length_s;
    for own in interval.transactions.iter().chain([&interval.totals]) {
        let _ = writeln!(
            text,
            "interval,{start:.3},{},{},{},latency,{},{},,,{},,,,{},,{},{},",
            interval.length_s,
            interval.phase,
            csv_cell(&own.name),
            own.count(),
            own.failed,
            ms(own.max_us),
            ms(own.p50_us),
            ms(own.p95_us),
            ms(own.p99_us),
        );
    }
}

fn ms(us: Option<f64>) -> String {
    us.map_or_else(String::new, |us| plain(&format!("{:.6}", us / 1e3)))
}

/// A number without zeros at its end: what is left is exact to the nanosecond.
fn plain(number: &str) -> String {
    number.trim_end_matches('0').trim_end_matches('.').to_owned()
}
