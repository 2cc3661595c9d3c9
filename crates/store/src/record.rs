//! The run record, stored in `run.json`. These types generate its JSON schema.
//!
//! Field names are in `snake_case` and end with their unit.
//!
//! Readers accept all older versions of the record.

mod acknowledged;
mod addresses;
mod arrivals;
mod conditions;
mod counts;
mod disturbances;
mod hosts;
mod isolation;
mod outages;
mod queries;
mod replay;
mod statements;
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
pub use arrivals::{ArrivalsRecord, LateRecord, TerminalsRecord};
pub use conditions::{MachineRecord, SizesRecord, TableSizeRecord};
pub use counts::{CommitsRecord, HeadlineRecord, RollbacksRecord, TpmRecord};
pub use disturbances::{Activity, CoincidenceRecord, DisturbanceRecord};
pub use hosts::{
    CpuShares, DiskRates, HostIntervalRecord, HostLoadRecord, LoadHostRecord, NetworkRates,
    NumaRates, ObservedHostRecord, PressureShares,
};
pub use isolation::IsolationRecord;
pub use outages::{AwayRecord, FaultRecord, OutageRecord, UndisturbedRecord};
pub use queries::{AnalyticsRecord, ExecutionRecord, QueryPlanRecord, StreamRecord, WorkRecord};
pub use replay::{ReplayDifferenceRecord, ReplayKindRecord, ReplayLeftOutRecord, ReplayRecord};
pub use statements::StatementRecord;
pub use steps::StepRecord;
pub use tacho_metrics::{Estimate, RunEnd, SteadinessVerdict};
pub use verdict::{INTERVALS_MIN, RunVerdict, UNSTABLE_FROM};
pub use words::{CheckVerdict, ClientLimited, SettleEnd};

/// The value of the `format` field in `run.json`.
pub const FORMAT: &str = "tacho-run";
/// The record version that this build writes.
pub const VERSION: u32 = 1;

/// A run: its plan, conditions, results and verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// Always `tacho-run`.
    pub format: String,
    /// Version of the record format.
    pub version: u32,
    /// Identifier that is unique within the store. Commands accept any unique prefix.
    pub id: String,
    /// Progress of the run.
    pub state: RunState,
    /// Start of the run in RFC 3339 format, with the UTC offset.
    pub started_at: String,
    /// Labels given by the user.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Note given by the user.
    #[serde(default)]
    pub note: Option<String>,
    /// Version of Tacho.
    pub tool_version: String,
    /// All settings of the run, including defaults.
    pub plan: PlanRecord,
    /// The load host.
    pub host: HostRecord,
    /// The database server.
    pub server: ServerRecord,
    /// The state of the data.
    pub data: Option<DataRecord>,
    /// The results; absent until the run has ended.
    pub result: Option<ResultRecord>,
    /// True if `tacho runs repair` rebuilt a damaged record. Such a run is always INVALID.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repaired: bool,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// The run has started but not finished. It is either in progress or was killed.
    Incomplete,
    /// The run has finished, and its results are recorded.
    Complete,
}

/// Returns true for zero and for false, because records omit such values.
fn is_zero<T: Default + PartialEq>(count: &T) -> bool {
    *count == T::default()
}

/// Returns the default number of table sets, used for records that do not specify it.
fn one() -> u32 {
    1
}

