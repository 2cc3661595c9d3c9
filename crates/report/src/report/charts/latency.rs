//! Charts of whole latency distributions. Histograms are drawn as heatmaps and percentile curves.
//!
//! Start reading at [`heatmap`] and [`curves`].

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tacho_analysis::Measurement;
use tacho_metrics::{Latencies, QUANTILES, sample_floor};
use tacho_store::HistogramEntry;

use super::events::events;
use super::{at, short};
use crate::document::Chart;
use crate::words::duration;

/// Number of heatmap rows per factor of ten in latency. With 8 rows, the latencies in each row are
/// a third higher than those in the row below it.
const ROWS_PER_DECADE: f64 = 8.0;
/// Number of points on a percentile curve for each further nine, for example from 99 % to 99.9 %.
const POINTS_PER_NINE: u32 = 20;
/// The suffix of a service-time tag.
const SERVICE: &str = ".service";
/// Name of the latency distribution that combines all transaction types.
const ALL: &str = "all";

/// Latency histograms by transaction type and part of the measured phase. They stay compressed,
/// because decompressing all of them would take hundreds of megabytes.
pub(super) struct Parts<'a> {
    times: Vec<(Duration, Duration)>,
    /// The transaction types by name, starting with `all`.
    kinds: Vec<Kind<'a>>,
}

struct Kind<'a> {
    name: String,
    /// The histograms for each part of the measured phase, which are merged before they are drawn.
    parts: Vec<Vec<&'a HistogramEntry>>,
}

impl<'a> Parts<'a> {
    /// Collects the latency histograms. Service times are ignored.
    pub(super) fn of(entries: &'a [HistogramEntry]) -> Self {
        let latencies = || entries.iter().filter(|entry| !entry.tag.ends_with(SERVICE));
        let times: BTreeMap<Duration, Duration> =
            latencies().map(|entry| (entry.start, entry.start + entry.length)).collect();
        let times: Vec<_> = times.into_iter().collect();
        let empty = |name: &str| Kind { name: name.into(), parts: vec![Vec::new(); times.len()] };
        let mut kinds = vec![empty(ALL)];
        for entry in latencies() {
            let part = times.partition_point(|(start, _)| *start < entry.start);
            let place = kinds.iter().position(|kind| kind.name == entry.tag).unwrap_or_else(|| {
                kinds.push(empty(&entry.tag));
                kinds.len() - 1
            });
            kinds[place].parts[part].push(entry);
            kinds[0].parts[part].push(entry);
        }
        // With only one transaction type, its curve is the same as that of `all`, so drop `all`.
        if kinds.len() == 2 {
            kinds.remove(0);
        }
        Self { times, kinds }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Returns a sentence that tells the reader what each column represents.
    pub(super) fn note(&self) -> String {
        let lengths = self.times.iter().map(|(from, to)| to.saturating_sub(*from));
        let longest = lengths.max().unwrap_or_default();
        format!("Each column represents {} of the measured phase.", duration(longest.as_secs_f64()))
    }

    fn from(&self) -> Vec<f64> {
        self.times.iter().map(|(from, _)| at(from.as_secs_f64())).collect()
    }

    fn to(&self) -> Vec<f64> {
        self.times.iter().map(|(_, to)| at(to.as_secs_f64())).collect()
    }
}

fn micros(span: Duration) -> f64 {
    short(span.as_nanos() as f64 / 1e3)
}

/// Returns percentiles over time, for runs with too many intervals to draw.
pub(super) fn percentiles(parts: &Parts<'_>) -> Value {
    let kinds: Vec<Value> = parts.kinds.iter().map(lines).collect();
    json!({ "from": parts.from(), "to": parts.to(), "phases": [], "kinds": kinds })
}

impl Kind<'_> {
    /// Returns the latencies of each part of the run, combined over all histograms of that part. To
    /// save memory, only one part is decompressed at a time.
    fn latencies(&self) -> impl Iterator<Item = Latencies> {
        self.parts.iter().map(|entries| {
            let mut merged = Latencies::new();
            for entry in entries {
                merged.merge(&entry.latencies());
            }
            merged
        })
    }
}

fn lines(kind: &Kind<'_>) -> Value {
    let (mut lines, mut max) = (QUANTILES.map(|_| Vec::new()), Vec::new());
    for latencies in kind.latencies() {
        for (line, quantile) in lines.iter_mut().zip(QUANTILES) {
            line.push(latencies.at(quantile).map(micros));
        }
        max.push((latencies.count() > 0).then(|| micros(latencies.max())));
    }
    let [p50, _, p95, p99, _] = lines;
    json!({ "name": kind.name, "p50": p50, "p95": p95, "p99": p99, "max": max })
}

