//! The run record: what `run.json` holds. Its JSON schema is generated from these types.
//!
//! Names are `snake_case` with the unit last. Readers accept every older version.

mod conditions;
mod counts;
mod queries;
mod verdict;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_core::units::Amount;

pub use conditions::{MachineRecord, SizesRecord, TableSizeRecord};
pub use counts::{CommitsRecord, HeadlineRecord, RollbacksRecord, TpmRecord};
pub use queries::{AnalyticsRecord, ExecutionRecord, QueryPlanRecord, StreamRecord, WorkRecord};
pub use verdict::{INTERVALS_MIN, RunVerdict, UNSTABLE_FROM};

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
    /// How far the run came.
    pub state: State,
    /// Start in RFC 3339 with offset.
    pub started_at: String,
    /// Labels given by the user.
    #[serde(default)]
    pub tags: Vec<String>,
    /// A remark given by the user.
    #[serde(default)]
    pub note: Option<String>,
    /// Version of the tool.
    pub tool_version: String,
    /// Everything that was asked for, resolved.
    pub plan: PlanRecord,
    /// Machine that drove the load.
    pub host: HostRecord,
    /// The database.
    pub server: ServerRecord,
    /// The data that was there.
    pub data: Option<DataRecord>,
    /// What was measured; absent until the run has ended.
    pub result: Option<ResultRecord>,
}

/// How far a run came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Begun, and not ended: still going on, or killed.
    Incomplete,
    /// Ended, with results.
    Complete,
}

/// Records of workloads without streams do not tell of them.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Records that name no required verdict needed a valid run.
fn valid() -> String {
    "valid".into()
}

/// Records without sets are of one.
fn one() -> u32 {
    1
}

/// Everything that was asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanRecord {
    /// Workload id.
    pub workload: String,
    /// Target without secrets.
    pub target: String,
    /// Name of the target as the user gave it, used in titles.
    pub target_name: String,
    /// Driver id.
    pub driver: String,
    /// Profile.
    pub profile: String,
    /// `procedures`, `sql`, `pipelined` or `simple`.
    pub form: String,
    /// Scale in the workload's unit; a whole number where it is one.
    #[schemars(with = "f64")]
    pub scale: Amount,
    /// That unit, singular.
    pub scale_unit: String,
    /// Complete sets of tables of that scale.
    #[serde(default = "one")]
    pub sets: u32,
    /// Virtual users.
    pub sessions: u32,
    /// Streams of queries beside them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub streams: u32,
    /// Where transactions go that do not go to the target.
    #[serde(default)]
    pub routes: Vec<String>,
    /// Whether others work on the same data, whose work the database's counters count too.
    #[serde(default)]
    pub shared: bool,
    /// Time between the logins of two virtual users during the load; 0 if all log in before it.
    #[serde(default)]
    pub stagger_s: f64,
    /// `closed` or `open`.
    pub arrival: String,
    /// Wanted rate of an open arrival.
    pub rate_per_s: Option<f64>,
    /// `uniform` or `poisson`, of an open arrival.
    pub spacing: Option<String>,
    /// Arrivals that may wait before further ones are skipped.
    pub backlog: Option<u64>,
    /// Factor on keying and think times; 0 is none.
    pub pacing: f64,
    /// Ramp-up.
    pub ramp_up_s: f64,
    /// Measured phase as planned; absent if the run stops by count.
    pub duration_s: Option<f64>,
    /// Transactions to measure, if the run stops by count.
    pub transactions: Option<u64>,
    /// Ramp-down.
    pub ramp_down_s: f64,
    /// `none`, `same` or `new` input.
    pub retry: String,
    /// Most attempts per transaction.
    pub attempts: u32,
    /// Wait before the second attempt; doubles with each further one.
    pub backoff_s: f64,
    /// What a session does whose connection is lost: `stop` or `reconnect`.
    #[serde(default)]
    pub on_disconnect: String,
    /// How long it tries to connect again; absent where it does not, where the load has an end in time,
    /// until which it tries, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconnect_within_s: Option<f64>,
    /// When checks run: `before`, `after`, `both` or `none`.
    pub check: String,
    /// The verdict that the run needed: `valid` or `steady`.
    #[serde(default = "valid")]
    pub require: String,
    /// Limits on metrics.
    pub thresholds: Vec<String>,
    /// Seed of the inputs.
    pub seed: u64,
    /// Length of an interval in `intervals.jsonl.zst`.
    pub interval_s: f64,
    /// All workload parameters.
    pub parameters: BTreeMap<String, String>,
    /// A command that repeats the run.
    pub command: String,
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
    /// Cores we may use.
    pub cores: u32,
    /// Memory in bytes.
    pub memory_bytes: u64,
}