/// All settings of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanRecord {
    /// Workload name.
    pub workload: String,
    /// The workload folder as specified by the user; absent for a built-in workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload_folder: Option<String>,
    /// The target, without secrets.
    pub target: String,
    /// Folders of database packs, as specified by the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packs: Vec<String>,
    /// The target's name as specified by the user; used in titles.
    pub target_name: String,
    /// Driver name.
    pub driver: String,
    /// Profile name.
    pub profile: String,
    /// The form in which transactions were sent: `sql`, `pipelined`, `simple` or `procedures`.
    #[schemars(with = "String", extend("enum" = Form::WORDS))]
    pub form: Form,
    /// The scale in the workload's unit; whole numbers are written as integers.
    #[schemars(with = "f64")]
    pub scale: Amount,
    /// The scale's unit, in the singular.
    pub scale_unit: String,
    /// The number of complete sets of tables at this scale.
    #[serde(default = "one")]
    pub sets: u32,
    /// The number of query streams that ran in addition to the sessions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub streams: u32,
    /// Routes that send some of the transactions to a target other than the default one.
    #[serde(default)]
    pub routes: Vec<String>,
    /// The load.
    #[serde(flatten)]
    pub load: LoadPlan,
    /// Transactions per second that the terminals would submit if responses took no time; absent without terminals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered_per_s: Option<f64>,
    /// The steps of a varying load; absent if the load is constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<LoadSteps>,
    /// The checks and thresholds.
    #[serde(flatten)]
    pub judgement: JudgementPlan,
    /// Workload parameters that were set explicitly; absent in older records.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, String>,
    /// All workload parameters.
    pub parameters: BTreeMap<String, String>,
    /// A command that can be used to repeat the run.
    pub command: String,
    /// Settings whose values come from the loaded data: `scale`, `profile` or both. Present only in a plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from_data: Vec<String>,
}

impl PlanRecord {
    /// Returns a plan for repeating the run.
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
        // Checking after the run is the default, so the plan does not contain this value.
        judgement.check = judgement.check.filter(|when| *when != CheckWhen::After);
        let load = self.load;
        Plan { data, load, steps: self.steps.clone(), judgement, ..Plan::default() }
    }
}

/// A machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostRecord {
    /// Host name.
    pub name: String,
    /// Operating system and version.
    pub os: String,
    /// Kernel version.
    pub kernel: String,
    /// Processor architecture.
    pub arch: String,
    /// Processor model.
    pub cpu: String,
    /// Number of cores available to this process.
    pub cores: u32,
    /// Memory size in bytes.
    pub memory_bytes: u64,
}

/// The database server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerRecord {
    /// Product and version.
    pub version: String,
    /// True if the database runs inside the Tacho process.
    pub embedded: bool,
    /// Server settings that affect performance or durability.
    pub settings: BTreeMap<String, String>,
    /// Descriptions of settings that may cause commits to be lost in a crash.
    pub durability_risks: Vec<String>,
    /// Default values of the server settings, if known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defaults: BTreeMap<String, String>,
    /// The machine on which the server runs; absent if unknown, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineRecord>,
}

/// The state of the data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DataRecord {
    /// The seed from which the rows were generated.
    pub seed: u64,
    /// The time at which the data was loaded, in RFC 3339 format.
    pub loaded_at: String,
    /// The number of earlier runs on the same data.
    pub runs_before: u64,
    /// Fingerprint of the first table set's columns, indexes, constraints and triggers before the load. Absent if
    /// unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structure: Option<String>,
    /// Data size before the load started; absent if the database does not report it, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes_before: Option<SizesRecord>,
    /// Data size after the load ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes_after: Option<SizesRecord>,
}

