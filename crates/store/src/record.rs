//! The run record: what `run.json` holds. Its JSON schema is generated from these types.
//!
//! Names are `snake_case` with the unit last. Readers accept every older version.

mod acknowledged;
mod addresses;
mod conditions;
mod counts;
mod hosts;
mod outages;
mod queries;
mod replay;
mod steps;
mod verdict;
mod words;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_config::{CheckWhen, DataPlan, JudgementPlan, LoadPlan, LoadSteps, Plan};
use tacho_core::units::Amount;
use tacho_core::{Form, WaitKind};

pub use acknowledged::{AcknowledgedRecord, MarkedRecord};
pub use addresses::{AddressRecord, LeftOutRecord};
pub use conditions::{MachineRecord, SizesRecord, TableSizeRecord};
pub use counts::{CommitsRecord, HeadlineRecord, RollbacksRecord, TpmRecord};
pub use hosts::{
    CpuShares, DiskRates, HostIntervalRecord, HostLoadRecord, LoadHostRecord, NetworkRates,
    NumaRates, ObservedHostRecord, PressureShares,
};
pub use outages::{AwayRecord, FaultRecord, OutageRecord};
pub use queries::{AnalyticsRecord, ExecutionRecord, QueryPlanRecord, StreamRecord, WorkRecord};
pub use replay::{ReplayDifferenceRecord, ReplayKindRecord, ReplayLeftOutRecord, ReplayRecord};
pub use steps::StepRecord;
pub use tacho_metrics::{Estimate, RunEnd, SteadinessVerdict};
pub use verdict::{INTERVALS_MIN, RunVerdict, UNSTABLE_FROM};
pub use words::{CheckVerdict, ClientLimited, SettleEnd};

/// Value of `format` in `run.json`.
pub const FORMAT: &str = "tacho-run";
/// Version of the record that this build writes.
pub const VERSION: u32 = 1;

/// One run: plan, conditions, results, verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// Always `tacho-run`.
    pub format: String,
    /// Version of this format.
    pub version: u32,
    /// Identifier, unique in its store; any unique prefix names the run.
    pub id: String,
    /// Progress of the run.
    pub state: RunState,
    /// Start in RFC 3339 with offset.
    pub started_at: String,
    /// Labels given by the user.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Note given by the user.
    #[serde(default)]
    pub note: Option<String>,
    /// Version of the tool.
    pub tool_version: String,
    /// All settings of the run, resolved.
    pub plan: PlanRecord,
    /// Load host.
    pub host: HostRecord,
    /// The database.
    pub server: ServerRecord,
    /// State of the data.
    pub data: Option<DataRecord>,
    /// Results; absent until the run has ended.
    pub result: Option<ResultRecord>,
    /// Set if the record was damaged and `tacho runs repair` rebuilt it; such a run is always INVALID.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repaired: bool,
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Begun, and not ended: still going on, or killed.
    Incomplete,
    /// Ended, with results.
    Complete,
}

/// Records omit values that are zero or false.
fn is_zero<T: Default + PartialEq>(count: &T) -> bool {
    *count == T::default()
}

/// Records without sets are of one.
fn one() -> u32 {
    1
}

