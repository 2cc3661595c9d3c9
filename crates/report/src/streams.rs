//! Runs whose sessions come to an end by themselves: a figure for each session, a line for each kind of
//! transaction.
//!
//! A mean never stands without the number of what it is of, and of what it leaves out. Start reading at
//! [`figures`] and [`table`].

use tacho_core::units::{counted, grouped};
use tacho_store::record::{ExecutionRecord, StreamRecord};

use crate::layout::Page;
use crate::table::{Column, Table, latencies};
use crate::words::{ABSENT, micros};

/// How the mean is made.
const FORMULA: &str = "geometric mean: (t1 · … · tn)^(1/n) over the times of the n that ended well";

/// The mean of each session and its time as a whole; of several, the slowest comes first.
pub(crate) fn figures(page: &mut Page, streams: &[StreamRecord]) {
    let mut slowest_first: Vec<&StreamRecord> = streams.iter().collect();
    slowest_first.sort_by(|a, b| b.elapsed_s.total_cmp(&a.elapsed_s));
    for stream in &slowest_first {
        let name = match streams.len() {
            1 => String::new(),
            _ => format!("session {}: ", stream.session + 1),
        };
        page.text(&format!("  {name}{}", figure(stream)), 4);
    }
    page.text(&format!("  {FORMULA}"), 4);
}

fn figure(stream: &StreamRecord) -> String {
    let mean = stream.geometric_mean_s.map_or(ABSENT.into(), |mean| micros(mean * 1e6));
    let failed = match stream.failed {
        0 => String::new(),
        failed => format!(" · {} FAILED and not in the mean", grouped(failed)),
    };
    let good = counted(stream.good, "transaction");
    format!("{mean} geometric mean of {good} · {} in all{failed}", micros(stream.elapsed_s * 1e6))
}

/// All executions of one kind.
struct Kind<'a> {
    name: &'a str,
    times_us: Vec<f64>,
    rows: Vec<u64>,
    failed: u64,
}

/// The kinds in the order in which they first ended.
fn kinds(executions: &[ExecutionRecord]) -> Vec<Kind<'_>> {
    let mut kinds: Vec<Kind<'_>> = Vec::new();
    for one in executions {
        let name = one.transaction.as_str();
        let at = kinds.iter().position(|kind| kind.name == name).unwrap_or_else(|| {
            kinds.push(Kind { name, times_us: Vec::new(), rows: Vec::new(), failed: 0 });
            kinds.len() - 1
        });
        let kind = &mut kinds[at];
        kind.rows.extend(one.rows);
        match one.failed {
            Some(_) => kind.failed += 1,
            None => kind.times_us.push(one.took_s * 1e6),
        }
    }
    kinds
}

/// One line for each kind: its time, or the shortest, mean and longest of several.
pub(crate) fn table(executions: &[ExecutionRecord]) -> Vec<String> {
    let kinds = kinds(executions);
    let times = |of: fn(&[f64]) -> f64| -> Vec<String> {
        let of = |kind: &Kind<'_>| (!kind.times_us.is_empty()).then(|| of(&kind.times_us));
        latencies(&kinds.iter().map(of).collect::<Vec<_>>())
    };
    let shortest = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
    let longest = |times: &[f64]| times.iter().copied().fold(0.0, f64::max);
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
    let mut columns = vec![Column::left("transaction", kinds.iter().map(|k| k.name.to_owned()))];
    if kinds.iter().all(|kind| kind.times_us.len() <= 1) {
        columns.push(Column::right("time", times(mean)));
    } else {
        columns
            .push(Column::right("count", kinds.iter().map(|k| grouped(k.times_us.len() as u64))));
        columns.push(Column::right("shortest", times(shortest)));
        columns.push(Column::right("mean", times(mean)));
        columns.push(Column::right("longest", times(longest)));
    }
    columns.push(Column::right("rows", kinds.iter().map(rows)));
    columns.push(Column::right("failed", kinds.iter().map(|kind| grouped(kind.failed))));
    Table { columns, indent: 2, gap: 2 }.lines()
}

/// How many rows came back, or the least and the most.
fn rows(kind: &Kind<'_>) -> String {
    match (kind.rows.iter().min(), kind.rows.iter().max()) {
        (Some(least), Some(most)) if least == most => grouped(*least),
        (Some(least), Some(most)) => format!("{} to {}", grouped(*least), grouped(*most)),
        _ => ABSENT.into(),
    }
}
