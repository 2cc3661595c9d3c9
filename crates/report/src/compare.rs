//! Tables and sentences for a comparison: differing conditions, metrics and conclusions.
//!
//! Start reading at [`blocks`].

use tacho_analysis::{
    Basis, Comparison, Difference, Limit, MetricRow, Observed, Overall, Replayed, SideFacts,
    StatementDifference, clean,
};
use tacho_core::units::{THIN_SPACE, counted, grouped, percent, significant};
use tacho_metrics::Verdict;
use tacho_store::record::RunVerdict;

use crate::document::{Block, Chart, Fact};
use crate::gate;
use crate::limit;
use crate::observed::seen;
use crate::padding::cut;
use crate::power;
use crate::table::{Column, Table};
pub(crate) use crate::words::interval;
use crate::words::{ABSENT, FACTOR_FROM, compact, micros, minute, relative_change, with_unit};

/// Maximum width of a value in the list of conditions, in characters.
const VALUE_CHARS_MAX: usize = 30;
/// Maximum width of a statement's text, in characters.
const STATEMENT_CHARS_MAX: usize = 60;
/// The note that is shown if a compared side consists of several runs.
pub(crate) const MEDIAN_RUN: &str =
    "The values of repeated runs are those of the median run; the changes are based on all runs.";
/// Advice for a comparison whose runs are too short for a confidence interval.
const TOO_SHORT: &str = "One of the runs is too short for a confidence interval: measure longer, or repeat the runs of both sides.";
/// Advice for a comparison in which one side consists of a single UNSTABLE run.
const UNSTABLE: &str = "The result of a single UNSTABLE run is too uncertain to name a winner: \
    repeat both sides, or measure longer on a quiet machine. Use --force to name a winner anyway.";
/// Minimum fraction of the change in time per transaction. Wait events that explain less are not named.
const CHANGE_SHARE_MIN: f64 = 0.25;
/// Maximum number of runs per side that are listed by name. If there are more, only their number is
/// shown.
const RUNS_NAMED: usize = 3;

/// Returns the blocks of a comparison. They cover the two sides, the conditions that differ, the
/// metrics, the chart, the observations, and the reasons for the verdicts.
pub(crate) fn blocks(comparison: &Comparison, chart: Option<Chart>) -> Vec<Block> {
    let mut blocks = vec![sides_facts(sides(comparison))];
    blocks.push(conditions_block(differences(&comparison.conditions)));
    blocks.push(Block::table("Metrics", metrics_table(&comparison.metrics)));
    blocks.extend(chart.map(Block::Chart));
    blocks.extend(comparison.replayed.iter().flat_map(replayed));
    blocks.extend(limits([&comparison.baseline, &comparison.run].map(|side| side.limit.as_ref())));
    blocks.extend(seen(&comparison.observed));
    blocks.extend(sentences(comparison).into_iter().map(Block::text));
    blocks
}

/// Returns a table of statements whose rows or errors differ between two replays, or a sentence if none do.
fn replayed(replay: &Replayed) -> Vec<Block> {
    if !replay.same_log {
        return vec![Block::text(
            "Rows and errors are not compared, because the two runs replay different logs.",
        )];
    }
    let all = &replay.differences;
    let pair = |value: &dyn Fn(usize) -> String| match (value(0), value(1)) {
        (a, b) if a == b => a,
        (a, b) => format!("{a} → {b}"),
    };
    let rows = |side: Option<u64>| side.map_or(ABSENT.into(), grouped);
    let each = |cell: &dyn Fn(&StatementDifference) -> String| -> Vec<String> {
        all.iter().map(cell).collect()
    };
    let columns = vec![
        Column::left("statement", each(&|one| one.transaction.clone())),
        Column::right("sent", each(&|one| pair(&|side| grouped(one.sent[side])))),
        Column::right("rows", each(&|one| pair(&|side| rows(one.rows[side])))),
        Column::right("failed", each(&|one| pair(&|side| grouped(one.failed[side])))),
        Column::left("text", each(&|one| cut(&clean(&one.statement), STATEMENT_CHARS_MAX))),
    ];
    let title = "Statements with different rows or errors";
    let mut blocks: Vec<Block> =
        Table::new(columns).filled().map(|table| Block::long(title, table)).into_iter().collect();
    let statements = counted(replay.compared, "statement");
    if all.is_empty() && replay.uncounted < replay.compared {
        let count = counted(replay.compared - replay.uncounted, "statement");
        blocks
            .push(Block::text(format!("Rows and errors of {count} are the same in both replays.")));
    } else if all.iter().any(|one| one.rows[0] == one.rows[1] && one.failed[0] == one.failed[1]) {
        let text = "Statements with equal totals are listed because their individual executions differ in rows or errors.";
        blocks.push(Block::text(text));
    }
    if replay.uncounted > 0 {
        blocks.push(Block::text(format!(
            "Rows were not counted for {} of {statements}, so only their errors are compared.",
            grouped(replay.uncounted)
        )));
    }
    blocks
}