/// The results of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultRecord {
    /// True unless the run is INVALID.
    pub valid: bool,
    /// The verdict on the results. If it is absent, it is derived from `interval_95` and `steadiness`.
    #[serde(default)]
    pub verdict: Option<RunVerdict>,
    /// Reasons for the verdict `unstable` or `too_short`, as text; empty for every other verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsettled: Vec<String>,
    /// Warnings, and reasons why the run is INVALID.
    pub notices: Vec<NoticeRecord>,
    /// The workload's headline metric, such as NOPM.
    pub headline: Option<HeadlineRecord>,
    /// Transactions per minute of all types; absent for workloads whose throughput is given per second.
    pub tpm: Option<TpmRecord>,
    /// Transactions per second in the measured phase, including intended rollbacks.
    pub throughput_per_s: f64,
    /// 95 % confidence interval of the throughput, computed from the measured phase's reporting intervals.
    pub interval_95: Option<Estimate>,
    /// Commits over the whole run by transaction type, each verified by a sum in the database.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<CommitsRecord>,
    /// Faults injected during the load.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<FaultRecord>,
    /// The time without faults, on which the verdict is based; absent without faults or if there was no such time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undisturbed: Option<UndisturbedRecord>,
    /// The results of looking up every acknowledged commit in the database; absent unless requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged: Option<AcknowledgedRecord>,
    /// Isolation anomalies between transactions; absent if the workload does not report its operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<IsolationRecord>,
    /// The steadiness of the throughput; absent if no transaction completed.
    #[serde(default, skip_serializing_if = "SteadinessRecord::is_unknown")]
    pub steadiness: SteadinessRecord,
    /// Rollbacks during the run, counted by the server and by the client. Absent if the server does not count them.
    #[serde(default)]
    pub rollbacks: Option<RollbacksRecord>,
    /// Actual length of the measured phase.
    pub measured_s: f64,
    /// The event that ended the run.
    pub ended_by: RunEnd,
    /// One entry for each transaction type, followed by `all`.
    pub transactions: Vec<TransactionRecord>,
    /// All transactions, in order of completion. Present only in runs with a fixed amount of work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub executions: Vec<ExecutionRecord>,
    /// Totals for each session; only in runs with a fixed amount of work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub streams: Vec<StreamRecord>,
    /// Each query's execution plan, for the first parameter values that were used. Present only if the database reports
    /// plans.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub query_plans: Vec<QueryPlanRecord>,
    /// Per-query statistics that the database does not report, described in sentences.
    #[serde(default, alias = "queries_untold", skip_serializing_if = "Vec::is_empty")]
    pub unreported_queries: Vec<String>,
    /// The statements that were executed; present only with `statement_times`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<StatementRecord>,
    /// The transactions that exceeded the latency limit; present only with `latency_limit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<LateRecord>,
    /// Time to open the connection of each transaction in the measured phase; present only with `reconnect`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connecting: Option<DistributionRecord>,
    /// The query streams of a workload that also runs transactions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analytics: Option<AnalyticsRecord>,
    /// The replayed log, and the differences between the log and the replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<ReplayRecord>,
    /// The ledger of all transactions that were due in the measured phase.
    pub accounting: LedgerRecord,
    /// The steps of a varying load, each with its own verdict. The run's results cover all steps combined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepRecord>,
    /// The results for open arrivals; absent in closed runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<ArrivalsRecord>,
    /// The results for terminals that share sessions; absent in runs without terminals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminals: Option<TerminalsRecord>,
    /// Server activity during the measured phase, as reported by the server.
    #[serde(default)]
    pub server_load: Option<ServerLoadRecord>,
    /// The observed machines, starting with the load host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<ObservedHostRecord>,
    /// The load hosts; present only if agents ran the sessions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load_hosts: Vec<LoadHostRecord>,
    /// The addresses that received transactions; present only with `--route`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<AddressRecord>,
    /// Failures, grouped by class.
    pub errors: Vec<ErrorRecord>,
    /// Server outages; present only if sessions reconnect.
    #[serde(default)]
    pub outages: Vec<OutageRecord>,
    /// The longest period in the measured phase in which no transaction completed. Present only if
    /// it is unusually long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stall: Option<StallRecord>,
    /// Part of the measured phase with unusually low throughput. Absent if the loss is small or a fault was injected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturbance: Option<DisturbanceRecord>,
    /// Deferred server work that was completed after the load; present only with `--settle`.
    #[serde(default)]
    pub settled: Vec<SettledRecord>,
    /// Thresholds and their outcomes.
    pub thresholds: Vec<ThresholdRecord>,
    /// Consistency checks and their outcomes, in execution order.
    pub checks: Vec<CheckRecord>,
    /// The audit of the input generator.
    pub audit: Vec<AuditRecord>,
    /// Tacho's own resource usage.
    pub tool: ToolRecord,
}

