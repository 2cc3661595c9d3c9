//! The top of a summary: the title, the verdict and the main results.
//!
//! Start reading at [`title_parts`], [`verdict_line`] and [`figures`].

use std::time::Duration;

use tacho_analysis::clean;
use tacho_config::Stop;
use tacho_core::units::{counted, grouped, percent, significant};
use tacho_store::record::{
    Estimate, NoticeRecord, PlanRecord, Record, ResultRecord, RunEnd, RunVerdict, ThresholdRecord,
};

use crate::document::Line;
use crate::words::{duration, relative, span};

/// Returns the parts of the title, as in `tprocc on pg16 · PostgreSQL 16.4 · 100 warehouses · 64 sessions, …`.
pub(crate) fn title_parts(record: &Record) -> Vec<String> {
    let plan = &record.plan;
    let server = match record.server.version.as_str() {
        "" => &plan.driver,
        version => version,
    };
    vec![
        format!("{} on {}", plan.workload, clean(&plan.target_name)),
        clean(server),
        scale(plan),
        format!("{}, {}", users(plan), arrival(record)),
    ]
}

/// Returns a warning not to quote the results, or `None` if the run is VALID.
pub(crate) fn do_not_quote(result: &ResultRecord) -> Option<String> {
    match result.verdict() {
        RunVerdict::Valid => None,
        RunVerdict::Invalid => Some("Do not quote these results: the run is INVALID.".into()),
        verdict => Some(format!(
            "Do not quote these results without their spread: the run is {}.",
            verdict.word()
        )),
    }
}

/// Returns the number of sessions and query streams, such as `8 sessions and 2 streams`.
pub(crate) fn users(plan: &PlanRecord) -> String {
    let sessions = counted(plan.load.sessions.into(), "session");
    let sessions = match plan.load.terminals {
        Some(terminals) => format!("{} on {sessions}", counted(terminals.into(), "terminal")),
        None => sessions,
    };
    match plan.streams {
        0 => sessions,
        streams => format!("{sessions} and {}", counted(streams.into(), "stream")),
    }
}

/// Returns the amount of data: `100 warehouses` or `10 sets of 100 warehouses`.
pub(crate) fn scale(plan: &PlanRecord) -> String {
    let one = plan.scale.of(&plan.scale_unit);
    if plan.sets > 1 { format!("{} of {one}", counted(plan.sets.into(), "set")) } else { one }
}

/// Describes the times at which transactions arrive. In a replay, they come from a log of
/// statements.
fn arrival(record: &Record) -> String {
    let Some(replay) = record.result.as_ref().and_then(|result| result.replay.as_ref()) else {
        return load(&record.plan);
    };
    let speed = record.plan.parameters.get("speed").map_or("1", String::as_str);
    match (replay.session_wait, speed) {
        (None, _) => "without the log's waits".into(),
        (Some(_), "1") => "at the times of the log".into(),
        (Some(_), speed) => format!("{} times as fast as the log", clean(speed)),
    }
}

/// Describes how transactions arrive: `closed, no think time` or `open at 4 000/s poisson`.
pub(crate) fn load(plan: &PlanRecord) -> String {
    let model = plan.load.arrival;
    if let Some(steps) = &plan.steps {
        let (count, word) = (counted(steps.steps.len() as u64, "step"), model.word());
        let arrival =
            if model.rate.is_some() { format!("{word} {}", model.spacing) } else { word.into() };
        return format!("{arrival}, {count}: {}", steps.expression);
    }
    let arrival = match model.rate {
        Some(rate) => format!("open at {}/s {}", significant(rate), model.spacing),
        None => model.word().to_owned(),
    };
    let pacing = match plan.load.pacing {
        f if f <= 0.0 => "no think time".into(),
        f if (f - 1.0).abs() < 1e-9 => "keying and think times from the specification".into(),
        f => format!("keying and think times ×{f}"),
    };
    format!("{arrival}, {pacing}")
}

/// Returns the phases of a run, followed by its profile, seed and ID.
pub(crate) fn method_parts(record: &Record, measured_s: f64, ended_by: RunEnd) -> Vec<String> {
    let mut parts = phases(record, measured_s, ended_by);
    parts.extend(named(record));
    parts
}