/// All settings of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanRecord {
    /// Workload id.
    pub workload: String,
    /// Folder of the workload, as the user gave it; absent for a built-in workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload_folder: Option<String>,
    /// Target without secrets.
    pub target: String,
    /// Folders of database packs, as the user gave them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packs: Vec<String>,
    /// Name of the target as the user gave it, used in titles.
    pub target_name: String,
    /// Driver id.
    pub driver: String,
    /// Profile.
    pub profile: String,
    /// How transactions were sent: `sql`, `pipelined`, `simple` or `procedures`.
    #[schemars(with = "String", extend("enum" = Form::WORDS))]
    pub form: Form,
    /// Scale in the workload's unit; an integer if it is whole.
    #[schemars(with = "f64")]
    pub scale: Amount,
    /// That unit, singular.
    pub scale_unit: String,
    /// Complete sets of tables of that scale.
    #[serde(default = "one")]
    pub sets: u32,
    /// Streams of queries in addition to the sessions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub streams: u32,
    /// Targets of transactions that do not use the default target.
    #[serde(default)]
    pub routes: Vec<String>,
    /// The load.
    #[serde(flatten)]
    pub load: LoadPlan,
    /// Steps of a load that changes; absent if the load stays the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<LoadSteps>,
    /// The checks and limits.
    #[serde(flatten)]
    pub judgement: JudgementPlan,
    /// Workload parameters that were set; absent in older records.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, String>,
    /// All workload parameters.
    pub parameters: BTreeMap<String, String>,
    /// A command that repeats the run.
    pub command: String,
    /// `scale` and `profile` if they were not given and the loaded data, which was not read, decides: the values here
    /// hold if nothing is loaded. Only in the plan of a run that was not started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from_data: Vec<String>,
}

impl PlanRecord {
    /// The plan that repeats the run.
    pub fn plan(&self) -> Plan {
        let data = DataPlan {
            target: Some(self.target.clone()),
            packs: self.packs.clone(),
            workload: Some(self.workload_folder.clone().unwrap_or_else(|| self.workload.clone())),
            scale: Some(self.scale),
            routes: self.routes.clone(),
            sets: self.sets,
            profile: Some(self.profile.clone()),
            set: self.set.clone(),
            form: self.form,
        };
        let mut judgement = self.judgement.clone();
        // What a run does if nothing is said.
        judgement.check = judgement.check.filter(|when| *when != CheckWhen::After);
        let load = self.load;
        Plan { data, load, steps: self.steps.clone(), judgement, ..Plan::default() }
    }
}

/// A machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostRecord {
    /// Name.
    pub name: String,
    /// Operating system and version.
    pub os: String,
    /// Kernel version.
    pub kernel: String,
    /// Processor architecture.
    pub arch: String,
    /// Processor model.
    pub cpu: String,
    /// Cores that this process may use.
    pub cores: u32,
    /// Memory in bytes.
    pub memory_bytes: u64,
}

/// The database.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerRecord {
    /// Product and version.
    pub version: String,
    /// Whether it runs in this process.
    pub embedded: bool,
    /// Settings that matter for speed and durability.
    pub settings: BTreeMap<String, String>,
    /// Settings with which a crash can lose commits, in words.
    pub durability_risks: Vec<String>,
    /// Defaults of these settings, if known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defaults: BTreeMap<String, String>,
    /// The machine that it runs on; absent if unknown, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineRecord>,
}

/// State of the data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DataRecord {
    /// Seed of the rows.
    pub seed: u64,
    /// Date of the load in RFC 3339.
    pub loaded_at: String,
    /// Number of earlier runs on this data.
    pub runs_before: u64,
    /// A fingerprint of the columns, indexes, constraints and triggers of its tables before the load, of the first set of
    /// them; absent if the database does not describe them, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structure: Option<String>,
    /// Its size before the load; absent if the database does not report it, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes_before: Option<SizesRecord>,
    /// Its size after the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes_after: Option<SizesRecord>,
}

