//! Describes the conditions of a run: how steady it was, the data, the server, the load hosts, and
//! the resources that Tacho itself used.
//!
//! Start reading at [`tool`].

use std::time::Duration;

use tacho_analysis::{busiest_of_server, clean, sessions_by_place};
use tacho_core::units::{counted, grouped, significant, span};
use tacho_store::record::{
    AddressRecord, ClientLimited, DataRecord, HiccupsRecord, LoadHostRecord, Record,
    ServerLoadRecord, ServerRecord, SteadinessRecord, SteadinessVerdict, ToolRecord,
};

use crate::document::Fact;
use crate::words::{change, micros, minute};

/// Minimum length of a pause of this process that is reported. Shorter pauses are normal.
const HICCUP_TOLD_S: f64 = 0.1;

/// Describes how steady the throughput was.
pub(crate) fn steadiness(steadiness: &SteadinessRecord) -> Option<Fact> {
    let drift = steadiness.drift.map(change).unwrap_or_default();
    let line = match steadiness.verdict? {
        SteadinessVerdict::Steady => format!("✓ steady: second half {drift} vs. the first"),
        SteadinessVerdict::Unclear => {
            format!("– too uneven to judge: second half {drift} vs. the first")
        }
        SteadinessVerdict::Drifting => format!("! drifting: second half {drift} vs. the first"),
        SteadinessVerdict::TooShort => "– too short to judge".into(),
    };
    Some(Fact::new("throughput", line))
}

/// Describes the data that was present when the run started.
pub(crate) fn data(data: Option<&DataRecord>) -> Option<Fact> {
    let data = data?;
    let before = match data.runs_before {
        0 => "first run on this data".into(),
        runs => format!("{} before this one", counted(runs, "run")),
    };
    let line = format!("seed {}, loaded {}, {before}", data.seed, minute(&data.loaded_at));
    Some(Fact::new("data", line))
}

/// Describes the busiest wait event. Also describes settings that can cause commits to be lost in a
/// crash.
pub(crate) fn server(record: &Record, load: Option<&ServerLoadRecord>) -> Option<Fact> {
    let mut lines: Vec<String> = load.into_iter().flat_map(waits).collect();
    // Omit durability if the workload stores no data, because then no commit can be lost.
    if record.data.is_some() {
        lines.extend(durability(&record.server));
    }
    Fact::of("server", lines)
}

fn waits(load: &ServerLoadRecord) -> Vec<String> {
    let [in_server, clients] = sessions_by_place(load);
    let busiest = busiest_of_server(&load.waits).map(|wait| {
        let event = if wait.event.is_empty() { "" } else { ":" };
        format!(
            "busiest wait: {}{event}{}, {} of {} sessions in the server",
            clean(&wait.class),
            clean(&wait.event),
            significant(wait.sessions),
            significant(in_server)
        )
    });
    let clients =
        (clients > 0.0).then(|| format!("{} sessions waited for the client", significant(clients)));
    let missing = load.missing.iter().map(|missing| format!("! {}", clean(missing)));
    let sentences: Vec<String> = busiest.into_iter().chain(clients).collect();
    let sentences = (!sentences.is_empty()).then(|| sentences.join("; "));
    sentences.into_iter().chain(missing).collect()
}

fn durability(server: &ServerRecord) -> Vec<String> {
    let mut lines: Vec<String> =
        server.durability_risks.iter().map(|risk| format!("! {}", clean(risk))).collect();
    if lines.is_empty() && !server.settings.is_empty() {
        lines.push("✓ no settings found that could cause commits to be lost".into());
    }
    lines
}

/// Describes the resources that Tacho used.
pub(crate) fn tool(record: &Record, tool: &ToolRecord) -> Option<Fact> {
    let mut parts = vec![cpu(record, tool)];
    parts.extend(lateness(tool));
    parts.push(format!(
        "{} in {}",
        counted(tool.statements, "statement"),
        counted(tool.round_trips, "round trip")
    ));
    let mut lines = vec![parts.join(", ")];
    lines.extend(tool.hiccups.as_ref().and_then(hiccups));
    if tool.client_limited == ClientLimited::Yes {
        lines.push("! the client limited the rate, not the database".into());
    }
    if tool.sessions_lost > 0 {
        lines.push(format!("! {} lost", counted(tool.sessions_lost, "session")));
    }
    Fact::of("this tool", lines)
}

