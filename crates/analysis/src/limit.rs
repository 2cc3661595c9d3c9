//! The resource that limited a run, with supporting evidence.
//!
//! A saturated processor is checked first, because sessions that wait for a processor look as if they were
//! running. Otherwise, the limit is the activity on which the sessions spend most of their time.
//!
//! Start reading at [`Limit::of`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use tacho_config::LoadPlan;
use tacho_core::WaitKind;
use tacho_store::record::{
    ClientLimited, ObservedHostRecord, Record, ResultRecord, ServerLoadRecord, TerminalsRecord,
    WaitRecord,
};

use crate::machine::shares_machine;
use crate::waits::wait_kind;

/// Minimum busy fraction of a saturated machine. Below this value, one of two cores is often idle, so something else
/// must be the limit.
const SATURATED: f64 = 0.9;
/// Minimum share of the sessions' time that makes the second most frequent activity worth mentioning.
const NAMED_MIN: f64 = 0.25;
/// Minimum number of samples. With fewer, the standard error of a share of 50 % exceeds 11 percentage points.
const SAMPLES_MIN: u64 = 20;
/// Minimum fraction of the requested rate that a server must complete. It is below 1 because arrivals are random.
const KEPT_UP: f64 = 0.95;

/// The resource that limited a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Limit {
    /// The limiting resource.
    pub resource: Resource,
    /// The activity that takes the second largest share of the sessions' time, if it is worth mentioning.
    pub further: Option<TimeShare>,
}

/// A limiting resource, with supporting evidence.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// The requested rate was reached.
    Rate {
        /// Completed transactions per second.
        per_s: f64,
    },
    /// Keying and think times, which take most of the sessions' time.
    Pacing,
    /// The processors that Tacho is allowed to use.
    Client {
        /// Cores that Tacho used.
        used: f64,
        /// Cores that Tacho may use.
        cores: f64,
    },
    /// The processors of an observed machine.
    Machine(MachineCpu),
    /// The processors that the server is allowed to use, if these are only some of its machine's processors.
    Server {
        /// Cores that the server used.
        used: f64,
        /// Number of cores that the server is allowed to use.
        cores: f64,
    },
    /// The sessions' time.
    Sessions(TimeShare),
}

/// CPU usage of a machine. Each value is a fraction of all its processors, from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MachineCpu {
    /// Name of the agent that observed the machine; absent for the machine on which Tacho itself runs.
    pub agent: Option<String>,
    /// All programs together.
    pub busy: f64,
    /// The server's share, if known.
    pub server: Option<f64>,
    /// Tacho.
    pub tacho: Option<f64>,
    /// True if the database runs inside the Tacho process, whose CPU time then includes the database's.
    pub embedded: bool,
}

impl MachineCpu {
    /// Returns the share of the processors used by programs other than the server and Tacho.
    pub fn others(&self) -> f64 {
        (self.busy - self.server.unwrap_or(0.0) - self.tacho.unwrap_or(0.0)).max(0.0)
    }
}

/// An activity that takes part of the sessions' time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TimeShare {
    /// Class of the wait. `client` is time outside the server, including network round trips.
    #[schemars(with = "String")]
    pub kind: WaitKind,
    /// The server's name for the most frequent wait event of the class; empty for time outside the server.
    pub event: String,
    /// Fraction of the sessions' time, from 0 to 1.
    pub share: f64,
    /// Number of sessions.
    pub sessions: u32,
}

/// The location of the database server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ServerLocation {
    /// Another machine.
    Remote,
    /// Tacho's machine.
    Local,
    /// Tacho's process.
    Embedded,
}

impl ServerLocation {
    fn of(record: &Record) -> Self {
        match (record.server.embedded, shares_machine(record)) {
            (true, _) => Self::Embedded,
            (false, true) => Self::Local,
            (false, false) => Self::Remote,
        }
    }
}

impl Limit {
    /// Returns the limit of a run, or `None` if there is not enough data.
    pub fn of(record: &Record) -> Option<Self> {
        // If the load varies, each step has its own number of sessions and its own limit.
        if record.plan.steps.is_some() {
            return None;
        }
        let location = ServerLocation::of(record);
        Self::find(&record.plan.load, record.result.as_ref()?, location)
    }

    fn find(plan: &LoadPlan, result: &ResultRecord, location: ServerLocation) -> Option<Self> {
        if result.hosts.is_empty() && result.server_load.is_none() {
            return None;
        }
        let sessions = plan.sessions.max(1);
        let load = result.server_load.as_ref().filter(|load| load.samples >= SAMPLES_MIN);
        let shares = load.map_or_else(Vec::new, |load| time_shares(load, sessions));
        let wait = shares.iter().find(|share| !is_running_or_outside(share.kind));
        let further = wait.filter(|share| share.share >= NAMED_MIN).cloned();
        let saturated =
            client(result).or_else(|| machine(result, location)).or_else(|| server(result));
        if let Some(resource) = saturated {
            return Some(Self { resource, further });
        }
        if let Some(resource) = unlimited(plan, result) {
            return Some(Self { resource, further: None });
        }
        let mut shares = shares.into_iter();
        let first = shares.next()?;
        let further = shares.next().filter(|share| share.share >= NAMED_MIN);
        Some(Self { resource: Resource::Sessions(first), further })
    }
}

