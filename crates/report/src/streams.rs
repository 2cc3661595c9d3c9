//! Results of runs whose sessions end by themselves, by session and by transaction type.
//!
//! Each mean is shown together with two numbers: how many values are included, and how many were
//! left out, for example because a query failed.
//!
//! Start reading at [`figures`] and [`table`].

use tacho_analysis::{Kind, kinds};
use tacho_analysis::{clean, short_hash};
use tacho_core::units::{bytes, counted, grouped};
use tacho_store::record::{
    ExecutionRecord, QueryPlanRecord, ResultRecord, StreamRecord, WorkRecord,
};

use crate::document::{Block, Line};
use crate::table::{Column, Table, latencies};
use crate::words::{ABSENT, micros};

/// Definition of the geometric mean.
pub(crate) const FORMULA: &str = "geometric mean: (t1 · … · tn)^(1/n) over the times of the n \
                                  successful ones, each at least a thousandth of the longest";
/// Definition of the mean with penalties for failed queries. It is shown only if a query failed.
pub(crate) const PENALTY: &str =
    "penalised mean: includes failed transactions, each counted as ten times the longest time";

/// Returns definitions of the means that are shown for these streams.
pub(crate) fn formula(streams: &[StreamRecord]) -> String {
    let failed = streams.iter().any(|one| one.failed > 0);
    if failed { format!("{FORMULA}; {PENALTY}") } else { FORMULA.into() }
}

/// Returns the mean and elapsed time of each session, slowest first, followed by definitions.
pub(crate) fn figures(streams: &[StreamRecord]) -> impl Iterator<Item = Line> {
    let named = |stream: &StreamRecord| match streams.len() {
        1 => figure(stream),
        _ => format!("session {}: {}", stream.session + 1, figure(stream)),
    };
    let figures = slowest_first(streams).into_iter().map(named);
    figures.chain([formula(streams)]).map(|text| Line::new(1, text))
}

/// Describes the slowest session.
pub(crate) fn in_brief(streams: &[StreamRecord]) -> Option<String> {
    let slowest = slowest_first(streams).into_iter().next()?;
    Some(match streams.len() {
        1 => figure(slowest),
        many => format!("Slowest of {many} sessions: {}", figure(slowest)),
    })
}

fn slowest_first(streams: &[StreamRecord]) -> Vec<&StreamRecord> {
    let mut slowest_first: Vec<&StreamRecord> = streams.iter().collect();
    slowest_first.sort_by(|a, b| b.elapsed_s.total_cmp(&a.elapsed_s));
    slowest_first
}

fn figure(stream: &StreamRecord) -> String {
    let time = |mean: Option<f64>| mean.map_or(ABSENT.into(), |mean| micros(mean * 1e6));
    let mean = time(stream.geometric_mean_s);
    let failed = match stream.failed {
        0 => String::new(),
        failed => format!(
            " · {} FAILED and not in the mean, penalised {}",
            grouped(failed),
            time(stream.penalised_mean_s)
        ),
    };
    let good = counted(stream.good, "transaction");
    format!("{mean} geometric mean of {good} · {} in all{failed}", micros(stream.elapsed_s * 1e6))
}

/// Returns a table with the shortest, mean and longest time of each transaction type. If none was
/// executed more than once, the table has only one column for the time.
pub(crate) fn table(executions: &[ExecutionRecord], plans: &[QueryPlanRecord]) -> Table {
    let kinds = kinds(executions);
    let mut columns = vec![Column::left("transaction", kinds.iter().map(|k| k.name.to_owned()))];
    if kinds.iter().all(|kind| kind.times_us.len() <= 1) {
        columns.push(Column::right("time", times(&kinds, Kind::mean_us)));
    } else {
        columns
            .push(Column::right("count", kinds.iter().map(|k| grouped(k.times_us.len() as u64))));
        columns.push(Column::right("shortest", times(&kinds, Kind::shortest_us)));
        columns.push(Column::right("mean", times(&kinds, Kind::mean_us)));
        columns.push(Column::right("longest", times(&kinds, Kind::longest_us)));
    }
    if kinds.iter().any(|kind| kind.first_row_us().is_some()) {
        columns.push(Column::right("first row", times(&kinds, Kind::first_row_us)));
    }
    columns.push(Column::right("rows", kinds.iter().map(rows)));
    columns.extend(WORK.iter().filter_map(|what| work_column(what, &kinds)));
    columns.push(Column::right("failed", kinds.iter().map(|k| grouped(k.failed.len() as u64))));
    if !plans.is_empty() {
        let plan = |kind: &Kind<'_>| {
            let known = plans.iter().find(|plan| plan.transaction == kind.name);
            known.map_or(ABSENT.into(), short_hash)
        };
        columns.push(Column::left("plan", kinds.iter().map(plan)));
    }
    Table::new(columns)
}