/// Results of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultRecord {
    /// Whether the figures may be used.
    pub valid: bool,
    /// The verdict on the figures; in records without it, it is derived from `interval_95` and
    /// `steadiness`.
    #[serde(default)]
    pub verdict: Option<RunVerdict>,
    /// Reasons for the verdict `unstable` or `too_short`, in words; otherwise empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsettled: Vec<String>,
    /// Reasons for INVALID, and warnings.
    pub notices: Vec<NoticeRecord>,
    /// The workload's own figure, such as NOPM.
    pub headline: Option<HeadlineRecord>,
    /// All ended transactions per minute; absent for workloads whose throughput is stated per second.
    pub tpm: Option<TpmRecord>,
    /// Transactions per second over the measured phase that committed or were rolled back as
    /// intended.
    pub throughput_per_s: f64,
    /// 95 % interval of the throughput, from intervals of the measured phase.
    pub interval_95: Option<Estimate>,
    /// Commits over the whole run by transaction type: the change of the sums in the database and
    /// the sums of the clients; in addition to the headline's count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<CommitsRecord>,
    /// Faults that were made during the load.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<FaultRecord>,
    /// Acknowledged commits, each looked for in the database; absent unless that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged: Option<AcknowledgedRecord>,
    /// Whether the throughput was steady; absent if no transaction ended.
    #[serde(default, skip_serializing_if = "SteadinessRecord::is_unknown")]
    pub steadiness: SteadinessRecord,
    /// Rollbacks over the whole run, as counted by the server and by the client; absent if the
    /// server does not count them.
    #[serde(default)]
    pub rollbacks: Option<RollbacksRecord>,
    /// Actual length of the measured phase.
    pub measured_s: f64,
    /// Why the run ended.
    pub ended_by: RunEnd,
    /// One entry for each transaction type, then `all`.
    pub transactions: Vec<TransactionRecord>,
    /// Each transaction, in the order in which they ended; only in runs with a fixed amount of
    /// work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub executions: Vec<ExecutionRecord>,
    /// Each session as a whole; only in runs with a fixed amount of work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub streams: Vec<StreamRecord>,
    /// The plan of each query, read after the load with the first parameters of its first stream;
    /// only in workloads of queries, if the database reports plans.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub query_plans: Vec<QueryPlanRecord>,
    /// Statistics of single queries that the database does not report, in sentences.
    #[serde(default, alias = "queries_untold", skip_serializing_if = "Vec::is_empty")]
    pub unreported_queries: Vec<String>,
    /// The streams of queries in a workload that also has transactions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analytics: Option<AnalyticsRecord>,
    /// The log of a replay, and how the replay differs from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<ReplayRecord>,
    /// The accounts of all transactions that were due in the measured phase.
    pub accounting: LedgerRecord,
    /// The steps of a load that changes, each judged separately; the figures of the run are those of all
    /// steps together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepRecord>,
    /// Outcome of open arrivals; absent in closed runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<ArrivalsRecord>,
    /// Activity of the server in the measured phase, as reported by the server.
    #[serde(default)]
    pub server_load: Option<ServerLoadRecord>,
    /// Machines that were observed: the load host first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<ObservedHostRecord>,
    /// Load hosts, if agents ran the sessions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load_hosts: Vec<LoadHostRecord>,
    /// The addresses that transactions went to, with `--route`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<AddressRecord>,
    /// Failures by class.
    pub errors: Vec<ErrorRecord>,
    /// Outages of the server, if sessions reconnect.
    #[serde(default)]
    pub outages: Vec<OutageRecord>,
    /// The longest time of the measured phase in which no transaction ended, if it is unusually
    /// long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stall: Option<StallRecord>,
    /// Deferred work of the server that was completed after the load, with `--settle`.
    #[serde(default)]
    pub settled: Vec<SettledRecord>,
    /// Limits with their outcome.
    pub thresholds: Vec<ThresholdRecord>,
    /// Conditions on the data with their outcome, by the time of the check.
    pub checks: Vec<CheckRecord>,
    /// The generator audit.
    pub audit: Vec<AuditRecord>,
    /// Overhead of Tacho.
    pub tool: ToolRecord,
}

/// A reason for INVALID, or a warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoticeRecord {
    /// Stable id, such as `W07`.
    pub id: String,
    /// Its name, such as `client-saturated`.
    pub name: String,
    /// Whether it makes the run INVALID.
    pub invalidates: bool,
    /// The finding.
    pub text: String,
    /// The remedy.
    pub hint: String,
}

/// Whether the throughput was steady.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SteadinessRecord {
    /// The judgement; absent if there was nothing to judge.
    #[serde(default)]
    pub verdict: Option<SteadinessVerdict>,
    /// (second half − first half) ÷ first half.
    pub drift: Option<f64>,
    /// Seconds at the start of the measured phase that still look like warm-up (MSER-5); absent if
    /// there were too few intervals or if the warm-up did not end.
    #[serde(default)]
    pub warm_up_s: Option<f64>,
}

