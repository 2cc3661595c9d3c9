//! Describes the resource that limited a run.

use tacho_analysis::{Limit, MachineCpu, Resource, TimeShare, clean};
use tacho_core::WaitKind;
use tacho_core::units::{counted, percent, significant};
use tacho_store::record::Record;

use crate::document::Fact;

/// Describes what limited the run. Also names other activities that took much of the sessions'
/// time. Returns `None` if there is too little data.
pub(crate) fn limit(record: &Record) -> Option<Fact> {
    let limit = Limit::of(record)?;
    Fact::of("limit", sentences(&limit))
}

/// Returns a sentence about what limited the run, followed by one for each activity that took the
/// most time after that.
pub(crate) fn sentences(limit: &Limit) -> Vec<String> {
    let further = limit.further.iter().map(|share| format!("also {}", time(share)));
    std::iter::once(sentence(&limit.resource)).chain(further).collect()
}

/// Names the limit in two or three words, for use in a table.
pub(crate) fn brief(limit: &Limit) -> String {
    match &limit.resource {
        Resource::Rate { .. } | Resource::Pacing => "none".into(),
        Resource::Client { .. } => "Tacho's CPU".into(),
        Resource::Machine(cpu) => format!("CPU {}", percent(cpu.busy)),
        Resource::Server { .. } => "the server's CPU".into(),
        Resource::Sessions(share) => format!("{} {}", name(share.kind), percent(share.share)),
    }
}

fn sentence(resource: &Resource) -> String {
    match resource {
        Resource::Rate { per_s } => {
            format!("none reached: the server kept up with {}/s", significant(*per_s))
        }
        Resource::Pacing => "none reached: sessions are waiting for keying and think times".into(),
        Resource::Client { used, cores } => {
            format!("Tacho's CPU: {}", used_of(*used, *cores))
        }
        Resource::Machine(cpu) => machine(cpu),
        Resource::Server { used, cores } => format!("the server's CPU: {}", used_of(*used, *cores)),
        Resource::Sessions(share) => time(share),
    }
}

fn used_of(used: f64, cores: f64) -> String {
    let noun = if (cores - 1.0).abs() < f64::EPSILON { "core" } else { "cores" };
    format!("{} of {cores} {noun} available to it", significant(used))
}

fn machine(cpu: &MachineCpu) -> String {
    let place = cpu.agent.as_ref().map_or("this machine".into(), |agent| clean(agent));
    let mut users = Vec::new();
    users.extend(cpu.server.map(|share| format!("server {}", percent(share))));
    let tacho = if cpu.embedded { "Tacho with the database" } else { "Tacho" };
    users.extend(cpu.tacho.map(|share| format!("{tacho} {}", percent(share))));
    if !users.is_empty() {
        let is_known = cpu.embedded || cpu.server.is_some();
        let others = if is_known { "others" } else { "server and others" };
        users.push(format!("{others} {}", percent(cpu.others())));
    }
    let users = users.join(", ");
    let colon = if users.is_empty() { "" } else { ": " };
    format!("CPU of {place}, {} busy{colon}{users}", percent(cpu.busy))
}

fn time(share: &TimeShare) -> String {
    let sessions = counted(share.sessions.into(), "session");
    let part = percent(share.share);
    match share.kind {
        WaitKind::Client => {
            format!("round trips: {sessions} spent {part} of their time outside the server")
        }
        WaitKind::Running => {
            format!(
                "running statements: {part} of the time of {sessions}, although processors were idle"
            )
        }
        kind => {
            let event = if share.event.is_empty() {
                String::new()
            } else {
                format!(" ({})", clean(&share.event))
            };
            format!("{}{event}, {part} of session time", name(kind))
        }
    }
}

/// Returns the name of a wait class.
fn name(kind: WaitKind) -> &'static str {
    match kind {
        WaitKind::Running => "running",
        WaitKind::Lock => "row locks",
        WaitKind::TableLock => "table locks",
        WaitKind::Latch => "latches",
        WaitKind::Log => "log writes",
        WaitKind::DataFiles => "data files",
        WaitKind::Coordination => "server processes",
        WaitKind::Client => "round trips",
        WaitKind::Other => "other waits",
    }
}
