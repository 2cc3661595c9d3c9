//! Calculates a run's result from its measurement. The evaluation is separate.
//!
//! Start reading at [`result`].

use std::time::Duration;

use tacho_driver::Counters;
use tacho_engine::{LoadPlan, Stop};
use tacho_metrics::{Ledger, Phase, RunEnd, Series, batch_means};
use tacho_store::record::{
    AcknowledgedRecord, ArrivalsRecord, AuditRecord, ClientLimited, CommitsRecord,
    DistributionRecord, DisturbanceRecord, HeadlineRecord, HiccupsRecord, LateRecord, LedgerRecord,
    ResultRecord, RollbacksRecord, SteadinessRecord, ToolRecord, TpmRecord,
};
use tacho_workload::{Headline, Instance, Stated};

use super::acknowledged::contradiction;
use super::examine::Examined;
use super::load_hosts::{self, LoadHosts};
use super::measure::Measured;
use super::opened::Opened;
use super::raw::Raw;
use super::series::{errors, own_kinds, per_minute, steadiness_record, sum, transactions};
use super::undisturbed::undisturbed;
use super::{commits, outage, replayed, statements, steps, streams, terminals};
use crate::Job;

/// Returns a run's result without notices, thresholds and verdict, which the evaluation adds.
pub(super) fn result(
    job: &Job,
    opened: &Opened,
    measured: &Measured,
    examined: &Examined,
) -> ResultRecord {
    let (plan, measurement) = (&opened.plan, &measured.measurement);
    let instance = opened.instance.as_ref();
    let hosts = load_hosts::load_hosts(&measured.load_hosts, plan.sessions);
    let is_lost = hosts.records.iter().any(|host| host.lost.is_some());
    let raw = Raw {
        plan,
        instance,
        capabilities: job.driver.capabilities(),
        measurement,
        cpu: measured.cpu,
        hiccups: measured.hiccups,
        server_tpm: job.server_tpm,
        monitored: measured.monitored,
        // The counters of a shared database include the work of other runs. The counters of a run with a lost host
        // include work that the host did not report. Neither can be compared with the client's counters.
        alone: !opened.record.plan.load.shared && !is_lost,
    };
    let (series, queries) =
        measurement.total.series(Phase::Measure).split_at(own_kinds(instance).len());
    let mut all = sum(series);
    all.ledger.due += measurement.never_taken;
    all.ledger.skipped += measurement.never_taken;
    let measured_s = measurement.measured.as_secs_f64();
    let (good, ended) = (all.ended.good(), all.ended.all());
    let headline = instance.headline().map(|headline| headline_record(&raw, &headline));
    let commits = if raw.alone { commits::records(&raw, headline.as_ref()) } else { Vec::new() };
    let has_streams = instance.streams().is_some();
    let executions =
        if has_streams { Vec::new() } else { streams::executions(measurement, instance) };
    let analytics = has_streams.then(|| streams::analytics(measurement, instance, queries));
    let load_steps = opened.record.plan.steps.as_ref();
    // A varying load has no confidence interval, because its throughput is meant to vary.
    let is_even = ended > 0 && load_steps.is_none();
    let title = job.driver.manifest().title;
    let sessions = opened.record.plan.load.sessions;
    let faults = outage::faults(&measured.faults, &measured.tails);
    let unreported =
        streams::unreported_work(&executions, analytics.as_ref(), measurement, plan, title);
    ResultRecord {
        valid: true,
        tpm: tpm_record(&raw, good, headline.as_ref()),
        rollbacks: rollbacks(&raw),
        acknowledged: acknowledged(examined, headline.as_ref(), &commits, instance),
        isolation: examined.isolation.clone(),
        headline,
        commits,
        throughput_per_s: if measured_s > 0.0 { good as f64 / measured_s } else { 0.0 },
        interval_95: if is_even { batch_means(&measurement.throughput) } else { None },
        steadiness: if is_even {
            steadiness_record(&measurement.throughput, plan.interval)
        } else {
            SteadinessRecord::default()
        },
        measured_s,
        ended_by: measurement.ended_by,
        transactions: transactions(instance.transactions(), series, &all),
        streams: if has_streams { Vec::new() } else { streams::streams(measurement) },
        executions,
        analytics,
        statements: statements::statements(measurement),
        late: late(plan, &all),
        connecting: measurement.total.connecting.as_deref().map(DistributionRecord::from),
        query_plans: examined.plans.plans.clone(),
        unreported_queries: unreported.into_iter().chain(examined.plans.missing.clone()).collect(),
        accounting: ledger(&all),
        steps: load_steps
            .map_or_else(Vec::new, |load| steps::records(&raw, load, &opened.record.plan)),
        arrivals: arrivals(&raw, &all),
        terminals: terminals::record(plan, sessions, job.driver.scheduling(), measurement, &all),
        server_load: measured.server_load.clone(),
        hosts: measured.hosts.clone(),
        tool: tool(&raw, &hosts),
        load_hosts: hosts.records,
        addresses: measured.addresses.clone(),
        undisturbed: undisturbed(&measurement.throughput, plan, &faults).filter(|_| is_even),
        faults,
        errors: errors(instance, &measurement.total.faults),
        outages: outage::outages(measurement, plan, &measured.tails),
        stall: measured.idle.stall(ended, measured_s),
        disturbance: disturbance(measured, is_even && plan.stop != Stop::Done),
        settled: examined.settled.clone(),
        checks: opened.checks.iter().chain(&examined.checks).cloned().collect(),
        audit: audit(&raw),
        replay: replayed::record(instance, measurement),
        ..ResultRecord::default()
    }
}