/// The database.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerRecord {
    /// Product and version.
    pub version: String,
    /// Whether it runs inside our process.
    pub embedded: bool,
    /// Settings that matter for speed and durability.
    pub settings: BTreeMap<String, String>,
    /// Settings with which commits may be lost in a crash, in words.
    pub durability_risks: Vec<String>,
    /// Values that these settings have if nobody sets them, where that is known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defaults: BTreeMap<String, String>,
    /// The machine that it runs on; absent where nothing is known of it, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineRecord>,
}

/// The data that was there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DataRecord {
    /// Seed of the rows.
    pub seed: u64,
    /// Date of the load in RFC 3339.
    pub loaded_at: String,
    /// Measurements on this data before this one.
    pub runs_before: u64,
    /// How much room it took before the load; absent where the database does not say, and in older
    /// records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes_before: Option<SizesRecord>,
    /// The same after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes_after: Option<SizesRecord>,
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultRecord {
    /// Whether the figures may be used.
    pub valid: bool,
    /// The verdict on them; of records without it, it follows from `interval_95` and `steadiness`.
    #[serde(default)]
    pub verdict: Option<RunVerdict>,
    /// Why the figure is not established, in words; empty unless the verdict is `unstable` or
    /// `too_short`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsettled: Vec<String>,
    /// Why not, and what else a reader must know.
    pub notices: Vec<NoticeRecord>,
    /// The workload's own figure, such as NOPM.
    pub headline: Option<HeadlineRecord>,
    /// All ended transactions per minute.
    pub tpm: Option<TpmRecord>,
    /// Committed and intendedly rolled back transactions per second over the measured phase.
    pub throughput_per_s: f64,
    /// 95 % interval of the throughput, from intervals of the measured phase.
    pub interval_95: Option<EstimateRecord>,
    /// Commits over the whole run by kind: what they moved in the database, and what the clients added up;
    /// in addition to the headline's count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<CommitsRecord>,
    /// Whether throughput had settled; absent if nothing ended.
    #[serde(default, skip_serializing_if = "SteadinessRecord::is_unknown")]
    pub steadiness: SteadinessRecord,
    /// Rollbacks over the whole run, by the server's own count and by ours; absent where the server
    /// does not count them.
    #[serde(default)]
    pub rollbacks: Option<RollbacksRecord>,
    /// Length of the measured phase as it was.
    pub measured_s: f64,
    /// Why the run ended: `time`, `count`, `done`, `interrupt`, `terminate` or `sessions_lost`.
    pub ended_by: String,
    /// One entry for each kind of transaction, then `all`.
    pub transactions: Vec<TransactionRecord>,
    /// Each transaction by itself, in the order of their ends, if sessions come to an end by
    /// themselves; of other runs there are too many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub executions: Vec<ExecutionRecord>,
    /// Each session as a whole, if sessions come to an end by themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub streams: Vec<StreamRecord>,
    /// The plan of each query, asked after the load with what its first stream asked first; of
    /// workloads of queries, where the database tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub query_plans: Vec<QueryPlanRecord>,
    /// What the database does not tell of single queries, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries_untold: Vec<String>,
    /// The streams of queries beside the transactions, of a workload that has such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analytics: Option<AnalyticsRecord>,
    /// The accounts of all transactions that were due in the measured phase.
    pub accounting: LedgerRecord,
    /// What became of open arrivals; absent in closed runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<ArrivalsRecord>,
    /// What the server did in the measured phase, as it says itself.
    #[serde(default)]
    pub server_load: Option<ServerLoadRecord>,
    /// Failures by class.
    pub errors: Vec<ErrorRecord>,
    /// Times without the server, if sessions connect again.
    #[serde(default)]
    pub outages: Vec<OutageRecord>,
    /// The longest time of the measured phase in which nothing ended, if it is out of the ordinary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stall: Option<StallRecord>,
    /// Work that the server had put off and did after the load, if it was waited for.
    #[serde(default)]
    pub settled: Vec<SettledRecord>,
    /// Limits with their outcome.
    pub thresholds: Vec<ThresholdRecord>,
    /// Conditions on the data with their outcome, by the time of the check.
    pub checks: Vec<CheckRecord>,
    /// The generator audit.
    pub audit: Vec<AuditRecord>,
    /// Our own cost.
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
    /// What was found.
    pub text: String,
    /// What to do.
    pub hint: String,
}