impl SteadinessRecord {
    /// Whether there was nothing to judge.
    pub fn is_unknown(&self) -> bool {
        self.verdict.is_none()
    }
}

/// Outcome of open arrivals in the measured phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArrivalsRecord {
    /// Arrivals per second that became due.
    pub due_per_s: f64,
    /// Transactions per second that ended, including failed ones, whenever they were due.
    pub ended_per_s: f64,
    /// Arrivals that waited for a free session at the start of the phase.
    pub backlog_start: u64,
    /// Arrivals that waited for a free session at the end of the phase.
    pub backlog_end: u64,
    /// Maximum number of waiting arrivals at the end of an interval.
    pub backlog_max: u64,
    /// Waiting times for a free session of the arrivals that started in the phase.
    pub session_wait: DistributionRecord,
    /// Transactions per second while more arrivals waited than there are sessions: the lower
    /// quartile of the intervals in which a transaction ended. Absent without such intervals.
    pub capacity_per_s: Option<f64>,
}

/// A time in which no transaction ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StallRecord {
    /// Its start, since the start of the load.
    pub at_s: f64,
    /// Its length, in whole intervals.
    pub length_s: f64,
    /// Wait event of most sessions during it, as named by the server; empty if unknown.
    #[serde(default)]
    pub waited_for: String,
}

/// One transaction type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TransactionRecord {
    /// Name, such as `new_order`.
    pub name: String,
    /// Share of all ended transactions, 0 to 1.
    pub share: f64,
    /// Transactions that committed or were rolled back as intended.
    pub count: u64,
    /// Transactions that were rolled back as intended.
    pub rolled_back: u64,
    /// Number of failed transactions.
    pub failed: u64,
    /// Whether the workload intends rollbacks for this transaction type.
    pub rollback_intended: bool,
    /// End − due.
    pub latency: DistributionRecord,
    /// End − sent.
    pub service: DistributionRecord,
}

/// A distribution of times. A percentile with fewer than 10/(1−q) samples is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DistributionRecord {
    /// Samples.
    pub count: u64,
    /// Shortest.
    pub min_us: f64,
    /// Mean.
    pub mean_us: f64,
    /// Median.
    pub p50_us: Option<f64>,
    /// 90th percentile.
    pub p90_us: Option<f64>,
    /// 95th percentile.
    pub p95_us: Option<f64>,
    /// 99th percentile.
    pub p99_us: Option<f64>,
    /// 99.9th percentile.
    pub p999_us: Option<f64>,
    /// Longest.
    pub max_us: f64,
}

/// The accounts: due = started + skipped; started = committed + `rolled_back` + failed +
/// unfinished.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LedgerRecord {
    /// Transactions whose due time was reached.
    pub due: u64,
    /// Started.
    pub started: u64,
    /// Committed.
    pub committed: u64,
    /// Rolled back as intended.
    pub rolled_back: u64,
    /// Failed.
    pub failed: u64,
    /// Started in the measured phase and not ended in it.
    pub unfinished: u64,
    /// Due and not started.
    pub skipped: u64,
    /// Attempts repeated after an error.
    pub retried: u64,
    /// Time of the longest unfinished transaction.
    pub longest_unfinished_us: u64,
    /// Due before the measured phase and ended in it: included in the figures and in none of the
    /// other counts here.
    #[serde(default)]
    pub carried_over: u64,
}

/// A class of failures, over all phases.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorRecord {
    /// Transaction.
    pub transaction: String,
    /// Class, such as `deadlock`.
    pub kind: String,
    /// The database's own code.
    pub code: String,
    /// Failed attempts, including retried ones.
    pub count: u64,
    /// Text of the first failure.
    pub example: String,
}

