//! What measuring equal settings against each other has said, before a sweep compares others.
//!
//! Start reading at [`Calibration::of`].

use schemars::JsonSchema;
use serde::Serialize;
use tacho_core::units::counted;
use tacho_metrics::{Change, Noise, paired_change};

use crate::compare::{interval, relative_change};
use crate::words::{change, compact};

/// An A/A calibration.
#[derive(Clone, Debug, Serialize, JsonSchema)]
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
            "Calibration: {} of equal runs differ by {} ({}). With {} {} cannot be distinguished from none{}.",
            counted(self.pairs, "pair"),
            relative_change(self.change.value),
            interval(self.change),
            counted(u64::from(repeats), "repetition"),
            smallest(self.floor),
            if self.floor < FACTOR_FROM {
                ""
            } else {
                ": make the runs longer, repeat them more often, and keep the machine quiet"
            },
        )];
        if self.differs {
            sentences.push(
                "Equal runs differ: the machine drifts, or other processes use it. A change of that \
                 size proves nothing."
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
                "The noise is larger than the {} to be found: {remedy}.",
                change(wanted).trim_start_matches('+')
            ));
        }
        sentences
    }
}

/// From here on nobody thinks in percent: a change "below 2 865 %" is one by less than a factor.
const FACTOR_FROM: f64 = 1.0;

/// The changes that are too small to be told.
pub(crate) fn smallest(floor: f64) -> String {
    if floor < FACTOR_FROM {
        format!("a change below {}", change(floor).trim_start_matches('+'))
    } else {
        format!("a change by less than a factor of {}", compact(1.0 + floor))
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
    fn a_floor_that_tells_nothing_is_a_factor_with_a_remedy() {
        let wild = [(1_000.0, 300.0), (400.0, 2_000.0)];
        let own = Calibration::of(&wild, 2, None).expect("a calibration");
        let said = own.sentences(2).join(" ");
        assert!(own.floor > 1.0 && !said.contains("below"), "{said}");
        assert!(said.contains("by less than a factor of") && said.contains("longer"), "{said}");
        assert_eq!(smallest(28.65), "a change by less than a factor of 29.6");
        assert!(smallest(0.034).starts_with("a change below 3.4"));
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
