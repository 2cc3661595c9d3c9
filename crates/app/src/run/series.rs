//! Calculations for the live view during the load, for the results of each step, and for the result of the whole run.

use std::time::Duration;

use tacho_metrics::{Fault, Series, steadiness, warm_up};
use tacho_store::record::{DistributionRecord, ErrorRecord, SteadinessRecord, TransactionRecord};
use tacho_workload::{Headline, Instance, Transaction};

/// Returns the metric in which throughput is reported, or `None` for transactions per second.
pub(super) fn stated(instance: &dyn Instance) -> Option<Headline> {
    instance.headline().filter(Headline::is_stated)
}

/// Returns the transaction types except for stream queries.
pub(super) fn own_kinds(instance: &dyn Instance) -> &[Transaction] {
    let all = instance.transactions();
    &all[..instance.streams().map_or(all.len(), |streams| streams.first_kind)]
}

/// Returns the sum of all series.
pub(super) fn sum(series: &[Series]) -> Series {
    let mut all = Series::default();
    for one in series {
        all.merge(one);
    }
    all
}

/// Returns a count per minute, or 0 if the time span is empty.
pub(super) fn per_minute(count: u64, span: Duration) -> f64 {
    if span.is_zero() { 0.0 } else { count as f64 * 60.0 / span.as_secs_f64() }
}

/// Returns the drift of the throughput, and the length of the warm-up.
pub(super) fn steadiness_record(throughput: &[f64], interval: Duration) -> SteadinessRecord {
    let (verdict, drift) = steadiness(throughput);
    let warm_up_s = warm_up(throughput).map(|values| interval.as_secs_f64() * values as f64);
    SteadinessRecord { verdict: Some(verdict), drift, warm_up_s }
}

/// Returns an entry for each transaction type, with its fraction of all completed transactions. The last entry is
/// `all`.
pub(super) fn transactions(
    kinds: &[Transaction],
    series: &[Series],
    all: &Series,
) -> Vec<TransactionRecord> {
    let total = all.ended.all().max(1);
    let named = kinds.iter().zip(series).map(|(kind, one)| (kind.name, one));
    named
        .chain(std::iter::once(("all", all)))
        .map(|(name, one)| TransactionRecord {
            name: name.into(),
            share: one.ended.all() as f64 / total as f64,
            count: one.ended.good(),
            rolled_back: one.ended.rolled_back,
            failed: one.ended.failures(),
            rollback_intended: kinds.iter().any(|kind| kind.name == name && kind.rolls_back),
            latency: DistributionRecord::from(&one.latency),
            service: DistributionRecord::from(&one.service),
        })
        .collect()
}

/// Returns the failures of the entire run by class.
pub(super) fn errors(instance: &dyn Instance, faults: &[Fault]) -> Vec<ErrorRecord> {
    let names = instance.transactions();
    faults
        .iter()
        .map(|fault| ErrorRecord {
            transaction: names[fault.transaction].name.into(),
            kind: fault.kind.name().into(),
            code: fault.code.clone(),
            count: fault.count,
            example: fault.example.clone(),
        })
        .collect()
}
