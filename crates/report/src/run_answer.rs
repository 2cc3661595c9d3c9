//! Answers the question of a single run in five lines. Comparisons are answered in the same form; see
//! [`answer`](crate::answer).
//!
//! Start reading at [`of_run`].

use tacho_analysis::{Limit, clean, contrast, shares_machine};
use tacho_core::units::{bytes, counted, latency, percent};
use tacho_store::record::{
    FaultRecord, INTERVALS_MIN, OutageRecord, Record, ResultRecord, TransactionRecord,
};

use crate::answer::{NAMED_MAX, lines, listed};
use crate::document::Fact;
use crate::words::{cores, duration, micros, seconds, sentence, span};
use crate::{
    analytics, disturbance, headline, isolation, limit, outcome, server_conditions, streams,
};

/// Precisions that a longer run could achieve: half the width of the confidence interval, divided by the result.
const WIDTHS: [f64; 3] = [0.05, 0.02, 0.01];

/// Returns the five lines for a run. Empty if the run has no result.
pub(crate) fn of_run(record: &Record) -> Vec<Fact> {
    let Some(result) = &record.result else { return Vec::new() };
    lines([
        vec![question(record, result)],
        answer(record, result),
        cause(record, result),
        conditions(record, result),
        not_shown(record, result),
    ])
}

/// Returns the question that the run was meant to answer.
fn question(record: &Record, result: &ResultRecord) -> String {
    let plan = &record.plan;
    let (workload, server) = (clean(&plan.workload), contrast::server(record));
    let thresholds: Vec<String> =
        result.thresholds.iter().map(|threshold| clean(&threshold.expression)).collect();
    match &injected(result)[..] {
        [] => {}
        [one] => {
            let what = clean(&one.what);
            return format!("What effect does {what} have on {workload} on {server}?");
        }
        faults => {
            let faults = counted(faults.len() as u64, "fault");
            return format!("What effect do {faults} have on {workload} on {server}?");
        }
    }
    if !thresholds.is_empty() {
        return format!("Does {workload} on {server} meet {}?", thresholds.join(" and "));
    }
    if result.arrivals.is_some() {
        let [_, asked] = outcome::rates(plan, result);
        let mean = if plan.steps.is_some() { "a mean of " } else { "" };
        return format!("Does {server} keep up with {mean}{asked} of {workload}?");
    }
    if !result.streams.is_empty() || result.replay.is_some() {
        return format!("How long does {workload} take on {server}?");
    }
    format!("What throughput does {server} reach in {workload} with {}?", headline::users(plan))
}

fn injected(result: &ResultRecord) -> Vec<&FaultRecord> {
    result.faults.iter().filter(|fault| fault.error.is_none()).collect()
}

/// Returns the main results with the verdict, the outcome, and the thresholds that were met.
fn answer(record: &Record, result: &ResultRecord) -> Vec<String> {
    let plan = &record.plan;
    let mut paragraphs: Vec<String> =
        outcome::events(record, result).iter().map(|event| sentence(event)).collect();
    let verdict = headline::verdict_line(result);
    let figures = if !result.streams.is_empty() {
        streams::in_brief(&result.streams)
    } else if result.undisturbed.is_some() {
        // No figures are needed here, because the outcome already begins with the throughput of the undisturbed time.
        None
    } else {
        let p95 = all(result).and_then(|all| all.latency.p95_us);
        let p95 = p95.map_or_else(String::new, |p95| format!(", p95 {}", micros(p95)));
        Some(format!("{}{p95}", headline::figure_in_brief(result)))
    };
    let first = figures.map_or_else(|| verdict.clone(), |figures| format!("{figures}: {verdict}"));
    let place = if result.undisturbed.is_some() { paragraphs.len() } else { 0 };
    paragraphs.insert(place, format!("{first}."));
    paragraphs.extend(result.isolation.as_ref().map(isolation::in_brief));
    let queries = result.analytics.as_ref().filter(|_| plan.streams > 0);
    paragraphs
        .extend(queries.map(|one| sentence(&analytics::figures(plan, one).replace("   ", ", "))));
    let met = result.thresholds.iter().filter(|threshold| threshold.passed);
    let met = met.map(|one| format!("{} ({})", clean(&one.expression), clean(&one.measured_text)));
    let met = met.collect::<Vec<_>>().join(", ");
    paragraphs.extend((!met.is_empty()).then(|| format!("Met: {met}.")));
    paragraphs.extend(headline::do_not_quote(result));
    paragraphs
}

