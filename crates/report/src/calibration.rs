//! What measuring equal settings against each other has said, before a sweep compares others.
//!
//! Start reading at [`Calibration::of`].

use serde::Serialize;
use tacho_core::units::counted;
use tacho_metrics::{Change, Noise, paired_change};

use crate::words::change;

/// An A/A calibration.
#[derive(Clone, Debug, Serialize)]
pub struct Calibration {
    /// Pairs of equal runs.
    pub pairs: u64,
    /// How much one of two equal sides seems to differ from the other.
    pub change: Change,
    /// Whether they seem to differ although they are equal: something drifts, or it is chance,
    /// which it is in one of a hundred.
    pub differs: bool,
    /// The smallest change that the repetitions of this sweep tell from none.
    pub floor: f64,
    /// The change that is to be told, if one was named.
    pub wanted: Option<f64>,
    /// Repetitions that would tell it; absent if no thousand would.
    pub repeats_for_wanted: Option<u32>,
}

impl Calibration {
    /// From the throughput of pairs of equal runs; `None` for fewer than two.
    pub fn of(pairs: &[(f64, f64)], repeats: u32, wanted: Option<f64>) -> Option<Self> {
        let (noise, change) = (Noise::of(pairs)?, paired_change(pairs)?);
        Some(Self {
            pairs: pairs.len() as u64,
            change,
            differs: change.significant,
            floor: noise.floor(repeats),
            wanted,
            repeats_for_wanted: wanted.and_then(|wanted| noise.repeats_for(wanted)),
        })
    }

    /// Whether the change that is wanted is too small to be told.
    pub fn is_too_coarse(&self) -> bool {
        self.wanted.is_some_and(|wanted| self.floor > wanted)
    }

    /// In sentences. `repeats` are the repetitions of the sweep.
    pub fn sentences(&self, repeats: u32) -> Vec<String> {
        let mut sentences = vec![format!(
            "Calibration: {} of equal runs differ by {} ({} … {}). With {} a change below {} cannot \
             be told from none.",
            counted(self.pairs, "pair"),
            change(self.change.value),
            change(self.change.low),
            change(self.change.high),
            counted(u64::from(repeats), "repetition"),
            change(self.floor).trim_start_matches('+'),
        )];
        if self.differs {
            sentences.push(
                "Equal runs differ: the machine drifts, or others use it. A change of that size \
                 proves nothing."
                    .into(),
            );
        }
        if let Some(wanted) = self.wanted.filter(|_| self.is_too_coarse()) {
            let remedy = match self.repeats_for_wanted {
                Some(needed) => format!("--repeat {needed} would, or longer runs"),
                None => {
                    "no number of repetitions would; make the runs longer and the machine quiet"
                        .into()
                }
            };
            sentences.push(format!(
                "The noise is larger than the {} that are to be told: {remedy}.",
                change(wanted).trim_start_matches('+')
            ));
        }
        sentences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_above_the_wanted_change_is_told_with_its_remedy() {
        let pairs = [(1_000.0, 1_030.0), (1_000.0, 975.0), (1_000.0, 1_010.0)];
        let coarse = Calibration::of(&pairs, 3, Some(0.01)).expect("a calibration");
        assert!(coarse.is_too_coarse() && !coarse.differs);
        let said = coarse.sentences(3).join(" ");
        assert!(said.contains("3 pairs") && said.contains("--repeat"), "{said}");
        let fine = Calibration::of(&pairs, 3, Some(0.5)).expect("a calibration");
        assert!(!fine.is_too_coarse() && fine.sentences(3).len() == 1);
        assert!(Calibration::of(&pairs[..1], 3, None).is_none());
    }

    #[test]
    fn equal_runs_that_differ_are_told() {
        let pairs =
            [(1_000.0, 1_100.0), (1_000.0, 1_101.0), (1_000.0, 1_099.0), (1_000.0, 1_100.0)];
        let drifting = Calibration::of(&pairs, 4, None).expect("a calibration");
        assert!(drifting.differs);
        assert!(drifting.sentences(4)[1].contains("Equal runs differ"));
    }
}
