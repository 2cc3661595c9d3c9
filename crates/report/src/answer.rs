//! Summarizes a comparison or a sweep in five lines: the question, the answer, its cause, the
//! conditions, and what remains unknown.
//!
//! Start reading at [`of_comparison`].

use tacho_analysis::{
    Attribution, Comparison, Difference, Limit, MetricRow, PointComparison, SweepComparison, clean,
    may_be_a_cause,
};
use tacho_core::units::counted;
use tacho_metrics::Verdict;

use crate::attribution::{self, percent as share};
use crate::document::{Block, Fact};
use crate::layout::{Text, TextOptions, text};
use crate::words::change;
use crate::{compare, gate, limit, sweep_compare};

/// Maximum number of conditions or metrics to list by name.
pub(crate) const NAMED_MAX: usize = 3;
/// Label of the first line.
const QUESTION: &str = "question";

impl Text for Comparison {
    fn text(&self, options: &TextOptions) -> String {
        let blocks = compare::blocks(self, None);
        ended(&compare::headline(self), blocks, of_comparison(self), options)
    }
}

impl Text for SweepComparison {
    fn text(&self, options: &TextOptions) -> String {
        let blocks = sweep_compare::blocks(self, None);
        ended(&sweep_compare::headline(self), blocks, of_sweeps(self), options)
    }
}

impl Text for Attribution {
    fn text(&self, options: &TextOptions) -> String {
        let blocks = attribution::outcome(self).into_iter().chain(attribution::changed(self));
        ended(&attribution::heading(self), blocks.collect(), of_attribution(self), options)
    }
}

/// Formats a result as text, with the answer at the end.
pub(crate) fn ended(
    heading: &str,
    blocks: Vec<Block>,
    answer: Vec<Fact>,
    options: &TextOptions,
) -> String {
    text(heading, blocks.into_iter().chain(block(answer)).collect(), options)
}

/// Returns the five lines for a comparison of two runs or groups.
pub(crate) fn of_comparison(comparison: &Comparison) -> Vec<Fact> {
    let Some(row) = comparison.metrics.first() else { return Vec::new() };
    let causes: Vec<Cause> = comparison.conditions.iter().map(Cause::of).collect();
    let sides = [&comparison.baseline, &comparison.run];
    let mut answer = match &comparison.gate {
        Some(gate) => vec![gate::headline(gate)],
        None => vec![compare::throughput_claim(comparison)],
    };
    let price = compare::price(comparison);
    answer.extend((!price.is_empty()).then_some(price));
    let mut cause: Vec<String> = compare::largest_change(comparison).into_iter().collect();
    cause.extend(limited(sides.map(|side| side.limit.as_ref())));
    let metric = comparison.gate.as_ref().map_or(&row.name, |gate| &gate.metric);
    lines([
        vec![question(metric, &causes, sides.map(|side| side.server.as_str()))],
        answer,
        cause,
        vec![conditions(&causes)],
        not_shown(&comparison.metrics, compare::more_runs(comparison)),
    ])
}

/// Returns the five lines for a comparison of two sweeps.
pub(crate) fn of_sweeps(comparison: &SweepComparison) -> Vec<Fact> {
    let Some(row) = comparison.points.first().map(PointComparison::throughput) else {
        return Vec::new();
    };
    let causes: Vec<Cause> = comparison
        .conditions
        .iter()
        .filter(|one| may_be_a_cause(&one.name))
        .map(|one| Cause::new(&one.name, one.baseline.as_deref(), one.run.as_deref(), one.varies))
        .collect();
    let point = comparison.most_changed();
    let answer = match &comparison.gate {
        Some(gate) => gate::headline(gate),
        None => sweep_compare::claim_over_points(comparison),
    };
    let cause = point.and_then(|point| {
        let limits = limited([0, 1].map(|side| point.limits[side].as_ref()))?;
        Some(format!("At {}: {limits}", comparison.label(&point.values)))
    });
    let sides = [&comparison.baseline, &comparison.run];
    let rows: Vec<MetricRow> =
        comparison.points.iter().flat_map(|point| &point.metrics).cloned().collect();
    let metric = comparison.gate.as_ref().map_or(&row.name, |gate| &gate.metric);
    lines([
        vec![question(metric, &causes, sides.map(|side| side.server.as_str()))],
        vec![answer],
        cause.into_iter().collect(),
        vec![conditions(&causes)],
        not_shown(&rows, sweep_compare::more_runs(comparison)),
    ])
}

/// Returns the question that a pipeline answers, with one answer for each comparison.
pub(crate) fn of_pipeline(question: String, answers: Vec<String>) -> Vec<Fact> {
    if answers.is_empty() {
        return Vec::new();
    }
    let lines = [Fact::of(QUESTION, vec![question]), Fact::of("answer", answers)];
    lines.into_iter().flatten().collect()
}

/// Returns the lines for an attribution.
pub(crate) fn of_attribution(attribution: &Attribution) -> Vec<Fact> {
    let Some(whole) = &attribution.whole else { return Vec::new() };
    let (from, to) = (clean(&attribution.from), clean(&attribution.to));
    let groups = || attribution.groups.iter();
    let largest = groups().filter(|group| group.found);
    let largest = largest.max_by(|a, b| a.share.abs().total_cmp(&b.share.abs()));
    let cause = largest.map(|group| {
        format!(
            "The largest effect is \"{}\": {}, or {} of the total change.",
            group.group.title,
            change(group.change.value),
            share(group.share)
        )
    });
    let by_chance: Vec<&str> =
        groups().filter(|group| !group.found).map(|group| group.group.title.as_str()).collect();
    let chance = (!by_chance.is_empty()).then(|| {
        format!(
            "An effect of {}: chance alone could explain what was measured.",
            listed(&by_chance)
        )
    });
    let rounds = counted(attribution.rounds as u64, "round");
    lines([
        vec![format!("Which differences make {to} faster or slower than {from}?")],
        vec![format!(
            "The throughput with {to} differs from that with {from} by {} ({} … {}). The groups explain {} of this difference.",
            change(whole.value),
            change(whole.low),
            change(whole.high),
            share(attribution.explained)
        )],
        cause.into_iter().collect(),
        vec![format!(
            "All steps were measured on the same target in {rounds}, in alternating order."
        )],
        chance.into_iter().collect(),
    ])
}

