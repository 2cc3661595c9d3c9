//! Describes in a few sentences whether a run reached the requested load, and when the database was
//! unavailable.
//!
//! Start reading at [`outcome`].

use tacho_analysis::clean;
use tacho_config::{Spacing, Step};
use tacho_core::units::{counted, grouped, latency, significant};
use tacho_store::record::{
    ArrivalsRecord, FaultRecord, OutageRecord, PlanRecord, Record, ResultRecord, StallRecord,
};

use crate::words::{duration, micros, relative, seconds};

/// Maximum difference between the number of random arrivals and the expected number that is attributed to chance, in
/// standard deviations.
const CHANCE: f64 = 3.0;

/// IDs of warnings that cast doubt on the main result, because the run did not measure what was requested.
const OF_THE_FIGURE: [&str; 3] = ["mix-outside", "data-drifted", "too-few-samples"];

/// Describes the outcome of a run. Returns nothing if the run had no problems and no given arrival rate.
pub(crate) fn outcome(record: &Record, result: &ResultRecord) -> Vec<String> {
    let mut sentences = events(record, result);
    let is_confirmed = |one: &String| lost(result).as_ref() == Some(one);
    if sentences.iter().all(is_confirmed) {
        sentences.splice(0..0, reasons(result));
    }
    sentences
}

/// Describes the achieved rate, outages, faults, stalls and lost commits.
pub(crate) fn events(record: &Record, result: &ResultRecord) -> Vec<String> {
    let mut sentences = Vec::new();
    sentences.extend(result.arrivals.map(|arrivals| reached(&record.plan, result, &arrivals)));
    let is_split = result.undisturbed.is_some();
    if is_split {
        sentences.extend(disturbed(record, result));
    } else {
        sentences.extend(away(&result.outages));
        sentences.extend(normal(result));
    }
    let stall = result.stall.as_ref();
    sentences.extend(stall.filter(|stall| !is_intended(record, result, stall)).map(stood_still));
    sentences.extend(lost(result).filter(|_| !is_split));
    sentences
}

/// Returns the achieved and the requested rate, such as `429/s` and `2 000/s`. For a varying load, the requested rate
/// is the mean.
pub(crate) fn rates(plan: &PlanRecord, result: &ResultRecord) -> [String; 2] {
    let mean = plan.steps.as_ref().map(|load| {
        let due = |step: &Step| step.rate_per_s.unwrap_or_default() * step.length.as_secs_f64();
        load.steps.iter().map(due).sum::<f64>() / load.length().as_secs_f64()
    });
    let asked = mean.or(plan.load.arrival.rate).unwrap_or_default();
    [result.throughput_per_s, asked].map(|rate| format!("{}/s", significant(rate)))
}

/// Compares the achieved rate with the requested one, as in `reached 429/s of 2 000/s; 15 700 arrivals waiting at the
/// end, 7 800 at the start`.
fn reached(plan: &PlanRecord, result: &ResultRecord, arrivals: &ArrivalsRecord) -> String {
    let [reached, asked] = rates(plan, result);
    let backlog = backlog(arrivals);
    if differs_by_chance(plan, result, arrivals) {
        return format!(
            "served all arrivals: the rate was {reached} by chance, in a Poisson process with a mean of {asked}; {backlog}"
        );
    }
    format!("reached {reached} of {asked}; {backlog}")
}

/// Returns true if the database served all arrivals and the rate differs from the requested one only by chance.
fn differs_by_chance(plan: &PlanRecord, result: &ResultRecord, arrivals: &ArrivalsRecord) -> bool {
    let (model, accounting) = (plan.load.arrival, &result.accounting);
    let Some(rate) = model.rate.filter(|_| plan.steps.is_none()) else { return false };
    let (expected, due) = (rate * result.measured_s, accounting.due as f64);
    let served = accounting.committed + accounting.rolled_back + accounting.unfinished;
    let [reached, asked] = rates(plan, result);
    model.spacing == Spacing::Poisson
        && reached != asked
        && served == accounting.due
        && arrivals.backlog_end <= 1
        && (due - expected).abs() <= CHANCE * expected.sqrt()
}

