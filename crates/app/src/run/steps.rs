//! The steps of a varying load, each of which has its own verdict.
//!
//! Start reading at [`records`].

use tacho_config::{LoadSteps, Step};
use tacho_core::units::{percent, significant};
use tacho_engine::StepSeen;
use tacho_metrics::{Ledger, RunEnd, StepRecords, batch_means};
use tacho_store::record::{
    DistributionRecord, HeadlineRecord, LedgerRecord, PlanRecord, ResultRecord, RunVerdict,
    SteadinessRecord, StepRecord, ThresholdRecord, TransactionRecord,
};

use super::notices::{FAILURES_MAX, RATE_TOLERANCE};
use super::raw::Raw;
use super::series::{per_minute, stated, steadiness_record};
use super::thresholds::{ALL, Threshold};

/// Returns a record for each step that has started.
pub(super) fn records(raw: &Raw<'_>, steps: &LoadSteps, plan: &PlanRecord) -> Vec<StepRecord> {
    let seen = raw.measurement.steps.iter().zip(&steps.steps).enumerate();
    seen.map(|(place, (seen, step))| {
        let nothing = StepRecords::default();
        let records = raw.measurement.total.steps.get(place as u32).unwrap_or(&nothing);
        let mut step_record = record(raw, seen, records, *step);
        step_record.number = place as u32 + 1;
        judge(&mut step_record, raw, plan);
        step_record
    })
    .collect()
}

fn record(raw: &Raw<'_>, seen: &StepSeen, records: &StepRecords, step: Step) -> StepRecord {
    let all = records.all();
    let headline = stated(raw.instance);
    let committed = |kind: usize| records.ended.get(kind).map_or(0, |counts| counts.committed);
    let nothing = all.all() == 0;
    StepRecord {
        step,
        at_s: seen.from.as_secs_f64(),
        measured_s: seen.length.as_secs_f64(),
        throughput_per_s: per_minute(all.good(), seen.length) / 60.0,
        interval_95: if nothing { None } else { batch_means(&seen.throughput) },
        steadiness: if nothing {
            SteadinessRecord::default()
        } else {
            steadiness_record(&seen.throughput, raw.plan.interval)
        },
        headline_per_minute: headline
            .map(|headline| per_minute(committed(headline.transaction), seen.length)),
        failed: all.failures(),
        latency: DistributionRecord::from(&records.latency),
        accounting: ledger(&records.ledger, seen.never_taken),
        ..StepRecord::default()
    }
}

fn ledger(ledger: &Ledger, never_taken: u64) -> LedgerRecord {
    LedgerRecord {
        due: ledger.due + never_taken,
        started: ledger.started,
        committed: ledger.committed,
        rolled_back: ledger.rolled_back,
        failed: ledger.failures(),
        unfinished: ledger.unfinished,
        skipped: ledger.skipped + never_taken,
        retried: ledger.retried,
        ..LedgerRecord::default()
    }
}

/// Evaluates a step as if it were a separate run.
fn judge(step: &mut StepRecord, raw: &Raw<'_>, plan: &PlanRecord) {
    let mut plan = plan.clone();
    if plan.load.arrival.rate.is_some() {
        plan.load.arrival.rate = step.step.rate_per_s;
    }
    let alone = ResultRecord {
        valid: true,
        interval_95: step.interval_95,
        steadiness: step.steadiness.clone(),
        accounting: step.accounting.clone(),
        ..ResultRecord::default()
    };
    let (mut verdict, mut reasons) = alone.stability_by(&plan);
    let mut invalid = invalid(step, raw);
    if !invalid.is_empty() {
        verdict = RunVerdict::Invalid;
        invalid.append(&mut reasons);
        reasons = invalid;
    } else if is_meant_to_be_still(step) {
        (verdict, reasons) = (RunVerdict::Valid, Vec::new());
    }
    (step.verdict, step.reasons) = (verdict, reasons);
}

/// Returns true if a step has no sessions or arrivals, so that there is nothing to measure.
fn is_meant_to_be_still(step: &StepRecord) -> bool {
    step.step.sessions == Some(0) || step.step.rate_per_s.is_some_and(|rate| rate <= 0.0)
}

fn invalid(step: &StepRecord, raw: &Raw<'_>) -> Vec<String> {
    let mut reasons = Vec::new();
    let planned = step.step.length.as_secs_f64();
    if raw.measurement.ended_by != RunEnd::Time && step.measured_s < planned - 1e-9 {
        reasons.push(format!("ended after {} of {planned} s", significant(step.measured_s)));
    }
    let good = step.throughput_per_s * step.measured_s;
    let all = good + step.failed as f64;
    if step.failed as f64 > FAILURES_MAX * all {
        reasons.push(format!("{} of the transactions failed", percent(step.failed as f64 / all)));
    }
    let due = step.accounting.due as f64;
    let in_flight = (step.accounting.unfinished as f64 / due.max(1.0)).min(RATE_TOLERANCE);
    if raw.plan.arrival.rate.is_some() && due > 0.0 && all / due + in_flight < 1.0 - RATE_TOLERANCE
    {
        let reached = significant(all / step.measured_s.max(1e-9));
        reasons.push(format!("reached {reached}/s of {}", step.step.words()));
    }
    reasons
}

/// Checks the thresholds for each step, over all transaction types together. Returns a list of outcomes for each step.
pub(super) fn thresholds(limits: &[Threshold], result: &ResultRecord) -> Vec<Vec<ThresholdRecord>> {
    let headline = result.stated_headline();
    let outcomes = |step: &StepRecord| {
        let good = step.throughput_per_s * step.measured_s;
        let all = TransactionRecord {
            name: ALL.into(),
            count: good.round() as u64,
            failed: step.failed,
            latency: step.latency,
            ..TransactionRecord::default()
        };
        let headline = headline.zip(step.headline_per_minute);
        let alone = ResultRecord {
            measured_s: step.measured_s,
            headline: headline
                .map(|(all, per_minute)| HeadlineRecord { per_minute, ..all.clone() }),
            transactions: vec![all],
            ..ResultRecord::default()
        };
        let limits = limits.iter().filter(|limit| limit.is_of_steps());
        limits.map(|limit| limit.judge(&alone)).collect()
    };
    result.steps.iter().map(outcomes).collect()
}
