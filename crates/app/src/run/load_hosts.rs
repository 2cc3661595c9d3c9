//! The load hosts in a run's result.

use std::time::Duration;

use tacho_cluster::{Ending, HostSeen};
use tacho_config::OnHostLoss;
use tacho_core::units::{self, counted};
use tacho_store::record::{
    ClientLimited, HiccupsRecord, LoadHostRecord, NoticeRecord, ResultRecord,
};

use super::notices::Notice;

/// Maximum fraction of its cores that a load host may use. If a host uses more, it may be limiting the throughput.
const SATURATED: f64 = 0.9;
/// Maximum clock difference, in seconds, that does not result in a notice. In addition, clocks may differ by a
/// thousandth of the measured time.
const DRIFT_MAX_S: f64 = 0.5;

/// The load hosts and their combined load.
pub(super) struct LoadHosts {
    pub(super) records: Vec<LoadHostRecord>,
    /// The number of cores used by all hosts together, or `None` if no host sent its final report.
    pub(super) cpu_cores: Option<f64>,
    pub(super) cores: u32,
    /// Pauses of Tacho on the host where they lasted longest in total.
    pub(super) hiccups: Option<HiccupsRecord>,
    /// Indicates whether the hosts limited the throughput; `None` if no host measured its CPU time.
    pub(super) client_limited: Option<ClientLimited>,
    /// The number of sessions that were lost with their hosts and that no other host continued.
    pub(super) sessions_lost: u64,
}

/// Returns the hosts' records for a run with this total number of sessions.
pub(super) fn load_hosts(hosts: &[HostSeen], sessions: u32) -> LoadHosts {
    let records: Vec<LoadHostRecord> = hosts.iter().map(|host| record(host, sessions)).collect();
    let ends = || hosts.iter().filter_map(|host| Some((host, host.end.as_ref()?)));
    let used = records.iter().filter_map(|host| host.cpu_cores);
    let stops = records.iter().filter_map(|host| host.hiccups);
    let is_lost = |place: &usize| records[*place].lost.is_some();
    let lost = (0..records.len()).filter(is_lost);
    let lost = lost.filter(|place| successor(&records, *place).is_none());
    let is_limited = || ends().any(|(host, end)| is_saturated(host, end, sessions));
    let limited = || if is_limited() { ClientLimited::Yes } else { ClientLimited::No };
    LoadHosts {
        cpu_cores: ends().next().map(|_| used.sum()),
        cores: records.iter().map(|host| host.cores).sum(),
        hiccups: stops.max_by(|a, b| a.total_s.total_cmp(&b.total_s)),
        client_limited: ends().any(|(_, end)| end.tool.cpu.is_some()).then(limited),
        sessions_lost: lost.map(|place| u64::from(records[place].sessions)).sum(),
        records,
    }
}

/// Returns the host that took over the share of a lost host, if any. `place` is the index of the lost host.
fn successor(hosts: &[LoadHostRecord], place: usize) -> Option<&LoadHostRecord> {
    let share = hosts[place].share;
    hosts[place + 1..].iter().find(|host| host.share == share && host.entered_at_s.is_some())
}

/// Returns true if a host had no spare CPU capacity.
fn is_saturated(host: &HostSeen, end: &Ending, sessions: u32) -> bool {
    let assigned = host.share.count(sessions);
    let usable = end.tool.cores.min(end.tool.workers.max(1)).min(assigned).max(1);
    cpu_cores(end).is_some_and(|used| used >= SATURATED * f64::from(usable))
}

fn cpu_cores(end: &Ending) -> Option<f64> {
    let measured = end.gathered.measured.as_secs_f64();
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
        entered_at_s: host.entered.map(|at| at.as_secs_f64()),
    }
}

/// Returns the notices about lost hosts and drifting clocks.
pub(super) fn notices(result: &ResultRecord, on_loss: OnHostLoss) -> Vec<NoticeRecord> {
    let hosts = &result.load_hosts;
    let at = |seconds: f64| units::span(Duration::from_millis((seconds * 1e3) as u64));
    let lost = hosts.iter().enumerate().filter_map(|(place, host)| {
        let (why, until) = (host.lost.as_ref()?, at(host.lost_at_s?));
        let sessions = counted(host.sessions.into(), "session");
        let next = successor(hosts, place);
        let kind = match (on_loss, next) {
            (OnHostLoss::Mark, _) | (OnHostLoss::TakeOver, Some(_)) => Notice::HostMissing,
            (OnHostLoss::Invalid | OnHostLoss::TakeOver, _) => Notice::HostLost,
        };
        let gap = match next.and_then(|next| Some((next, next.entered_at_s?))) {
            Some((next, from)) => format!(
                "{} took over the lost host's share at {}; the results do not include any work in between",
                next.name,
                at(from)
            ),
            None => "the results do not include the lost host's remaining work".to_owned(),
        };
        let name = &host.name;
        let text = format!(
            "{name}, which ran {sessions}, was lost: {why}; its records end {until} into the load; {gap}"
        );
        Some(kind.found(text))
    });
    let drifted = result.load_hosts.iter().filter_map(|host| {
        let drift = host.clock_drift_s?;
        (drift.abs() > DRIFT_MAX_S + result.measured_s / 1e3).then(|| {
            Notice::ClockJumped.found(format!(
                "the clock on {} drifted {} by {:.1} s during the run",
                host.name,
                if drift > 0.0 { "ahead" } else { "behind" },
                drift.abs()
            ))
        })
    });
    lost.chain(drifted).collect()
}
