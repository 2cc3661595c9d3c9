//! The verdict: which notices apply, whether the run is valid, how the command ends.

use std::time::Duration;

use tacho_config::Require;
use tacho_core::Error;
use tacho_core::units::{self, counted, grouped, percent};
use tacho_engine::{Measurement, Stop};
use tacho_metrics::{Connection, ConnectionEvent};
use tacho_store::RunWriter;
use tacho_store::record::{
    ClientLimited, HeadlineRecord, HiccupsRecord, NoticeRecord, Record, ResultRecord, RunEnd,
    RunVerdict, SteadinessVerdict, TpmRecord,
};

use super::addresses;
use super::afterwards::{Afterwards, stopped};
use super::notices::{FAILURES_MAX, Notice, RATE_TOLERANCE};
use super::started::Started;
use super::steps;
use crate::Exit;
use crate::check::passed;

/// Fewer transactions than this carry no figure: even a median needs twenty.
const SAMPLES_MIN: u64 = 20;
/// Fewer new orders than this and the interval of the throughput says little.
const INTERVALS_MIN: u64 = 10;
/// With fewer transactions there is no p95, which is the latency of lists, sweeps and trends. What is
/// missing above it is a dash, and takes nothing from the existing figures.
const P95_SAMPLES_MIN: u64 = 200;
/// From this share of unfinished transactions on, percentiles leave out too many slow ones.
const UNFINISHED_MAX: f64 = 0.05;
/// The data has drifted when the measured work has made it so many times larger.
const DRIFT_MAX: f64 = 2.0;
/// A scheduler that is later than this at the 99th percentile is reported.
const LATE_MAX_US: f64 = 10_000.0;
/// This tool may be stopped for so long in all, and for this share of the measured phase: more is in the
/// percentiles that are read most.
const STOPPED_MIN_S: f64 = 1.0;
const STOPPED_MAX: f64 = 0.01;
/// One stop of this length is a warning: it is the maximum of every figure.
const STOPPED_TOLD_S: f64 = 0.25;
/// The calendar and the run's clock may differ by this much over a run, and one in a thousand.
const JUMP_MAX: Duration = Duration::from_millis(500);

/// All that a verdict rests on in addition to the figures.
pub(super) struct Judgement<'a> {
    pub(super) started: &'a Started,
    pub(super) measurement: &'a Measurement,
    /// Length of the measured phase by the calendar and by a clock that was read at the same moments.
    pub(super) clocks: Option<[Duration; 2]>,
    /// What was found of the server after the load.
    pub(super) after: Afterwards,
    /// Why the server was not watched to the end.
    pub(super) unwatched: Option<String>,
}