/// Returns the block that describes the two sides of a comparison.
pub(crate) fn sides_facts([baseline, run]: [String; 2]) -> Block {
    Block::Facts { facts: vec![Fact::new("baseline", baseline), Fact::new("run", run)] }
}

/// Returns a table of the conditions that differ, or a sentence if none differ.
pub(crate) fn conditions_block(table: Option<Table>) -> Block {
    match table {
        Some(table) => Block::long("Conditions that differ", table),
        None => Block::text("No recorded condition differs."),
    }
}

/// Describes the baseline and the run in one line each, with their runs, date and server.
pub(crate) fn sides(comparison: &Comparison) -> [String; 2] {
    [&comparison.baseline, &comparison.run].map(|side| {
        let mark = match side.verdict {
            RunVerdict::Valid => String::new(),
            other => format!("  {}", other.word()),
        };
        format!("{}  {}  {}{mark}", runs(side), minute(&side.started_at), clean(&side.server))
    })
}

/// Returns a table of the conditions that differ, or `None` if there are none.
pub(crate) fn differences(all: &[Difference]) -> Option<Table> {
    let value = |value: &Option<String>| {
        value.as_deref().map_or(ABSENT.into(), |value| cut(&clean(value), VALUE_CHARS_MAX))
    };
    let columns = vec![
        Column::left("", all.iter().map(|one| one.name.clone())),
        Column::right("baseline", all.iter().map(|one| value(&one.baseline))),
        Column::left("", all.iter().map(|_| "→".into())),
        Column::left("run", all.iter().map(|one| value(&one.run))),
    ];
    Table::new(columns).filled()
}

/// Describes the outcome, and how the confidence intervals were computed.
pub(crate) fn sentences(comparison: &Comparison) -> Vec<String> {
    let mut sentences = vec![outcome(comparison)];
    if comparison.throughput() == Verdict::NotEnoughData && comparison.basis == Basis::WithinRun {
        sentences.push(TOO_SHORT.into());
    }
    if !comparison.unstable.is_empty() {
        sentences.push(UNSTABLE.into());
    }
    sentences.extend(comparison.notes.iter().map(|note| clean(note)));
    sentences.push(basis_sentence(comparison.basis).into());
    let is_repeated =
        [&comparison.baseline, &comparison.run].iter().any(|side| side.runs.len() > 1);
    sentences.extend(is_repeated.then(|| MEDIAN_RUN.into()));
    sentences
}

/// If no difference was found, states how many repeats would be needed to show one.
pub(crate) fn more_runs(comparison: &Comparison) -> Option<String> {
    let row = comparison.metrics.first()?;
    if comparison.basis == Basis::OneObservation && comparison.gate.is_none() {
        return Some("An interval for a single query requires repeated query sets or runs.".into());
    }
    if !matches!(row.verdict, Verdict::NoDifference | Verdict::Unclear) || comparison.gate.is_some()
    {
        return None;
    }
    let repeats = comparison.baseline.runs.len().min(comparison.run.runs.len());
    power::after(row.effect.as_ref()?.noise(), 1, repeats as u32)
}

fn outcome(comparison: &Comparison) -> String {
    format!(
        "Of {}: {}.",
        counted(comparison.metrics.len() as u64, "metric"),
        verdicts_counted(|verdict| comparison.count(verdict))
    )
}

/// Describes the change in throughput in one sentence.
pub(crate) fn throughput_claim(comparison: &Comparison) -> String {
    comparison.metrics.first().map(|row| claim(row, "in the baseline", "")).unwrap_or_default()
}

/// Counts the metrics by verdict, as in `1 better, 2 without a difference`. Returns an empty text
/// if there are no metrics.
pub(crate) fn verdicts_counted(count: impl Fn(Verdict) -> usize) -> String {
    let parts: Vec<String> = [
        (Verdict::Better, "better"),
        (Verdict::Worse, "worse"),
        (Verdict::Unclear, "unclear"),
        (Verdict::NoDifference, "without a difference"),
        (Verdict::NotEnoughData, "without enough data"),
        (Verdict::Unstable, "not judged"),
    ]
    .into_iter()
    .map(|(verdict, words)| (count(verdict) as u64, words))
    .filter(|(count, _)| *count > 0)
    .map(|(count, words)| format!("{} {words}", grouped(count)))
    .collect();
    parts.join(", ")
}