fn backlog(arrivals: &ArrivalsRecord) -> String {
    if arrivals.backlog_max <= 1 {
        return "no backlog".into();
    }
    let waiting = counted(arrivals.backlog_end, "arrival");
    let words =
        format!("{waiting} waiting at the end, {} at the start", grouped(arrivals.backlog_start));
    if arrivals.backlog_max > arrivals.backlog_end.max(arrivals.backlog_start) {
        return format!("{words}, {} at most", grouped(arrivals.backlog_max));
    }
    words
}

/// Describes how long arrivals waited. Used in the section about accounting.
pub(crate) fn waits(arrivals: &ArrivalsRecord) -> String {
    let wait = &arrivals.session_wait;
    let named = [
        ("p50", wait.p50_us),
        ("p99", wait.p99_us),
        ("max", (wait.count > 0).then_some(wait.max_us)),
    ];
    let times = named.iter().filter_map(|(name, us)| Some(format!("{name} {}", micros((*us)?))));
    let times: Vec<String> = times.collect();
    let times = match &times[..] {
        [] => String::new(),
        some => format!("; waited for a session {}", some.join(", ")),
    };
    format!("{}{times}", backlog(arrivals))
}

/// Describes all outages in one sentence.
fn away(outages: &[OutageRecord]) -> Option<String> {
    let first = outages.first()?;
    let lost: u64 = outages.iter().map(|outage| outage.sessions_lost).sum();
    let missing: u64 = outages.iter().map(|outage| outage.sessions_missing).sum();
    let back =
        outages.iter().filter_map(|outage| outage.first_commit_after_s).max_by(f64::total_cmp);
    let back = match (missing, back) {
        (0, Some(after)) => format!("first commit after {}", latency(seconds(after))),
        (0, None) => "no commit since".into(),
        (missing, _) => format!("{} did not reconnect", grouped(missing)),
    };
    let what = match outages.len() {
        1 => "outage".into(),
        many => format!("{} outages, the first", grouped(many as u64)),
    };
    let at = duration(first.at_s.round());
    Some(format!("{what} {at} into the load: {} lost, {back}", counted(lost, "connection")))
}

/// Returns the longest time after a fault until latency was normal, as in `latency normal after 20.0 s`.
fn normal(result: &ResultRecord) -> Option<String> {
    let times = result.faults.iter().filter_map(|fault| fault.latency_normal_after_s);
    let longest = times.max_by(f64::total_cmp).filter(|after| *after > 0.0)?;
    Some(format!("latency normal after {}", latency(seconds(longest))))
}

/// Returns the number of lost commits, as in `nothing lost of 124 061 acknowledged commits`.
fn lost(result: &ResultRecord) -> Option<String> {
    let found = result.acknowledged.as_ref().filter(|found| found.unread.is_none())?;
    let lost = if found.lost == 0 { "nothing".into() } else { grouped(found.lost) };
    Some(format!("{lost} lost of {}", counted(found.acknowledged, "acknowledged commit")))
}

/// Maximum number of faults to describe individually.
const FAULTS_MAX: usize = 3;

