//! A chart of many runs side by side.

use serde_json::{Value, json};
use tacho_analysis::{DRAWN_MAX, Side, overall_mean};
use tacho_store::record::{Record, ResultRecord};

use super::short;
use crate::document::Chart;
use crate::words::minute;

/// Name of the side with which all other sides are compared.
pub(in crate::report) const BASELINE: &str = "baseline";

/// Returns a chart of the throughput of each run in chronological order, coloured by group.
pub(in crate::report) fn runs(sides: &[(&str, &Side)], metric: &str) -> Option<Chart> {
    let mut points: Vec<(String, Value)> = Vec::new();
    // If there are hundreds of single runs, draw them in the same colour, because so many colours could not be told
    // apart.
    let single = sides.len() > DRAWN_MAX && sides.iter().all(|(_, side)| side.single().is_some());
    for (name, side) in sides {
        let name = if single && *name != BASELINE { "run" } else { name };
        let found = side.runs.iter().filter_map(|run| point(name, &run.record));
        points.extend(found);
    }
    let results = || sides.iter().flat_map(|(_, side)| &side.runs).map(|run| &run.record.result);
    let streams = results().flatten().any(|result| !result.streams.is_empty());
    points.sort_by(|a, b| a.0.cmp(&b.0));
    (points.len() > 1).then(|| Chart {
        id: "runs".into(),
        kind: "runs",
        title: format!("{metric} of each run"),
        reading: "Each dot is a run with its 95 % confidence interval, in chronological order. The distance \
            between dots of the same colour is the variation from run to run.",
        note: String::new(),
        data: json!({
            "metric": metric,
            "unit": if streams { "us" } else { "" },
            "points": points.into_iter().map(|(_, point)| point).collect::<Vec<_>>(),
        }),
    })
}

/// Returns the main metric. The default is transactions per second or the geometric mean of query times.
pub(in crate::report) fn figure(result: &ResultRecord) -> Option<f64> {
    match result.stated_headline() {
        Some(headline) => Some(headline.per_minute),
        None if result.streams.is_empty() => Some(result.throughput_per_s),
        None => overall_mean(result).map(|(mean, _)| mean),
    }
}

fn point(name: &str, record: &Record) -> Option<(String, Value)> {
    let result = record.result.as_ref()?;
    let value = figure(result)?;
    let interval = result.interval_95.filter(|interval| interval.value > 0.0);
    let point = json!({
        "id": record.id,
        "at": minute(&record.started_at),
        "group": name,
        "value": short(value),
        "low": interval.map(|interval| short(value * interval.low / interval.value)),
        "high": interval.map(|interval| short(value * interval.high / interval.value)),
        "valid": result.valid,
        "verdict": crate::headline::short_verdict(result),
    });
    Some((record.started_at.clone(), point))
}
