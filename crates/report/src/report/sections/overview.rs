//! An overview of many comparisons with a baseline, as a chart with one row per comparison.
//!
//! Wherever data is omitted, the overview states where to find it. Start reading at [`blocks`].

use std::collections::{BTreeMap, BTreeSet};

use tacho_analysis::{Comparison, Overall, clean};
use tacho_core::units::{counted, grouped};

use crate::compare::{
    basis_sentence, changed, conditions_block, interval, sides, value, verdicts_counted, word,
};
use crate::document::Block;
use crate::report::charts::compare;
use crate::table::{Column, Table};
use crate::words::{ABSENT, minute};

/// Number of runs of which about one appears better or worse purely by chance.
const CHANCE_ONE_IN: usize = 100;

/// Returns a table with the change in the throughput of each run, followed by the conditions that
/// differ. For each condition, the table states the number of runs in which it differs.
pub(super) fn blocks(all: &[Comparison]) -> Vec<Block> {
    let Some(first) = all.first() else { return Vec::new() };
    let [before, _] = sides(first);
    let count = grouped(all.len() as u64);
    let chance = match all.len() / CHANCE_ONE_IN {
        0 => String::new(),
        some => format!(", of these some {some}"),
    };
    let mut blocks = vec![
        Block::text(format!(
            "Baseline: {before}. Number of runs compared with it, each separately: {count}."
        )),
        Block::text(format!(
            "Verdicts are not adjusted for multiple comparisons: of a hundred equal runs, one is \
                reported as better or worse by chance{chance}."
        )),
    ];
    blocks.extend(compare::overview(all).map(Block::Chart));
    blocks.push(Block::long("Each against the baseline", rows(all)));
    blocks.push(Block::text(
        "Percentiles and other metrics are only counted here. Their values and intervals are in \
         the same report with --table metrics and with --format json. To see the curves of a few \
         runs in one chart, report only those runs.",
    ));
    blocks.push(conditions_block(conditions(all)));
    blocks.extend(sentences(all).map(Block::text));
    blocks
}

fn rows(all: &[Comparison]) -> Table {
    let figure = |cell: &dyn Fn(&Comparison) -> Option<String>| -> Vec<String> {
        all.iter().map(|comparison| cell(comparison).unwrap_or(ABSENT.into())).collect()
    };
    let each = |cell: &dyn Fn(&Comparison) -> String| figure(&|comparison| Some(cell(comparison)));
    let metric = all[0].metrics.first().map_or("", |row| row.name.as_str());
    let columns = vec![
        Column::left("run", each(&|comparison| clean(&comparison.run.name))),
        Column::left("began", each(&|comparison| minute(&comparison.run.started_at))),
        Column::right(
            metric,
            figure(&|comparison| comparison.metrics.first().map(|row| value(row, row.run))),
        ),
        Column::right("change", figure(&|comparison| comparison.metrics.first().map(changed))),
        Column::right(
            "95 % CI",
            figure(&|comparison| comparison.metrics.first()?.change.map(interval)),
        ),
        Column::left(
            "verdict",
            each(&|comparison| match comparison.overall {
                Overall::Mixed => "mixed".into(),
                _ => word(comparison.throughput()).into(),
            }),
        ),
        Column::left("other metrics", each(&others)),
        Column::left("validity", each(&|comparison| comparison.run.verdict.word().into())),
    ];
    Table::new(columns)
}

/// Counts the verdicts on all metrics but the first, which is shown separately.
fn others(comparison: &Comparison) -> String {
    let rows = comparison.metrics.get(1..).unwrap_or_default();
    verdicts_counted(|verdict| rows.iter().filter(|row| row.verdict == verdict).count())
}

/// Returns each condition that differs in any run, with the number of such runs.
fn conditions(all: &[Comparison]) -> Option<Table> {
    let mut found: BTreeMap<&str, (u64, BTreeSet<&str>)> = BTreeMap::new();
    let mut before: BTreeMap<&str, &str> = BTreeMap::new();
    for one in all.iter().flat_map(|comparison| &comparison.conditions) {
        let (count, values) = found.entry(&one.name).or_default();
        *count += 1;
        values.insert(one.run.as_deref().unwrap_or(ABSENT));
        before.insert(&one.name, one.baseline.as_deref().unwrap_or(ABSENT));
    }
    let values = |values: &BTreeSet<&str>| match values.iter().collect::<Vec<_>>()[..] {
        [one] => clean(one),
        ref some => format!("{} different ones", grouped(some.len() as u64)),
    };
    let columns = vec![
        Column::left("condition", found.keys().map(|name| clean(name))),
        Column::left("baseline", before.values().map(|value| clean(value))),
        Column::left("instead", found.values().map(|(_, other)| values(other))),
        Column::right("differs in", found.values().map(|(count, _)| grouped(*count))),
    ];
    Table::new(columns).filled()
}

/// Returns the notes on the comparisons, and sentences that explain how the confidence intervals
/// were computed. If a sentence applies only to some runs, their number is added.
fn sentences(all: &[Comparison]) -> impl Iterator<Item = String> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for comparison in all {
        let basis = basis_sentence(comparison.basis).to_owned();
        for sentence in comparison.notes.iter().map(|note| clean(note)).chain([basis]) {
            *counts.entry(sentence).or_default() += 1;
        }
    }
    let all = all.len() as u64;
    counts.into_iter().map(move |(sentence, count)| match count {
        _ if count == all => sentence,
        _ => format!("{}: {sentence}", counted(count, "run")),
    })
}
