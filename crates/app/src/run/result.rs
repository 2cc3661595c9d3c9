//! From what was measured to what is recorded: figures, accounts, verdict.

use std::time::Duration;

use tacho_driver::Counters;
use tacho_engine::{Arrival, EndedBy, LoadPlan, Stop};
use tacho_metrics::{Fault, Ledger, Phase, Series, Steadiness, batch_means, steadiness, warm_up};
use tacho_store::record::{
    ArrivalsRecord, AuditRecord, ClientLimited, DistributionRecord, ErrorRecord, EstimateRecord,
    HeadlineRecord, HiccupsRecord, LedgerRecord, ResultRecord, RollbacksRecord, RunEnd,
    SteadinessRecord, SteadinessVerdict, ToolRecord, TpmRecord, TransactionRecord,
};
use tacho_workload::{Headline, Instance, Stated, Transaction};

use super::raw::Raw;
use super::start::own_kinds;
use super::{outage, streams};

/// All figures of a run; notices, thresholds and checks are added by the caller.
pub(super) fn figures(raw: &Raw<'_>) -> ResultRecord {
    let measurement = raw.measurement;
    let kinds = own_kinds(raw.instance).len();
    let (series, queries) = measurement.total.series(Phase::Measure).split_at(kinds);
    let mut all = Series::default();
    for one in series {
        all.merge(one);
    }
    all.ledger.due += measurement.never_taken;
    all.ledger.skipped += measurement.never_taken;
    let measured_s = measurement.measured.as_secs_f64();
    let good = all.ended.good();
    let nothing = all.ended.all() == 0;
    let headline = raw.instance.headline().map(|headline| headline_record(raw, &headline));
    let alone = raw.instance.streams().is_none();
    let commits = super::commits::records(raw, headline.as_ref());
    ResultRecord {
        valid: true,
        tpm: tpm_record(raw, good, headline.as_ref()),
        headline,
        rollbacks: rollbacks(raw),
        commits,
        throughput_per_s: if measured_s > 0.0 { good as f64 / measured_s } else { 0.0 },
        interval_95: if nothing { None } else { estimate(&measurement.throughput) },
        steadiness: if nothing {
            SteadinessRecord::default()
        } else {
            steadiness_record(&measurement.throughput, raw.plan.interval)
        },
        measured_s,
        ended_by: ended_by(measurement.ended_by),
        transactions: transactions(raw.instance.transactions(), series, &all),
        executions: if alone { streams::executions(measurement, raw.instance) } else { Vec::new() },
        streams: if alone { streams::streams(measurement) } else { Vec::new() },
        analytics: (!alone).then(|| streams::analytics(measurement, raw.instance, queries)),
        accounting: ledger(&all),
        arrivals: arrivals(raw, &all),
        errors: errors(raw.instance, &measurement.total.faults),
        outages: outage::outages(measurement, raw.plan),
        audit: audit(raw),
        tool: tool(raw),
        replay: crate::recorded::record(raw.instance, measurement),
        ..ResultRecord::default()
    }
}

pub(super) fn estimate(throughput: &[f64]) -> Option<EstimateRecord> {
    batch_means(throughput).map(|estimate| EstimateRecord {
        value: estimate.value,
        low: estimate.low,
        high: estimate.high,
        samples: estimate.samples,
        batches: estimate.batches,
    })
}

/// What became of open arrivals.
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

/// The lower quartile of what the database did a second while arrivals waited. Intervals in which nothing
/// ended are of a database that was away, and no capacity.
fn capacity(saturated: &[f64]) -> Option<f64> {
    let mut some: Vec<f64> = saturated.iter().copied().filter(|rate| *rate > 0.0).collect();
    some.sort_by(f64::total_cmp);
    some.get(some.len() / 4).copied()
}

