//! The overall verdict on a comparison, which weighs throughput against latency.
//!
//! The verdict is never "better" if latencies are worse. If the measurements of a side vary too much, neither side
//! wins.
//!
//! Start reading at [`Overall::of`].

use schemars::JsonSchema;
use serde::Serialize;
use tacho_core::units::counted;
use tacho_metrics::{Verdict, holm};
use tacho_store::record::RunVerdict;

use super::{Measurement, MetricRow, Side};
use crate::condition::GateVerdict;
use crate::words::clean;

/// The overall verdict on a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overall {
    /// Throughput is better, and nothing is worse.
    Better,
    /// The throughput is worse.
    Worse,
    /// Throughput is better, but latencies or another throughput metric are worse.
    Mixed,
    /// The throughput may differ.
    Unclear,
    /// There is no difference in throughput.
    NoDifference,
    /// Throughput cannot be compared.
    NoWinner,
}

impl Overall {
    /// Returns the verdict for the given rows, the first of which is the throughput. If `is_open`, the arrival
    /// rate is fixed and determines the throughput, so the latencies decide.
    pub(super) fn of(rows: &[MetricRow], is_open: bool) -> Self {
        let Some((first, others)) = rows.split_first() else { return Self::NoWinner };
        let worse = others.iter().any(|row| row.verdict == Verdict::Worse);
        match first.verdict {
            Verdict::Better if worse => Self::Mixed,
            Verdict::Better => Self::Better,
            Verdict::Worse => Self::Worse,
            Verdict::Unclear | Verdict::NoDifference if is_open => Self::of_latencies(others),
            Verdict::Unclear => Self::Unclear,
            Verdict::NoDifference => Self::NoDifference,
            Verdict::NotEnoughData | Verdict::Unstable => Self::NoWinner,
        }
    }

    /// Converts the verdict of a comparison's gate to an overall verdict.
    pub(crate) const fn of_gate(verdict: GateVerdict) -> Self {
        match verdict {
            GateVerdict::Worse => Self::Worse,
            GateVerdict::Within => Self::NoDifference,
            GateVerdict::CannotTell => Self::Unclear,
        }
    }

    /// Returns the verdict on the latencies. They are tested together, because out of many latencies, one may
    /// differ significantly by chance.
    pub(crate) fn of_latencies(rows: &[MetricRow]) -> Self {
        let rows = rows.iter().filter(|row| row.unit == "us");
        let (rows, p): (Vec<&MetricRow>, Vec<f64>) =
            rows.filter_map(|row| Some((row, row.change?.p))).unzip();
        let adjusted = holm(&p);
        let any = |verdict| {
            let mut claims = rows.iter().zip(&adjusted).filter(|(_, p)| **p <= FAMILY_OF_LATENCIES);
            claims.any(|(row, _)| row.verdict == verdict)
        };
        match (any(Verdict::Better), any(Verdict::Worse)) {
            (true, true) => Self::Mixed,
            (true, false) => Self::Better,
            (false, true) => Self::Worse,
            (false, false) => Self::NoDifference,
        }
    }
}

/// Maximum probability of any false claim about latencies at a fixed arrival rate.
const FAMILY_OF_LATENCIES: f64 = 0.05;

/// Returns the sides whose only run is UNSTABLE, each with the reasons.
pub(super) fn unstable(sides: [&Side; 2]) -> Vec<String> {
    let runs = sides.into_iter().filter_map(Side::single);
    runs.filter_map(unstable_run).collect()
}

/// Returns a note that some repeated runs are UNSTABLE. The spread between the runs already accounts for this.
pub(super) fn uneven(sides: [&Side; 2]) -> Option<String> {
    let repeated = sides.into_iter().filter(|side| side.single().is_none());
    let mut named: Vec<String> =
        repeated.flat_map(|side| &side.runs).filter_map(unstable_run).collect();
    if named.len() > NAMED_MAX {
        let more = (named.len() - NAMED_MAX) as u64;
        named.truncate(NAMED_MAX);
        named.push(format!("{} more", counted(more, "run")));
    }
    (!named.is_empty()).then(|| {
        format!(
            "Note: {}; the spread between repeated runs already reflects this.",
            named.join("; ")
        )
    })
}

fn unstable_run(run: &Measurement) -> Option<String> {
    let result = run.record.result.as_ref()?;
    let reasons = result.unsettled().join("; ");
    let is_unstable = result.verdict() == RunVerdict::Unstable;
    is_unstable.then(|| clean(&format!("run {} is UNSTABLE ({reasons})", run.record.id)))
}

/// Maximum number of runs to list by name. Further runs are only counted.
const NAMED_MAX: usize = 3;

/// Withdraws all claims of a change.
pub(super) fn take_back(rows: &mut [MetricRow]) {
    for row in rows.iter_mut().filter(|row| row.change.is_some()) {
        row.verdict = Verdict::Unstable;
    }
}

#[cfg(test)]
mod tests {
    use tacho_metrics::{Change, Direction};

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
            effect: None,
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
            assert_eq!(Overall::of(&rows(throughput, latency), false), overall);
        }
    }

    #[test]
    fn latencies_decide_where_the_rate_is_fixed() {
        let changed = |name: &str, verdict, p| {
            let change = Change { value: 3.5, low: 3.0, high: 4.0, significant: p < 0.01, p };
            MetricRow { change: Some(change), ..row(name, "us", verdict) }
        };
        let of = |latencies: [MetricRow; 2]| {
            let [a, b] = latencies;
            Overall::of(&[row("throughput", "per_s", Verdict::NoDifference), a, b], true)
        };
        let worse = |p| changed("p95", Verdict::Worse, p);
        assert_eq!(of([worse(0.001), changed("p99", Verdict::NoDifference, 0.5)]), Overall::Worse);
        assert_eq!(of([worse(0.001), changed("p50", Verdict::Better, 0.001)]), Overall::Mixed);
        let none = changed("p50", Verdict::NoDifference, 0.8);
        assert_eq!(of([none.clone(), none]), Overall::NoDifference);
    }
}