/// A warning, or a reason why the run is INVALID.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoticeRecord {
    /// Stable identifier, such as `W07`.
    pub id: String,
    /// Name, such as `client-saturated`.
    pub name: String,
    /// True if this notice makes the run INVALID.
    pub invalidates: bool,
    /// Description of the problem.
    pub text: String,
    /// A hint on how to fix the problem.
    pub hint: String,
}

/// The steadiness of the throughput.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SteadinessRecord {
    /// The verdict on the steadiness; absent if there was not enough data for a verdict.
    #[serde(default)]
    pub verdict: Option<SteadinessVerdict>,
    /// The drift: (second half − first half) ÷ first half.
    pub drift: Option<f64>,
    /// Length in seconds of a warm-up within the measured phase, as determined by MSER-5. Absent if
    /// the end of the warm-up is unknown.
    #[serde(default)]
    pub warm_up_s: Option<f64>,
}

impl SteadinessRecord {
    /// Returns true if no verdict on the steadiness was possible.
    pub fn is_unknown(&self) -> bool {
        self.verdict.is_none()
    }
}

/// A period in which no transaction completed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StallRecord {
    /// Start of the period, relative to the start of the load.
    pub at_s: f64,
    /// Length of the period, in whole intervals.
    pub length_s: f64,
    /// The wait event in which most sessions were during the stall, as the server names it; empty if unknown.
    #[serde(default)]
    pub waited_for: String,
}

/// A transaction type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TransactionRecord {
    /// Transaction name, such as `new_order`.
    pub name: String,
    /// Fraction of all completed transactions, from 0 to 1.
    pub share: f64,
    /// Number of transactions that committed or were rolled back as intended.
    pub count: u64,
    /// Number of transactions that were rolled back as intended.
    pub rolled_back: u64,
    /// Number of failed transactions.
    pub failed: u64,
    /// True if the workload intentionally rolls back some transactions of this type.
    pub rollback_intended: bool,
    /// Latency, measured from the due time to the end.
    pub latency: DistributionRecord,
    /// Service time, measured from the send time to the end.
    pub service: DistributionRecord,
}

/// A distribution of durations. A percentile q is absent if there are fewer than 10/(1−q) samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DistributionRecord {
    /// Number of samples.
    pub count: u64,
    /// Minimum.
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
    /// Maximum.
    pub max_us: f64,
}

/// The ledger of the transactions. Each due transaction was either started or skipped. Each started transaction was
/// committed, was rolled back, failed, or is unfinished.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LedgerRecord {
    /// Transactions that became due.
    pub due: u64,
    /// Transactions that were started.
    pub started: u64,
    /// Transactions that committed.
    pub committed: u64,
    /// Transactions that were rolled back as intended.
    pub rolled_back: u64,
    /// Transactions that failed.
    pub failed: u64,
    /// Transactions that started in the measured phase but had not finished when it ended.
    pub unfinished: u64,
    /// Transactions that became due but were never started.
    pub skipped: u64,
    /// Attempts that were retries after an error.
    pub retried: u64,
    /// Duration of the longest unfinished transaction.
    pub longest_unfinished_us: u64,
    /// Transactions that were due before the measured phase but completed in it. They are not
    /// included in any other count.
    #[serde(default)]
    pub carried_over: u64,
}

/// A class of failures, over all phases of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorRecord {
    /// Transaction name.
    pub transaction: String,
    /// Error class, such as `deadlock`.
    pub kind: String,
    /// The database's error code.
    pub code: String,
    /// Number of failed attempts, including retried ones.
    pub count: u64,
    /// The error message of the first failure.
    pub example: String,
}

/// Server activity in the measured phase.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServerLoadRecord {
    /// Number of times that the sessions were sampled.
    pub samples: u64,
    /// Mean number of active Tacho sessions: running, waiting in the server, or idle in a transaction.
    pub active_sessions: f64,
    /// Wait events of the active sessions, most frequent first. `CPU` stands for running sessions.
    pub waits: Vec<WaitRecord>,
    /// The increase of each server counter.
    pub counters: BTreeMap<String, u64>,
    /// Server gauges, sampled once per second.
    #[serde(default)]
    pub gauges: BTreeMap<String, GaugeRecord>,
    /// Statistics that could not be read, each with the reason.
    pub missing: Vec<String>,
}