/// Returns the drop in throughput that cost the most transactions, unless the load varied or a fault was injected.
fn disturbance(measured: &Measured, is_even: bool) -> Option<DisturbanceRecord> {
    let faults: Vec<f64> = measured.faults.iter().map(|fault| fault.at_s).collect();
    measured.moments.disturbance(&faults).filter(|_| is_even)
}

/// Returns the record of acknowledged commits. If the workload's tables contradict the commit marks, adds the reason to
/// the record.
fn acknowledged(
    examined: &Examined,
    headline: Option<&HeadlineRecord>,
    commits: &[CommitsRecord],
    instance: &dyn Instance,
) -> Option<AcknowledgedRecord> {
    let found = &examined.acknowledged.as_ref()?.record;
    let counted =
        instance.headline().map(|headline| instance.transactions()[headline.transaction].name);
    let contradicted = contradiction(found, headline, commits, counted);
    Some(AcknowledgedRecord { contradicted, ..found.clone() })
}

/// Returns the results for open arrivals.
fn arrivals(raw: &Raw<'_>, all: &Series) -> Option<ArrivalsRecord> {
    let measurement = raw.measurement;
    raw.plan.arrival.rate?;
    let backlog = measurement.backlog.unwrap_or_default();
    let per_second = |count: u64| per_minute(count, measurement.measured) / 60.0;
    Some(ArrivalsRecord {
        due_per_s: per_second(all.ledger.due),
        ended_per_s: per_second(all.ended.all()),
        backlog_start: backlog.start,
        backlog_end: backlog.end,
        backlog_max: backlog.max,
        session_wait: DistributionRecord::from(measurement.total.session_wait(Phase::Measure)),
        capacity_per_s: capacity(&measurement.saturated),
    })
}

/// Returns the transactions that exceeded the limit, if there is one.
fn late(plan: &LoadPlan, all: &Series) -> Option<LateRecord> {
    let limit = plan.latency_limit;
    let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    let (late, good) = (all.over_limit, all.ended.good());
    let (skipped, due) = (all.ledger.skipped, all.ledger.due);
    (!limit.is_zero()).then(|| LateRecord {
        limit_s: limit.as_secs_f64(),
        late,
        late_share: share(late, good),
        skipped,
        skipped_share: share(skipped, due),
    })
}

/// Returns the lower quartile of the throughput in intervals with a backlog of transactions. Skips intervals in which
/// no transactions ended: the database was unavailable then.
fn capacity(saturated: &[f64]) -> Option<f64> {
    let mut some: Vec<f64> = saturated.iter().copied().filter(|rate| *rate > 0.0).collect();
    some.sort_by(f64::total_cmp);
    some.get(some.len() / 4).copied()
}

fn headline_record(raw: &Raw<'_>, headline: &Headline) -> HeadlineRecord {
    let total = &raw.measurement.total;
    let at = |phase: Phase| &total.series(phase)[headline.transaction];
    let client_count = at(Phase::Measure).ended.committed;
    // The series for the ramp-up phase also contains the ramp-down phase. Together with the series for the measured
    // phase, it covers the whole run.
    let whole = [at(Phase::Measure), at(Phase::RampUp)];
    let counter = raw.measurement.counter;
    let measured = counter.and_then(|readings| readings.measured);
    let schema_elapsed = measured.map(|(start, end)| end.1.since(start.1));
    let schema_count = measured.map(|(start, end)| grown(start.0, end.0));
    let whole_run_client_count = whole.iter().map(|s| confirmed(s)).sum();
    let whole_run_schema_count = counter.map(|readings| grown(readings.before, readings.after));
    let (count, span, source) = match (schema_count, schema_elapsed) {
        (Some(count), Some(span)) if !span.is_zero() => (count, span, "schema"),
        _ => {
            // Confirmed commits that were lost later do not count towards throughput.
            let lost = whole_run_schema_count.map_or(0, |kept| grown(kept, whole_run_client_count));
            (client_count.saturating_sub(lost), raw.measurement.measured, "client")
        }
    };
    HeadlineRecord {
        name: headline.name.into(),
        per_minute: per_minute(count, span),
        per_nominal_minute: per_nominal_minute(raw, count),
        most_per_minute: most_per_minute(raw.plan, headline),
        source: source.into(),
        schema_count,
        schema_elapsed_s: schema_elapsed.map(|span| span.as_secs_f64()),
        client_count,
        whole_run_schema_count: whole_run_schema_count.filter(|_| raw.alone),
        whole_run_client_count,
        whole_run_unknown_count: whole.iter().map(|s| s.unknown).sum(),
        whole_run_wrong_count: whole.iter().map(|s| s.wrong_commits).sum(),
        proof_only: !headline.is_stated(),
    }
}

