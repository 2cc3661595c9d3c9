//! The detailed parts of a run that `show` can print in addition to the summary.
//!
//! Start reading at [`transactions`].

use std::fmt::Display;

use tacho_analysis::clean;
use tacho_core::units::{bytes, grouped};
use tacho_store::IntervalRecord;
use tacho_store::record::{
    AuditRecord, CheckRecord, DistributionRecord, ErrorRecord, Record, ResultRecord,
};

use crate::document::{Block, Line};
use crate::judgements::{check_mark, mark, value_of};
use crate::layout::{TextOptions, page};
use crate::padding::pad;
use crate::table::{Column, Table, latencies};
use crate::words::ABSENT;
use crate::{
    accounting, interval_header, interval_line, settings, statements, steps, streams, terminals,
};

const NO_RESULT: &str = "The run was killed or is still running: it has no result.";

/// Returns the intervals in the form in which they were printed during the run. For query streams,
/// returns a list of the executed queries instead.
pub fn timeline(record: &Record, intervals: &[IntervalRecord], options: &TextOptions) -> String {
    let executions = record.result.as_ref().map_or(&[][..], |result| &result.executions);
    if !executions.is_empty() {
        return page([Block::Table(streams::course(executions))], options);
    }
    let headline = record.result.as_ref().and_then(ResultRecord::stated_headline);
    let queries = intervals.iter().any(|interval| interval.queries_per_hour.is_some());
    let backlog = intervals.iter().any(|interval| interval.backlog.is_some());
    let headline = headline.map(|headline| headline.name.as_str());
    let header = interval_header(headline, queries, backlog);
    let lines: Vec<String> =
        std::iter::once(header).chain(intervals.iter().map(interval_line)).collect();
    page([Block::Code { text: lines.join("\n") }], options)
}

/// Returns each transaction type's latency and service time with all percentiles.
pub fn transactions(record: &Record, options: &TextOptions) -> String {
    with_result(record, options, |result| {
        let tables = match &result.streams[..] {
            [] => distributions_of(result),
            streams => [
                Block::Table(streams::streams_table(streams)),
                Block::Table(streams::table(&result.executions, &result.query_plans)),
            ],
        };
        let statements = statements::table(result).map(Block::Table);
        tables.into_iter().chain(statements).chain(streams::plans(result)).collect()
    })
}

/// Returns two tables, one for latency and one for service time.
pub(crate) fn distributions_of(result: &ResultRecord) -> [Block; 2] {
    [
        Block::folded("Latency (end − due)", distributions(result, |times| times.0)),
        Block::folded("Service time (end − sent)", distributions(result, |times| times.1)),
    ]
}

/// Latency and service time, in this order.
type Times = (DistributionRecord, DistributionRecord);

fn distributions(result: &ResultRecord, choose: fn(Times) -> DistributionRecord) -> Table {
    let kinds = &result.transactions;
    let times: Vec<_> = kinds.iter().map(|kind| choose((kind.latency, kind.service))).collect();
    let known = |value: fn(&DistributionRecord) -> f64| -> Vec<Option<f64>> {
        times
            .iter()
            .map(|distribution| (distribution.count > 0).then(|| value(distribution)))
            .collect()
    };
    let mut columns = vec![
        Column::left("transaction", kinds.iter().map(|kind| kind.name.clone())),
        Column::right("samples", times.iter().map(|distribution| grouped(distribution.count))),
        Column::right("min", latencies(&known(|times| times.min_us))),
        Column::right("mean", latencies(&known(|times| times.mean_us))),
    ];
    columns.extend(crate::transactions::distribution(&times));
    Table::new(columns).gap(1)
}

/// Returns all error classes, each with the message of its first failure.
pub fn errors(record: &Record, options: &TextOptions) -> String {
    let lines = |error: &ErrorRecord| {
        let (count, kind) = (grouped(error.count), error.kind.replace('_', " "));
        let code = if error.code.is_empty() { ABSENT } else { &error.code };
        let what = format!("{count} {kind} in {}, code {code}", error.transaction);
        [Line::new(0, clean(&what)), Line::new(1, clean(&error.example))]
    };
    with_result(record, options, |result| match &result.errors[..] {
        [] => vec![Block::text("No errors.")],
        all => vec![Block::lines(accounting::by_count(all).into_iter().flat_map(lines))],
    })
}

/// Returns the outcome of each consistency check.
pub fn checks(record: &Record, options: &TextOptions) -> String {
    with_result(record, options, |result| match &result.checks[..] {
        [] => vec![Block::text("No checks were run.")],
        all => vec![Block::lines(all.iter().map(check_line))],
    })
}