/// A mean with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EstimateRecord {
    /// The mean.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Values it rests on.
    pub samples: u64,
    /// Nearly independent batches of them.
    pub batches: u64,
}

/// Whether throughput had settled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SteadinessRecord {
    /// `steady`, `drifting`, `unclear` or `too_short`.
    pub verdict: String,
    /// (second half − first half) ÷ first half.
    pub drift: Option<f64>,
    /// Seconds at the start of the measured phase that still look like warm-up (MSER-5); absent if
    /// there were too few intervals to tell, or if the end was not seen.
    #[serde(default)]
    pub warm_up_s: Option<f64>,
}

impl SteadinessRecord {
    /// Whether there was nothing to judge.
    pub fn is_unknown(&self) -> bool {
        self.verdict.is_empty()
    }
}

/// What became of open arrivals in the measured phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArrivalsRecord {
    /// Arrivals per second that fell due.
    pub due_per_s: f64,
    /// Transactions per second that ended, failed ones included, whenever they were due.
    pub ended_per_s: f64,
    /// Arrivals that waited for a free session when the phase began.
    pub backlog_start: u64,
    /// Those that waited when it ended.
    pub backlog_end: u64,
    /// The most that waited at the end of an interval.
    pub backlog_max: u64,
    /// How long the arrivals that began in the phase had waited for a free session.
    pub session_wait: DistributionRecord,
    /// Transactions per second that the database did while more arrivals waited than there are sessions: the
    /// lower quartile of the intervals in which anything ended. Absent without such intervals.
    pub capacity_per_s: Option<f64>,
}

/// A time in which nothing ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StallRecord {
    /// Its begin, since the start of the load.
    pub at_s: f64,
    /// Its length, in whole intervals.
    pub length_s: f64,
    /// What most sessions waited for meanwhile, in the server's own words; empty if it is not known.
    #[serde(default)]
    pub waited_for: String,
}

/// One kind of transaction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TransactionRecord {
    /// Name, such as `new_order`.
    pub name: String,
    /// Share of all ended transactions, 0 to 1.
    pub share: f64,
    /// Committed and intendedly rolled back ones.
    pub count: u64,
    /// Intendedly rolled back ones.
    pub rolled_back: u64,
    /// Failed ones.
    pub failed: u64,
    /// Whether the workload intends any rollback for this kind.
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
    /// Transactions whose time had come.
    pub due: u64,
    /// Begun.
    pub started: u64,
    /// Committed.
    pub committed: u64,
    /// Rolled back as intended.
    pub rolled_back: u64,
    /// Failed.
    pub failed: u64,
    /// Begun in the measured phase and not ended in it.
    pub unfinished: u64,
    /// Due and not begun.
    pub skipped: u64,
    /// Attempts repeated after an error.
    pub retried: u64,
    /// The longest time that an unfinished transaction took in the end.
    pub longest_unfinished_us: u64,
    /// Due before the measured phase and ended in it: in the figures, and in no other account here.
    #[serde(default)]
    pub carried_over: u64,
}

/// A class of failures, over all phases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorRecord {
    /// Transaction.
    pub transaction: String,
    /// Class, such as `deadlock`.
    pub kind: String,
    /// The database's own code.
    pub code: String,
    /// Failed attempts, retried ones included.
    pub count: u64,
    /// The text of the first one.
    pub example: String,
}