fn is_running_or_outside(kind: WaitKind) -> bool {
    matches!(kind, WaitKind::Running | WaitKind::Client)
}

/// Returns the limit if it is part of the load itself: a requested rate that was reached, or keying and think times.
fn unlimited(plan: &LoadPlan, result: &ResultRecord) -> Option<Resource> {
    if let Some(arrivals) = &result.arrivals {
        let kept = arrivals.ended_per_s >= KEPT_UP * arrivals.due_per_s
            && arrivals.backlog_end <= u64::from(plan.sessions);
        return kept.then_some(Resource::Rate { per_s: arrivals.ended_per_s });
    }
    let queues =
        |terminals: &TerminalsRecord| terminals.queueing.mean_us > terminals.service_mean_us;
    let waits = plan.pacing > 0.0 && !result.terminals.as_ref().is_some_and(queues);
    waits.then_some(Resource::Pacing)
}

fn client(result: &ResultRecord) -> Option<Resource> {
    let tool = &result.tool;
    let used = tool.cpu_cores.filter(|_| tool.client_limited == ClientLimited::Yes)?;
    Some(Resource::Client { used, cores: f64::from(tool.cores) })
}

/// Returns the busiest of the machines on which the server may run, if that machine is saturated.
fn machine(result: &ResultRecord, location: ServerLocation) -> Option<Resource> {
    let is_servers =
        |host: &&ObservedHostRecord| is_own(host) == (location != ServerLocation::Remote);
    let cpu = |host: &ObservedHostRecord| {
        let load = host.load.as_ref()?;
        let cores = load.cores.len() as f64;
        let share = |used: Option<f64>| used.map(|used| used / cores);
        let tacho = if is_own(host) { share(result.tool.cpu_cores) } else { None };
        Some(MachineCpu {
            agent: (!is_own(host)).then(|| host.source.clone()),
            busy: 1.0 - load.cpu.idle - load.cpu.io_wait,
            server: share(host.server_cores),
            tacho,
            embedded: location == ServerLocation::Embedded,
        })
    };
    let all = result.hosts.iter().filter(is_servers).filter_map(cpu);
    let busiest = all.max_by(|one, other| one.busy.total_cmp(&other.busy))?;
    (busiest.busy >= SATURATED).then_some(Resource::Machine(busiest))
}

fn is_own(host: &ObservedHostRecord) -> bool {
    host.source == "client"
}

/// Returns the server's processors if they are saturated and restricted by an affinity mask or a control group.
fn server(result: &ResultRecord) -> Option<Resource> {
    let host = result.hosts.iter().find(|host| is_own(host))?;
    let (used, cores) = host.server_cores.zip(host.server_cores_allowed)?;
    let is_limited = cores < f64::from(host.host.cores) && used >= SATURATED * cores;
    is_limited.then_some(Resource::Server { used, cores })
}