/// Returns the durations of the measured phase and the ramp-up phase. If the run ended early, also
/// returns the reason.
pub(crate) fn phases(record: &Record, measured_s: f64, ended_by: RunEnd) -> Vec<String> {
    let plan = &record.plan;
    let ramp_up = match plan.load.ramp_up {
        Duration::ZERO => "without ramp-up".into(),
        length => format!("after {} ramp-up", span(length)),
    };
    let planned = match plan.load.stop {
        Stop::After(length) => Some(format!(" of {} planned", span(length))),
        Stop::Count(_) | Stop::Done => None,
    };
    let early = match ended_by {
        RunEnd::Interrupt => Some("stopped by the user"),
        RunEnd::Terminate => Some("stopped by a signal"),
        RunEnd::SessionsLost => Some("all sessions lost"),
        RunEnd::Time | RunEnd::Count | RunEnd::Done => None,
    };
    let planned = if early.is_some() { planned.unwrap_or_default() } else { String::new() };
    let mut parts = vec![format!("{} measured{planned} {ramp_up}", duration(measured_s))];
    parts.extend(early.map(str::to_owned));
    parts
}

/// Returns a run's profile, seed and ID.
pub(crate) fn named(record: &Record) -> Vec<String> {
    let plan = &record.plan;
    let mut parts = Vec::new();
    if !plan.profile.is_empty() {
        parts.push(format!("profile {}", plan.profile));
    }
    parts.extend([format!("seed {}", plan.load.seed.0), format!("run {}", record.id)]);
    parts
}

/// Returns the verdict with its warnings or reasons, such as `VALID with 1 warning: shared machine`. Thresholds that
/// were not met come first.
pub(crate) fn verdict_line(result: &ResultRecord) -> String {
    let verdict = run_verdict(result);
    match (failed_thresholds(result), short_verdict(result)) {
        (None, _) => verdict,
        (Some(failed), THRESHOLD_FAILED) => format!("{THRESHOLD_FAILED}: {failed} · run {verdict}"),
        (Some(failed), _) => format!("{verdict} · threshold failed: {failed}"),
    }
}

/// Returns the verdict like [`verdict_line`], but ignores thresholds.
pub(crate) fn run_verdict(result: &ResultRecord) -> String {
    let named = |invalidates: bool| -> Vec<String> {
        let matching = result.notices.iter().filter(|notice| notice.invalidates == invalidates);
        matching.map(|notice: &NoticeRecord| notice.name.replace('-', " ")).collect()
    };
    let verdict = result.verdict();
    let word = verdict.word();
    match verdict {
        RunVerdict::Valid => match &named(false)[..] {
            [] => word.into(),
            warnings => {
                let count = counted(warnings.len() as u64, "warning");
                format!("{word} with {count}: {}", warnings.join("; "))
            }
        },
        RunVerdict::Invalid => match &named(true)[..] {
            [] => format!("{word}: no reason was recorded"),
            reasons => format!("{word}: {}", reasons.join("; ")),
        },
        RunVerdict::Unstable | RunVerdict::TooShort => {
            // In a run with faults, the verdict covers only the undisturbed time, so outages are not a reason for it.
            let is_whole = result.undisturbed.is_none();
            let outages = if is_whole { result.outages.len() as u64 } else { 0 };
            let outages = (outages > 0).then(|| counted(outages, "outage"));
            let reasons: Vec<String> = outages.into_iter().chain(result.unsettled()).collect();
            format!("{word}: {}", reasons.join("; "))
        }
    }
}

/// Returns the thresholds that were not met, each with its value, as in `p99<10ms (34 ms)`.
pub(crate) fn failed_thresholds(result: &ResultRecord) -> Option<String> {
    let failed = result.thresholds.iter().filter(|threshold| !threshold.passed);
    let with_figure = |threshold: &ThresholdRecord| {
        let measured =
            threshold.measured.map_or("no data".into(), |_| clean(&threshold.measured_text));
        format!("{} ({measured})", clean(&threshold.expression))
    };
    let failed: Vec<String> = failed.map(with_figure).collect();
    (!failed.is_empty()).then(|| failed.join("; "))
}

/// Verdict for a run that is VALID but misses a threshold.
const THRESHOLD_FAILED: &str = "THRESHOLD FAILED";

/// Returns the verdict without its reasons, for use in a list.
pub(crate) fn verdict_in_list(verdict: &str, threshold_failed: bool) -> String {
    let says_so = verdict == THRESHOLD_FAILED;
    if threshold_failed && !says_so {
        format!("{verdict}, threshold failed")
    } else {
        verdict.into()
    }
}

/// Returns the one or two words at the start of a summary's verdict.
pub(crate) fn short_verdict(result: &ResultRecord) -> &'static str {
    match result.verdict() {
        RunVerdict::Valid if failed_thresholds(result).is_some() => THRESHOLD_FAILED,
        verdict => verdict.word(),
    }
}