/// Returns the highest possible value of the headline metric if every session waits for all of its keying and think
/// times. Returns `None` if the load does not require these waits.
fn most_per_minute(plan: &LoadPlan, headline: &Headline) -> Option<f64> {
    let waits = plan.pacing >= 1.0 && plan.arrival.rate.is_none();
    let each = headline.most_per_session.filter(|_| waits)?;
    Some(each * f64::from(plan.users()) / plan.pacing)
}

/// Returns the number of commits that the database confirmed, including those of transactions with an incorrect result.
fn confirmed(series: &Series) -> u64 {
    series.ledger.committed + series.late_commits + series.wrong_commits
}

fn grown(before: u64, after: u64) -> u64 {
    after.saturating_sub(before)
}

/// Returns a count per minute, based on the planned duration. Returns `None` if no duration was planned or the run
/// ended early.
fn per_nominal_minute(raw: &Raw<'_>, count: u64) -> Option<f64> {
    match raw.plan.stop {
        Stop::After(span) if raw.measurement.ended_by == RunEnd::Time => {
            Some(per_minute(count, span))
        }
        _ => None,
    }
}

/// Returns the number of commits and intended rollbacks per minute, or `None` if throughput is reported per second.
fn tpm_record(raw: &Raw<'_>, good: u64, headline: Option<&HeadlineRecord>) -> Option<TpmRecord> {
    let stated = raw.instance.headline()?;
    if stated.stated != Stated::WithTpm {
        return None;
    }
    let client = Counted { count: good, span: raw.measurement.measured };
    let of_server = if raw.server_tpm { in_server(raw, 0) } else { None };
    let of_server = of_server.filter(|server| server.holds(&client));
    let source = if of_server.is_some() { "server" } else { "client" };
    // The server's counter also includes the transactions of Tacho's own monitoring.
    let check = in_server(raw, raw.monitored).filter(|server| server.holds(&client));
    let check = check.filter(|_| of_server.is_none());
    let counted = of_server.unwrap_or(client);
    let figure = counted.per_minute();
    Some(TpmRecord {
        per_minute: figure,
        per_nominal_minute: per_nominal_minute(raw, counted.count),
        source: source.into(),
        server_per_minute: check.filter(|_| raw.alone).map(|server| server.per_minute()),
        ratio: headline.filter(|h| h.per_minute > 0.0).map(|h| figure / h.per_minute),
        expected_ratio: Some(stated.ratio),
    })
}

/// Returns the number of transactions that the server finished in the measured phase, without Tacho's monitoring.
fn in_server(raw: &Raw<'_>, monitored: u64) -> Option<Counted> {
    // Not all servers count stream queries.
    let readings = raw.measurement.server.filter(|_| raw.instance.streams().is_none())?;
    let (start, end) = readings.measured?;
    let count = ended_in_server(&start.0, &end.0).saturating_sub(monitored);
    Some(Counted { count, span: end.1.since(start.1) })
}

struct Counted {
    count: u64,
    span: Duration,
}

impl Counted {
    fn per_minute(&self) -> f64 {
        per_minute(self.count, self.span)
    }

    /// Returns true if a server's count can include all of the client's transactions. MySQL's count cannot, for
    /// example, if statements were executed outside of explicit transactions. The count may be slightly lower,
    /// because the server and the client are not read at exactly the same time.
    fn holds(&self, client: &Self) -> bool {
        self.per_minute() >= 0.9 * client.per_minute()
    }
}

fn ended_in_server(start: &Counters, end: &Counters) -> u64 {
    let total = |counters: &Counters| counters.commits + counters.rollbacks;
    grown(total(start), total(end))
}