/// Replaces the generated question with the one that the author of the report has supplied.
pub(crate) fn asked(mut lines: Vec<Fact>, question: &str) -> Vec<Fact> {
    let is_question = |line: &&mut Fact| line.label == QUESTION;
    if let Some(line) = lines.iter_mut().find(is_question) {
        *line = Fact::new(QUESTION, clean(question));
    }
    lines
}

/// Returns the five lines as a block, or `None` if there are no lines.
pub(crate) fn block(facts: Vec<Fact>) -> Option<Block> {
    Block::facts(facts)
}

/// Returns the five lines with their labels. Lines without text are omitted. If the cause is
/// missing, the line states that it is unknown.
pub(crate) fn lines(paragraphs: [Vec<String>; 5]) -> Vec<Fact> {
    let labels = [QUESTION, "answer", "cause", "conditions", "not shown"];
    let absent = |label: &str| match label {
        "cause" => Some("Unknown: nothing that was observed explains the result."),
        _ => None,
    };
    let line = |(label, mut paragraphs): (&'static str, Vec<String>)| {
        if paragraphs.is_empty() {
            paragraphs.extend(absent(label).map(str::to_owned));
        }
        Fact::of(label, paragraphs)
    };
    labels.into_iter().zip(paragraphs).filter_map(line).collect()
}

/// A condition that differs between the two sides of a comparison. `may_be` is true if the
/// condition may have caused the change.
struct Cause {
    name: String,
    baseline: String,
    run: String,
    may_be: bool,
}

impl Cause {
    fn of(difference: &Difference) -> Self {
        let (baseline, run) = (difference.baseline.as_deref(), difference.run.as_deref());
        Self::new(&difference.name, baseline, run, false)
    }

    fn new(name: &str, baseline: Option<&str>, run: Option<&str>, varies: bool) -> Self {
        let value = |value: Option<&str>| match value {
            _ if varies => "several values".to_owned(),
            None => "no value".to_owned(),
            Some(value) => clean(value),
        };
        let (baseline, run) = (value(baseline), value(run));
        let short = name.strip_prefix("server.settings.").unwrap_or(name);
        Self { name: clean(short), baseline, run, may_be: may_be_a_cause(name) }
    }
}

fn question(metric: &str, causes: &[Cause], servers: [&str; 2]) -> String {
    let metric = clean(metric);
    let causes: Vec<&Cause> = causes.iter().filter(|cause| cause.may_be).collect();
    match &causes[..] {
        [] => format!("Does {metric} differ between the baseline and the run?"),
        [one] => format!(
            "How does {metric} change if {} is {} instead of {}?",
            one.name, one.run, one.baseline
        ),
        _ if servers[0] != servers[1] => {
            let [before, after] = servers.map(clean);
            format!("How does {metric} with {after} compare to {before}?")
        }
        _ => format!("How does {metric} in the run compare to the baseline?"),
    }
}

fn conditions(causes: &[Cause]) -> String {
    let names: Vec<&str> =
        causes.iter().filter(|cause| cause.may_be).map(|cause| cause.name.as_str()).collect();
    match &names[..] {
        [] => "No recorded condition differs.".into(),
        [one] => format!("Only {one} differs; all other recorded conditions are the same."),
        several => format!(
            "{} conditions differ ({}), so the change cannot be attributed to any one of them.",
            several.len(),
            listed(several)
        ),
    }
}

/// Lists the first few names, as in `a, b, c and 4 more`.
pub(crate) fn listed(names: &[&str]) -> String {
    let (first, more) = names.split_at(names.len().min(NAMED_MAX));
    let first = first.join(", ");
    if more.is_empty() { first } else { format!("{first} and {} more", more.len()) }
}

/// Describes in one sentence what limited the baseline and what limited the new run.
fn limited(sides: [Option<&Limit>; 2]) -> Option<String> {
    let words = |limit: Option<&Limit>| limit.map(|limit| limit::sentences(limit).join("; "));
    match sides.map(words) {
        [Some(before), Some(after)] if before == after => {
            Some(format!("The limit of both sides: {before}."))
        }
        [Some(before), Some(after)] => {
            Some(format!("The limit of the baseline: {before}. The limit of the run: {after}."))
        }
        _ => None,
    }
}

/// Names the metrics whose change is uncertain, and the number of repeats that would be needed to
/// confirm a change.
fn not_shown(rows: &[MetricRow], more: Option<String>) -> Vec<String> {
    let open = |row: &&MetricRow| !matches!(row.verdict, Verdict::Better | Verdict::Worse);
    let mut names: Vec<&str> = rows.iter().filter(open).map(|row| row.name.as_str()).collect();
    let count = names.len();
    names.dedup();
    let of = counted(rows.len() as u64, "metric");
    let first = match count {
        0 => format!("Nothing: each of {of} is clearly better or worse."),
        _ if count == rows.len() => format!("A change in any of {of}."),
        _ if names.len() <= NAMED_MAX => format!("A change in {}.", names.join(", ")),
        _ => format!("A change in {count} of {of}."),
    };
    std::iter::once(first).chain(more).collect()
}
