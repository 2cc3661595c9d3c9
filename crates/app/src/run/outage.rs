//! Outages: from what happened to the connections to when it was seen, over, and made good.

use tacho_core::Instant;
use tacho_engine::{LoadPlan, Measurement};
use tacho_metrics::Connection;
use tacho_store::record::OutageRecord;

/// Throughput counts as recovered from this share of what it was before.
const RECOVERED: f64 = 0.95;

/// One outage as it is put together.
struct Outage {
    begin: Instant,
    last_good: Instant,
    lost: u64,
    refused: u64,
    missing: u64,
    back: Option<Instant>,
    first_good: Option<Instant>,
}

/// All outages of a run. An outage begins with the first lost connection and lasts until all that
/// were lost are back.
pub(super) fn outages(measurement: &Measurement, plan: &LoadPlan) -> Vec<OutageRecord> {
    let mut events = measurement.total.connections.clone();
    events.sort_by_key(|(at, _)| *at);
    let mut outages: Vec<Outage> = Vec::new();
    for (at, what) in events {
        let current = outages.last_mut();
        match (what, current) {
            (Connection::Lost { last_good }, Some(outage)) if outage.missing > 0 => {
                outage.lost += 1;
                outage.missing += 1;
                outage.last_good = outage.last_good.max(last_good);
            }
            (Connection::Lost { last_good }, _) => outages.push(Outage {
                begin: at,
                last_good,
                lost: 1,
                refused: 0,
                missing: 1,
                back: None,
                first_good: None,
            }),
            (Connection::Refused, Some(outage)) => outage.refused += 1,
            (Connection::Back, Some(outage)) => {
                outage.missing = outage.missing.saturating_sub(1);
                outage.back.get_or_insert(at);
            }
            (Connection::FirstGood, Some(outage)) => {
                outage.first_good.get_or_insert(at);
            }
            (_, None) => {}
        }
    }
    outages.iter().map(|outage| record(outage, measurement, plan)).collect()
}

fn record(outage: &Outage, measurement: &Measurement, plan: &LoadPlan) -> OutageRecord {
    let since_loss = |at: Instant| at.since(outage.begin).as_secs_f64();
    let begin_s = outage.begin.since(measurement.origin).as_secs_f64();
    OutageRecord {
        at_s: begin_s,
        detected_after_s: outage.begin.since(outage.last_good).as_secs_f64(),
        sessions_lost: outage.lost,
        attempts_refused: outage.refused,
        sessions_missing: outage.missing,
        connected_after_s: outage.back.map(since_loss),
        first_commit_after_s: outage.first_good.map(since_loss),
        recovered_after_s: outage.first_good.and_then(|good| {
            let good_s = good.since(measurement.origin).as_secs_f64();
            recovered(&measurement.throughput, plan, begin_s, good_s).map(|at| at - begin_s)
        }),
    }
}

/// When the first interval ended after the outage that had 95 % of the throughput before it.
fn recovered(throughput: &[f64], plan: &LoadPlan, begin_s: f64, good_s: f64) -> Option<f64> {
    let (offset, length) = (plan.ramp_up.as_secs_f64(), plan.interval.as_secs_f64());
    let begin_of = |index: usize| offset + index as f64 * length;
    let before: Vec<f64> = (0..throughput.len())
        .filter(|index| begin_of(*index) + length <= begin_s)
        .map(|index| throughput[index])
        .collect();
    if before.is_empty() {
        return None;
    }
    let usual = before.iter().sum::<f64>() / before.len() as f64;
    (0..throughput.len())
        .find(|i| begin_of(*i) + length > good_s && throughput[*i] >= RECOVERED * usual)
        .map(|index| begin_of(index) + length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn recovery_is_the_first_full_interval_at_95_percent() {
        let plan = LoadPlan { ramp_up: Duration::from_secs(2), ..LoadPlan::default() };
        // Intervals begin at 2, 3, 4 … s; the server is gone from 5.5 s to 7.2 s.
        let throughput = [100.0, 100.0, 100.0, 50.0, 0.0, 60.0, 96.0, 100.0];
        let at = recovered(&throughput, &plan, 5.5, 7.2);
        assert_eq!(at, Some(9.0));
        assert_eq!(recovered(&throughput, &plan, 2.5, 7.2), None, "nothing to compare with");
        assert_eq!(recovered(&throughput[..6], &plan, 5.5, 7.2), None, "not seen");
    }
}