/// What the server did in the measured phase.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServerLoadRecord {
    /// How often the sessions were looked at.
    pub samples: u64,
    /// Our sessions that ran or waited, on average.
    pub active_sessions: f64,
    /// What they waited for, most frequent first; `CPU` for those that ran.
    pub waits: Vec<WaitRecord>,
    /// Growth of the server's counters.
    pub counters: BTreeMap<String, u64>,
    /// What rose and fell in the server, read once a second.
    #[serde(default)]
    pub gauges: BTreeMap<String, GaugeRecord>,
    /// What could not be seen, and why.
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

/// One thing that sessions wait for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WaitRecord {
    /// Class, in the database's own words.
    pub class: String,
    /// Event; empty for sessions that ran.
    pub event: String,
    /// Sessions on average.
    pub sessions: f64,
    /// Share of the active sessions, 0 to 1.
    pub share: f64,
}

/// One kind of work that the server had put off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettledRecord {
    /// What kind.
    pub what: String,
    /// How much there was when the load was over, in the server's own unit.
    pub before: u64,
    /// How much was left when the wait was over.
    pub left: u64,
    /// How long the wait was.
    pub waited_s: f64,
    /// Why it ended: `done`, `stuck`, `time` or `interrupt`.
    pub ended_by: String,
}

/// A time without the server, or without a part of the connections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutageRecord {
    /// The first loss of a connection, since the start of the load.
    pub at_s: f64,
    /// Time from the last good transaction to that.
    pub detected_after_s: f64,
    /// Connections lost.
    pub sessions_lost: u64,
    /// Attempts to connect again that failed.
    pub attempts_refused: u64,
    /// Connections that had not come back when the load was over.
    pub sessions_missing: u64,
    /// Time from the first loss to the first connection that came back.
    pub connected_after_s: Option<f64>,
    /// Time from the first loss to the first good transaction on one of them.
    pub first_commit_after_s: Option<f64>,
    /// Time from the first loss to the end of the first interval with 95 % of the throughput before.
    pub recovered_after_s: Option<f64>,
}

/// A limit with its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThresholdRecord {
    /// As written, such as `new_order.p95<50ms`.
    pub expression: String,
    /// What was measured, in the unit of the limit; absent if there was no data, which fails.
    pub measured: Option<f64>,
    /// What was measured, as printed.
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
    /// What must hold.
    pub rule: String,
    /// `holds`, `violated`, `excused` or `failed` (the query itself failed).
    pub verdict: String,
    /// What was found.
    pub detail: String,
    /// Whether it compares samples of the rows with what the load made of them; others are conditions that
    /// the workload's specification asks for.
    #[serde(default)]
    pub sampled: bool,
}

/// One promise of the generator and what was submitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditRecord {
    /// What is counted.
    pub name: String,
    /// Where the promise is written.
    pub clause: String,
    /// Whether it is a share (0 to 1) or a mean.
    pub share: bool,
    /// What was promised.
    pub expected: f64,
    /// Lowest value allowed, sampling error included.
    pub low: f64,
    /// Highest value allowed, sampling error included.
    pub high: f64,
    /// What was submitted; absent if nothing was drawn.
    pub measured: Option<f64>,
    /// Number of draws.
    pub draws: u64,
    /// Whether it lies within the band.
    pub passed: bool,
}

/// Times of at least 10 ms in which no thread of this process ran that wanted to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HiccupsRecord {
    /// How many there were.
    pub count: u64,
    /// Their sum.
    pub total_s: f64,
    /// The longest.
    pub longest_s: f64,
}

/// Our own cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolRecord {
    /// CPU cores' worth of time that this process used in the measured phase, an embedded database
    /// included; absent on virtual time.
    pub cpu_cores: Option<f64>,
    /// Cores we may use.
    pub cores: u32,
    /// By how much our own timers were late for scheduled transactions.
    pub lateness: DistributionRecord,
    /// Times in the measured phase in which this process was stopped; absent on virtual time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hiccups: Option<HiccupsRecord>,
    /// Statements sent, over the whole run.
    pub statements: u64,
    /// Round trips, over the whole run.
    pub round_trips: u64,
    /// `yes`, `no` or `not_applicable` (embedded database, virtual time).
    pub client_limited: String,
    /// Virtual users that gave up.
    pub sessions_lost: u64,
}
