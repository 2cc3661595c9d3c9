//! The sections of a report. This module defines their order, and each has its own file.
//!
//! Start reading at [`document`].

mod accounting;
mod comparison;
mod database;
mod differing;
mod host;
mod judgements;
mod latency;
mod method;
mod observed;
mod outages;
mod overview;
mod queries;
pub(super) mod reading;
mod reproduce;
pub(super) mod runs;
mod sweep;
mod sweeps;
mod timeline;
mod top;

use tacho_store::record::{Record, ResultRecord};

use crate::document::{Block, Document, Fact, Section};
use crate::{answer, replay, server_conditions, settings, settled};
use tacho_analysis::{Measurement, Reported, clean};

/// Returns the complete report.
pub(super) fn document(report: &Reported) -> Document {
    let mut top = top::top(report);
    top.summary = report.summary.clone().unwrap_or_default();
    if let Some(title) = &report.title {
        top.title = clean(title);
        top.answer = answer::asked(top.answer, title);
    }
    let sections = match (&report.sweeps[..], report.single()) {
        ([], Some(run)) => single(report, run),
        ([], None) => several(report),
        ([side], _) => sweep::sections(side),
        (sides, _) => sweeps::sections(report, sides),
    };
    let mut blocks = sections.iter().flat_map(|section| &section.blocks);
    let glossary = reading::section(blocks.any(|block| matches!(block, Block::Chart(_))));
    let sections = sections.into_iter().chain([glossary]).collect();
    Document {
        sections,
        disclaimer: report.notice.clone(),
        made_by: format!("tacho {}", report.tool_version),
        ..top
    }
}

/// Returns the facts about a single run, as in its summary.
pub(crate) fn facts(record: &Record, result: &ResultRecord) -> impl Iterator<Item = Fact> {
    let is_over_time = result.streams.is_empty();
    let steadiness =
        is_over_time.then(|| crate::conditions::steadiness(result.verdict_steadiness())).flatten();
    let server = [
        crate::conditions::data(record.data.as_ref()),
        crate::conditions::server(record, result.server_load.as_ref()),
    ];
    accounting::facts(result)
        .chain(crate::outages::faults(result))
        .chain(crate::outages::outages(result))
        .chain(settled::settled(result))
        .chain(crate::judgements::thresholds(&result.thresholds))
        .chain(accounting::commits(result))
        .chain(judgements::facts(record, result))
        .chain(steadiness)
        .chain(crate::limit::limit(record))
        .chain(crate::disturbance::disturbance(result))
        .chain(server.into_iter().flatten())
        .chain(host::facts(record, result))
}

/// Returns the sections for a single run, including any comparison.
fn single(report: &Reported, run: &Measurement) -> Vec<Section> {
    let record = &run.record;
    let course = match record.result.as_ref().filter(|result| !result.streams.is_empty()) {
        Some(result) => queries::sections(result),
        None => vec![timeline::section(run), latency::section(run), latency::transactions(record)],
    };
    let replay = record.result.as_ref().and_then(replay);
    let of_streams = record.result.as_ref().map_or_else(Vec::new, queries::of_streams);
    let rest = [
        outages::section(run),
        database::section(run),
        observed::section(run),
        accounting::section(record),
        judgements::section(record),
        method::section(record),
        conditions(record),
        host::section(record),
        reproduce::section(record),
    ];
    [comparison::section(report), replay]
        .into_iter()
        .chain(course)
        .chain(of_streams)
        .chain(rest)
        .flatten()
        .collect()
}

/// Returns the original and the replayed times of a log's statements.
fn replay(result: &ResultRecord) -> Option<Section> {
    let replay_record = result.replay.as_ref()?;
    let mut blocks: Vec<Block> = Block::facts(replay::facts(result)).into_iter().collect();
    blocks.push(Block::table(
        "Statements, largest change first",
        replay::table(result, replay_record, true),
    ));
    Section::of("replay", "Original and replayed times", blocks)
}

/// Returns the sections for several runs: first the conditions that differ, and then those of the first run.
fn several(report: &Reported) -> Vec<Section> {
    let first = report.measurements().next();
    let first = first.map(|run| &run.record);
    let of_first = [
        first.and_then(method::section),
        first.and_then(conditions),
        first.and_then(host::section),
        first.and_then(reproduce::section),
    ];
    let of_first = of_first.into_iter().flatten().map(|section| match first {
        Some(record) if report.measurements().count() > 1 => section.of_run(&record.id),
        _ => section,
    });
    [comparison::section(report), runs::section(report), differing::section(report)]
        .into_iter()
        .flatten()
        .chain(of_first)
        .collect()
}

/// Returns the server, its settings, the data, and the run's settings that concern the data.
fn conditions(record: &Record) -> Option<Section> {
    let mut blocks = server_conditions::blocks(record);
    blocks.extend(
        settings::further(record, true).map(|table| Block::table("Settings of the run", table)),
    );
    Section::of("conditions", "Conditions", blocks)
}
