//! The end-of-run summary: first whether the run is valid, then how fast it was, then why one may
//! believe it.
//!
//! Most users read nothing else, so it must never leave out a failure. Start reading at [`summary`].

use tacho_analysis::in_order;
use tacho_store::record::{Record, ResultRecord};

use crate::document::{Block, Fact, Line};
use crate::layout::{TextOptions, page};
use crate::table::Table;
use crate::{
    accounting, acknowledged, analytics, conditions, headline, judgements, notices, outages,
    outcome, replay, settled, steps, streams, transactions, words,
};

/// What stands below the figures.
#[derive(Clone, Copy, Debug, Default)]
pub struct Footer<'a> {
    /// What the workload must say about itself, such as what it is derived from.
    pub notice: &'a str,
    /// Where the run was saved.
    pub saved: Option<&'a str>,
    /// Commands to continue with.
    pub next: &'a [String],
}

/// The summary of a run, also of one that was killed.
pub fn summary(record: &Record, footer: &Footer<'_>, options: &TextOptions) -> String {
    let blocks = match &record.result {
        Some(result) => complete(record, result),
        None => incomplete(record),
    };
    page(blocks.into_iter().chain(foot(footer)), options)
}

fn complete(record: &Record, result: &ResultRecord) -> Vec<Block> {
    let method = headline::method_parts(record, result.measured_s, result.ended_by);
    let mut tables = tables(result);
    if let Some((table, words)) = tables.last_mut().zip(streams::unreported(result)) {
        table.note = words;
    }
    let facts = replay::facts(result).into_iter().chain(evidence(record, result));
    [top(record, result), Block::lines([Line::dotted(method)])]
        .into_iter()
        .chain(tables.into_iter().map(Block::Table))
        .chain(Block::facts(facts))
        .chain(Block::remarks(notices::notices(&result.notices)))
        .collect()
}

/// Verdict, outcome and figures are among the first five lines, on a terminal of any width.
fn top(record: &Record, result: &ResultRecord) -> Block {
    let plan = &record.plan;
    let texts = |texts: Vec<String>| texts.into_iter().map(|text| Line::new(1, text));
    let mut lines = vec![
        Line::dotted(headline::title_parts(record)),
        Line::new(1, headline::verdict_line(result)),
    ];
    lines.extend(texts(outcome::outcome(record, result)));
    if result.streams.is_empty() {
        lines.push(headline::figures(plan, result));
        lines.extend(texts(headline::nominal(plan, result)));
        let queries = result.analytics.iter().map(|own| analytics::figures(plan, own));
        lines.extend(texts(queries.collect()));
    } else {
        lines.extend(streams::figures(&result.streams));
    }
    Block::lines(lines)
}

/// Steps, transactions, and queries.
fn tables(result: &ResultRecord) -> Vec<Table> {
    let plans = &result.query_plans;
    if !result.streams.is_empty() {
        return vec![streams::table(&result.executions, plans)];
    }
    let transactions = match &result.replay {
        Some(replay) => replay::table(result, replay, false),
        None => transactions::table(&result.transactions),
    };
    let queries = result.analytics.iter().filter(|own| !own.executions.is_empty());
    let queries = queries.map(|own| streams::table(&in_order(own), plans));
    steps::table(result, steps::ROWS_MAX).into_iter().chain([transactions]).chain(queries).collect()
}

fn evidence(record: &Record, result: &ResultRecord) -> impl Iterator<Item = Fact> {
    let steadiness = || conditions::steadiness(&result.steadiness);
    [
        accounting::accounting(&result.accounting),
        accounting::arrivals(result),
        accounting::errors(result),
        outages::faults(result),
        outages::outages(result),
        settled::settled(result),
        judgements::thresholds(&result.thresholds),
        judgements::commits(result),
        acknowledged::acknowledged(result),
        judgements::rollbacks(result.rollbacks.as_ref()),
        judgements::checks(record, result),
        judgements::audit(result),
        result.streams.is_empty().then(steadiness).flatten(),
        conditions::data(record.data.as_ref()),
        conditions::server(record, result.server_load.as_ref()),
        conditions::tool(record, &result.tool),
        conditions::load_hosts(&result.load_hosts),
        conditions::addresses(&result.addresses),
    ]
    .into_iter()
    .flatten()
}

fn incomplete(record: &Record) -> Vec<Block> {
    let began = format!("began {}", words::minute(&record.started_at));
    let began = std::iter::once(began).chain(headline::named(record)).collect();
    let facts = [
        Some(Fact::new("planned", planned(record))),
        conditions::data(record.data.as_ref()),
        conditions::server(record, None),
    ];
    [
        Block::lines([Line::dotted(headline::title_parts(record)), Line::dotted(began)]),
        Block::lines([Line::new(1, "INCOMPLETE: the run was killed or is still running")]),
    ]
    .into_iter()
    .chain(Block::facts(facts.into_iter().flatten()))
    .collect()
}

fn planned(record: &Record) -> String {
    let load = &record.plan.load;
    format!("{} after {} ramp-up", words::planned(load.stop), words::span(load.ramp_up))
}

/// The blocks of a footer.
pub(crate) fn foot(footer: &Footer<'_>) -> impl Iterator<Item = Block> {
    let notice = (!footer.notice.is_empty()).then(|| Block::text(footer.notice));
    let saved = footer.saved.map_or_else(String::new, |saved| format!("Saved  {saved}"));
    let is_empty = saved.is_empty() && footer.next.is_empty();
    let next = Table::labelled("Next", 6, footer.next.iter().cloned());
    let commands = (!is_empty).then(|| Block::table(saved, next));
    notice.into_iter().chain(commands)
}
