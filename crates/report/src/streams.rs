//! Runs whose sessions come to an end by themselves: a figure for each session, a line for each kind of
//! transaction.
//!
//! A mean never stands without the number of what it is of, and of what it leaves out. Start reading at
//! [`figures`] and [`table`].

use tacho_core::units::{bytes, counted, grouped};
use tacho_metrics::query_mean;
use tacho_store::record::{
    ExecutionRecord, QueryPlanRecord, ResultRecord, StreamRecord, WorkRecord,
};

use crate::layout::Page;
use crate::table::{Column, Table, latencies};
use crate::words::{ABSENT, clean, micros};

/// How the mean is made.
pub(crate) const FORMULA: &str = "geometric mean: (t1 · … · tn)^(1/n) over the times of the n \
                                  successful ones, each at least a thousandth of the longest";
/// How the other mean is made, where something failed.
pub(crate) const PENALTY: &str =
    "penalised: over all, a failed one counts as ten times the longest of all";

/// What there is to say of the means of these streams.
pub(crate) fn formula(streams: &[StreamRecord]) -> String {
    let failed = streams.iter().any(|one| one.failed > 0);
    if failed { format!("{FORMULA}; {PENALTY}") } else { FORMULA.into() }
}

/// The mean of each session and its time as a whole; of several, the slowest comes first.
pub(crate) fn figures(page: &mut Page, streams: &[StreamRecord]) {
    for stream in slowest_first(streams) {
        let name = match streams.len() {
            1 => String::new(),
            _ => format!("session {}: ", stream.session + 1),
        };
        page.text(&format!("  {name}{}", figure(stream)), 4);
    }
    page.text(&format!("  {}", formula(streams)), 4);
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

/// Name of a kind, in the order in which people count: `q2` before `q14`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name<'a>(pub(crate) &'a str);

impl Name<'_> {
    fn key(&self) -> (&str, u64, &str) {
        let word = self.0.trim_end_matches(|c: char| c.is_ascii_digit());
        (word, self.0[word.len()..].parse().unwrap_or(0), self.0)
    }
}

impl Ord for Name<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Name<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl std::fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// All executions of one kind.
#[derive(Default)]
pub(crate) struct Kind<'a> {
    pub(crate) name: &'a str,
    /// Times of the good ones.
    pub(crate) times_us: Vec<f64>,
    pub(crate) rows: Vec<u64>,
    /// Times to the first row of those that brought rows back.
    pub(crate) first_rows_us: Vec<f64>,
    /// What the database did for each of which it told, failed ones included.
    pub(crate) work: Vec<WorkRecord>,
    /// Why the others failed, one entry each.
    pub(crate) failed: Vec<&'a str>,
}

impl Kind<'_> {
    /// `None` if all failed.
    pub(crate) fn shortest_us(&self) -> Option<f64> {
        self.times_us.iter().copied().reduce(f64::min)
    }

    /// Their arithmetic mean.
    pub(crate) fn mean_us(&self) -> Option<f64> {
        mean(&self.times_us)
    }

    /// The arithmetic mean of the times to the first row.
    pub(crate) fn first_row_us(&self) -> Option<f64> {
        mean(&self.first_rows_us)
    }

    /// The arithmetic mean of what the database did; of those that have it.
    pub(crate) fn work(&self, of: fn(&WorkRecord) -> Option<u64>) -> Option<f64> {
        mean(&self.work.iter().filter_map(|own| Some(of(own)? as f64)).collect::<Vec<f64>>())
    }

    pub(crate) fn longest_us(&self) -> Option<f64> {
        self.times_us.iter().copied().reduce(f64::max)
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The kinds in the order in which they first ended.
pub(crate) fn kinds(executions: &[ExecutionRecord]) -> Vec<Kind<'_>> {
    let mut kinds: Vec<Kind<'_>> = Vec::new();
    for one in executions {
        let name = one.transaction.as_str();
        let at = kinds.iter().position(|kind| kind.name == name).unwrap_or_else(|| {
            kinds.push(Kind { name, ..Kind::default() });
            kinds.len() - 1
        });
        let kind = &mut kinds[at];
        kind.rows.extend(one.rows);
        kind.work.extend(one.work);
        kind.first_rows_us.extend(one.first_row_s.map(|first| first * 1e6));
        match &one.failed {
            Some(why) => kind.failed.push(why),
            None => kind.times_us.push(one.took_s * 1e6),
        }
    }
    kinds
}