fn check_line(check: &CheckRecord) -> Line {
    let mark = check_mark(check);
    let detail = match clean(&check.detail) {
        detail if detail.is_empty() => String::new(),
        detail => format!(": {detail}"),
    };
    let (id, when, rule, verdict) = (&check.id, &check.when, &check.rule, &check.verdict);
    Line::new(0, format!("{mark} {id} ({when}) {rule}: {verdict}{detail}"))
}

/// Returns the outcome of each rule in the audit of the generated inputs.
pub fn audit(record: &Record, options: &TextOptions) -> String {
    with_result(record, options, |result| vec![Block::Table(audit_table(result))])
}

/// Returns the audit as a table.
pub(crate) fn audit_table(result: &ResultRecord) -> Table {
    let each = |cell: fn(&AuditRecord) -> String| result.audit.iter().map(cell);
    let measured = |rule: &AuditRecord| {
        rule.measured.map_or_else(|| ABSENT.into(), |value| value_of(rule, value))
    };
    let columns = vec![
        Column::left("", each(|rule| rule.measured.map_or(ABSENT, |_| mark(rule.passed)).into())),
        Column::left("rule", each(|rule| rule.name.clone())),
        Column::right("measured", each(measured)),
        Column::right("expected", each(|rule| value_of(rule, rule.expected))),
        Column::right("lowest", each(|rule| value_of(rule, rule.low))),
        Column::right("highest", each(|rule| value_of(rule, rule.high))),
        Column::right("draws", each(|rule| grouped(rule.draws))),
        Column::left("clause", each(|rule| rule.clause.clone())),
    ];
    Table::new(columns).flush()
}

/// Returns a run's complete plan and the conditions under which it ran.
pub fn plan(record: &Record, options: &TextOptions) -> String {
    let settings = record.server.settings.iter().map(|(key, value)| pair(key, value));
    let server = std::iter::once(pair("version", &record.server.version)).chain(settings);
    let parameters = record.plan.parameters.iter().map(|(key, value)| pair(key, value));
    let steps = record
        .plan
        .steps
        .as_ref()
        .map(|load| (format!("Steps of --load '{}'", load.expression), steps::planned(load)));
    let again = Table::new(vec![Column::left("", [record.plan.command.clone()])]);
    let sections =
        std::iter::once(("Plan".to_owned(), pairs(plan_pairs(record)))).chain(steps).chain([
            ("Workload parameters".to_owned(), pairs(parameters)),
            ("Server".to_owned(), pairs(server)),
            ("Client".to_owned(), pairs(host_pairs(record))),
            ("Again".to_owned(), again),
        ]);
    page(sections.flat_map(|(title, table)| [Block::heading(title), Block::Table(table)]), options)
}

fn plan_pairs(record: &Record) -> Vec<Pair> {
    let mut lines = Vec::new();
    for (key, value) in settings::shown(record) {
        match key {
            "scale" => lines.push(pair("driver", &record.plan.driver)),
            "pacing" => lines.push(pair("arrival", record.plan.load.arrival.word())),
            _ => {}
        }
        lines.push(pair(key, value));
    }
    lines.extend(terminals::offered(&record.plan).map(|words| pair("offered load", words)));
    lines
}

fn host_pairs(record: &Record) -> Vec<Pair> {
    let host = &record.host;
    vec![
        pair("name", &host.name),
        pair("os", format!("{}, kernel {}, {}", host.os, host.kernel, host.arch)),
        pair("cpu", format!("{} cores, {}", host.cores, host.cpu)),
        pair("memory", bytes(host.memory_bytes)),
        pair("tacho", &record.tool_version),
    ]
}

/// A key with its value.
type Pair = (String, String);

/// Formats a key and its value. The values of a plan are aligned, unless a key is longer than 24
/// characters.
fn pair(key: &str, value: impl Display) -> Pair {
    (pad(key, 24), clean(&value.to_string()))
}

fn pairs(pairs: impl IntoIterator<Item = Pair>) -> Table {
    let (keys, values): (Vec<String>, Vec<String>) = pairs.into_iter().unzip();
    Table::new(vec![Column::left("", keys), Column::left("", values)]).gap(1)
}

pub(crate) fn with_result(
    record: &Record,
    options: &TextOptions,
    show: impl FnOnce(&ResultRecord) -> Vec<Block>,
) -> String {
    page(record.result.as_ref().map_or_else(|| vec![Block::text(NO_RESULT)], show), options)
}