impl Judgement<'_> {
    /// Adds notices, thresholds and the verdict to the figures.
    pub(super) fn apply(&self, figures: &mut ResultRecord) {
        let rules = [
            Self::ending,
            Self::steps,
            Self::rate,
            Self::data,
            Self::commits,
            Self::conditions,
            Self::precision,
            Self::server,
        ];
        let mut notices = self.bugs();
        notices.extend(failures(figures));
        notices.extend(work(figures, self.started.plan.sessions));
        notices.extend(rules.iter().flat_map(|rule| rule(self, figures)));
        notices.extend(client(figures));
        notices.extend(crate::cluster::notices(figures, self.started.plan.on_host_loss));
        notices.extend(addresses::notices(figures));
        figures.notices = notices;
        figures.valid = figures.notices.iter().all(|notice| !notice.invalidates);
        figures.judge(&self.started.record.plan);
        figures.thresholds =
            self.started.thresholds.iter().map(|threshold| threshold.judge(figures)).collect();
        steps::judge_limits(&self.started.thresholds, figures);
    }

    fn bugs(&self) -> Vec<NoticeRecord> {
        let mut notices = Vec::new();
        if let Some(imbalance) = &self.measurement.imbalance {
            notices.push(Notice::AccountsWrong.found(imbalance.clone()));
        }
        if self.measurement.panics > 0 {
            let count = counted(self.measurement.panics.into(), "session");
            notices.push(Notice::Panicked.found(format!("{count} panicked")));
        }
        notices
    }

    fn ending(&self, figures: &ResultRecord) -> Vec<NoticeRecord> {
        let mut notices = Vec::new();
        let lost = &self.measurement.lost;
        if let Some(first) = lost.first() {
            let count = counted(lost.len() as u64, "session");
            notices.push(Notice::SessionLost.found(format!("{count} gave up: {first}")));
        } else if missing(self.measurement) > 0 {
            let count = counted(missing(self.measurement), "session");
            notices.push(Notice::SessionLost.found(format!(
                "{count} lost the connection and had not connected again when the load ended"
            )));
        } else if never_answered(self.measurement) {
            let count = counted(self.measurement.abandoned.into(), "session");
            notices.push(Notice::SessionLost.found(format!(
                "{count} had no answer, and neither had the counters: the server was gone when the load ended"
            )));
        } else if unknown_after_outage(self.measurement) {
            let text = "the server was lost and found again, and the counters could not be read after that: \
                        whether it has kept all commits is not known";
            notices.push(Notice::SessionLost.found(text));
        }
        if stopped(self.measurement) {
            let measured = Duration::from_secs_f64(figures.measured_s);
            let text = format!("stopped after {} of the measured phase", units::span(measured));
            notices.push(Notice::StoppedEarly.found(text));
        }
        if self.measurement.abandoned > 0 {
            let count = counted(self.measurement.abandoned.into(), "session");
            notices.push(Notice::SessionsAbandoned.found(format!(
                "{count} had not ended their transaction when the wait for them was over"
            )));
        }
        let good = ended(figures).0;
        if good < SAMPLES_MIN {
            let count = counted(good, "transaction");
            notices.push(Notice::NothingMeasured.found(format!("only {count} ended well")));
        }
        notices
    }

    /// Steps that did not do what the plan asks for.
    #[expect(clippy::unused_self, reason = "one of a list of questions to the same run")]
    fn steps(&self, figures: &ResultRecord) -> Vec<NoticeRecord> {
        let invalid = figures.steps_at(RunVerdict::Invalid);
        if invalid.is_empty() {
            return Vec::new();
        }
        vec![Notice::StepInvalid.found(invalid.join("; "))]
    }

    fn rate(&self, figures: &ResultRecord) -> Vec<NoticeRecord> {
        let Some(rate) = self.started.plan.arrival.rate else { return Vec::new() };
        // What a step has not reached is said of that step.
        let is_stepped = !figures.steps.is_empty();
        let mut notices = Vec::new();
        let accounting = &figures.accounting;
        let arrivals = figures.arrivals.unwrap_or_default();
        // Whatever phase they were due in: who works off a backlog reaches the rate.
        let (good, failed) = ended(figures);
        // Measured against what was due, not against the wanted rate times the time: the number of
        // Poisson arrivals varies by itself.
        let reached = (good + failed) as f64 / accounting.due.max(1) as f64;
        // Those in flight at the end are the normal case of a short run.
        let in_flight = accounting.unfinished as f64 / accounting.due.max(1) as f64;
        let tolerance = (RATE_TOLERANCE * accounting.due as f64) as u64;
        let sessions = u64::from(self.started.plan.sessions);
        if !is_stepped
            && accounting.due > 0
            && reached + in_flight.min(RATE_TOLERANCE) < 1.0 - RATE_TOLERANCE
        {
            let text = format!(
                "reached {}/s of {}/s; {} waited for a free session at the end, {} at the start",
                units::significant((good + failed) as f64 / figures.measured_s.max(1e-9)),
                units::significant(rate),
                counted(arrivals.backlog_end, "arrival"),
                grouped(arrivals.backlog_start)
            );
            notices.push(Notice::RateNotReached.with_hint(text, &rate_hint(figures, rate)));
        } else if arrivals.backlog_start > tolerance.max(sessions) {
            notices.push(Notice::BacklogBefore.found(format!(
                "{} waited for a free session when the measured phase began, {} when it ended: \
                 the latencies contain that wait",
                counted(arrivals.backlog_start, "arrival"),
                grouped(arrivals.backlog_end)
            )));
        }
        if accounting.skipped > 0 {
            notices.push(Notice::ArrivalsSkipped.found(format!(
                "{} were due and not begun",
                counted(accounting.skipped, "arrival")
            )));
        }
        notices
    }

    fn data(&self, figures: &ResultRecord) -> Vec<NoticeRecord> {
        let mut notices = Vec::new();
        let failed: Vec<&str> = figures
            .checks
            .iter()
            .filter(|check| !passed(check))
            .map(|check| check.id.as_str())
            .collect();
        if !failed.is_empty() {
            let text = format!("consistency conditions violated: {}", failed.join(", "));
            notices.push(Notice::CheckFailed.found(text));
        }
        if let Some(growth) = self.growth()
            && growth > DRIFT_MAX
        {
            notices.push(Notice::DataDrifted.found(format!(
                "the work done since the load has made the data {growth:.1} times as large"
            )));
        }
        notices
    }

    /// Size of the data at the start relative to the load, by the counter of the headline.
    fn growth(&self) -> Option<f64> {
        let before = self.measurement.counter?.before;
        let loaded = self.started.instance.headline()?.loaded;
        (loaded > 0).then(|| 1.0 + before as f64 / loaded as f64)
    }

    fn commits(&self, figures: &ResultRecord) -> Vec<NoticeRecord> {
        let mut notices = Vec::new();
        if let Some(error) = &self.measurement.probe_error {
            notices.push(Notice::CounterUnreadable.found(error.to_string()));
        }
        let abandoned = u64::from(self.measurement.abandoned);
        let headline = figures.headline.as_ref();
        notices.extend(headline.and_then(|headline| counts_differ(headline, abandoned)));
        if let Some(readings) = self.measurement.counter.filter(|own| own.after < own.before)
            && let Some(lost) = notices.iter_mut().find(|own| own.id == Notice::CommitsLost.id())
        {
            // More is gone than the run has made: data of an earlier moment was put in its place.
            let (before, after) = (grouped(readings.before), grouped(readings.after));
            let text = format!(
                "; the data is older than the run: its counter fell from {before} to {after}"
            );
            lost.text.push_str(&text);
        }
        let has_others = notices.iter().any(|found| found.id == Notice::OthersWrote.id());
        notices.extend(super::commits::notices(figures, has_others));
        notices.extend(figures.acknowledged.iter().flat_map(super::acknowledged::notices));
        notices.extend(figures.rollbacks.filter(|found| found.hidden > 0).map(|found| {
            Notice::HiddenRollbacks.found(format!(
                "the server rolled back {} in this database, the client knows of {}",
                counted(found.server, "transaction"),
                grouped(found.client)
            ))
        }));
        notices
    }

    fn conditions(&self, figures: &ResultRecord) -> Vec<NoticeRecord> {
        let mut notices = Vec::new();
        if let Some(reason) = &self.unwatched {
            notices.push(Notice::ServerUnwatched.found(reason.clone()));
        }
        if let Some(changed) = &self.after.changed {
            notices.push(Notice::SettingsChanged.found(changed.clone()));
        }
        if let Some(changed) = &self.after.restructured {
            notices.push(Notice::TablesChanged.found(changed.clone()));
        }
        if let Some(error) = &self.after.unread {
            notices.push(Notice::SettingsUnread.found(error.to_string()));
        }
        notices.extend(self.clocks.filter(|_| !self.measurement.virtual_time).and_then(jumped));
        notices
            .extend(figures.tool.hiccups.and_then(|seen| stopped_tool(&seen, figures.measured_s)));
        notices
    }

    fn precision(&self, figures: &ResultRecord) -> Vec<NoticeRecord> {
        let mut notices = Vec::new();
        let accounting = &figures.accounting;
        if accounting.unfinished as f64 > UNFINISHED_MAX * accounting.started as f64 {
            notices.push(Notice::ManyUnfinished.found(format!(
                "{} of {} had not ended with the measured phase, and the slowest are among them",
                grouped(accounting.unfinished),
                counted(accounting.started, "transaction")
            )));
        }
        if self.started.plan.stop == Stop::Done {
            // Its figure is of all that there was, and no rate that could be uneven.
            return notices;
        }
        let samples = self.measurement.throughput.len() as u64;
        let all = figures.transactions.last().map_or(0, |all| all.latency.count);
        let mut few = Vec::new();
        if samples < INTERVALS_MIN {
            few.push(format!("{}: the interval is rough", counted(samples, "full interval")));
        }
        if all < P95_SAMPLES_MIN {
            few.push(format!("{}: too few for a p95", counted(all, "transaction")));
        }
        if !few.is_empty() {
            notices.push(Notice::TooFewSamples.found(few.join("; ")));
        }
        if let Some(half) = figures.too_wide(Some(&self.started.record.plan)) {
            let text = format!("the 95 % interval is ±{}", percent(half));
            notices.push(Notice::WideInterval.found(text));
        }
        if figures.steadiness.verdict == Some(SteadinessVerdict::Drifting) {
            notices.push(Notice::NotSteady.found(drifting(figures)));
        }
        notices
    }

    /// What the driver advises, of the server and the data as they were before the run.
    fn server(&self, _: &ResultRecord) -> Vec<NoticeRecord> {
        let advice = self.started.facts.advice.iter();
        advice.map(|found| Notice::ServerAdvice.with_hint(&found.text, &found.hint)).collect()
    }
}