/// The geometric mean over all good executions of a run in microseconds, and of how many it is;
/// `None` without streams or without a good one.
pub(crate) fn overall_mean(result: &ResultRecord) -> Option<(f64, u64)> {
    if result.streams.is_empty() {
        return None;
    }
    let good = result.executions.iter().filter(|one| one.failed.is_none());
    let times: Vec<f64> = good.map(|one| one.took_s).collect();
    Some((query_mean(&times)? * 1e6, times.len() as u64))
}

/// From the first query to the last of the stream that took longest, in microseconds.
pub(crate) fn slowest_us(result: &ResultRecord) -> Option<f64> {
    result.streams.iter().map(|one| one.elapsed_s * 1e6).reduce(f64::max)
}

/// One line for each kind: its time, or the shortest, mean and longest of several.
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
            let own = plans.iter().find(|own| own.transaction == kind.name);
            own.map_or(ABSENT.into(), short_hash)
        };
        columns.push(Column::left("plan", kinds.iter().map(plan)));
    }
    Table { columns, indent: 2, gap: 2 }
}

/// What is shown of the work of a database: its title, and as text. The rest is in the record and the CSV.
type Worked = (&'static str, fn(&WorkRecord) -> Option<u64>, fn(u64) -> String);
const WORK: [Worked; 3] = [
    ("temp", |own| own.temp_bytes, bytes),
    ("temp tables", |own| own.temp_tables, |count| grouped(count)),
    ("read", |own| own.read_bytes, bytes),
];

/// A column of means, if anything is told of any kind.
fn work_column((title, of, text): &Worked, kinds: &[Kind<'_>]) -> Option<Column> {
    let all: Vec<Option<f64>> = kinds.iter().map(|kind| kind.work(*of)).collect();
    let cell = |mean: &Option<f64>| mean.map_or(ABSENT.into(), |mean| text(mean.round() as u64));
    all.iter().any(Option::is_some).then(|| Column::right(title, all.iter().map(cell)))
}

/// As much of a plan's hash as tells it from those of other runs.
pub(crate) fn short_hash(plan: &QueryPlanRecord) -> String {
    plan.hash.chars().take(8).collect()
}

/// What the database does not tell of single queries, if anything, in one line.
pub(crate) fn untold(result: &ResultRecord) -> Option<String> {
    let words = clean(&result.queries_untold.join("; "));
    (!words.is_empty()).then(|| format!("not available: {words}"))
}

/// The plans as they were asked, each below its query.
pub(crate) fn plans(page: &mut Page, result: &ResultRecord) {
    for own in &result.query_plans {
        page.blank();
        page.line(format!("Plan {} of {}", short_hash(own), own.transaction));
        page.lines(plan_lines(own).map(|line| format!("  {line}")));
    }
}

/// The steps of a plan, a line each.
pub(crate) fn plan_lines(own: &QueryPlanRecord) -> impl Iterator<Item = String> {
    own.plan.lines().map(clean_line)
}

/// A line as it is set, without what a terminal would obey.
fn clean_line(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    format!("{:indent$}{}", "", clean(line.trim_start()))
}

fn times<'a>(kinds: &[Kind<'a>], of: fn(&Kind<'a>) -> Option<f64>) -> Vec<String> {
    latencies(&kinds.iter().map(of).collect::<Vec<_>>())
}

/// Every execution, in the order of their begins.
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
    Table { columns, indent: 2, gap: 2 }
}

/// Each stream in a line, the slowest first.
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
    Table { columns, indent: 2, gap: 2 }
}

/// How many rows came back, or the least and the most.
fn rows(kind: &Kind<'_>) -> String {
    match (kind.rows.iter().min(), kind.rows.iter().max()) {
        (Some(least), Some(most)) if least == most => grouped(*least),
        (Some(least), Some(most)) => format!("{} to {}", grouped(*least), grouped(*most)),
        _ => ABSENT.into(),
    }
}