/// Activity of the server in the measured phase.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServerLoadRecord {
    /// Number of samples of the sessions.
    pub samples: u64,
    /// Mean number of Tacho's sessions that ran, waited in the server, or waited for their client within a transaction.
    pub active_sessions: f64,
    /// Wait events of these sessions, most frequent first; `CPU` for running sessions.
    pub waits: Vec<WaitRecord>,
    /// Growth of the server's counters.
    pub counters: BTreeMap<String, u64>,
    /// Gauges of the server, read once a second.
    #[serde(default)]
    pub gauges: BTreeMap<String, GaugeRecord>,
    /// Statistics that could not be read, with the reason.
    pub missing: Vec<String>,
}

/// The readings of something that rises and falls, in the unit that its name ends in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GaugeRecord {
    /// Mean.
    pub mean: f64,
    /// Smallest.
    pub min: u64,
    /// Largest.
    pub max: u64,
    /// At the end.
    pub last: u64,
}

/// One wait event of sessions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WaitRecord {
    /// Class, as named by the database.
    pub class: String,
    /// Event; empty for running sessions.
    pub event: String,
    /// Kind of wait; absent from older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub kind: Option<WaitKind>,
    /// Sessions on average.
    pub sessions: f64,
    /// Share of `active_sessions`, 0 to 1.
    pub share: f64,
}

/// One kind of deferred work of the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettledRecord {
    /// Kind of deferred work.
    pub what: String,
    /// Amount at the end of the load, in the server's own unit.
    pub before: u64,
    /// Amount at the end of the wait.
    pub left: u64,
    /// Length of the wait.
    pub waited_s: f64,
    /// Why it ended.
    pub ended_by: SettleEnd,
}

/// A limit with its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThresholdRecord {
    /// As written, such as `new_order.p95<50ms`.
    pub expression: String,
    /// Measured value, in the unit of the limit; absent without data, which fails.
    pub measured: Option<f64>,
    /// Measured value, as printed.
    pub measured_text: String,
    /// Whether the limit holds.
    pub passed: bool,
}

/// A condition on the data with its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckRecord {
    /// `before` or `after` the run.
    pub when: String,
    /// Short name, such as `C1`.
    pub id: String,
    /// The condition.
    pub rule: String,
    /// Its outcome.
    pub verdict: CheckVerdict,
    /// The finding.
    pub detail: String,
    /// Whether it compares samples of the rows with the loaded rows; otherwise it is a condition of
    /// the workload's specification.
    #[serde(default)]
    pub sampled: bool,
}

/// An expected property of the inputs and its measured value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditRecord {
    /// The counted input.
    pub name: String,
    /// Clause of the specification.
    pub clause: String,
    /// Whether it is a share (0 to 1) or a mean.
    pub share: bool,
    /// Expected value.
    pub expected: f64,
    /// Lowest permitted value, including the sampling error.
    pub low: f64,
    /// Highest permitted value, including the sampling error.
    pub high: f64,
    /// Value of the submitted inputs; absent if nothing was drawn.
    pub measured: Option<f64>,
    /// Number of draws.
    pub draws: u64,
    /// Whether it is within the band.
    pub passed: bool,
}

/// Times of at least 10 ms in which no runnable thread of this process ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HiccupsRecord {
    /// Their number.
    pub count: u64,
    /// Their sum.
    pub total_s: f64,
    /// The longest.
    pub longest_s: f64,
}

/// Overhead of Tacho.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolRecord {
    /// Mean number of CPU cores that this process used in the measured phase, including an embedded
    /// database; absent on virtual time.
    pub cpu_cores: Option<f64>,
    /// Cores that this process may use.
    pub cores: u32,
    /// Lateness of Tacho's timers for scheduled transactions.
    pub lateness: DistributionRecord,
    /// Times in the measured phase in which this process was stopped; absent on virtual time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hiccups: Option<HiccupsRecord>,
    /// Statements sent, over the whole run.
    pub statements: u64,
    /// Round trips, over the whole run.
    pub round_trips: u64,
    /// Whether the client limited the figure.
    pub client_limited: ClientLimited,
    /// Virtual users that ended early.
    pub sessions_lost: u64,
}