/// Sessions that lost their connection and were not back when the load ended.
fn missing(measurement: &Measurement) -> u64 {
    let mut missing: u64 = 0;
    let mut events = measurement.total.connections.clone();
    events.sort_by_key(|event| event.at);
    for event in events {
        match event.what {
            Connection::Lost { .. } => missing += 1,
            Connection::Back { .. } => missing = missing.saturating_sub(1),
            Connection::Missing { .. } | Connection::FirstGood => {}
        }
    }
    missing
}

/// Whether sessions wait for a server that answers nothing any more.
fn never_answered(measurement: &Measurement) -> bool {
    measurement.abandoned > 0 && measurement.unanswered && !stopped(measurement)
}

/// Whether the server may have lost commits in an outage, and this could not be checked.
fn unknown_after_outage(measurement: &Measurement) -> bool {
    let lost = |event: &ConnectionEvent| matches!(event.what, Connection::Lost { .. });
    measurement.total.connections.iter().any(lost)
        && measurement.probe_error.is_some()
        && measurement.counter.is_none()
}

/// Whether the run has lost the server.
pub(super) fn was_lost(measurement: &Measurement) -> bool {
    !measurement.lost.is_empty() || missing(measurement) > 0 || never_answered(measurement)
}

/// Transactions that ended well in the measured phase, and those that failed in it, whenever they were due.
fn ended(figures: &ResultRecord) -> (u64, u64) {
    figures.transactions.last().map_or((0, 0), |all| (all.count, all.failed))
}