/// Describes a change in one sentence, which starts with `opening`. The text `before` says what the
/// new value is compared with.
pub(crate) fn claim(row: &MetricRow, before: &str, opening: &str) -> String {
    let Some(change) = row.change else {
        return format!("{opening}{}: {}.", row.name, word(row.verdict));
    };
    format!(
        "{opening}{} is {} {before} ({} → {}), 95{THIN_SPACE}% confidence interval {}: {}.",
        row.name,
        more_or_less(change.value),
        value(row, row.baseline),
        value(row, row.run),
        interval(change),
        match row.verdict {
            // An interval that contains zero does not prove that there is no difference. It only
            // means that none was found.
            Verdict::NoDifference => "no difference is shown",
            verdict => word(verdict),
        }
    )
}

/// Expresses a ratio in words: `4.1 % higher than`, `12.3 times that` or `the same as`.
fn more_or_less(share: f64) -> String {
    match share {
        share if share >= FACTOR_FROM => format!("{} times that", compact(1.0 + share)),
        share if share.abs() < 0.000_5 => "the same as".into(),
        share if share > 0.0 => format!("{} higher than", percent(share)),
        share => format!("{} lower than", percent(-share)),
    }
}

fn runs(side: &SideFacts) -> String {
    if side.runs.len() > RUNS_NAMED {
        return format!("{} ({})", clean(&side.name), counted(side.runs.len() as u64, "run"));
    }
    side.runs.join(", ")
}

/// Returns a table of metrics with both values, the change, its confidence interval and the
/// verdict.
pub(crate) fn metrics_table(rows: &[MetricRow]) -> Table {
    let cells = |cell: fn(&MetricRow) -> String| rows.iter().map(cell).collect::<Vec<String>>();
    let columns = vec![
        Column::left("", cells(|row| row.name.clone())),
        Column::right("baseline", cells(|row| value(row, row.baseline))),
        Column::right("run", cells(|row| value(row, row.run))),
        Column::right("change", cells(changed)),
        Column::right("95 % CI", cells(|row| row.change.map_or(ABSENT.into(), interval))),
        Column::left("verdict", cells(|row| word(row.verdict).into())),
    ];
    Table::new(columns).gap(3)
}

/// Formats a metric's value with its unit.
pub(crate) fn value(row: &MetricRow, value: Option<f64>) -> String {
    match value {
        None => ABSENT.into(),
        Some(value) if row.unit == "us" => micros(value),
        Some(value) if row.unit == "per_s" => with_unit(&grouped(value.round() as i64), "/s"),
        Some(value) if row.unit == "per_hour" => significant(value),
        Some(value) => grouped(value.round() as i64),
    }
}

/// Formats the relative change in a metric, including its sign.
pub(crate) fn changed(row: &MetricRow) -> String {
    match (row.change, row.baseline, row.run) {
        (Some(change), ..) => relative_change(change.value),
        (None, Some(before), Some(after)) if row.unit == "count" => {
            let sign = if after < before { '−' } else { '+' };
            format!("{sign}{}", grouped((after - before).abs().round() as i64))
        }
        (None, Some(before), Some(after)) if before > 0.0 => relative_change(after / before - 1.0),
        _ => ABSENT.into(),
    }
}

/// Returns the word for a verdict. `WORSE` is in capitals so that it stands out even without colour.
pub(crate) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better",
        Verdict::Worse => "WORSE",
        Verdict::Unclear => "unclear",
        Verdict::NoDifference => "no difference",
        Verdict::NotEnoughData => "not enough data",
        Verdict::Unstable => "UNSTABLE",
    }
}

/// Returns the resource that limited each side, or nothing if both are unknown.
pub(crate) fn limits(sides: [Option<&Limit>; 2]) -> Option<Block> {
    let facts = ["baseline limit", "run limit"]
        .into_iter()
        .zip(sides)
        .filter_map(|(label, limit)| Fact::of(label, limit::sentences(limit?)));
    let facts: Vec<Fact> = facts.collect();
    (!facts.is_empty()).then_some(Block::Facts { facts })
}

/// Names the wait event whose time per transaction changed the most, unless it explains only a small part of the total
/// change.
pub(crate) fn largest_change(comparison: &Comparison) -> Option<String> {
    let verdict = comparison.metrics.first()?.verdict;
    wait_change(verdict, &comparison.observed).map(|wait| format!("Sessions spend {wait}."))
}

/// Describes the change that [`largest_change`] names, as in `1.2 ms less per transaction in IO:WALSync`.
pub(crate) fn wait_change(verdict: Verdict, all: &Observed) -> Option<String> {
    let is_faster = match verdict {
        Verdict::Better => true,
        Verdict::Worse => false,
        _ => return None,
    };
    let wait = all.largest(is_faster)?;
    let total: f64 = all.waits.iter().map(|wait| wait.run - wait.baseline).sum();
    let change = wait.run - wait.baseline;
    let is_large = change.abs() >= CHANGE_SHARE_MIN * total.abs();
    is_large.then(|| {
        format!(
            "{} {} per transaction in {} ({} → {})",
            micros(change.abs()),
            if is_faster { "less" } else { "more" },
            clean(&wait.name),
            micros(wait.baseline),
            micros(wait.run)
        )
    })
}

