//! Describes terminals that share sessions: the load that they offer, and how long they waited for a session.

use std::time::Duration;

use tacho_core::units::{counted, latency, percent, significant};
use tacho_store::record::{PlanRecord, ResultRecord, TerminalsRecord};

use crate::document::Fact;
use crate::words::micros;

/// Minimum fraction of busy sessions at which random arrivals wait longer than they are served. At a lower fraction,
/// more sessions would not help.
const BUSY_MIN: f64 = 0.5;

/// Describes the load that the terminals offer, and the number of sessions that it needs by Little's law.
pub(crate) fn offered(plan: &PlanRecord) -> Option<String> {
    let rate = plan.offered_per_s.filter(|rate| *rate > 0.0)?;
    let span = |seconds: f64| latency(Duration::try_from_secs_f64(seconds).unwrap_or_default());
    let sessions = plan.load.sessions;
    Some(format!(
        "at most {}/s, which occupies one session for each {} of mean service time; {} {} up to {}",
        significant(rate),
        span(1.0 / rate),
        counted(sessions.into(), "session"),
        if sessions == 1 { "suffices" } else { "suffice" },
        span(f64::from(sessions) / rate)
    ))
}

/// Describes how long terminals waited for a free session, and what limited their latency.
pub(crate) fn terminals(result: &ResultRecord) -> Option<Fact> {
    let found = result.terminals.as_ref()?;
    let users = format!(
        "{} on {}",
        counted(found.terminals.into(), "terminal"),
        counted(found.sessions.into(), "session")
    );
    let groups = match found.groups {
        Some(groups @ 2..) => format!(
            ", divided into {}: terminals use only sessions of their group",
            counted(groups.into(), "group")
        ),
        _ => String::new(),
    };
    let busy = percent(found.busy_share);
    let mut paragraphs = vec![format!("{users}{groups}; sessions were busy {busy} of the time")];
    if found.queueing.count > 0 {
        paragraphs.push(queueing(found));
        paragraphs.push(limit(found));
    }
    Fact::of("terminals", paragraphs)
}

/// Describes the waiting times for a free session.
fn queueing(found: &TerminalsRecord) -> String {
    let queueing = &found.queueing;
    let named = [("p50", queueing.p50_us), ("p95", queueing.p95_us), ("p99", queueing.p99_us)];
    let times = named.iter().filter_map(|(name, us)| Some(format!("{name} {}", micros((*us)?))));
    let times: Vec<String> = times.chain([format!("max {}", micros(queueing.max_us))]).collect();
    format!(
        "queueing {}; {} of the transactions waited for a free session",
        times.join(", "),
        percent(found.waited_share)
    )
}

/// Compares the mean wait for a free session with the mean service time.
fn limit(found: &TerminalsRecord) -> String {
    let (wait, service) = (found.queueing.mean_us, found.service_mean_us);
    let [queueing, in_database] =
        [wait, service].map(|part| percent(part / (wait + service).max(1e-9)));
    if wait > service && found.busy_share < BUSY_MIN {
        return format!(
            "{queueing} of the latency is queueing, although sessions were mostly idle: a stall, an outage, a peak of \
                the load, or a lack of CPU on this machine limits the latency"
        );
    }
    if wait > service {
        return format!(
            "the number of sessions limits the latency: {queueing} of it is queueing; compare other numbers with \
                tacho sweep --vary sessions="
        );
    }
    format!(
        "the database limits the latency: {in_database} of it is service time, {queueing} queueing"
    )
}