/// What would hold, by what was measured while arrivals waited.
fn rate_hint(figures: &ResultRecord, rate: f64) -> String {
    let capacity = figures.arrivals.and_then(|arrivals| arrivals.capacity_per_s);
    let capacity = capacity.map(rounded_down).filter(|capacity| *capacity > 0.0);
    match capacity {
        // What the database can do with a backlog is above the rate: it was away for a while.
        Some(capacity) if capacity >= rate => {
            format!(
                "{capacity}/s ended while arrivals waited: the rate holds when nothing stops the \
                 database; see tacho show --timeline"
            )
        }
        Some(capacity) => format!(
            "--rate {capacity} holds with these virtual users, by what ended while arrivals waited; more of \
             them (--sessions) may reach more; tacho sweep --find-max searches the highest rate"
        ),
        None => "lower --rate, or add virtual users with --sessions".into(),
    }
}

/// Three digits, and never more than was measured.
fn rounded_down(rate: f64) -> f64 {
    if rate <= 0.0 {
        return 0.0;
    }
    let size = 10_f64.powi(2 - rate.log10().floor() as i32);
    (rate * size).floor() / size
}

/// Calendar and clock that disagree over the measured phase.
fn jumped([calendar, clock]: [Duration; 2]) -> Option<NoticeRecord> {
    (calendar.abs_diff(clock) > JUMP_MAX + clock / 1000).then(|| {
        Notice::ClockJumped.found(format!(
            "the measured phase took {} by the calendar and {} by the clock",
            units::span(calendar),
            units::span(clock)
        ))
    })
}