/// Returns a one-line summary, such as `MIXED: NOPM +4.1 % (+3.0 % … +5.2 %), 15 of 17 latencies WORSE`.
pub fn headline(comparison: &Comparison) -> String {
    if let Some(gate) = &comparison.gate {
        return gate::headline(gate);
    }
    let word = overall_word(comparison.overall);
    if !comparison.unstable.is_empty() {
        return format!("{word}: {}", comparison.unstable.join("; "));
    }
    let Some((first, others)) = comparison.metrics.split_first() else { return word.into() };
    let change = first.change.map_or_else(
        || ": not enough data".to_owned(),
        |change| format!(" {} ({})", relative_change(change.value), interval(change)),
    );
    let parts: Vec<String> = [format!("{}{change}", first.name)]
        .into_iter()
        .chain(other_throughput(others))
        .chain(times(first, others))
        .collect();
    format!("{word}: {}", parts.join(", "))
}

/// Names the metrics that became worse although throughput is better. The text is empty unless the
/// verdict is mixed.
pub(crate) fn price(comparison: &Comparison) -> String {
    let Some((first, others)) = comparison.metrics.split_first() else { return String::new() };
    match comparison.overall {
        Overall::Mixed => {
            other_throughput(others).chain(times(first, others)).collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    }
}

/// Names the throughput metrics that became worse, except for the main one. For example, query
/// throughput can fall while transaction throughput rises.
fn other_throughput(others: &[MetricRow]) -> impl Iterator<Item = String> {
    let worse = others.iter().filter(|row| row.unit != "us" && row.verdict == Verdict::Worse);
    worse.map(|row| format!("{} WORSE", row.name))
}

/// Counts the latencies by verdict, as in `15 of 17 latencies WORSE, 1 better`.
fn times(first: &MetricRow, others: &[MetricRow]) -> Option<String> {
    let all: Vec<&MetricRow> = others.iter().filter(|row| row.unit == "us").collect();
    let count = |verdict| all.iter().filter(|row| row.verdict == verdict).count() as u64;
    let kind = if first.unit == "us" { "query" } else { "latency" };
    let kinds = |count: u64| match (count, kind) {
        (1, kind) => format!("1 {kind}"),
        (count, "query") => format!("{} queries", grouped(count)),
        (count, _) => format!("{} latencies", grouped(count)),
    };
    let of = kinds(all.len() as u64);
    match (count(Verdict::Worse), count(Verdict::Better)) {
        _ if all.is_empty() => None,
        (0, 0) => None,
        (0, better) => Some(format!("{} of {of} better", grouped(better))),
        (worse, 0) => Some(format!("{} of {of} WORSE", grouped(worse))),
        (worse, better) => {
            Some(format!("{} of {of} WORSE, {} better", grouped(worse), grouped(better)))
        }
    }
}

/// Returns a sentence that explains how the confidence intervals were computed.
pub(crate) fn basis_sentence(basis: Basis) -> &'static str {
    match basis {
        Basis::BetweenRuns => {
            "95 % confidence intervals are based on the spread between repeated runs."
        }
        Basis::WithinRun => {
            "95 % confidence intervals are based on the parts of each run. They do not include the \
             variation between runs: repeat the runs to measure it."
        }
        Basis::OneObservation => {
            "Each query ran once: its ratio is one observation and has no interval. The geometric \
                mean has a 95 % interval, based on the spread of the ratios between the queries. \
                To measure the variation of each query, repeat query sets or runs."
        }
    }
}

/// Returns the word for an overall verdict.
pub(crate) fn overall_word(overall: Overall) -> &'static str {
    match overall {
        Overall::Better => "BETTER",
        Overall::Worse => "WORSE",
        Overall::Mixed => "MIXED",
        Overall::Unclear => "UNCLEAR",
        Overall::NoDifference => "NO DIFFERENCE SHOWN",
        Overall::NoWinner => "NO WINNER",
    }
}

#[cfg(test)]
mod tests {
    use tacho_metrics::Direction;

    use super::*;

    #[test]
    fn latencies_are_counted_by_their_verdict() {
        let row = |name: &str, unit, verdict| MetricRow {
            name: name.into(),
            unit,
            good: Direction::Up,
            baseline: Some(1.0),
            run: Some(1.0),
            change: None,
            verdict,
            adjusted_p: None,
            effect: None,
        };
        let first = row("NOPM", "per_minute", Verdict::Better);
        let others =
            [row("new_order p95", "us", Verdict::Worse), row("payment p95", "us", Verdict::Better)];
        assert_eq!(times(&first, &others).as_deref(), Some("1 of 2 latencies WORSE, 1 better"));
    }
}
