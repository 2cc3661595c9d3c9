//! A comparison as text: conditions that differ, the table, one sentence.
//!
//! Start reading at [`Comparison::text`].

use tacho_core::units::{THIN_SPACE, counted, grouped, percent, significant};
use tacho_metrics::{Change, Verdict};
use tacho_store::record::RunVerdict;

use super::{Basis, Comparison, MetricRow, Observed, SideFacts, may_be_a_cause};
use crate::layout::{Page, TextOptions, cut, pad};
use crate::table::{Column, Table};
use crate::words::{ABSENT, change, clean, compact, micros, minute, with_unit};

/// Characters of a value in the list of conditions.
const VALUE_CHARS_MAX: usize = 30;
/// What to do where a single run has no interval.
const TOO_SHORT: &str = "A run is too short for an interval: measure longer, or repeat both sides.";
/// What to do where a run does not know its own figure.
const UNSTABLE: &str = "The figure of an UNSTABLE run is too uncertain, so no winner is named: \
                        measure longer on a quiet machine, or omit that run. --force names a \
                        winner anyway.";
/// Runs of one side that are named; of more the count is told.
const RUNS_NAMED: usize = 3;

impl Comparison {
    /// The comparison for a terminal.
    pub fn text(&self, options: &TextOptions) -> String {
        let mut page = Page::new(options);
        page.text(&self.headline(), 2);
        page.blank();
        self.print_sides(&mut page);
        page.blank();
        self.differing(&mut page);
        page.blank();
        page.lines(table(&self.metrics).lines());
        page.blank();
        print_observed(&mut page, self.observed());
        for sentence in self.sentences() {
            page.text(&sentence, 0);
        }
        page.finish()
    }

    fn print_sides(&self, page: &mut Page) {
        for (label, side) in ["baseline", "run"].into_iter().zip(self.sides()) {
            page.text(&format!("{}{side}", pad(label, 10)), 10);
        }
    }

    /// Baseline and run, each in a line: runs, date, server.
    pub(crate) fn sides(&self) -> [String; 2] {
        [&self.baseline, &self.run].map(|side| {
            let mark = match side.verdict {
                RunVerdict::Valid => String::new(),
                other => format!("  {}", other.word()),
            };
            format!("{}  {}  {}{mark}", runs(side), minute(&side.started_at), clean(&side.server))
        })
    }

    fn differing(&self, page: &mut Page) {
        let Some(mut table) = self.conditions_table() else {
            page.line("No recorded condition differs");
            return;
        };
        page.line("Conditions that differ");
        // The first line is that of the titles, which say nothing here.
        table.columns.iter_mut().for_each(|column| column.title.clear());
        page.lines(table.lines().into_iter().skip(1));
    }

    /// The conditions that differ; `None` if none does.
    pub(crate) fn conditions_table(&self) -> Option<Table> {
        let value = |value: &Option<String>| {
            value.as_deref().map_or(ABSENT.into(), |value| cut(&clean(value), VALUE_CHARS_MAX))
        };
        let names = self.conditions.iter().map(|one| one.name.clone());
        let columns = vec![
            Column::left("", names),
            Column::right("baseline", self.conditions.iter().map(|one| value(&one.baseline))),
            Column::left("", self.conditions.iter().map(|_| "→".into())),
            Column::left("run", self.conditions.iter().map(|one| value(&one.run))),
        ];
        (!self.conditions.is_empty()).then_some(Table { columns, indent: 2, gap: 2 })
    }

    /// The metrics of both sides.
    pub(crate) fn metrics_table(&self) -> Table {
        table(&self.metrics)
    }

    /// The outcome, and what the intervals rest on.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let mut sentences = vec![self.outcome()];
        if self.throughput() == Verdict::NotEnoughData && self.basis == Basis::WithinRun {
            sentences.push(TOO_SHORT.into());
        }
        if !self.unstable.is_empty() {
            sentences.push(UNSTABLE.into());
        }
        sentences.extend(self.notes.iter().map(|note| clean(note)));
        let causes = self.conditions.iter().filter(|one| may_be_a_cause(&one.name)).count();
        let changed = self.count(Verdict::Better) + self.count(Verdict::Worse) > 0;
        if changed && causes > 1 {
            sentences.push(format!(
                "{causes} conditions differ: the change cannot be assigned to one of them."
            ));
        }
        sentences.push(self.basis.sentence().into());
        sentences
    }

    fn outcome(&self) -> String {
        format!(
            "{} Of {}: {}.",
            self.claim(),
            counted(self.metrics.len() as u64, "metric"),
            verdicts_counted(|verdict| self.count(verdict))
        )
    }

    /// What became of the throughput, in one sentence.
    pub(crate) fn claim(&self) -> String {
        self.metrics.first().map(|row| claim(row, "in the baseline", "")).unwrap_or_default()
    }
}