/// Describes any outage before the first fault, then the undisturbed time, each fault and the lost commits.
fn disturbed(record: &Record, result: &ResultRecord) -> Vec<String> {
    let Some(quiet) = &result.undisturbed else { return Vec::new() };
    let is_earlier = |outage: &&OutageRecord| fault_before(result, outage.at_s).is_none();
    let earlier: Vec<OutageRecord> = result.outages.iter().filter(is_earlier).cloned().collect();
    let rate = significant(quiet.throughput_per_s);
    let width = quiet
        .interval_95
        .map_or_else(String::new, |one| format!(" {}", relative(one.value, one.low, one.high)));
    let mut parts =
        vec![format!("{rate}/s{width} in the undisturbed {}", duration(quiet.length_s))];
    let injected: Vec<&FaultRecord> =
        result.faults.iter().filter(|fault| fault.error.is_none()).collect();
    parts.extend(injected.iter().take(FAULTS_MAX).map(|fault| effect(record, result, fault)));
    if let Some(more @ 1..) = injected.len().checked_sub(FAULTS_MAX) {
        parts.push(counted(more as u64, "more fault"));
    }
    parts.extend(lost(result));
    away(&earlier).into_iter().chain([parts.join("; ")]).collect()
}

/// Describes the effect of a fault: how long the server was unavailable, and how long it took until latency was normal
/// again.
fn effect(record: &Record, result: &ResultRecord, fault: &FaultRecord) -> String {
    let is_of_fault = |outage: &&OutageRecord| fault_before(result, outage.at_s) == Some(fault);
    let outages: Vec<&OutageRecord> = result.outages.iter().filter(is_of_fault).collect();
    let missing: u64 = outages.iter().map(|outage| outage.sessions_missing).sum();
    let times = outages.iter().filter_map(|outage| outage.first_commit_after_s);
    let stall = result.stall.as_ref().filter(|stall| is_of(record, fault, stall));
    let time = times.max_by(f64::total_cmp);
    let away = match time {
        _ if missing > 0 => Some(format!("{} did not reconnect", grouped(missing))),
        Some(time) => Some(format!("away {}", latency(seconds(time)))),
        None if !outages.is_empty() => Some("no commit since".into()),
        None => stall.map(|stall| format!("away {}", latency(seconds(stall.length_s)))),
    };
    let normal = match fault.latency_normal_after_s {
        Some(0.0) => "latency stayed normal".into(),
        Some(time) => format!("latency normal after {}", latency(seconds(time))),
        None => "latency not normal by the end".into(),
    };
    let effects: Vec<String> = away.into_iter().chain([normal]).collect();
    let at = duration((fault.at_s * 10.0).round() / 10.0);
    format!("{} at {at}: {}", clean(&fault.what), effects.join(", "))
}

/// Returns the last fault that was injected before this time.
pub(crate) fn fault_before(result: &ResultRecord, at_s: f64) -> Option<&FaultRecord> {
    result.faults.iter().rfind(|fault| fault.error.is_none() && fault.at_s <= at_s)
}

/// Returns true if the stall started no later than one interval after the fault.
fn is_of(record: &Record, fault: &FaultRecord, stall: &StallRecord) -> bool {
    let latest = fault.at_s + fault.took_s + record.plan.load.interval.as_secs_f64();
    (fault.at_s..=latest).contains(&stall.at_s)
}

fn is_intended(record: &Record, result: &ResultRecord, stall: &StallRecord) -> bool {
    let is_intended = |fault: &FaultRecord| fault.error.is_none() && is_of(record, fault, stall);
    result.undisturbed.is_some() && result.faults.iter().any(is_intended)
}

fn stood_still(stall: &StallRecord) -> String {
    let [at, length] = [stall.at_s, stall.length_s].map(|time| duration(time.round()));
    let waited = match stall.waited_for.as_str() {
        "" => String::new(),
        event => format!("; sessions waited for {}", clean(event)),
    };
    format!("no transaction ended for {length}, starting {at} into the load{waited}")
}

/// Returns the texts of up to two notices. These are reasons for the verdict INVALID, and warnings listed in
/// [`OF_THE_FIGURE`].
fn reasons(result: &ResultRecord) -> impl Iterator<Item = String> {
    let stated = result
        .notices
        .iter()
        .filter(|notice| notice.invalidates || OF_THE_FIGURE.contains(&notice.name.as_str()));
    stated.map(|notice| clean(&notice.text)).take(2)
}
