//! The throughput outside of the injected faults.
//!
//! Start reading at [`undisturbed`].

use tacho_engine::LoadPlan;
use tacho_metrics::batch_means;
use tacho_store::record::{FaultRecord, UndisturbedRecord};

use super::series::steadiness_record;

/// Returns the throughput outside of the faults, or `None` if there were no faults or if they lasted the entire time.
pub(super) fn undisturbed(
    throughput: &[f64],
    plan: &LoadPlan,
    faults: &[FaultRecord],
) -> Option<UndisturbedRecord> {
    let mut injected = faults.iter().filter(|fault| fault.error.is_none()).peekable();
    injected.peek()?;
    let spans: Vec<[f64; 2]> = injected.map(disturbed).collect();
    let (offset, length) = (plan.ramp_up.as_secs_f64(), plan.interval.as_secs_f64());
    let is_quiet = |index: &usize| {
        let from = offset + *index as f64 * length;
        spans.iter().all(|[begin, end]| *end <= from || from + length <= *begin)
    };
    let quiet: Vec<f64> =
        (0..throughput.len()).filter(is_quiet).map(|index| throughput[index]).collect();
    (!quiet.is_empty()).then(|| UndisturbedRecord {
        length_s: quiet.len() as f64 * length,
        throughput_per_s: quiet.iter().sum::<f64>() / quiet.len() as f64,
        interval_95: batch_means(&quiet),
        steadiness: steadiness_record(&quiet, plan.interval),
    })
}

/// Returns the period that a fault disturbed. It ends when the fault has ended and latency is normal again.
fn disturbed(fault: &FaultRecord) -> [f64; 2] {
    let normal = fault.latency_normal_after_s.unwrap_or(f64::INFINITY);
    [fault.at_s, fault.at_s + fault.took_s.max(normal)]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn fault(at_s: f64, took_s: f64, latency_normal_after_s: Option<f64>) -> FaultRecord {
        FaultRecord { at_s, took_s, latency_normal_after_s, ..FaultRecord::default() }
    }

    /// Evaluates a run in which the server is unavailable from 12 s to 16 s and slow until 22 s.
    fn of(faults: &[FaultRecord]) -> Option<UndisturbedRecord> {
        let plan = LoadPlan {
            ramp_up: Duration::from_secs(2),
            interval: Duration::from_secs(1),
            ..LoadPlan::default()
        };
        let rate = |second| match second {
            12..16 => 0.0,
            16..22 => 40.0,
            _ => 99.0 + f64::from(second % 3),
        };
        let throughput: Vec<f64> = (2..32).map(rate).collect();
        undisturbed(&throughput, &plan, faults)
    }

    fn intervals(quiet: &UndisturbedRecord) -> u64 {
        quiet.length_s.round() as u64
    }

    #[test]
    fn a_planted_outage_does_not_count() {
        let found = of(&[fault(12.0, 0.5, Some(10.0))]).expect("quiet intervals");
        assert_eq!(intervals(&found), 20);
        assert!((found.throughput_per_s - 100.0).abs() < 0.5, "{found:?}");
        let interval = found.interval_95.expect("an interval");
        assert!(interval.high - interval.low < 4.0 && interval.samples == 20, "{interval:?}");
        // If latency did not return to normal, only the time before the fault counts.
        let rest = of(&[fault(12.4, 0.5, None)]).expect("quiet intervals");
        assert_eq!(intervals(&rest), 10);
        // The latency was back to normal at once, but injecting the fault took 10 s. All of this time belongs to the
        // fault.
        let slow = of(&[fault(12.0, 10.0, Some(0.0))]).expect("quiet intervals");
        assert_eq!(intervals(&slow), 20);
    }

    #[test]
    fn a_run_without_quiet_intervals_is_evaluated_as_a_whole() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[fault(0.0, 40.0, None)]), None);
        let failed = FaultRecord { error: Some("no server".into()), ..fault(12.0, 0.5, None) };
        assert_eq!(of(&[failed]), None);
    }
}