/// Stops of this process that are in the latencies as if they were the database's.
fn stopped_tool(seen: &HiccupsRecord, measured_s: f64) -> Option<NoticeRecord> {
    let share = seen.total_s / measured_s.max(1e-9);
    let long = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or_default();
    let notice = match seen {
        own if own.total_s >= STOPPED_MIN_S && share > STOPPED_MAX => Notice::ToolStopped,
        own if own.longest_s >= STOPPED_TOLD_S => Notice::ToolDelayed,
        _ => return None,
    };
    Some(notice.found(format!(
        "this tool did not run for {} of the measured phase, {} ({}, the longest {}): the database is not \
         the cause of that time",
        units::latency(long(seen.total_s)),
        percent(share),
        counted(seen.count, "stop"),
        units::latency(long(seen.longest_s))
    )))
}

/// What the client itself did to the figures.
fn client(figures: &ResultRecord) -> Vec<NoticeRecord> {
    let mut notices = Vec::new();
    let tool = &figures.tool;
    if tool.client_limited == ClientLimited::Yes {
        notices.push(Notice::ClientSaturated.found(format!(
            "client-limited: this tool used {:.1} of {} cores",
            tool.cpu_cores.unwrap_or(0.0),
            tool.cores
        )));
    }
    let late = tool.lateness.p99_us.unwrap_or(0.0);
    if late > LATE_MAX_US {
        let late = Duration::from_nanos((late * 1e3) as u64);
        let text =
            format!("transactions began {} late at the 99th percentile", units::latency(late));
        notices.push(Notice::LateScheduler.found(text));
    }
    notices
}

/// Too many failed transactions.
fn failures(figures: &ResultRecord) -> Vec<NoticeRecord> {
    let (good, failed) = ended(figures);
    let ended = good + failed;
    let share = failed as f64 / ended.max(1) as f64;
    let queries = figures.analytics.iter().filter(|own| own.failed > 0).map(|own| {
        let (failed, all) = (grouped(own.failed), grouped(own.good + own.failed));
        Notice::TooManyFailures.found(format!("{failed} of {all} queries failed"))
    });
    let mut notices: Vec<NoticeRecord> = queries.collect();
    // A mean of what is left when the slowest have failed would be a reward for failing.
    let allowed = if figures.streams.is_empty() { FAILURES_MAX } else { 0.0 };
    if share > allowed {
        notices.push(Notice::TooManyFailures.found(format!(
            "{} of {} ended transactions failed, {}",
            grouped(failed),
            grouped(ended),
            percent(share)
        )));
    }
    notices
}

/// What the audit found of the submitted work.
fn work(figures: &ResultRecord, sessions: u32) -> Vec<NoticeRecord> {
    let mut notices = Vec::new();
    let outside: Vec<&str> = figures
        .audit
        .iter()
        .filter(|entry| !entry.passed)
        .map(|entry| entry.name.as_str())
        .collect();
    if !outside.is_empty() {
        let text = format!("outside their bands: {}", outside.join(", "));
        notices.push(Notice::MixOutside.found(text));
    }
    notices.extend(ratio_off(figures, sessions));
    notices
}

/// How late a server may count, in seconds: a session of PostgreSQL reports its commits once a second
/// (`PGSTAT_MIN_INTERVAL`).
const COUNTED_LATE_S: f64 = 1.0;
/// Share by which two counts of the same work may differ in any case.
const COUNTS_APART: f64 = 0.02;
/// Transactions by which the counts of a short run may differ: those of the readings themselves, and those of the
/// server's own maintenance, such as PostgreSQL's autovacuum, which begins some for each table soon after it was
/// loaded.
const NOT_OF_CLIENTS: f64 = 36.0;