fn all(result: &ResultRecord) -> Option<&TransactionRecord> {
    result.transactions.iter().find(|transaction| transaction.name == "all")
}

/// Returns the probable causes of the result: injected faults, unexpected outages, the limit of the run, and what
/// happened during the largest drop in throughput.
fn cause(record: &Record, result: &ResultRecord) -> Vec<String> {
    let faults = injected(result).into_iter().map(|fault| sentence(&fault_cause(result, fault)));
    let limit =
        Limit::of(record).map(|limit| format!("Limit: {}.", limit::sentences(&limit).join("; ")));
    let drop = disturbance::coincided(result)
        .map(|what| format!("During the largest drop in throughput: {what}."));
    let is_unplanned = |outage: &OutageRecord| outcome::fault_before(result, outage.at_s).is_none();
    let outage = result.outages.iter().any(is_unplanned);
    let outage = outage.then(|| "Connections were lost although no fault was injected.".to_owned());
    faults.take(NAMED_MAX).chain(outage).chain(limit).chain(drop).collect()
}

/// Describes how long it took to carry out a fault, and how the connections that it ended were restored.
fn fault_cause(result: &ResultRecord, fault: &FaultRecord) -> String {
    let took = format!("{} took {}", clean(&fault.what), latency(seconds(fault.took_s)));
    let is_of_fault =
        |outage: &&OutageRecord| outcome::fault_before(result, outage.at_s) == Some(fault);
    let Some(outage) = result.outages.iter().find(is_of_fault) else {
        return format!("{took} and ended no connection");
    };
    let after = |what: &str, time: Option<f64>| match time {
        Some(time) => format!("first {what} after {}", latency(seconds(time))),
        None => format!("no {what}"),
    };
    let lost = counted(outage.sessions_lost, "connection");
    let connected = after("reconnection", outage.connected_after_s);
    format!(
        "{took} and ended {lost}: {connected}, {}",
        after("commit", outage.first_commit_after_s)
    )
}

/// Returns the server, the data, the load, the machine, and the settings that differ from their defaults.
fn conditions(record: &Record, result: &ResultRecord) -> Vec<String> {
    let title = headline::title_parts(record).split_off(1).join(", ");
    let phases = headline::phases(record, result.measured_s, result.ended_by).join(", ");
    let mut paragraphs = vec![format!("{title}; {phases}.")];
    // With virtual time, the results do not depend on the machine, so omit it.
    paragraphs.extend(result.tool.cpu_cores.map(|_| machine(record)));
    let server = &record.server;
    let is_changed = |(key, value): &(&String, &String)| {
        server.defaults.get(*key).is_some_and(|default| default != *value)
            && !is_location(key, value)
    };
    let changed = server.settings.iter().filter(is_changed);
    let changed: Vec<String> =
        changed.map(|(key, value)| format!("{}={}", clean(key), clean(value))).collect();
    let changed: Vec<&str> = changed.iter().map(String::as_str).collect();
    paragraphs.extend(
        (!changed.is_empty())
            .then(|| format!("Server settings other than the default: {}.", listed(&changed))),
    );
    let risks = server_conditions::risks(record).into_iter();
    paragraphs.extend(risks.take(NAMED_MAX).map(|risk| sentence(&risk.text)));
    paragraphs
}

