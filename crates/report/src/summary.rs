//! The summary at the end of a run: whether the run is valid, how it performed, and then the details.
//!
//! Most users read nothing else, so the summary never omits a failure. Start reading at [`summary`].

use tacho_analysis::in_order;
use tacho_store::record::{Record, ResultRecord};

use crate::document::{Block, Document, Fact, Line, Section};
use crate::layout::{TextOptions, page};
use crate::table::Table;
use crate::{
    analytics, answer, conditions, headline, notices, outcome, replay, report, run_answer,
    statements, steps, streams, transactions, words,
};

/// Text below the results.
#[derive(Clone, Copy, Debug, Default)]
pub struct Footer<'a> {
    /// The workload's disclaimer, such as a note about the original benchmark.
    pub notice: &'a str,
    /// Path of the saved run.
    pub saved: Option<&'a str>,
    /// Commands to continue with.
    pub next: &'a [String],
}

/// Returns the summary of a run, which is a short form of the report. It also describes a run that was killed before it
/// had a result.
pub fn summary(record: &Record, footer: &Footer<'_>, options: &TextOptions) -> String {
    let document = Document { disclaimer: footer.notice.into(), ..document(record) };
    let answer = answer::block(run_answer::of_run(record));
    page(document.blocks().chain(answer).chain(foot(footer)), options)
}

fn document(record: &Record) -> Document {
    let Some(result) = &record.result else { return incomplete(record) };
    let method = headline::method_parts(record, result.measured_s, result.ended_by);
    let mut tables = tables(result);
    if let Some((table, words)) = tables.last_mut().zip(streams::unreported(result)) {
        table.note = words;
    }
    let facts = replay::facts(result).into_iter().chain(report::facts(record, result));
    let head = vec![top(record, result), Block::lines([Line::dotted(method)])];
    let sections = [
        Section::of("result", "Result", head),
        Section::of("tables", "Figures", tables.into_iter().map(Block::Table).collect()),
        Section::of("facts", "Facts", Block::facts(facts).into_iter().collect()),
    ];
    let sections = sections.into_iter().flatten().collect();
    Document { sections, remarks: notices::notices(&result.notices), ..Document::default() }
}

/// Returns the top of the summary. Its first five lines contain the verdict, the outcome and the main results.
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
        let queries = result.analytics.iter().map(|analytics| analytics::figures(plan, analytics));
        lines.extend(texts(queries.collect()));
    } else {
        lines.extend(streams::figures(&result.streams));
    }
    Block::lines(lines)
}

/// Returns the tables of steps, transactions and queries.
fn tables(result: &ResultRecord) -> Vec<Table> {
    let plans = &result.query_plans;
    if !result.streams.is_empty() {
        return vec![streams::table(&result.executions, plans)];
    }
    let transactions = match &result.replay {
        Some(replay) => replay::table(result, replay, false),
        None => transactions::table(&result.transactions),
    };
    let queries = result.analytics.iter().filter(|analytics| !analytics.executions.is_empty());
    let queries = queries.map(|analytics| streams::table(&in_order(analytics), plans));
    let steps = steps::table(result, steps::ROWS_MAX).into_iter();
    steps.chain([transactions]).chain(statements::table(result)).chain(queries).collect()
}

fn incomplete(record: &Record) -> Document {
    let began = format!("began {}", words::minute(&record.started_at));
    let began = std::iter::once(began).chain(headline::named(record)).collect();
    let facts = [
        Some(Fact::new("planned", planned(record))),
        conditions::data(record.data.as_ref()),
        conditions::server(record, None),
    ];
    let mut blocks = vec![
        Block::lines([Line::dotted(headline::title_parts(record)), Line::dotted(began)]),
        Block::lines([Line::new(1, "INCOMPLETE: the run was killed or is still running")]),
    ];
    blocks.extend(Block::facts(facts.into_iter().flatten()));
    let sections = Section::of("result", "Result", blocks).into_iter().collect();
    Document { sections, ..Document::default() }
}

fn planned(record: &Record) -> String {
    let load = &record.plan.load;
    format!("{} after {} ramp-up", words::planned(load.stop), words::span(load.ramp_up))
}

/// Returns the blocks of the footer.
pub(crate) fn foot(footer: &Footer<'_>) -> impl Iterator<Item = Block> {
    let saved = footer.saved.map_or_else(String::new, |saved| format!("Saved  {saved}"));
    let is_empty = saved.is_empty() && footer.next.is_empty();
    let next = Table::labelled("Next", 6, footer.next.iter().cloned());
    let commands = (!is_empty).then(|| Block::table(saved, next));
    commands.into_iter()
}