/// The readings of a gauge. Their unit is at the end of the gauge's name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GaugeRecord {
    /// Mean.
    pub mean: f64,
    /// Minimum.
    pub min: u64,
    /// Maximum.
    pub max: u64,
    /// The last reading.
    pub last: u64,
}

/// A wait event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WaitRecord {
    /// Class of the wait event, as named by the database.
    pub class: String,
    /// Name of the wait event; empty for running sessions.
    pub event: String,
    /// Kind of wait; absent from older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub kind: Option<WaitKind>,
    /// Mean number of sessions waiting for this event.
    pub sessions: f64,
    /// Fraction of `active_sessions`, from 0 to 1.
    pub share: f64,
}

/// A kind of deferred server work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettledRecord {
    /// Kind of deferred work.
    pub what: String,
    /// Amount of work remaining at the end of the load, in the server's unit.
    pub before: u64,
    /// Amount of work remaining when the wait ended.
    pub left: u64,
    /// Length of the wait.
    pub waited_s: f64,
    /// The reason why the wait ended.
    pub ended_by: SettleEnd,
}

/// A threshold and its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThresholdRecord {
    /// The threshold as specified by the user, such as `new_order.p95<50ms`.
    pub expression: String,
    /// Measured value, in the threshold's unit. Without a value, the threshold is not met.
    pub measured: Option<f64>,
    /// Measured value, as Tacho prints it.
    pub measured_text: String,
    /// True if the measured value meets the threshold.
    pub passed: bool,
}

/// A consistency check and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckRecord {
    /// `before` or `after` the run.
    pub when: String,
    /// Check identifier, such as `C1`.
    pub id: String,
    /// The condition that must hold.
    pub rule: String,
    /// The outcome of the check.
    pub verdict: CheckVerdict,
    /// Details about the outcome.
    pub detail: String,
    /// True if the check compares sample rows with the loaded rows. False if it tests a condition of the specification.
    #[serde(default)]
    pub sampled: bool,
}

/// An expected property of the generated inputs, along with its measured value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditRecord {
    /// Name of the input that was counted.
    pub name: String,
    /// Clause of the specification that gives the expected value.
    pub clause: String,
    /// True if the values are fractions from 0 to 1. False if they are means.
    pub share: bool,
    /// Expected value.
    pub expected: f64,
    /// Lowest acceptable value, allowing for sampling error.
    pub low: f64,
    /// Highest acceptable value, allowing for sampling error.
    pub high: f64,
    /// Value measured over the submitted inputs; absent if no inputs were submitted.
    pub measured: Option<f64>,
    /// Number of inputs that were counted.
    pub draws: u64,
    /// True if the measured value is within the acceptable range.
    pub passed: bool,
}

/// Pauses of at least 10 ms in which none of this process's runnable threads ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HiccupsRecord {
    /// Number of pauses.
    pub count: u64,
    /// Total length of the pauses.
    pub total_s: f64,
    /// Length of the longest pause.
    pub longest_s: f64,
}

/// Tacho's own resource usage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolRecord {
    /// Mean number of CPU cores that this process and any embedded database used in the measured phase.
    pub cpu_cores: Option<f64>,
    /// Number of cores available to this process.
    pub cores: u32,
    /// Lateness of Tacho's timers when starting scheduled transactions.
    pub lateness: DistributionRecord,
    /// Pauses of this process in the measured phase; absent in virtual time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hiccups: Option<HiccupsRecord>,
    /// Number of statements sent over the whole run.
    pub statements: u64,
    /// Number of round trips over the whole run.
    pub round_trips: u64,
    /// Indicates whether the client limited the throughput.
    pub client_limited: ClientLimited,
    /// Number of virtual users that ended early.
    pub sessions_lost: u64,
}