/// Reports a ratio of all transactions to the headline that the mix does not explain, or a server that counted other
/// transactions than the client. Up to two percent, four standard errors, the transactions in flight at both
/// readings and those of the server itself are allowed, and below the expected ratio also those that the server counts late.
fn ratio_off(figures: &ResultRecord, sessions: u32) -> Option<NoticeRecord> {
    let tpm = figures.tpm.as_ref()?;
    server_differs(figures, tpm, sessions).or_else(|| mix_differs(figures, tpm, sessions))
}

fn late_share(figures: &ResultRecord) -> f64 {
    if figures.measured_s > 0.0 { COUNTED_LATE_S / figures.measured_s } else { 0.0 }
}

/// Reports that the server's count of ended transactions differs from the client's.
fn server_differs(figures: &ResultRecord, tpm: &TpmRecord, sessions: u32) -> Option<NoticeRecord> {
    let server = tpm.server_per_minute.filter(|_| tpm.per_minute > 0.0)?;
    let ended = (tpm.per_minute * figures.measured_s / 60.0).max(1.0);
    let allowed = COUNTS_APART + (2.0 * f64::from(sessions) + NOT_OF_CLIENTS) / ended;
    let apart = server / tpm.per_minute - 1.0;
    if (-allowed - late_share(figures)..=allowed).contains(&apart) {
        return None;
    }
    let [server, client] = [server, tpm.per_minute].map(units::significant);
    let text = format!("the server counted {server} transactions per minute, the client {client}");
    Some(if apart < 0.0 { counted_late(text) } else { counted_more(figures, text) })
}

/// Reports that TPM and the headline are not in the ratio of the mix.
fn mix_differs(figures: &ResultRecord, tpm: &TpmRecord, sessions: u32) -> Option<NoticeRecord> {
    let (ratio, expected) = (tpm.ratio?, tpm.expected_ratio?);
    let headline = figures.headline.as_ref()?;
    let samples = headline.client_count.max(1) as f64;
    // What is in flight at the two readings counts on one side only.
    let border = 2.0 * f64::from(sessions) / samples;
    let chance = 4.0 * (1.0 - 1.0 / expected).max(0.0).sqrt() / samples.sqrt();
    let allowed = COUNTS_APART + border + chance;
    if (-allowed - late_share(figures)..=allowed).contains(&(ratio / expected - 1.0)) {
        return None;
    }
    let text = format!("TPM is {ratio:.3} times {}, the mix promises {expected:.3}", headline.name);
    Some(match tpm.source.as_str() {
        "server" if ratio < expected => counted_late(text),
        "server" => counted_more(figures, text),
        _ => Notice::RatioOff.with_hint(
            text,
            "the transactions that ended are not in the promised mix: see tacho show --errors",
        ),
    })
}

/// Others only add to a server's counters; what sessions have not yet reported is missing there.
fn counted_late(text: String) -> NoticeRecord {
    let hint = "a server may count up to some seconds late, which a short run shows: measure longer; the \
                client's counts are exact";
    Notice::RatioOff.with_hint(text, hint)
}

fn counted_more(figures: &ResultRecord, text: String) -> NoticeRecord {
    let failed: u64 = figures.errors.iter().map(|error| error.count).sum();
    if failed == 0 {
        return Notice::RatioOff.found(text);
    }
    // A victim of a deadlock is rolled back twice, by the server and by the client, and only the client's word counts.
    let text = format!("{text}; {failed} failed attempts, tried again or not, were rolled back");
    let hint = "the server also counts rolled-back attempts, which tacho show --errors lists; use the \
                client's counts";
    Notice::RatioOff.with_hint(text, hint)
}

/// Adds the notice of a record that could not be written as a whole.
pub(super) fn record_failure(writer: &RunWriter, figures: &mut ResultRecord) {
    if let Some(error) = writer.failed() {
        figures.notices.push(not_recorded(error));
    }
}

/// The notice of a record that could not be written.
pub(super) fn not_recorded(error: &Error) -> NoticeRecord {
    Notice::RecordIncomplete.found(error.to_string())
}

