//! The queries and streams of a run whose sessions end on their own.
//!
//! Every mean states how many values it covers, and no failure is omitted. Start reading at [`sections`].

use tacho_analysis::{Name, QUERIES_PER_HOUR, clean, in_order, kinds, overall_mean, slowest_us};
use tacho_core::units::{counted, grouped, significant};
use tacho_store::record::{AnalyticsRecord, QueryPlanRecord, ResultRecord};

use crate::analytics::queries as queries_of;
use crate::document::{Block, Figure, Section};
use crate::report::charts::queries;
use crate::streams::{formula, plan, streams_table, table, unreported};
use crate::words::{ABSENT, micros};

/// Returns the section about queries, followed by the section about streams.
pub(super) fn sections(result: &ResultRecord) -> Vec<Option<Section>> {
    let mut blocks: Vec<Block> = queries::times(result).map(Block::Chart).into_iter().collect();
    let mut executions = result.executions.clone();
    executions.sort_by(|a, b| Name(&a.transaction).cmp(&Name(&b.transaction)));
    blocks.push(Block::table("Queries", table(&executions, &result.query_plans)));
    blocks.push(Block::text(failures(result).unwrap_or_else(|| "No query failed.".into())));
    blocks.extend(unreported(result).map(Block::text));
    blocks.extend(plans(result));
    let mut streams =
        vec![Block::table("Streams, the slowest first", streams_table(&result.streams))];
    let formula = formula(&result.streams);
    streams.push(Block::text(format!("{formula}. The first mean excludes failed queries.")));
    streams.extend(queries::streams(result).map(Block::Chart));
    vec![Section::of("queries", "Queries", blocks), Section::of("streams", "Streams", streams)]
}

/// Returns each query plan as the database reports it. Its title is the hash that the table shows.
fn plans(result: &ResultRecord) -> impl Iterator<Item = Block> {
    let intro = (!result.query_plans.is_empty()).then(|| {
        Block::text(
            "The plans below do not contain estimates or values, so that equal plans have equal \
                hashes. A query with a different hash had a different plan.",
        )
    });
    let mut all: Vec<&QueryPlanRecord> = result.query_plans.iter().collect();
    all.sort_by(|a, b| Name(&a.transaction).cmp(&Name(&b.transaction)));
    let listing = |record: &QueryPlanRecord| {
        plan(
            format!("Plan of {}, hash {}", clean(&record.transaction), clean(&record.hash)),
            record,
        )
    };
    intro.into_iter().chain(all.into_iter().map(listing))
}

/// Returns the sections for query streams that ran alongside transactions.
pub(super) fn of_streams(result: &ResultRecord) -> Vec<Option<Section>> {
    let analytics = result.analytics.as_ref().filter(|analytics| !analytics.executions.is_empty());
    let Some(analytics) = analytics else { return Vec::new() };
    sections(&ResultRecord {
        executions: in_order(analytics),
        streams: analytics.streams.clone(),
        query_plans: result.query_plans.clone(),
        unreported_queries: result.unreported_queries.clone(),
        ..ResultRecord::default()
    })
}

/// Returns the key results of the streams that ran alongside transactions.
pub(super) fn stream_figures(analytics: &AnalyticsRecord) -> Vec<Figure> {
    let mean = analytics.geometric_mean_s.map_or(ABSENT.into(), |mean| micros(mean * 1e6));
    let failed = format!("of {}, {} failed", queries_of(analytics), grouped(analytics.failed));
    let streams = counted(analytics.streams.len() as u64, "stream");
    [
        (significant(analytics.queries_per_hour), QUERIES_PER_HOUR, streams),
        (mean, "geometric mean of queries", failed),
    ]
    .map(|(value, name, detail)| Figure { value, name: name.into(), detail })
    .into()
}

/// Lists the queries that failed, with the reasons and the number of failures.
fn failures(result: &ResultRecord) -> Option<String> {
    let mut kinds = kinds(&result.executions);
    kinds.sort_by(|a, b| Name(a.name).cmp(&Name(b.name)));
    let failed = kinds.iter().filter(|kind| !kind.failed.is_empty()).map(|kind| {
        let mut why = kind.failed.clone();
        why.dedup();
        format!(
            "{} {} × ({})",
            kind.name,
            grouped(kind.failed.len() as u64),
            clean(&why.join(", "))
        )
    });
    let failed: Vec<String> = failed.collect();
    (!failed.is_empty()).then(|| {
        format!("FAILED: {}. Failed queries are excluded from the means.", failed.join("; "))
    })
}

/// Returns the geometric mean, the elapsed time, and the number of failures.
pub(super) fn figures(result: &ResultRecord) -> Vec<Figure> {
    let figure = |value: String, name: String, detail: String| Figure { value, name, detail };
    let time = |us: Option<f64>| us.map_or(ABSENT.into(), micros);
    let mean = overall_mean(result);
    let of = mean.map_or(0, |(_, count)| count);
    let failed: u64 = result.streams.iter().map(|one| one.failed).sum();
    let streams = counted(result.streams.len() as u64, "stream");
    vec![
        figure(
            time(mean.map(|(mean, _)| mean)),
            "geometric mean".into(),
            format!("of {}, (t1 · … · tn)^(1/n)", counted(of, "transaction")),
        ),
        figure(time(slowest_us(result)), "slowest stream".into(), format!("of {streams}, in all")),
        figure(grouped(failed), "failed".into(), "excluded from the means".into()),
    ]
}

/// Describes the outcome in one or two sentences.
pub(super) fn lead(result: &ResultRecord) -> String {
    let good: u64 = result.streams.iter().map(|one| one.good).sum();
    let streams = counted(result.streams.len() as u64, "stream");
    let time = slowest_us(result).map_or(ABSENT.into(), micros);
    let mut sentences = vec![format!("{streams} did {} in {time}.", counted(good, "transaction"))];
    sentences.extend(failures(result));
    sentences.join(" ")
}
