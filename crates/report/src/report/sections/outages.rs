//! Outages as clients see them: times, affected sessions, failures and throughput.
//!
//! Start reading at [`section`].

use std::collections::BTreeMap;

use tacho_analysis::Measurement;
use tacho_core::units::{grouped, latency};
use tacho_store::IntervalRecord;
use tacho_store::record::{OutageRecord, ResultRecord};

use crate::document::{Block, Section};
use crate::outages;
use crate::report::charts::timeline;
use crate::table::{Column, Table};
use crate::words::{ABSENT, duration, seconds};

/// Maximum number of outages shown in detail. The record contains all of them.
const OUTAGES_MAX: usize = 6;
/// Time before and after an outage that its chart includes.
const AROUND_S: f64 = 10.0;
const READING: &str = "Times are relative to the first lost connection. A session is without the server from \
    its last successful transaction until its next one. Failures and latencies are those of the intervals from \
    the loss until the recovery.";

/// Returns the section about faults and outages, or `None` if the run had neither.
pub(super) fn section(run: &Measurement) -> Option<Section> {
    let result = run.record.result.as_ref()?;
    let mut blocks: Vec<Block> = Block::facts(outages::faults(result)).into_iter().collect();
    let shown = &result.outages[..result.outages.len().min(OUTAGES_MAX)];
    if !shown.is_empty() {
        blocks.push(Block::table("Times and sessions", table(run, shown)));
        blocks.push(Block::text(READING));
        blocks.extend(left_out(result));
        for (number, outage) in (1..).zip(shown) {
            let around = around(run, outage);
            let title = |what: &str| format!("{what} around outage {number}");
            if let Some(mut chart) = timeline::throughput(&around) {
                chart.id = format!("outage-{number}");
                chart.title = title(&chart.title);
                blocks.push(Block::Chart(chart));
            }
        }
    }
    Section::of("outages", "Outages", blocks)
}

fn left_out(result: &ResultRecord) -> Option<Block> {
    let more = result.outages.len().checked_sub(OUTAGES_MAX).filter(|more| *more > 0)?;
    Some(Block::text(format!("The record contains {more} more outages.")))
}

/// Returns the part of a run from shortly before an outage until shortly after it.
fn around(run: &Measurement, outage: &OutageRecord) -> Measurement {
    let end = outage.recovered_after_s.or(outage.first_commit_after_s);
    let to = end.map_or(f64::INFINITY, |after| outage.at_s + after + AROUND_S);
    let inside =
        |one: &&IntervalRecord| one.at_s > outage.at_s - AROUND_S && one.at_s - one.length_s < to;
    let intervals = run.intervals.iter().filter(inside).cloned().collect();
    Measurement {
        intervals,
        histograms: Vec::new(),
        server: run.server.clone(),
        ..Measurement::of(run.record.clone())
    }
}

/// Returns the intervals from the loss of the connection to recovery or to the end of the load.
fn during<'a>(
    run: &'a Measurement,
    outage: &OutageRecord,
) -> impl Iterator<Item = &'a IntervalRecord> {
    let from = outage.at_s;
    let end = outage.recovered_after_s.or(outage.first_commit_after_s);
    let to = end.map_or(f64::INFINITY, |after| from + after);
    run.intervals.iter().filter(move |one| one.at_s > from && one.at_s - one.length_s < to)
}

fn table(run: &Measurement, outages: &[OutageRecord]) -> Table {
    type Cell<'a> = &'a dyn Fn(&OutageRecord) -> String;
    let time = |at: f64| latency(seconds(at));
    let after = |at: Option<f64>| at.map_or("not seen".into(), time);
    let away = |of: fn(&tacho_store::record::AwayRecord) -> f64| {
        move |outage: &OutageRecord| {
            outage.away.as_ref().map_or(ABSENT.into(), |away| time(of(away)))
        }
    };
    let rows: [(&str, Cell<'_>); 15] = [
        ("at, of the load", &|outage| duration(outage.at_s)),
        ("seen after the last success", &|outage| time(outage.detected_after_s)),
        ("connections lost", &|outage| grouped(outage.sessions_lost)),
        ("failed attempts to reconnect", &|outage| grouped(outage.attempts_refused)),
        ("first connection restored", &|outage| after(outage.connected_after_s)),
        ("first commit (RTO)", &|outage| after(outage.first_commit_after_s)),
        ("95 % of the throughput before", &|outage| after(outage.recovered_after_s)),
        ("not restored", &|outage| grouped(outage.sessions_missing)),
        ("sessions without the server", &|outage| {
            outage.away.as_ref().map_or(ABSENT.into(), |away| grouped(away.sessions))
        }),
        ("away, shortest", &away(|away| away.min_s)),
        ("away, median", &away(|away| away.p50_s)),
        ("away, 95 %", &away(|away| away.p95_s)),
        ("away, longest", &away(|away| away.max_s)),
        ("failed transactions", &|outage| failures(run, outage)),
        ("longest latency", &|outage| {
            let longest = during(run, outage).filter_map(|one| one.totals.max_us).reduce(f64::max);
            longest.map_or(ABSENT.into(), |us| time(us / 1e6))
        }),
    ];
    let names = rows.iter().map(|(name, _)| (*name).to_owned());
    let mut columns = vec![Column::left("", names)];
    for (number, outage) in (1..).zip(outages) {
        let cells = rows.iter().map(|(_, cell)| cell(outage));
        columns.push(Column::right(&format!("outage {number}"), cells));
    }
    Table::new(columns)
}

/// Formats the failures during an outage, as in `4 (4 connect)`.
fn failures(run: &Measurement, outage: &OutageRecord) -> String {
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for (kind, count) in during(run, outage).flat_map(|one| &one.totals.failed_by_kind) {
        *kinds.entry(kind).or_default() += count;
    }
    let all = grouped(kinds.values().sum::<u64>());
    let kinds =
        kinds.iter().map(|(kind, count)| format!("{} {}", grouped(*count), kind.replace('_', " ")));
    match kinds.collect::<Vec<String>>().join(", ") {
        kinds if kinds.is_empty() => all,
        kinds => format!("{all} ({kinds})"),
    }
}