/// An amount of work that the database reports, such as the number of bytes read. It consists of a
/// title, a function that reads the amount from the record, and a function that formats it.
type Worked = (&'static str, fn(&WorkRecord) -> Option<u64>, fn(u64) -> String);
const WORK: [Worked; 3] = [
    ("temp", |work| work.temp_bytes, bytes),
    ("temp tables", |work| work.temp_tables, |count| grouped(count)),
    ("read", |work| work.read_bytes, bytes),
];

/// Returns a column of mean values, or `None` if no value is known.
fn work_column((title, of, text): &Worked, kinds: &[Kind<'_>]) -> Option<Column> {
    let all: Vec<Option<f64>> = kinds.iter().map(|kind| kind.work(*of)).collect();
    let cell = |mean: &Option<f64>| mean.map_or(ABSENT.into(), |mean| text(mean.round() as u64));
    all.iter().any(Option::is_some).then(|| Column::right(title, all.iter().map(cell)))
}

/// Names the values that the database does not report for each query.
pub(crate) fn unreported(result: &ResultRecord) -> Option<String> {
    let words = clean(&result.unreported_queries.join("; "));
    (!words.is_empty()).then(|| format!("not available: {words}"))
}

/// Returns each query plan as the database reports it, under the name of its query.
pub(crate) fn plans(result: &ResultRecord) -> impl Iterator<Item = Block> {
    let title =
        |record: &QueryPlanRecord| format!("Plan {} of {}", short_hash(record), record.transaction);
    result.query_plans.iter().map(move |record| plan(title(record), record))
}

/// Returns the steps of a query plan, one per line.
pub(crate) fn plan(title: String, record: &QueryPlanRecord) -> Block {
    let lines: Vec<String> = record.plan.lines().map(clean_line).collect();
    Block::Listing { title, text: lines.join("\n") }
}

/// Keep the indentation of the line but remove terminal control sequences.
fn clean_line(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    format!("{:indent$}{}", "", clean(line.trim_start()))
}

fn times<'a>(kinds: &[Kind<'a>], of: fn(&Kind<'a>) -> Option<f64>) -> Vec<String> {
    latencies(&kinds.iter().map(of).collect::<Vec<_>>())
}

/// Returns a table of all executions, in the order in which they started.
pub(crate) fn course(executions: &[ExecutionRecord]) -> Table {
    let mut all: Vec<&ExecutionRecord> = executions.iter().collect();
    all.sort_by(|a, b| a.sent_s.total_cmp(&b.sent_s));
    let times = |of: fn(&ExecutionRecord) -> f64| -> Vec<String> {
        latencies(&all.iter().map(|one| Some(of(one) * 1e6)).collect::<Vec<_>>())
    };
    let first_rows: Vec<Option<f64>> =
        all.iter().map(|one| one.first_row_s.map(|first| first * 1e6)).collect();
    let first_rows = latencies(&first_rows);
    let rows = |one: &&ExecutionRecord| one.rows.map_or(ABSENT.into(), grouped);
    let failed = |one: &&ExecutionRecord| one.failed.as_deref().map(clean).unwrap_or_default();
    let columns = vec![
        Column::right("session", all.iter().map(|one| grouped(one.session + 1))),
        Column::right("begin", times(|one| one.sent_s)),
        Column::left("transaction", all.iter().map(|one| one.transaction.clone())),
        Column::right("time", times(|one| one.took_s)),
        Column::right("first row", first_rows),
        Column::right("rows", all.iter().map(rows)),
        Column::left("failed", all.iter().map(failed)),
    ];
    Table::new(columns)
}

/// Returns a table with one row per stream, slowest first.
pub(crate) fn streams_table(streams: &[StreamRecord]) -> Table {
    let all = slowest_first(streams);
    let times = |of: fn(&StreamRecord) -> Option<f64>| -> Vec<String> {
        latencies(&all.iter().map(|one| of(one).map(|s| s * 1e6)).collect::<Vec<_>>())
    };
    let mut columns = vec![
        Column::right("session", all.iter().map(|one| grouped(one.session + 1))),
        Column::right("geometric mean", times(|one| one.geometric_mean_s)),
        Column::right("of", all.iter().map(|one| grouped(one.good))),
        Column::right("failed", all.iter().map(|one| grouped(one.failed))),
        Column::right("in all", times(|one| Some(one.elapsed_s))),
    ];
    if all.iter().any(|one| one.failed > 0) {
        columns.push(Column::right("penalised mean", times(|one| one.penalised_mean_s)));
    }
    Table::new(columns)
}

/// Formats the number of rows returned. A varying number becomes a range.
fn rows(kind: &Kind<'_>) -> String {
    match (kind.rows.iter().min(), kind.rows.iter().max()) {
        (Some(least), Some(most)) if least == most => grouped(*least),
        (Some(least), Some(most)) => format!("{} to {}", grouped(*least), grouped(*most)),
        _ => ABSENT.into(),
    }
}
