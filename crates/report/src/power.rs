//! States how small a difference can be detected with a given number of repeated runs, either as a forecast before the
//! measurement or as a result after it.
//!
//! Start reading at [`before`] and [`after`].

use tacho_analysis::KnownNoise;
use tacho_core::units::{counted, percent};
use tacho_metrics::Power;

/// Relative change for which a report states how many repeats it takes to detect it.
const USUAL_CHANGE: f64 = 0.05;

/// States how small a difference can be detected with a given number of repeats, as in
/// `2 repeats: 14.0 % over 5 points, 30.0 % at a single point; 4 repeats: …`.
pub fn before(known: KnownNoise, points: u32, repeats: u32) -> String {
    let power = Power { noise: known.noise, points };
    let each = [repeats, 2 * repeats].map(|repeats| shown(power, repeats));
    let from = match known.runs {
        0 => format!("assuming that runs differ by {}", percent(known.noise)),
        runs => format!(
            "given that {} of this workload on this machine differed by {}",
            counted(runs as u64, "earlier run"),
            percent(known.noise)
        ),
    };
    format!("Smallest detectable difference between two sides, {from}: {}.", each.join("; "))
}

fn shown(power: Power, repeats: u32) -> String {
    let name = counted(u64::from(repeats), "repeat");
    let points = counted(u64::from(power.points), "point");
    match (power.overall(repeats), power.at_a_point(repeats)) {
        (Some(overall), Some(_)) if power.points == 1 => format!("{name}: {}", percent(overall)),
        (Some(overall), Some(single)) => {
            let (overall, single) = (percent(overall), percent(single));
            format!("{name}: {overall} over {points}, {single} at a single point")
        }
        (Some(overall), None) => {
            format!("{name}: {} over {points}, none at a single point", percent(overall))
        }
        (None, _) => format!("{name}: none"),
    }
}

/// States how many repeats would be needed to detect a change of 5 %. Returns `None` if there are already enough.
pub fn after(noise: Option<f64>, points: u32, repeats: u32) -> Option<String> {
    let power = Power { noise: noise?, points };
    let change = percent(USUAL_CHANGE);
    let now = format!("now {repeats}");
    match power.repeats_for(USUAL_CHANGE) {
        Some(needed) if needed <= repeats => None,
        Some(needed) => {
            let needed = counted(u64::from(needed), "repeat");
            Some(format!(
                "Detecting a difference of {change} requires {needed} of each side ({now})."
            ))
        }
        None => Some(format!(
            "Not even a thousand repeats would show a difference of {change} ({now}): measure longer on a \
             quiet machine."
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_is_told_before_and_after() {
        let known = KnownNoise { noise: 0.05, runs: 0 };
        let said = before(known, 5, 2);
        assert!(
            said.contains("assuming that runs differ by 5.0") && said.contains("; 4 repeats: "),
            "{said}"
        );
        assert!(said.contains("over 5 points") && said.contains("at a single point"), "{said}");
        let said = before(KnownNoise { runs: 12, ..known }, 1, 1);
        assert!(
            said.contains("12 earlier runs") && said.contains("1 repeat: none; 2 repeats: "),
            "{said}"
        );
        assert_eq!(after(Some(0.001), 1, 3), None);
        assert_eq!(after(None, 1, 3), None);
        assert!(after(Some(0.05), 1, 3).is_some_and(|text| text.contains("(now 3)")));
        assert!(after(Some(5.0), 1, 3).is_some_and(|text| text.contains("Not even a thousand")));
    }
}