/// How many have each verdict: `1 better, 2 without a difference`. Empty if there is nothing to count.
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

/// A change in one sentence: its size, both figures, the interval and the verdict. `before` says where
/// the first figure was measured; `opening` where the second one was, if that must be said.
pub(crate) fn claim(row: &MetricRow, before: &str, opening: &str) -> String {
    let Some(change) = row.change else {
        return format!("{opening}{}: {}.", row.name, word(row.verdict));
    };
    format!(
        "{opening}{} is {} {before} ({} → {}), 95{THIN_SPACE}% interval {}: {}.",
        row.name,
        more_or_less(change.value),
        value(row, row.baseline),
        value(row, row.run),
        interval(change),
        match row.verdict {
            // An interval that holds zero does not prove that nothing differs.
            Verdict::NoDifference => "no difference is shown",
            verdict => word(verdict),
        }
    )
}

/// `4.1 % higher than`, `12.3 times that`, `the same as`.
fn more_or_less(share: f64) -> String {
    match share {
        share if share >= FACTOR_FROM => format!("{} times that", compact(1.0 + share)),
        share if share.abs() < 0.000_5 => "the same as".into(),
        share if share > 0.0 => format!("{} higher than", percent(share)),
        share => format!("{} lower than", percent(-share)),
    }
}

/// What was seen together with a change.
pub(crate) fn print_observed(page: &mut Page, tables: Vec<(&'static str, Table)>) {
    let any = !tables.is_empty();
    for (title, table) in tables {
        page.line(title);
        page.lines(table.lines());
        page.blank();
    }
    if any {
        page.text(Observed::REMARK, 0);
        page.blank();
    }
}

fn runs(side: &SideFacts) -> String {
    if side.runs.len() > RUNS_NAMED {
        return format!("{} ({})", clean(&side.name), counted(side.runs.len() as u64, "run"));
    }
    side.runs.join(", ")
}

fn table(rows: &[MetricRow]) -> Table {
    let cells = |cell: fn(&MetricRow) -> String| rows.iter().map(cell).collect::<Vec<String>>();
    let columns = vec![
        Column::left("", cells(|row| row.name.clone())),
        Column::right("baseline", cells(|row| value(row, row.baseline))),
        Column::right("run", cells(|row| value(row, row.run))),
        Column::right("change", cells(changed)),
        Column::right("95 % interval", cells(|row| row.change.map_or(ABSENT.into(), interval))),
        Column::left("verdict", cells(|row| word(row.verdict).into())),
    ];
    Table { columns, indent: 2, gap: 3 }
}

/// A figure in its unit.
pub(crate) fn value(row: &MetricRow, value: Option<f64>) -> String {
    match value {
        None => ABSENT.into(),
        Some(value) if row.unit == "us" => micros(value),
        Some(value) if row.unit == "per_s" => with_unit(&grouped(value.round() as i64), "/s"),
        Some(value) if row.unit == "per_hour" => significant(value),
        Some(value) => grouped(value.round() as i64),
    }
}

/// How much it changed, with its sign.
pub(crate) fn changed(row: &MetricRow) -> String {
    match (row.change, row.baseline, row.run) {
        (Some(own), ..) => relative_change(own.value),
        (None, Some(before), Some(after)) if row.unit == "count" => {
            let sign = if after < before { '−' } else { '+' };
            format!("{sign}{}", grouped((after - before).abs().round() as i64))
        }
        (None, Some(before), Some(after)) if before > 0.0 => relative_change(after / before - 1.0),
        _ => ABSENT.into(),
    }
}

/// Both ends of a change.
pub(crate) fn interval(own: Change) -> String {
    format!("{} … {}", relative_change(own.low), relative_change(own.high))
}

/// From here on a change is told as a factor: nobody reads +16408.6 %.
const FACTOR_FROM: f64 = 9.0;

/// A relative change with its sign.
pub(crate) fn relative_change(share: f64) -> String {
    if share < FACTOR_FROM { change(share) } else { format!("×{}", compact(1.0 + share)) }
}

/// What is worse is written so that it is seen without colour.
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