/// Returns the main results and the confidence interval, as in `114 210 NOPM (schema)   265 120 TPM
/// (client)`.
pub(crate) fn figures(plan: &PlanRecord, result: &ResultRecord) -> Line {
    let mut parts = Vec::new();
    if let Some(headline) = result.stated_headline() {
        parts.push(figure(headline.per_minute, &headline.name, &headline.source));
    }
    match &result.tpm {
        Some(tpm) => parts.push(figure(tpm.per_minute, "TPM", &tpm.source)),
        None => parts.push(format!("{} transactions/s", significant(result.throughput_per_s))),
    }
    parts.push(interval(plan, result));
    Line { level: 1, parts, separator: "   " }
}

/// Returns the main result and the verdict of a run, as in `96 661 NOPM ±3.0 %, VALID`.
pub fn run_in_brief(record: &Record) -> Option<String> {
    let result = record.result.as_ref()?;
    Some(format!("{}, {}", figure_in_brief(result), verdict_line(result)))
}

/// Returns the main result with half the width of its confidence interval, as in `96 661 NOPM ±3.0 %`.
pub(crate) fn figure_in_brief(result: &ResultRecord) -> String {
    let figure = match result.stated_headline() {
        Some(headline) => format!("{} {}", significant(headline.per_minute), headline.name),
        None => format!("{} transactions/s", significant(result.throughput_per_s)),
    };
    // If the load varies, omit the confidence interval, because throughput differs between
    // intervals on purpose.
    let interval = result.verdict_interval().filter(|_| result.steps.is_empty());
    let width = interval.map_or_else(String::new, |estimate| {
        format!(" {}", relative(estimate.value, estimate.low, estimate.high))
    });
    format!("{figure}{width}")
}

/// If the results per planned minute and per measured minute differ by at most this fraction, only the latter is
/// reported.
const NOMINAL_APART: f64 = 0.001;

/// Returns the results per planned minute, as HammerDB computes them, if they differ from the results per measured
/// minute.
pub(crate) fn nominal(plan: &PlanRecord, result: &ResultRecord) -> Vec<String> {
    let headline = result.stated_headline();
    let headline = headline.map(|h| (h.name.as_str(), h.per_minute, h.per_nominal_minute));
    let tpm = result.tpm.as_ref().map(|tpm| ("TPM", tpm.per_minute, tpm.per_nominal_minute));
    let apart: Vec<String> = [headline, tpm]
        .into_iter()
        .flatten()
        .filter_map(|(name, measured, nominal)| {
            let nominal = nominal?;
            let differs = (nominal - measured).abs() > NOMINAL_APART * measured;
            differs.then(|| format!("{} {name}", significant(nominal)))
        })
        .collect();
    let mut lines = Vec::new();
    if let Some((name, measured, most)) =
        result.stated_headline().and_then(|h| Some((&h.name, h.per_minute, h.most_per_minute?)))
        && result.steps.is_empty()
    {
        let unit = if plan.load.terminals.is_some() { "terminal" } else { "session" };
        let sessions = counted(plan.load.users().into(), unit);
        lines.push(format!(
            "{} of {} {name}, the long-run limit for {sessions} with keying and think times",
            percent(measured / most),
            significant(most)
        ));
    }
    if let (false, Stop::After(planned)) = (apart.is_empty(), plan.load.stop) {
        let figures = apart.join(", ");
        let planned = span(planned);
        lines.push(format!(
            "rates are per measured minute; for the planned duration of {planned}: {figures}"
        ));
    }
    lines
}

/// Formats a single result, such as `114 210 NOPM (schema)`.
fn figure(per_minute: f64, name: &str, source: &str) -> String {
    format!("{} {name} ({source})", significant(per_minute))
}

fn interval(plan: &PlanRecord, result: &ResultRecord) -> String {
    if let Some(steps) = std::num::NonZero::new(result.steps.len()) {
        return format!("of all {} together", counted(steps.get() as u64, "step"));
    }
    let Some(estimate) = result.verdict_interval() else {
        return "95 % CI unknown: too few intervals".into();
    };
    let width = relative(estimate.value, estimate.low, estimate.high);
    format!("95 % CI {width} ({})", intervals(plan, result, &estimate))
}

/// Returns the number and length of the intervals that determine the verdict.
pub(crate) fn intervals(plan: &PlanRecord, result: &ResultRecord, estimate: &Estimate) -> String {
    let kind = if result.undisturbed.is_some() { "undisturbed intervals" } else { "intervals" };
    format!("{} {kind} of {}", grouped(estimate.samples), span(plan.load.interval))
}