/// Returns the number of rollbacks counted by the server and by the client. The client does not see the rollbacks
/// of abandoned sessions.
fn rollbacks(raw: &Raw<'_>) -> Option<RollbacksRecord> {
    // A replay also executes the rollbacks in its log. The client does not count them, so its number cannot be
    // compared with the server's.
    let is_ours = raw.alone && raw.instance.recorded().is_none();
    let readings = raw.measurement.server.filter(|_| is_ours)?;
    let server = grown(readings.before.rollbacks_here?, readings.after.rollbacks_here?);
    let total = &raw.measurement.total;
    // Ramp-up and ramp-down share a series.
    let phases = [Phase::Measure, Phase::RampUp].into_iter().flat_map(|phase| total.series(phase));
    let intended: u64 = phases.map(|s| s.ledger.rolled_back + s.late_rollbacks).sum();
    let failed: u64 = total.faults.iter().map(|fault| fault.count).sum();
    let client = intended + failed + u64::from(raw.measurement.abandoned);
    let more = server.saturating_sub(client);
    let maintenance = more.min(readings.before.rollbacks_pending);
    Some(RollbacksRecord { server, client, hidden: more - maintenance, maintenance })
}

fn ledger(all: &Series) -> LedgerRecord {
    let ledger: &Ledger = &all.ledger;
    LedgerRecord {
        due: ledger.due,
        started: ledger.started,
        committed: ledger.committed,
        rolled_back: ledger.rolled_back,
        failed: ledger.failures(),
        unfinished: ledger.unfinished,
        skipped: ledger.skipped,
        retried: ledger.retried,
        longest_unfinished_us: all.longest_unfinished.as_micros() as u64,
        carried_over: all.ended.all().saturating_sub(ledger.ended()),
    }
}

fn audit(raw: &Raw<'_>) -> Vec<AuditRecord> {
    let rules = raw.instance.audit_rules();
    let rows = rules.iter().enumerate().map(|(index, rule)| {
        let (sum, draws) = raw.measurement.tally.get(index);
        let (low, high) = rule.band_for(draws);
        let measured = (draws > 0).then(|| sum as f64 / draws as f64);
        AuditRecord {
            name: rule.name.into(),
            clause: rule.clause.into(),
            share: rule.share,
            expected: rule.expected,
            low,
            high,
            measured,
            draws,
            passed: measured.is_none_or(|value| (low..=high).contains(&value)),
        }
    });
    rows.collect()
}

/// Fraction of a host's cores above which the client may be limiting the throughput.
const SATURATED: f64 = 0.9;

/// Returns the CPU time and other load of this process, or the totals of all load hosts.
fn tool(raw: &Raw<'_>, hosts: &LoadHosts) -> ToolRecord {
    let measurement = raw.measurement;
    let here = here(raw);
    let common = ToolRecord {
        lateness: DistributionRecord::from(measurement.total.lateness(Phase::Measure)),
        statements: measurement.traffic.statements,
        round_trips: measurement.traffic.round_trips,
        sessions_lost: measurement.lost.len() as u64 + hosts.sessions_lost,
        ..here
    };
    if hosts.records.is_empty() {
        return common;
    }
    let limited = match hosts.client_limited {
        None if common.client_limited == ClientLimited::NotApplicable => common.client_limited,
        limited => limited.unwrap_or(ClientLimited::No),
    };
    ToolRecord {
        cpu_cores: hosts.cpu_cores,
        cores: hosts.cores,
        hiccups: hosts.hiccups,
        client_limited: limited,
        ..common
    }
}

/// Returns this process's own load.
fn here(raw: &Raw<'_>) -> ToolRecord {
    let measurement = raw.measurement;
    let cores = tacho_collect::cores();
    let cpu_cores = raw
        .cpu
        .filter(|_| !measurement.virtual_time && !measurement.measured.is_zero())
        .map(|cpu| cpu.as_secs_f64() / measurement.measured.as_secs_f64());
    // Tacho cannot use more cores than it has workers or sessions.
    let usable = cores.min(raw.plan.workers.unwrap_or(cores)).min(raw.plan.sessions).max(1);
    let client_limited = match cpu_cores {
        _ if raw.capabilities.embedded || measurement.virtual_time => ClientLimited::NotApplicable,
        Some(used) if used >= SATURATED * f64::from(usable) => ClientLimited::Yes,
        Some(_) => ClientLimited::No,
        None => ClientLimited::NotApplicable,
    };
    ToolRecord {
        cpu_cores,
        cores,
        hiccups: raw.hiccups.map(|seen| HiccupsRecord {
            count: seen.count,
            total_s: seen.total.as_secs_f64(),
            longest_s: seen.longest.as_secs_f64(),
        }),
        client_limited,
        ..ToolRecord::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_leaves_transactions_out_is_not_the_source_of_tpm() {
        let counted = |count| Counted { count, span: Duration::from_mins(1) };
        let holds = |server| counted(server).holds(&counted(1_000));
        assert!(!holds(0), "all are autocommitted statements");
        assert!(!holds(800), "some are");
        assert!(holds(990) && holds(1_300), "others use the server too");
    }
}