/// Returns the sessions' activities, starting with the one that took the most time. Time without a recorded
/// activity was spent outside the server.
fn time_shares(load: &ServerLoadRecord, sessions: u32) -> Vec<TimeShare> {
    let all = f64::from(sessions).max(load.active_sessions);
    let mut kinds: BTreeMap<WaitKind, (f64, &WaitRecord)> = BTreeMap::new();
    for wait in load.waits.iter().filter(|wait| wait_kind(wait) != WaitKind::Client) {
        let entry = kinds.entry(wait_kind(wait)).or_insert((0.0, wait));
        entry.0 += wait.sessions;
        if wait.sessions > entry.1.sessions {
            entry.1 = wait;
        }
    }
    let inside: f64 = kinds.values().map(|(sum, _)| sum).sum();
    let share =
        |kind, event: String, sum: f64| TimeShare { kind, event, share: sum / all, sessions };
    let event = |wait: &WaitRecord| match wait.event.as_str() {
        "" => String::new(),
        event => format!("{}:{event}", wait.class),
    };
    let mut shares: Vec<TimeShare> =
        kinds.into_iter().map(|(kind, (sum, wait))| share(kind, event(wait), sum)).collect();
    shares.push(share(WaitKind::Client, String::new(), (all - inside).max(0.0)));
    shares.sort_by(|one, other| other.share.total_cmp(&one.share));
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacho_store::record::{ArrivalsRecord, CpuShares, HostLoadRecord, HostRecord, ToolRecord};

    fn wait(kind: WaitKind, event: &str, sessions: f64) -> WaitRecord {
        let class = "IO".into();
        WaitRecord { class, event: event.into(), kind: Some(kind), sessions, share: 0.0 }
    }

    /// Returns a run with eight sessions on this machine, whose processors are busy for the given fraction of the time.
    fn run(busy: f64, waits: Vec<WaitRecord>) -> ResultRecord {
        let core = CpuShares { idle: 1.0 - busy, ..CpuShares::default() };
        let load = HostLoadRecord { cpu: core, cores: vec![core; 2], ..HostLoadRecord::default() };
        let host = ObservedHostRecord {
            source: "client".into(),
            host: HostRecord { cores: 2, ..HostRecord::default() },
            load: Some(load),
            server_cores: Some(0.95),
            server_cores_allowed: Some(2.0),
            ..ObservedHostRecord::default()
        };
        let active_sessions = waits.iter().map(|wait| wait.sessions).sum();
        let server_load = ServerLoadRecord {
            samples: 100,
            active_sessions,
            waits,
            ..ServerLoadRecord::default()
        };
        ResultRecord {
            hosts: vec![host],
            server_load: Some(server_load),
            tool: ToolRecord { cpu_cores: Some(0.2), cores: 2, ..ToolRecord::default() },
            ..ResultRecord::default()
        }
    }

    fn plan() -> LoadPlan {
        LoadPlan { sessions: 8, ..LoadPlan::default() }
    }

    fn limit(result: &ResultRecord) -> Limit {
        Limit::find(&plan(), result, ServerLocation::Local).expect("a limit")
    }

    #[test]
    fn the_largest_share_of_session_time_is_the_limit() {
        let log = || wait(WaitKind::Log, "WALSync", 4.0);
        let table = [
            (
                vec![log(), wait(WaitKind::Running, "", 1.0)],
                WaitKind::Log,
                0.5,
                Some(WaitKind::Client),
            ),
            (
                vec![wait(WaitKind::Lock, "tuple", 4.0), log()],
                WaitKind::Lock,
                0.5,
                Some(WaitKind::Log),
            ),
            (vec![wait(WaitKind::Client, "ClientRead", 5.0), log()], WaitKind::Client, 0.556, None),
            (vec![wait(WaitKind::Running, "", 1.0)], WaitKind::Client, 0.875, None),
        ];
        for (waits, kind, share, further) in table {
            let found = limit(&run(0.5, waits));
            let Resource::Sessions(first) = &found.resource else { panic!("{found:?}") };
            assert_eq!(first.kind, kind, "{found:?}");
            assert!((first.share - share).abs() < 0.07, "{found:?}");
            if further.is_some() {
                assert_eq!(found.further.map(|share| share.kind), further);
            }
        }
    }

    #[test]
    fn a_saturated_processor_hides_what_sessions_wait_for() {
        let busy = run(0.96, vec![wait(WaitKind::Log, "WALSync", 4.0)]);
        let found = limit(&busy);
        let Resource::Machine(cpu) = &found.resource else { panic!("{found:?}") };
        assert_eq!((cpu.server, cpu.tacho), (Some(0.475), Some(0.1)));
        assert!((cpu.others() - 0.385).abs() < 1e-9, "{cpu:?}");
        assert_eq!(found.further.map(|share| share.kind), Some(WaitKind::Log));

        let inside = Limit::find(&plan(), &busy, ServerLocation::Embedded).expect("a limit");
        assert!(matches!(inside.resource, Resource::Machine(cpu) if cpu.embedded));
        let elsewhere = Limit::find(&plan(), &busy, ServerLocation::Remote).expect("a limit");
        assert!(matches!(elsewhere.resource, Resource::Sessions(_)), "{elsewhere:?}");
    }

    #[test]
    fn processors_that_may_be_used_are_a_limit() {
        let mut result = run(0.6, vec![wait(WaitKind::Running, "", 7.0)]);
        result.hosts[0].server_cores_allowed = Some(1.0);
        assert_eq!(limit(&result).resource, Resource::Server { used: 0.95, cores: 1.0 });
        result.tool.client_limited = ClientLimited::Yes;
        assert_eq!(limit(&result).resource, Resource::Client { used: 0.2, cores: 2.0 });
    }

    #[test]
    fn a_load_that_leaves_the_server_idle_reaches_no_limit() {
        let mut result = run(0.2, vec![wait(WaitKind::Running, "", 0.1)]);
        let paced = LoadPlan { pacing: 1.0, ..plan() };
        let found = Limit::find(&paced, &result, ServerLocation::Local).map(|limit| limit.resource);
        assert_eq!(found, Some(Resource::Pacing));

        let arrivals =
            ArrivalsRecord { due_per_s: 100.0, ended_per_s: 99.0, ..ArrivalsRecord::default() };
        result.arrivals = Some(arrivals);
        assert_eq!(limit(&result).resource, Resource::Rate { per_s: 99.0 });
        result.arrivals = Some(ArrivalsRecord { ended_per_s: 50.0, ..arrivals });
        assert!(matches!(limit(&result).resource, Resource::Sessions(_)), "it does not keep up");
    }

    #[test]
    fn a_run_of_which_too_little_was_seen_has_no_limit() {
        let mut result = run(0.5, vec![wait(WaitKind::Log, "WALSync", 4.0)]);
        result.server_load.as_mut().expect("a load").samples = 19;
        assert_eq!(Limit::find(&plan(), &result, ServerLocation::Local), None);
        let paced = LoadPlan { pacing: 1.0, ..plan() };
        assert_eq!(
            Limit::find(&paced, &ResultRecord::default(), ServerLocation::Local),
            None,
            "nothing was seen"
        );
    }
}