/// Returns true if a server setting is a port, an address or a path, which does not affect the result.
fn is_location(key: &str, value: &str) -> bool {
    key == "port" || key.ends_with("_port") || key.contains("address") || value.starts_with('/')
}

/// Describes the machines of Tacho and of the server.
fn machine(record: &Record) -> String {
    let host = &record.host;
    let hardware = |cpu: &str, count: Option<u32>, memory: Option<u64>| {
        let memory = memory.map(|size| format!("{} memory", bytes(size)));
        let all = [count.map(cores), Some(clean(cpu)), memory];
        all.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    };
    let own = hardware(&host.cpu, Some(host.cores), Some(host.memory_bytes));
    match &record.server.machine {
        _ if record.server.embedded => format!("Machine: {own}."),
        _ if shares_machine(record) => format!("Server and Tacho share one machine: {own}."),
        Some(server) => {
            let server = hardware(&server.cpu, server.cores, server.memory_bytes);
            format!("Server machine: {server}. Tacho's machine: {own}.")
        }
        None => format!("Tacho's machine: {own}. Server machine: unknown."),
    }
}

/// Lists what the run could not show, such as a narrower confidence interval, and how to measure it. Then lists the
/// warnings with their hints.
fn not_shown(record: &Record, result: &ResultRecord) -> Vec<String> {
    let mut paragraphs: Vec<String> = narrower(record, result).into_iter().collect();
    let is_rare =
        result.streams.is_empty() && all(result).is_some_and(|all| all.latency.p99_us.is_none());
    paragraphs.extend(is_rare.then(|| {
        "The p99: fewer than 10 transactions took longer, but at least 10 are needed.".to_owned()
    }));
    let are_commits_checked = result.acknowledged.is_some() || result.isolation.is_some();
    if !result.outages.is_empty() && !are_commits_checked {
        paragraphs
            .push("Whether acknowledged commits were lost: measure with --verify commits.".into());
    }
    let mut notices: Vec<_> = result.notices.iter().collect();
    notices.sort_by_key(|notice| !notice.invalidates);
    let named = notices.iter().take(NAMED_MAX);
    paragraphs.extend(named.map(|notice| match notice.hint.as_str() {
        "" => sentence(&clean(&notice.text)),
        hint => sentence(&format!("{}; hint: {}", clean(&notice.text), clean(hint))),
    }));
    if let Some(more @ 1..) = notices.len().checked_sub(NAMED_MAX) {
        paragraphs.push(format!("{}.", counted(more as u64, "more notice")));
    }
    paragraphs.push(
        "How much the result varies between runs: repeat the run with the same --tag.".into(),
    );
    paragraphs
}

/// States how long to measure for a narrower confidence interval. The width of the interval is inversely proportional
/// to the square root of the time.
fn narrower(record: &Record, result: &ResultRecord) -> Option<String> {
    let is_rate = result.streams.is_empty() && result.replay.is_none() && result.steps.is_empty();
    if !is_rate {
        return None;
    }
    let measured_s = result.undisturbed.as_ref().map_or(result.measured_s, |quiet| quiet.length_s);
    let Some(estimate) = result.verdict_interval().filter(|estimate| estimate.value > 0.0) else {
        let interval = span(record.plan.load.interval);
        return Some(format!(
            "A confidence interval: it needs at least {INTERVALS_MIN} intervals of {interval}."
        ));
    };
    let least_s = record.plan.load.interval.as_secs_f64() * INTERVALS_MIN as f64;
    let half = (estimate.high - estimate.low) / 2.0 / estimate.value;
    let target = WIDTHS.into_iter().find(|width| *width < half)?;
    let needed = duration((measured_s * (half / target).powi(2)).ceil().max(least_s));
    let target = percent(target);
    Some(format!(
        "A confidence interval of ±{target}: at the same variation, it takes {needed} of measurement."
    ))
}
