//! The performance profile of a sweep: charts of throughput, latency and waits for each value of
//! the varied setting.
//!
//! Start reading at [`profile`].

use serde_json::{Value, json};
use tacho_analysis::{
    Measurement, QUERIES_PER_HOUR, SweepRow, SweepSide, SweepView, clean, is_for_the_client, label,
    median_run,
};
use tacho_store::record::Record;

use super::waits::{looks, name};
use super::{short, timeline};
use crate::document::Chart;
use tacho_analysis::contrast;

/// Explanation shown with a profile of increasing load, which has a peak and a knee.
const LADDER: &str = "The upper part shows the throughput with the 95 % confidence interval of each point: \
    the peak is the maximum, the knee is the first point that reaches 95 % of it. The lower part shows the latency: \
    beyond the knee, more load mostly adds waiting time.";
/// Explanation below the chart if the load does not increase from point to point, because a
/// different setting varies.
const SIDE_BY_SIDE: &str = "The upper part shows the throughput of each point with its 95 % confidence \
    interval: if the intervals overlap, the points may be equal. The lower part shows the latency.";

/// Returns a chart of throughput and latency over the last setting that varies. There is one line
/// for each combination of the other settings.
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
        reading: if view.rows.iter().any(|row| row.peak) { LADDER } else { SIDE_BY_SIDE },
        note: "Latencies are for all transactions combined.".into(),
        data: json!({
            "key": key,
            "metric": view.metric,
            "numeric": is_numeric(view),
            "load": is_load(&key),
            "points": view.rows.iter().map(|row| point(view, row)).collect::<Vec<_>>(),
        }),
    })
}

/// Returns a chart of transaction throughput against query throughput, if the sweep has both.
pub(in crate::report) fn frontier(view: &SweepView) -> Option<Chart> {
    let pair = |row: &SweepRow| row.throughput.zip(row.queries_per_hour);
    let points: Vec<Value> = view
        .rows
        .iter()
        .filter_map(|row| Some((row, pair(row)?)))
        .map(|(row, (value, queries))| {
            json!({
                "name": row_name(view, row),
                "value": short(value),
                "queries": short(queries),
                "mean": row.queries_mean_s.map(|seconds| short(seconds * 1e6)),
                "below": row.below_frontier,
                "valid": row.valid,
            })
        })
        .collect();
    (!points.is_empty()).then(|| Chart {
        id: "frontier".into(),
        kind: "frontier",
        title: format!("{} and {}", view.metric, QUERIES_PER_HOUR),
        reading: "Each point shows both throughputs at the same time. The line is the frontier: \
                  analysis increases to the right, transactions increase upwards. A hollow point \
                  is below the frontier: another point has more of both. A nearly level line \
                  means that the queries slow the transactions only slightly.",
        note:
            "For repeated points, the chart shows the median run; the intervals are in the table."
                .into(),
        data: json!({ "metric": view.metric, "queries": QUERIES_PER_HOUR, "points": points }),
    })
}

/// Returns a chart of throughput over time, for a point that the reader selects.
pub(in crate::report) fn points(side: &SweepSide) -> Option<Chart> {
    let points: Vec<Value> = runs(side)
        .filter_map(|(name, run)| {
            let chart = timeline::throughput(run)?;
            Some(json!({ "name": name, "note": chart.note, "data": chart.data }))
        })
        .collect();
    (!points.is_empty()).then(|| Chart {
        id: "points".into(),
        kind: "points",
        title: "Throughput of a point over time".into(),
        reading: "A level line is good: a slope means that the throughput was not steady at this \
            point; a dip means a disturbance. The shaded ramp-up is excluded from all results; the \
            band is the 95 % confidence interval of the mean.",
        note:
            "For repeated points, the median run is drawn. Transactions are counted by the client."
                .into(),
        data: json!({ "points": points }),
    })
}

/// Returns the median run of each point, along with the point's name.
pub(in crate::report) fn runs(side: &SweepSide) -> impl Iterator<Item = (String, &Measurement)> {
    let rows = side.view.rows.iter().zip(&side.runs);
    rows.filter_map(|(row, runs)| Some((row_name(&side.view, row), median_run(runs)?)))
}

/// Returns all runs of each point, with the name of the point.
pub(in crate::report) fn all_runs(
    side: &SweepSide,
) -> impl Iterator<Item = (String, &Measurement)> {
    let rows = side.view.rows.iter().zip(&side.runs);
    rows.flat_map(move |(row, runs)| runs.iter().map(move |run| (row_name(&side.view, row), run)))
}

/// Describes a point in words, such as `sessions 4, form sql`.
fn row_name(view: &SweepView, row: &SweepRow) -> String {
    let keys: Vec<String> = view.sweep.vary.iter().map(|varied| varied.key.clone()).collect();
    label(&keys, &row.values)
}

