//! The load steps of a running measurement. A step is added when it starts, and evaluated when it
//! ends.

use tacho_config::LoadSteps;
use tacho_store::IntervalRecord;
use tacho_store::record::StepRecord;

/// Returns each step's results so far, from the measured phase's intervals.
pub(super) fn begun(load: Option<&LoadSteps>, intervals: &[IntervalRecord]) -> Vec<StepRecord> {
    let steps = load.map_or(&[][..], |load| &load.steps);
    let numbered = steps.iter().zip(1_u32..);
    numbered
        .filter_map(|(step, number)| {
            let of_step: Vec<&IntervalRecord> =
                intervals.iter().filter(|interval| interval.step == Some(number)).collect();
            let first = of_step.first()?;
            let measured_s: f64 = of_step.iter().map(|interval| interval.length_s).sum();
            // Weight the intervals by length, because the last one of a step may be short.
            let mean = |figure: &dyn Fn(&IntervalRecord) -> Option<f64>| {
                let sum: Option<f64> = of_step
                    .iter()
                    .map(|interval| Some(figure(interval)? * interval.length_s))
                    .sum();
                sum.filter(|_| measured_s > 0.0).map(|sum| sum / measured_s)
            };
            Some(StepRecord {
                number,
                step: *step,
                at_s: first.at_s - first.length_s,
                measured_s,
                throughput_per_s: mean(&|interval| Some(interval.throughput_per_s))
                    .unwrap_or_default(),
                headline_per_minute: mean(&|interval| interval.headline_per_minute),
                failed: of_step.iter().map(|interval| interval.totals.failed).sum(),
                ..StepRecord::default()
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tacho_config::Step;

    use super::*;

    fn interval(step: Option<u32>, at_s: f64, length_s: f64, rate: f64) -> IntervalRecord {
        IntervalRecord {
            at_s,
            length_s,
            step,
            throughput_per_s: rate,
            headline_per_minute: Some(rate * 60.0),
            ..IntervalRecord::default()
        }
    }

    #[test]
    fn a_step_has_a_row_when_it_begins() {
        let step = |sessions| Step {
            sessions: Some(sessions),
            length: Duration::from_secs(2),
            ..Step::default()
        };
        let load = LoadSteps { expression: String::new(), steps: vec![step(2), step(4), step(8)] };
        let intervals = [
            interval(None, 1.0, 1.0, 900.0),
            interval(Some(1), 2.0, 1.0, 10.0),
            interval(Some(1), 2.5, 0.5, 40.0),
            interval(Some(2), 3.5, 1.0, 50.0),
        ];
        let rows = begun(Some(&load), &intervals);
        let figures: Vec<(u32, f64, f64)> =
            rows.iter().map(|row| (row.number, row.at_s, row.throughput_per_s)).collect();
        assert_eq!(figures, [(1, 1.0, 20.0), (2, 2.5, 50.0)]);
        assert_eq!(rows[0].headline_per_minute, Some(1200.0));
        assert_eq!(begun(None, &intervals), []);
    }
}