/// How the command of a run that is saved has ended, as far as its record says it.
pub fn exit_of(record: &Record) -> Exit {
    let Some(own) = &record.result else { return Exit::Target };
    let steady = record.plan.judgement.require == Require::Steady;
    let found = [
        (own.ended_by == RunEnd::Terminate, Exit::Terminated),
        (own.ended_by == RunEnd::Interrupt, Exit::Interrupted),
        (own.checks.iter().any(|check| !passed(check)), Exit::CheckFailed),
        (!own.valid, Exit::Invalid),
        (steady && own.verdict() != RunVerdict::Valid, Exit::NotSteady),
        (own.thresholds.iter().any(|threshold| !threshold.passed), Exit::Threshold),
    ];
    let exits: Vec<Exit> = found.iter().filter(|(is, _)| *is).map(|(_, exit)| *exit).collect();
    Exit::first_of(&exits)
}

/// How the command ends. `steady` says that only an established figure will do.
pub(super) fn exit(figures: &ResultRecord, measurement: &Measurement, steady: bool) -> Exit {
    let found = [
        (measurement.panics > 0 || measurement.imbalance.is_some(), Exit::Internal),
        (stopped(measurement), Exit::Interrupted),
        (figures.checks.iter().any(|check| !passed(check)), Exit::CheckFailed),
        (!figures.valid, Exit::Invalid),
        (steady && figures.verdict() != RunVerdict::Valid, Exit::NotSteady),
        (figures.thresholds.iter().any(|threshold| !threshold.passed), Exit::Threshold),
    ];
    let exits: Vec<Exit> = found.iter().filter(|(is, _)| *is).map(|(_, exit)| *exit).collect();
    Exit::first_of(&exits)
}

/// How far the halves are apart, and how much of the first one looks like warm-up.
fn drifting(figures: &ResultRecord) -> String {
    let steadiness = &figures.steadiness;
    let drift = steadiness.drift.unwrap_or(0.0);
    let sign = if drift < 0.0 { '−' } else { '+' };
    let drift = percent(drift.abs());
    let drifted = format!("throughput of the second half is {sign}{drift} against the first");
    match steadiness.warm_up_s {
        None if figures.never_settled() => format!("{drifted}; it had not settled by the end"),
        Some(span) if span > 0.0 => {
            let span = units::span(Duration::from_secs_f64(span));
            format!("{drifted}; the first {span} look like warm-up, which belongs in --ramp-up")
        }
        _ => drifted,
    }
}

/// What it means if the database and the clients do not agree on the number of commits. Sessions that were
/// abandoned may commit after we have looked.
fn counts_differ(headline: &HeadlineRecord, abandoned: u64) -> Option<NoticeRecord> {
    let schema = headline.whole_run_schema_count?;
    let client = headline.whole_run_client_count;
    let notice = if schema < client {
        Notice::CommitsLost
    } else if schema > client + headline.whole_run_unknown_count + abandoned {
        Notice::OthersWrote
    } else {
        return None;
    };
    let text = format!(
        "the database holds {} new ones, the client counted {} commits",
        grouped(schema),
        grouped(client)
    );
    let lost = client.saturating_sub(schema);
    let lost = if lost > 0 { format!(": {} lost", grouped(lost)) } else { String::new() };
    Some(notice.found(text + &lost))
}

#[cfg(test)]
mod tests {
    use tacho_store::record::{ErrorRecord, EstimateRecord, HeadlineRecord, SteadinessRecord};

    use super::*;

    /// A result of 10,000 commits in which TPM is so many times NOPM, where 2.3 is promised.
    fn figures(ratio: f64, failed: u64) -> ResultRecord {
        let error = ErrorRecord {
            transaction: "payment".into(),
            kind: "deadlock".into(),
            code: "1213".into(),
            count: failed,
            example: String::new(),
        };
        ResultRecord {
            headline: Some(HeadlineRecord {
                name: "NOPM".into(),
                per_minute: 10_000.0,
                per_nominal_minute: None,
                most_per_minute: None,
                source: "schema".into(),
                schema_count: Some(10_000),
                schema_elapsed_s: Some(60.0),
                client_count: 10_000,
                whole_run_schema_count: None,
                whole_run_client_count: 10_000,
                whole_run_unknown_count: 0,
                whole_run_wrong_count: 0,
                proof_only: false,
            }),
            tpm: Some(TpmRecord {
                per_minute: 10_000.0 * ratio,
                per_nominal_minute: None,
                source: "server".into(),
                server_per_minute: None,
                ratio: Some(ratio),
                expected_ratio: Some(2.3),
            }),
            errors: if failed > 0 { vec![error] } else { Vec::new() },
            ..ResultRecord::default()
        }
    }