/// Describes the load hosts, which ran the sessions.
pub(crate) fn load_hosts(hosts: &[LoadHostRecord]) -> Option<Fact> {
    let line = |host: &LoadHostRecord| {
        let mut parts = vec![counted(host.sessions.into(), "session")];
        let cores = counted(host.cores.into(), "core");
        parts.extend(host.cpu_cores.map(|used| format!("CPU {} of {cores}", significant(used))));
        let micros_of = |seconds: f64| micros(seconds.abs() * 1e6);
        parts.extend(host.clock_error_s.map(|error| format!("start ±{}", micros_of(error))));
        parts.extend(host.clock_drift_s.map(|drift| {
            format!(
                "clock {} by {}",
                if drift < 0.0 { "behind" } else { "ahead" },
                micros_of(drift)
            )
        }));
        let entered = host.entered_at_s.map(|at| Duration::from_millis((at * 1e3) as u64));
        parts.extend(entered.map(|at| format!("joined {} into the load", span(at))));
        let mark = if host.lost.is_some() { "! " } else { "" };
        parts.extend(host.lost.as_ref().map(|why| format!("lost: {}", clean(why))));
        format!("{mark}{}: {}", clean(&host.name), parts.join(", "))
    };
    Fact::of("load hosts", hosts.iter().map(line).collect())
}

/// Describes the addresses to which the sessions were distributed. An address without anything to
/// report is omitted.
pub(crate) fn addresses(addresses: &[AddressRecord]) -> Option<Fact> {
    let line = |address: &AddressRecord| {
        let mut parts = Vec::new();
        if let Some(stale) = &address.staleness {
            let quantile = |name: &str, value: Option<f64>| {
                value.map(|value| format!("{name} {}", micros(value)))
            };
            // If only a few rows were read from this address, there are no percentiles.
            let longest = Some(format!("at most {}", micros(stale.max_us)));
            let all = [quantile("p50", stale.p50_us), quantile("p99", stale.p99_us), longest];
            let all: Vec<String> = all.into_iter().flatten().collect();
            parts.push(format!("stale {} ({})", all.join(", "), counted(stale.count, "row")));
        }
        if address.unread > 0 {
            parts.push(format!("{} not read back", counted(address.unread, "row")));
        }
        let mut mark = "";
        if !address.left_out.is_empty() {
            mark = "! ";
            let times = address.left_out.iter().map(|time| match time.to_s {
                Some(to) => format!("{:.1} s to {to:.1} s", time.from_s),
                None => format!("{:.1} s to the end", time.from_s),
            });
            parts.push(format!("left out from {}", times.collect::<Vec<_>>().join(", ")));
        }
        (!parts.is_empty())
            .then(|| format!("{mark}{}: {}", clean(&address.target), parts.join("; ")))
    };
    Fact::of("addresses", addresses.iter().filter_map(line).collect())
}

/// Describes this process's pauses. A few short ones are normal and not reported.
fn hiccups(seen: &HiccupsRecord) -> Option<String> {
    if seen.longest_s < HICCUP_TOLD_S {
        return None;
    }
    let [all, longest] = [seen.total_s, seen.longest_s].map(|seconds| micros(seconds * 1e6));
    Some(format!("! did not run for {all} in {} (longest {longest})", counted(seen.count, "stop")))
}

fn cpu(record: &Record, tool: &ToolRecord) -> String {
    let Some(cores) = tool.cpu_cores else { return "on virtual time".into() };
    let of = counted(tool.cores.into(), "core");
    let included = if record.server.embedded { " (embedded database included)" } else { "" };
    format!("CPU {} of {of}{included}", significant(cores))
}

fn lateness(tool: &ToolRecord) -> Option<String> {
    let late = &tool.lateness;
    match late.p99_us {
        _ if late.count == 0 => None,
        Some(p99) => Some(format!("scheduler late p99 {}", micros(p99))),
        None => Some(format!(
            "scheduler at most {} late ({} scheduled)",
            micros(late.max_us),
            grouped(late.count)
        )),
    }
}
