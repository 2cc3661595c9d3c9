//! A comparison in one line: what became of the throughput, and whether the latencies paid for it.
//!
//! It must never say "better" where latencies are worse, nor name a winner where a run does not know its
//! own figure. Start reading at [`Comparison::headline`].

use schemars::JsonSchema;
use serde::Serialize;
use tacho_core::units::{counted, grouped};
use tacho_metrics::Verdict;
use tacho_store::record::RunVerdict;

use super::{Comparison, MetricRow, Side, interval, relative_change};
use crate::words::clean;

/// The judgement of a comparison as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overall {
    /// The throughput is better, and nothing is worse.
    Better,
    /// The throughput is worse.
    Worse,
    /// The throughput is better, and latencies or another throughput are worse.
    Mixed,
    /// The throughput may differ.
    Unclear,
    /// No difference of the throughput is shown.
    NoDifference,
    /// Nothing can be said of the throughput.
    NoWinner,
}

impl Overall {
    /// As printed.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Better => "BETTER",
            Self::Worse => "WORSE",
            Self::Mixed => "MIXED",
            Self::Unclear => "UNCLEAR",
            Self::NoDifference => "NO DIFFERENCE SHOWN",
            Self::NoWinner => "NO WINNER",
        }
    }

    /// From the throughput and all that was measured with it.
    pub(super) fn of(rows: &[MetricRow]) -> Self {
        let Some((first, others)) = rows.split_first() else { return Self::NoWinner };
        let worse = others.iter().any(|row| row.verdict == Verdict::Worse);
        match first.verdict {
            Verdict::Better if worse => Self::Mixed,
            Verdict::Better => Self::Better,
            Verdict::Worse => Self::Worse,
            Verdict::Unclear => Self::Unclear,
            Verdict::NoDifference => Self::NoDifference,
            Verdict::NotEnoughData | Verdict::Unstable => Self::NoWinner,
        }
    }
}

impl Comparison {
    /// The outcome in one line: `MIXED: NOPM +4.1 % (+3.0 % … +5.2 %), 15 of 17 latencies WORSE`.
    pub fn headline(&self) -> String {
        let word = self.overall.word();
        if !self.unstable.is_empty() {
            return format!("{word}: {}", self.unstable.join("; "));
        }
        let Some((first, others)) = self.metrics.split_first() else { return word.into() };
        let change = first.change.map_or_else(
            || ": not enough data".to_owned(),
            |own| format!(" {} ({})", relative_change(own.value), interval(own)),
        );
        let parts: Vec<String> = [format!("{}{change}", first.name)]
            .into_iter()
            .chain(beside(others))
            .chain(times(first, others))
            .collect();
        format!("{word}: {}", parts.join(", "))
    }

    /// What is worse though the throughput is better; empty unless that is so.
    pub(crate) fn price(&self) -> String {
        let Some((first, others)) = self.metrics.split_first() else { return String::new() };
        match self.overall {
            Overall::Mixed => {
                beside(others).chain(times(first, others)).collect::<Vec<_>>().join(", ")
            }
            _ => String::new(),
        }
    }
}

/// Another throughput that is worse, such as that of queries at the same time.
fn beside(others: &[MetricRow]) -> impl Iterator<Item = String> {
    let worse = others.iter().filter(|row| row.unit != "us" && row.verdict == Verdict::Worse);
    worse.map(|row| format!("{} WORSE", row.name))
}

/// How many times are worse, and how many better: `15 of 17 latencies WORSE, 1 better`.
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

/// The runs that do not know their own figure, each with its reasons.
pub(super) fn unstable(sides: [&Side; 2]) -> Vec<String> {
    let runs = sides.into_iter().flat_map(|side| &side.runs);
    let told = runs.filter_map(|run| {
        let result = run.record.result.as_ref()?;
        let is_unstable = result.verdict() == RunVerdict::Unstable;
        let reasons = result.unsettled().join("; ");
        is_unstable.then(|| clean(&format!("run {} is UNSTABLE ({reasons})", run.record.id)))
    });
    let mut told: Vec<String> = told.collect();
    if told.len() > NAMED_MAX {
        let more = (told.len() - NAMED_MAX) as u64;
        told.truncate(NAMED_MAX);
        told.push(format!("{} more", counted(more, "run")));
    }
    told
}

/// Runs that are named; of more the count is given.
const NAMED_MAX: usize = 3;

/// Takes every claim back.
pub(super) fn take_back(rows: &mut [MetricRow]) {
    for row in rows.iter_mut().filter(|row| row.change.is_some()) {
        row.verdict = Verdict::Unstable;
    }
}

#[cfg(test)]
mod tests {
    use tacho_metrics::Direction;

    use super::*;

    fn row(name: &str, unit: &'static str, verdict: Verdict) -> MetricRow {
        MetricRow {
            name: name.into(),
            unit,
            good: Direction::Up,
            baseline: Some(1.0),
            run: Some(1.0),
            change: None,
            verdict,
            adjusted_p: None,
        }
    }

    #[test]
    fn a_better_throughput_with_a_worse_latency_is_not_better() {
        let rows = |throughput, latency| {
            [
                row("NOPM", "per_minute", throughput),
                row("new_order p95", "us", latency),
                row("payment p95", "us", Verdict::Better),
            ]
        };
        for (throughput, latency, overall) in [
            (Verdict::Better, Verdict::Worse, Overall::Mixed),
            (Verdict::Better, Verdict::Unclear, Overall::Better),
            (Verdict::Worse, Verdict::Better, Overall::Worse),
            (Verdict::NoDifference, Verdict::Worse, Overall::NoDifference),
            (Verdict::Unstable, Verdict::Unstable, Overall::NoWinner),
        ] {
            assert_eq!(Overall::of(&rows(throughput, latency)), overall);
        }
        let mixed = rows(Verdict::Better, Verdict::Worse);
        assert_eq!(
            times(&mixed[0], &mixed[1..]).as_deref(),
            Some("1 of 2 latencies WORSE, 1 better")
        );
    }
}
