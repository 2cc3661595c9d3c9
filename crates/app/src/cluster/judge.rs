//! The load hosts in the result of a run.

use tacho_cluster::{Ending, HostSeen};
use tacho_config::OnHostLoss;
use tacho_core::units::{self, counted};
use tacho_store::record::{
    ClientLimited, HiccupsRecord, LoadHostRecord, NoticeRecord, ResultRecord,
};

use crate::run::Notice;

/// From this share of the cores on, a host may be what limits the throughput.
const SATURATED: f64 = 0.9;
/// A clock that goes ahead or behind by more than this, and one in a thousand, is told.
const DRIFT_MAX_S: f64 = 0.5;

/// Enters the hosts into the result, with the client's own figures, which are theirs.
pub(crate) fn enter(hosts: &[HostSeen], sessions: u32, figures: &mut ResultRecord) {
    figures.load_hosts = hosts.iter().map(|host| record(host, sessions)).collect();
    let ends = || hosts.iter().filter_map(|host| Some((host, host.end.as_ref()?)));
    let tool = &mut figures.tool;
    let used = figures.load_hosts.iter().filter_map(|host| host.cpu_cores);
    tool.cpu_cores = ends().next().map(|_| used.sum());
    tool.cores = figures.load_hosts.iter().map(|host| host.cores).sum();
    tool.hiccups = figures
        .load_hosts
        .iter()
        .filter_map(|host| host.hiccups)
        .max_by(|a, b| a.total_s.total_cmp(&b.total_s));
    if tool.client_limited != ClientLimited::NotApplicable
        || ends().any(|(_, end)| end.tool.cpu.is_some())
    {
        let any = ends().any(|(host, end)| is_saturated(host, end, sessions));
        tool.client_limited = if any { ClientLimited::Yes } else { ClientLimited::No };
    }
    let lost = hosts.iter().filter(|host| host.lost.is_some());
    tool.sessions_lost += lost.map(|host| u64::from(host.share.count(sessions))).sum::<u64>();
}

/// Whether a host had no processor left.
fn is_saturated(host: &HostSeen, end: &Ending, sessions: u32) -> bool {
    let own = host.share.count(sessions);
    let usable = end.tool.cores.min(end.tool.workers.max(1)).min(own).max(1);
    cpu_cores(end).is_some_and(|used| used >= SATURATED * f64::from(usable))
}

fn cpu_cores(end: &Ending) -> Option<f64> {
    let measured = end.measured.as_secs_f64();
    end.tool.cpu.filter(|_| measured > 0.0).map(|cpu| cpu.as_secs_f64() / measured)
}

fn record(host: &HostSeen, sessions: u32) -> LoadHostRecord {
    let stops = host.end.as_ref().and_then(|end| end.tool.stops);
    LoadHostRecord {
        name: host.name.clone(),
        share: host.share.place + 1,
        sessions: host.share.count(sessions),
        due: host.due,
        cores: host.cores,
        cpu_cores: host.end.as_ref().and_then(cpu_cores),
        hiccups: stops.map(|(count, total, longest)| HiccupsRecord {
            count,
            total_s: total.as_secs_f64(),
            longest_s: longest.as_secs_f64(),
        }),
        clock_error_s: host.offset.map(|offset| offset.error as f64 / 1e9),
        clock_offset_s: host.offset.map(|offset| offset.calendar),
        clock_drift_s: host.drift_s,
        clock_exchanges: host.exchanges,
        lost: host.lost.as_ref().map(|(why, _)| why.clone()),
        lost_at_s: host.lost.as_ref().map(|(_, at)| at.as_secs_f64()),
    }
}

/// What is to be said of the hosts.
pub(crate) fn notices(figures: &ResultRecord, on_loss: OnHostLoss) -> Vec<NoticeRecord> {
    let kind = match on_loss {
        OnHostLoss::Invalid => Notice::HostLost,
        OnHostLoss::Mark => Notice::HostMissing,
    };
    let lost = figures.load_hosts.iter().filter_map(|host| {
        let why = host.lost.as_ref()?;
        let at = std::time::Duration::from_millis((host.lost_at_s? * 1e3) as u64);
        Some(kind.found(format!(
            "{} with {} is lost: {why}; what it did after {} of the load is in no figure",
            host.name,
            counted(host.sessions.into(), "session"),
            units::span(at)
        )))
    });
    let drifted = figures.load_hosts.iter().filter_map(|host| {
        let drift = host.clock_drift_s?;
        (drift.abs() > DRIFT_MAX_S + figures.measured_s / 1e3).then(|| {
            Notice::ClockJumped.found(format!(
                "the clock of {} went {} by {:.1} s during the run",
                host.name,
                if drift > 0.0 { "ahead" } else { "behind" },
                drift.abs()
            ))
        })
    });
    lost.chain(drifted).collect()
}