fn ended_by(why: EndedBy) -> RunEnd {
    match why {
        EndedBy::Time => RunEnd::Time,
        EndedBy::Count => RunEnd::Count,
        EndedBy::Done => RunEnd::Done,
        EndedBy::Interrupt => RunEnd::Interrupt,
        EndedBy::Terminate => RunEnd::Terminate,
        EndedBy::SessionsLost => RunEnd::SessionsLost,
    }
}

fn headline_record(raw: &Raw<'_>, headline: &Headline) -> HeadlineRecord {
    let total = &raw.measurement.total;
    let at = |phase: Phase| &total.series(phase)[headline.transaction];
    let client_count = at(Phase::Measure).ended.committed;
    // Ramp-up and ramp-down share one series: two lookups cover the whole run.
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
            // A commit that was confirmed and then lost does not count as throughput.
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
        whole_run_schema_count,
        whole_run_client_count,
        whole_run_unknown_count: whole.iter().map(|s| s.unknown).sum(),
        whole_run_wrong_count: whole.iter().map(|s| s.wrong_commits).sum(),
        proof_only: !headline.is_stated(),
    }
}

/// What closed sessions with all their keying and think times reach at most.
fn most_per_minute(plan: &LoadPlan, headline: &Headline) -> Option<f64> {
    let waits = plan.pacing >= 1.0 && plan.arrival == Arrival::CLOSED;
    let each = headline.most_per_session.filter(|_| waits)?;
    Some(each * f64::from(plan.sessions) / plan.pacing)
}

/// Commits that the database has confirmed, whatever was found wrong in the reply afterwards.
fn confirmed(series: &Series) -> u64 {
    series.ledger.committed + series.late_commits + series.wrong_commits
}

fn grown(before: u64, after: u64) -> u64 {
    after.saturating_sub(before)
}

pub(super) fn per_minute(count: u64, span: Duration) -> f64 {
    if span.is_zero() { 0.0 } else { count as f64 * 60.0 / span.as_secs_f64() }
}

/// A count by the planned minutes, if there are any and the run lasted for all of them.
fn per_nominal_minute(raw: &Raw<'_>, count: u64) -> Option<f64> {
    match raw.plan.stop {
        Stop::After(span) if raw.measurement.ended_by == EndedBy::Time => {
            Some(per_minute(count, span))
        }
        _ => None,
    }
}

/// Commits and intended rollbacks per minute, as the client counted them unless the server's counters were asked for.
/// `None` if the throughput is stated per second.
fn tpm_record(raw: &Raw<'_>, good: u64, headline: Option<&HeadlineRecord>) -> Option<TpmRecord> {
    let stated = raw.instance.headline()?;
    if stated.stated != Stated::WithTpm {
        return None;
    }
    let client = Counted { count: good, span: raw.measurement.measured };
    let of_server = if raw.server_tpm { in_server(raw, 0) } else { None };
    let of_server = of_server.filter(|server| server.holds(&client));
    let source = if of_server.is_some() { "server" } else { "client" };
    // The server's counter also has what Tacho's monitoring did.
    let check = in_server(raw, raw.monitored).filter(|server| server.holds(&client));
    let check = check.filter(|_| of_server.is_none());
    let counted = of_server.unwrap_or(client);
    let figure = counted.per_minute();
    Some(TpmRecord {
        per_minute: figure,
        per_nominal_minute: per_nominal_minute(raw, counted.count),
        source: source.into(),
        server_per_minute: check.map(|server| server.per_minute()),
        ratio: headline.filter(|h| h.per_minute > 0.0).map(|h| figure / h.per_minute),
        expected_ratio: Some(stated.ratio),
    })
}

/// Transactions that ended in the server during the measured phase, without those of Tacho's monitoring.
fn in_server(raw: &Raw<'_>, monitored: u64) -> Option<Counted> {
    // A server may or may not count the queries of streams.
    let readings = raw.measurement.server.filter(|_| raw.instance.streams().is_none())?;
    let (start, end) = readings.measured?;
    let count = ended_in_server(&start.0, &end.0).saturating_sub(monitored);
    Some(Counted { count, span: end.1.since(start.1) })
}