    #[test]
    fn missing_commits_and_those_of_others_are_not_the_same() {
        let name = |schema, unknown, abandoned| {
            let mut headline = figures(2.3, 0).headline.expect("a headline");
            (headline.whole_run_schema_count, headline.whole_run_unknown_count) = (schema, unknown);
            counts_differ(&headline, abandoned).map(|notice| notice.name)
        };
        assert_eq!(name(Some(9_999), 5, 5).as_deref(), Some("commits-lost"));
        assert_eq!(name(Some(10_003), 1, 1).as_deref(), Some("others-wrote"));
        for agreed in [name(Some(10_000), 0, 0), name(Some(10_002), 1, 1), name(None, 0, 0)] {
            assert_eq!(agreed, None);
        }
    }

    #[test]
    fn a_drift_says_how_long_the_warm_up_was() {
        let of = |samples, warm_up_s| {
            let steadiness = SteadinessRecord {
                verdict: Some(SteadinessVerdict::Drifting),
                drift: Some(0.051),
                warm_up_s,
            };
            let interval =
                EstimateRecord { value: 1.0, low: 1.0, high: 1.0, samples, batches: samples };
            let interval_95 = Some(interval);
            drifting(&ResultRecord { steadiness, interval_95, ..ResultRecord::default() })
        };
        assert!(
            of(60, None)
                .ends_with("+5.1\u{202f}% against the first; it had not settled by the end")
        );
        assert!(of(10, None).ends_with("against the first"), "too few intervals to know the end");
        let warm = of(60, Some(20.0));
        assert!(warm.ends_with("the first 20s look like warm-up, which belongs in --ramp-up"));
        assert!(of(60, Some(0.0)).ends_with("against the first"));
    }

    #[test]
    fn a_ratio_that_rollbacks_of_failures_raise_says_so() {
        assert!(ratio_off(&figures(2.31, 50), 8).is_none());
        let others = ratio_off(&figures(3.0, 0), 8).expect("a notice");
        let raised = ratio_off(&figures(3.0, 50), 8).expect("a notice");
        let lowered = ratio_off(&figures(1.5, 50), 8).expect("a notice");
        assert!(raised.text.contains("; 50 failed attempts"), "{}", raised.text);
        assert!(raised.hint.contains("rolled-back attempts"), "{}", raised.hint);
        assert!(others.hint.contains("other clients"), "{}", others.hint);
        assert!(lowered.hint.contains("late"), "neither rollbacks nor others lower it");
        assert!(!others.text.contains("attempts") && !lowered.text.contains("attempts"));
    }

    #[test]
    fn a_server_that_counted_other_transactions_is_reported() {
        let notice = |server: Option<f64>| {
            let mut figures = figures(2.3, 0);
            figures.measured_s = 60.0;
            let tpm = figures.tpm.as_mut().expect("TPM");
            (tpm.source, tpm.server_per_minute) = ("client".into(), server);
            ratio_off(&figures, 8)
        };
        assert!(notice(None).is_none() && notice(Some(23_300.0)).is_none());
        let more = notice(Some(25_000.0)).expect("a notice");
        assert!(more.text.starts_with("the server counted 25\u{202f}000 trans"), "{}", more.text);
        assert!(more.hint.contains("other clients"), "{}", more.hint);
        assert!(notice(Some(20_000.0)).expect("a notice").hint.contains("late"));
        let mut mix = figures(3.0, 0);
        mix.tpm.as_mut().expect("TPM").source = "client".into();
        assert!(ratio_off(&mix, 8).expect("a notice").hint.contains("promised mix"));
    }
}
