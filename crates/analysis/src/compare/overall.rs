//! The overall verdict of a comparison, which weighs the throughput against the latencies.
//!
//! The verdict must never be "better" if latencies are worse, and must not name a winner if the result of a run is too
//! uncertain. Start reading at [`Overall::of`].

use schemars::JsonSchema;
use serde::Serialize;
use tacho_core::units::counted;
use tacho_metrics::Verdict;
use tacho_store::record::RunVerdict;

use super::{MetricRow, Side};
use crate::words::clean;

/// The overall verdict of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overall {
    /// The throughput is better, and nothing is worse.
    Better,
    /// The throughput is worse.
    Worse,
    /// The throughput is better, but latencies or another throughput are worse.
    Mixed,
    /// The throughput may differ.
    Unclear,
    /// The throughput shows no difference.
    NoDifference,
    /// The throughput cannot be compared.
    NoWinner,
}

impl Overall {
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

/// The runs that do not know their own figure, each with its reasons.
pub(super) fn unstable(sides: [&Side; 2]) -> Vec<String> {
    let runs = sides.into_iter().flat_map(|side| &side.runs);
    let named = runs.filter_map(|run| {
        let result = run.record.result.as_ref()?;
        let is_unstable = result.verdict() == RunVerdict::Unstable;
        let reasons = result.unsettled().join("; ");
        is_unstable.then(|| clean(&format!("run {} is UNSTABLE ({reasons})", run.record.id)))
    });
    let mut named: Vec<String> = named.collect();
    if named.len() > NAMED_MAX {
        let more = (named.len() - NAMED_MAX) as u64;
        named.truncate(NAMED_MAX);
        named.push(format!("{} more", counted(more, "run")));
    }
    named
}

/// Maximum number of runs that are named. If there are more, the remaining ones are counted.
const NAMED_MAX: usize = 3;

/// Withdraws every claim.
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
    }
}