/// Transactions that ended within a time.
struct Counted {
    count: u64,
    span: Duration,
}

impl Counted {
    fn per_minute(&self) -> f64 {
        per_minute(self.count, self.span)
    }

    /// Returns true if a server's count includes all transactions of the client: MySQL's counters leave out statements
    /// outside of a transaction. The readings are not simultaneous with the client's, and may be late by a second.
    fn holds(&self, client: &Self) -> bool {
        self.per_minute() >= 0.9 * client.per_minute()
    }
}

fn ended_in_server(start: &Counters, end: &Counters) -> u64 {
    let total = |counters: &Counters| counters.commits + counters.rollbacks;
    grown(total(start), total(end))
}

/// The server's rollbacks against those that the client knows of. Sessions that were abandoned may
/// be rolled back without our hearing of it.
fn rollbacks(raw: &Raw<'_>) -> Option<RollbacksRecord> {
    // Statements of a log roll back as the log does, which the accounts do not know.
    let is_ours = raw.instance.recorded().is_none();
    let readings = raw.measurement.server.filter(|_| is_ours)?;
    let server = grown(readings.before.rollbacks_here?, readings.after.rollbacks_here?);
    let total = &raw.measurement.total;
    // Ramp-up and ramp-down share one series.
    let phases = [Phase::Measure, Phase::RampUp].into_iter().flat_map(|phase| total.series(phase));
    let intended: u64 = phases.map(|s| s.ledger.rolled_back + s.late_rollbacks).sum();
    let failed: u64 = total.faults.iter().map(|fault| fault.count).sum();
    let client = intended + failed + u64::from(raw.measurement.abandoned);
    let more = server.saturating_sub(client);
    let maintenance = more.min(readings.before.rollbacks_pending);
    Some(RollbacksRecord { server, client, hidden: more - maintenance, maintenance })
}

pub(super) fn steadiness_record(throughput: &[f64], interval: Duration) -> SteadinessRecord {
    let (verdict, drift) = match steadiness(throughput) {
        Steadiness::Steady { drift } => (SteadinessVerdict::Steady, Some(drift)),
        Steadiness::Drifting { drift } => (SteadinessVerdict::Drifting, Some(drift)),
        Steadiness::Unclear { drift } => (SteadinessVerdict::Unclear, Some(drift)),
        Steadiness::TooShort => (SteadinessVerdict::TooShort, None),
    };
    let warm_up_s = warm_up(throughput).map(|values| interval.as_secs_f64() * values as f64);
    SteadinessRecord { verdict: Some(verdict), drift, warm_up_s }
}

/// One entry for each kind, with its share of all that ended, then `all`.
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

/// Failures by class, the whole run's.
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

/// From this share of the cores on, the client may be what limits the throughput.
const SATURATED: f64 = 0.9;

fn tool(raw: &Raw<'_>) -> ToolRecord {
    let measurement = raw.measurement;
    let cores = tacho_collect::cores();
    let cpu_cores = raw
        .cpu
        .filter(|_| !measurement.virtual_time && !measurement.measured.is_zero())
        .map(|cpu| cpu.as_secs_f64() / measurement.measured.as_secs_f64());
    // Event-driven sessions cannot use more cores than they have workers.
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
        lateness: DistributionRecord::from(measurement.total.lateness(Phase::Measure)),
        hiccups: raw.hiccups.map(|seen| HiccupsRecord {
            count: seen.count,
            total_s: seen.total.as_secs_f64(),
            longest_s: seen.longest.as_secs_f64(),
        }),
        statements: measurement.traffic.statements,
        round_trips: measurement.traffic.round_trips,
        client_limited,
        sessions_lost: measurement.lost.len() as u64,
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