/// Returns a heatmap that shows the number of transactions by latency and time.
pub(in crate::report) fn heatmap(run: &Measurement) -> Option<Chart> {
    let parts = Parts::of(&run.histograms);
    if parts.is_empty() {
        return None;
    }
    let kinds: Vec<Value> = parts
        .kinds
        .iter()
        .map(|kind| json!({ "name": kind.name, "cells": cells(kind.latencies()) }))
        .collect();
    Some(Chart {
        id: "heatmap".into(),
        kind: "heatmap",
        title: "Latency heatmap".into(),
        reading: "Each cell counts the transactions of one span of time and one range of latencies. A stronger \
            colour means more transactions; the scale uses the square root, so that rare, slow \
            transactions remain visible. Two bands mean two types of work; a tower means a stall.",
        note: format!(
            "{} Each row represents latencies that are a third higher than those in the row below; together, the rows cover all transactions.",
            parts.note()
        ),
        data: json!({
            "from": parts.from(),
            "to": parts.to(),
            "rows_per_decade": ROWS_PER_DECADE,
            "kinds": kinds,
            "events": events(run),
        }),
    })
}

/// Returns the column, row and count of each non-empty cell, in a flat list. Row 0 starts at one
/// microsecond.
fn cells(parts: impl Iterator<Item = Latencies>) -> Vec<i64> {
    let mut cells = Vec::new();
    for (column, latencies) in parts.enumerate() {
        let mut rows: BTreeMap<i64, u64> = BTreeMap::new();
        for bucket in latencies.inner().iter_recorded() {
            let us = (bucket.value_iterated_to().max(1) as f64) / 1e3;
            let row = (us.log10() * ROWS_PER_DECADE).floor() as i64;
            *rows.entry(row).or_default() += bucket.count_at_value();
        }
        for (row, count) in rows {
            cells.extend([column as i64, row, count as i64]);
        }
    }
    cells
}

/// Returns a chart of the complete latency and service-time distributions by transaction type.
pub(in crate::report) fn curves(run: &Measurement) -> Option<Chart> {
    let kinds = distributions(&run.histograms);
    if kinds.is_empty() {
        return None;
    }
    Some(Chart {
        id: "curves".into(),
        kind: "curves",
        title: "Latency by percentile".into(),
        reading: "The curve shows the time within which a given percentage of the transactions ended. Each step to the right adds a nine to the percentage. The thick line is the latency, from the due time of a \
            transaction; the thin line is the service time, from its send time. A gap between the \
            lines is time spent waiting for a free session; without a rate, the thin line is \
            inside the thick one.",
        note:
            "A curve ends at the latency that fewer than 10 transactions exceeded; the dot is the slowest transaction."
                .into(),
        data: json!({ "kinds": kinds.iter().map(Distribution::json).collect::<Vec<_>>() }),
    })
}

/// The distributions for one transaction type over the whole measured phase.
pub(super) struct Distribution {
    pub(super) name: String,
    latency: Latencies,
    service: Latencies,
}

/// Returns the distribution of `all`, followed by one for each transaction type.
pub(super) fn distributions(entries: &[HistogramEntry]) -> Vec<Distribution> {
    let mut kinds: Vec<Distribution> = Vec::new();
    let named = |name: &str| Distribution {
        name: name.into(),
        latency: Latencies::new(),
        service: Latencies::new(),
    };
    let mut all = named(ALL);
    for entry in entries {
        let latencies = entry.latencies();
        let name = entry.tag.strip_suffix(SERVICE);
        let is_service = name.is_some();
        let name = name.unwrap_or(&entry.tag);
        let place = kinds.iter().position(|kind| kind.name == name).unwrap_or_else(|| {
            kinds.push(named(name));
            kinds.len() - 1
        });
        for kind in [&mut kinds[place], &mut all] {
            let sum = if is_service { &mut kind.service } else { &mut kind.latency };
            sum.merge(&latencies);
        }
    }
    if kinds.len() > 1 {
        kinds.insert(0, all);
    }
    kinds
}

impl Distribution {
    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "count": self.latency.count(),
            "latency": curve(&self.latency),
            "service": curve(&self.service),
        })
    }

    /// Returns only the latency distribution, for charts that combine several runs.
    pub(super) fn latency_json(&self) -> Value {
        json!({ "name": self.name, "count": self.latency.count(), "latency": curve(&self.latency) })
    }
}

/// Returns the points of a percentile curve. Each point consists of a number of nines, such as 3
/// for 99.9 %, and a latency.
fn curve(latencies: &Latencies) -> Value {
    let count = latencies.count();
    let nines = |point: u32| f64::from(point) / f64::from(POINTS_PER_NINE);
    let share = |point: u32| 1.0 - 10_f64.powf(-nines(point));
    let points: Vec<u32> = (0..20 * POINTS_PER_NINE)
        .take_while(|point| *point == 0 || sample_floor(share(*point)) <= count)
        .collect();
    let x: Vec<f64> = points.iter().map(|point| nines(*point)).collect();
    let us: Vec<f64> =
        points.iter().map(|point| micros(latencies.quantile(share(*point)))).collect();
    json!({ "nines": x, "us": us, "max": micros(latencies.max()) })
}