/// Returns a chart that compares the throughput and latency of several sweeps. The x-axis is a
/// setting that varies in all of them.
pub(in crate::report) fn over(sides: &[SweepSide], axes: &[String]) -> Option<Chart> {
    let key = axes.last()?;
    let views = || sides.iter().map(|side| &side.view);
    let names = names(sides);
    let points: Vec<Value> = views()
        .zip(&names)
        .flat_map(|(view, name)| view.rows.iter().map(move |row| along(view, row, key, name)))
        .collect();
    let metric = &sides.first()?.view.metric;
    let measured = views().flat_map(|view| &view.rows).any(|row| row.throughput.is_some());
    measured.then(|| Chart {
        id: "over-profile".into(),
        kind: "profile",
        title: format!("{metric} and latency by {} for each sweep", clean(key)),
        reading: "Lines that stay apart over the whole range differ. If the 95 % confidence intervals of two \
            points overlap, chance may explain the difference; the table below has a verdict on each pair. \
            Rings mark the peaks.",
        note: "Latencies are for all transactions combined.".into(),
        data: json!({
            "key": clean(key),
            "metric": metric,
            "numeric": points.iter().all(|point| is_number(point["x"].as_str().unwrap_or_default())),
            "load": is_load(key),
            "points": points,
        }),
    })
}

/// Returns names for the sweeps, which include the targets if the targets differ.
fn names(sides: &[SweepSide]) -> Vec<String> {
    let first = |side: &SweepSide| side.runs.iter().flatten().next().map(|run| run.record.clone());
    let firsts: Vec<Record> = sides.iter().filter_map(first).collect();
    let labels = contrast::labels(&firsts.iter().collect::<Vec<_>>());
    let named = |place: usize, side: &SweepSide| {
        let sweep = &side.view.sweep;
        let role = if place == 0 { "baseline" } else { "run" };
        let role = if place > 0 && sides.len() > 2 { String::new() } else { format!("{role} ") };
        let label_words = labels.get(place).filter(|_| labels.len() == sides.len());
        let label_words = label_words.map_or_else(String::new, |label| format!(", {label}"));
        format!("{role}{} ({}{label_words})", sweep.id, clean(&sweep.target_name))
    };
    sides.iter().enumerate().map(|(place, side)| named(place, side)).collect()
}

/// Converts a point for drawing. The point's value of the setting `axis` is its x-coordinate. The
/// other settings become part of the series name.
fn along(view: &SweepView, row: &SweepRow, axis: &str, name: &str) -> Value {
    let pairs = || view.sweep.vary.iter().map(|varied| varied.key.as_str()).zip(&row.values);
    let x =
        pairs().find(|(key, _)| *key == axis).map_or("closed".into(), |(_, value)| clean(value));
    let others = pairs().filter(|(key, _)| *key != axis);
    let series: Vec<String> = std::iter::once(name.to_owned())
        .chain(others.map(|(key, value)| format!("{} {}", clean(key), clean(value))))
        .collect();
    figures(row, &x, &series.join(", "))
}

/// Returns a chart of the server sessions' wait events at each point.
pub(in crate::report) fn waits(view: &SweepView, alone: bool) -> Option<Chart> {
    let has_waits = |row: &&SweepRow| row.waits.iter().any(|wait| !is_for_the_client(wait));
    if !view.rows.iter().any(|row| has_waits(&row)) {
        return None;
    }
    let key = key(view);
    let id = &view.sweep.id;
    let (suffix, of) =
        if alone { <_>::default() } else { (format!("-{id}"), format!(", sweep {id}")) };
    let rows = view.rows.iter().filter(has_waits);
    let bars: Vec<Value> = rows
        .map(|row| {
            let waits = row.waits.iter().filter(|wait| !is_for_the_client(wait));
            let waits = waits.map(|wait| json!([name(wait), short(wait.sessions)]));
            let (x, series) = place(view, row);
            json!({ "x": x, "series": series, "waits": waits.collect::<Vec<_>>() })
        })
        .collect();
    Some(Chart {
        id: format!("sweep-waits{suffix}"),
        kind: "sweepWaits",
        title: format!("Server waits over {key}{of}"),
        reading: "Sessions that ran or waited in the server, by wait event. A growing wait event \
                  limits the load; CPU, at the bottom, means running. A wait event has the same \
                  colour in every report.",
        note: "Averages over the measured phase of the median run of each point. Sessions that waited for the \
               client's next statement are not drawn."
            .into(),
        data: json!({
            "key": key,
            "bars": bars,
            "looks": looks(view.rows.iter().flat_map(|row| &row.waits)),
        }),
    })
}

fn key(view: &SweepView) -> String {
    view.sweep.vary.last().map_or_else(String::new, |varied| clean(&varied.key))
}

fn is_numeric(view: &SweepView) -> bool {
    let last = |row: &SweepRow| row.values.last().is_some_and(|value| is_number(value));
    view.rows.iter().filter(|row| row.throughput.is_some()).all(last)
}

/// Returns true if the setting determines the load. Ideally, throughput grows in proportion to such
/// a setting.
fn is_load(key: &str) -> bool {
    matches!(key, "sessions" | "rate")
}

fn is_number(value: &str) -> bool {
    value.parse::<f64>().is_ok()
}

/// Returns the point's value of the last varied setting, and a description of the values of all
/// other varied settings.
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
    figures(row, &x, &series)
}

fn figures(row: &SweepRow, x: &str, series: &str) -> Value {
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
        "verdict": row.run_verdict.word(),
        "peak": row.peak,
        "knee": row.knee,
    })
}
