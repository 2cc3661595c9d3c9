//! Describes the result of a calibration, which measures how much identical runs differ.
//!
//! Start reading at [`sentences`].

use tacho_analysis::{Calibration, clean};
use tacho_core::units::counted;

use crate::compare::interval;
use crate::words::{change, compact, relative_change};

/// Describes a calibration. `repeats` is the number of repetitions in the sweep.
pub fn sentences(calibration: &Calibration, repeats: u32) -> Vec<String> {
    let mut sentences = vec![format!(
        "Calibration: {} of equal runs differ by {} ({}) in {}. With {}, {} cannot be distinguished from no \
         change{}.",
        counted(calibration.pairs, "pair"),
        relative_change(calibration.change.value),
        interval(calibration.change),
        clean(&calibration.metric),
        counted(u64::from(repeats), "repetition"),
        smallest(calibration.floor),
        if calibration.floor < FACTOR_FROM {
            ""
        } else {
            ": make the runs longer, repeat them more often, and keep the machine otherwise idle"
        },
    )];
    if calibration.differs {
        sentences.push(
            "Identical runs differ: the machine's speed drifts, or other processes are using the machine. A change no larger than this difference proves nothing."
                .into(),
        );
    }
    if let Some(wanted) = calibration.wanted.filter(|_| calibration.is_too_coarse()) {
        let remedy = match calibration.repeats_for_wanted {
            Some(needed) => format!("use --repeat {needed} or longer runs"),
            None => {
                "no number of repetitions would be enough; make the runs longer and keep the machine otherwise idle".into()
            }
        };
        sentences.push(format!(
            "The noise is larger than the {} change to be detected: {remedy}.",
            change(wanted).trim_start_matches('+')
        ));
    }
    sentences
}

/// The smallest change that is printed as a factor, because a large percentage such as "2 865 %" is hard to read.
const FACTOR_FROM: f64 = 1.0;

/// Describes the range of changes that are too small to be detected.
pub(crate) fn smallest(floor: f64) -> String {
    if floor < FACTOR_FROM {
        format!("a change below {}", change(floor).trim_start_matches('+'))
    } else {
        format!("a change of less than a factor of {}", compact(1.0 + floor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tps() -> (String, bool) {
        ("transactions/s".into(), true)
    }

    #[test]
    fn reports_noise_above_the_wanted_change_with_a_hint() {
        let pairs = [(1_000.0, 1_030.0), (1_000.0, 975.0), (1_000.0, 1_010.0)];
        let coarse = Calibration::of(tps(), &pairs, 3, Some(0.01)).expect("a calibration");
        assert!(coarse.is_too_coarse() && !coarse.differs);
        let said = sentences(&coarse, 3).join(" ");
        assert!(said.contains("3 pairs") && said.contains("--repeat"), "{said}");
        let fine = Calibration::of(tps(), &pairs, 3, Some(0.5)).expect("a calibration");
        assert!(!fine.is_too_coarse() && sentences(&fine, 3).len() == 1);
        assert!(Calibration::of(tps(), &pairs[..1], 3, None).is_none());
    }

    #[test]
    fn a_floor_that_tells_nothing_is_a_factor_with_a_remedy() {
        let wild = [(1_000.0, 300.0), (400.0, 2_000.0)];
        let calibration = Calibration::of(tps(), &wild, 2, None).expect("a calibration");
        let said = sentences(&calibration, 2).join(" ");
        assert!(calibration.floor > 1.0 && !said.contains("below"), "{said}");
        assert!(said.contains("of less than a factor of") && said.contains("longer"), "{said}");
        assert_eq!(smallest(28.65), "a change of less than a factor of 29.6");
        assert!(smallest(0.034).starts_with("a change below 3.4"));
    }

    #[test]
    fn reports_equal_runs_that_differ() {
        let pairs =
            [(1_000.0, 1_100.0), (1_000.0, 1_101.0), (1_000.0, 1_099.0), (1_000.0, 1_100.0)];
        let drifting = Calibration::of(tps(), &pairs, 4, None).expect("a calibration");
        assert!(drifting.differs);
        assert!(sentences(&drifting, 4)[1].contains("Identical runs differ"));
    }
}
