//! The performance profile: throughput, latency and waits over what varied.
//!
//! Start reading at [`profile`].

use serde_json::{Value, json};

use super::short;
use super::waits::name;
use crate::report::document::Chart;
use crate::sweep::{SweepRow, SweepView};
use crate::words::clean;

/// Throughput and latency over the last value that varied, a line for each combination of the
/// others.
pub(in crate::report) fn profile(view: &SweepView) -> Option<Chart> {
    let measured = view.rows.iter().filter(|row| row.throughput.is_some()).count();
    if measured == 0 {
        return None;
    }
    let key = key(view);
    Some(Chart {
        id: "profile".into(),
        kind: "profile",
        title: format!("{} and latency over {key}", view.metric),
        reading: "The upper part shows how much the system does, with the 95 % interval of each \
                  point: the peak is the most, the knee the first point with 95 % of it. The lower \
                  part shows what a user waits: past the knee, more load buys only waiting.",
        note: "The latencies are those of all transactions together.".into(),
        data: json!({
            "key": key,
            "metric": view.metric,
            "numeric": is_numeric(view),
            "points": view.rows.iter().map(|row| point(view, row)).collect::<Vec<_>>(),
        }),
    })
}

/// What the server's sessions waited for at each point.
pub(in crate::report) fn waits(view: &SweepView) -> Option<Chart> {
    if view.rows.iter().all(|row| row.waits.is_empty()) {
        return None;
    }
    let key = key(view);
    let rows = view.rows.iter().filter(|row| !row.waits.is_empty());
    let bars: Vec<Value> = rows
        .map(|row| {
            let waits = row.waits.iter().map(|wait| json!([name(wait), short(wait.sessions)]));
            let (x, series) = place(view, row);
            json!({ "x": x, "series": series, "waits": waits.collect::<Vec<_>>() })
        })
        .collect();
    Some(Chart {
        id: "sweep-waits".into(),
        kind: "sweepWaits",
        title: format!("Waits in the server over {key}"),
        reading: "Sessions with work open in the server, by what held them. What grows is what holds \
                  the load up; CPU means running, pale is waiting for the client's next statement.",
        note: "Averages over the measured phase of the last run of each point.".into(),
        data: json!({ "key": key, "bars": bars }),
    })
}

fn key(view: &SweepView) -> String {
    view.sweep.vary.last().map_or_else(String::new, |varied| clean(&varied.key))
}

fn is_numeric(view: &SweepView) -> bool {
    let last = |row: &SweepRow| row.values.last().is_some_and(|own| own.parse::<f64>().is_ok());
    view.rows.iter().filter(|row| row.throughput.is_some()).all(last)
}

/// The last value, and the others in words.
fn place(view: &SweepView, row: &SweepRow) -> (String, String) {
    let Some((last, others)) = row.values.split_last() else {
        return ("closed".into(), String::new());
    };
    let keys = view.sweep.vary.iter().map(|varied| varied.key.as_str());
    let others: Vec<String> =
        keys.zip(others).map(|(key, value)| format!("{key} {}", clean(value))).collect();
    (clean(last), others.join(", "))
}

fn point(view: &SweepView, row: &SweepRow) -> Value {
    let (x, series) = place(view, row);
    json!({
        "x": x,
        "series": series,
        "value": row.throughput.map(short),
        "low": row.low.map(short),
        "high": row.high.map(short),
        "p95": row.p95_us.map(short),
        "p99": row.p99_us.map(short),
        "failed": row.failed,
        "valid": row.valid,
        "peak": row.peak,
        "knee": row.knee,
    })
}
