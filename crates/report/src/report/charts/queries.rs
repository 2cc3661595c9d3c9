//! Charts for runs whose sessions end by themselves: query times, streams over time, and several runs side by side.
//!
//! Start reading at [`times`].

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tacho_analysis::{Kind, Name, Side, kinds};
use tacho_store::record::ResultRecord;

use super::short;
use crate::document::Chart;

/// Maximum number of executions that are drawn as boxes. If there were more, they would be indistinguishable and make
/// the page larger.
const DRAWN_MAX: usize = 5_000;

/// Returns a chart that shows the time of each query. For a query that was executed several times, the chart also shows
/// the shortest and the longest time.
pub(in crate::report) fn times(result: &ResultRecord) -> Option<Chart> {
    let bars: Vec<Value> = sorted(result).iter().map(bar).collect();
    (!bars.is_empty()).then(|| Chart {
        id: "queries".into(),
        kind: "queries",
        title: "Time of each query".into(),
        reading: "Shorter is better. A bar is the mean of the successful executions; if there are several, the line inside the bar extends from the shortest to the longest.",
        note: String::new(),
        data: json!({ "queries": bars }),
    })
}

fn sorted(result: &ResultRecord) -> Vec<Kind<'_>> {
    let mut kinds = kinds(&result.executions);
    kinds.sort_by(|a, b| Name(a.name).cmp(&Name(b.name)));
    kinds
}

fn bar(kind: &Kind<'_>) -> Value {
    json!({
        "name": kind.name,
        "count": kind.times_us.len(),
        "mean": kind.mean_us().map(short),
        "shortest": kind.shortest_us().map(short),
        "longest": kind.longest_us().map(short),
        "firstRow": kind.first_row_us().map(short),
        "failed": kind.failed.len(),
        "why": kind.failed.iter().collect::<BTreeSet<_>>(),
    })
}

/// Returns a chart that shows which query each stream ran at any time.
pub(in crate::report) fn streams(result: &ResultRecord) -> Option<Chart> {
    let mut all: Vec<_> = result.executions.iter().collect();
    all.sort_by(|a, b| a.sent_s.total_cmp(&b.sent_s));
    let note = if all.len() > DRAWN_MAX {
        format!("The first {DRAWN_MAX} of {} are shown; the CSV contains all of them.", all.len())
    } else {
        String::new()
    };
    let boxes: Vec<Value> = all
        .iter()
        .take(DRAWN_MAX)
        .map(|one| {
            json!({
                "session": one.session + 1,
                "name": one.transaction,
                // Fractions of a microsecond would only be noise.
                "from": (one.sent_s * 1e6).round(),
                "to": ((one.sent_s + one.took_s) * 1e6).round(),
                "rows": one.rows,
                "firstRow": one.first_row_s.map(|first| (first * 1e6).round()),
                "failed": one.failed,
            })
        })
        .collect();
    (!boxes.is_empty()).then(|| Chart {
        id: "streams".into(),
        kind: "streams",
        title: "Streams over time".into(),
        reading: "A row is a stream; a box is a query. The run lasts as long as its longest row. If the boxes of a query are long in one row and short in another, the queries waited for each other.",
        note,
        data: json!({ "boxes": boxes }),
    })
}

/// Returns a chart that compares the mean time of each query between groups of runs. Returns `None` unless all runs are
/// query streams.
pub(in crate::report) fn over(sides: &[(&str, &Side)]) -> Option<Chart> {
    let results = |side: &Side| -> Vec<ResultRecord> {
        side.runs.iter().filter_map(|run| run.record.result.clone()).collect()
    };
    let ends = |side: &Side| results(side).iter().all(|result| !result.streams.is_empty());
    if sides.len() < 2 || !sides.iter().all(|(_, side)| ends(side)) {
        return None;
    }
    let groups: Vec<Value> = sides
        .iter()
        .map(|(name, side)| {
            let together = results(side).into_iter().reduce(|mut all, one| {
                all.executions.extend(one.executions);
                all
            });
            let bars: Vec<Value> =
                together.iter().flat_map(sorted).map(|query| bar(&query)).collect();
            json!({ "name": name, "queries": bars })
        })
        .collect();
    Some(Chart {
        id: "over-queries".into(),
        kind: "overQueries",
        title: "Time of each query, side by side".into(),
        reading: "Bars of the same query are adjacent; shorter is better.",
        note: "Each bar is the mean of the successful executions.".into(),
        data: json!({ "groups": groups }),
    })
}
