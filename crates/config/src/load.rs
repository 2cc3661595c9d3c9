//! A run's load, including virtual users, arrivals, phases, and failure handling.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_core::{Seed, choice};

use crate::seconds;

/// The schedule that determines when transactions start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "ArrivalFields", into = "ArrivalFields")]
#[schemars(with = "ArrivalFields")]
pub struct Arrival {
    /// Total number of arrivals per second, even if the database is slower. Each arrival is handled by any virtual user
    /// that is free. Absent if virtual users follow their keying and think times instead.
    pub rate: Option<f64>,
    /// The distribution of the times between arrivals. Applies only if there is a rate.
    pub spacing: Spacing,
    /// Maximum number of arrivals that may wait for a free virtual user. Further arrivals are skipped and counted.
    pub backlog: u64,
}

impl Arrival {
    /// Returns an open schedule with this many arrivals per second.
    pub fn open(rate: f64, spacing: Spacing) -> Self {
        Self { rate: Some(rate), spacing, ..Self::default() }
    }

    /// Returns `open` or `closed`.
    pub const fn word(&self) -> &'static str {
        if self.rate.is_some() { "open" } else { "closed" }
    }
}

/// The serialized form of an arrival schedule. A closed schedule has only the field `arrival`.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct ArrivalFields {
    /// `closed` or `open`.
    #[schemars(extend("enum" = ["closed", "open"]))]
    arrival: String,
    /// Requested rate of open arrivals.
    rate_per_s: Option<f64>,
    /// Distribution of the times between arrivals. Applies only if there is a rate.
    spacing: Option<Spacing>,
    /// Maximum number of arrivals that may wait for a free virtual user. Further arrivals are skipped.
    backlog: Option<u64>,
}

impl From<Arrival> for ArrivalFields {
    fn from(arrival: Arrival) -> Self {
        let is_open = arrival.rate.is_some();
        Self {
            arrival: arrival.word().into(),
            rate_per_s: arrival.rate,
            spacing: is_open.then_some(arrival.spacing),
            backlog: is_open.then_some(arrival.backlog),
        }
    }
}

impl From<ArrivalFields> for Arrival {
    fn from(fields: ArrivalFields) -> Self {
        let usual = Self::default();
        Self {
            rate: fields.rate_per_s,
            spacing: fields.spacing.unwrap_or(usual.spacing),
            backlog: fields.backlog.unwrap_or(usual.backlog),
        }
    }
}

choice! {
    /// The distribution of the times between arrivals in an open schedule.
    #[derive(JsonSchema)]
    pub enum Spacing {
        /// A Poisson process, with independent, exponentially distributed gaps.
        Poisson = "poisson",
        /// Equal gaps.
        Uniform = "uniform",
    }
}

/// The condition that ends the measured phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "StopFields", into = "StopFields")]
#[schemars(with = "StopFields")]
pub enum Stop {
    /// After this time.
    After(Duration),
    /// After this many transactions.
    Count(u64),
    /// All virtual users have finished their work.
    Done,
}

/// The serialized form of a stop condition, which is a duration or a number of transactions. If the run ends in another
/// way, both fields are null.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct StopFields {
    /// Planned duration of the measured phase. Absent if the run ends after a number of transactions or when all
    /// sessions have ended.
    duration_s: Option<f64>,
    /// Number of transactions after which the run ends.
    transactions: Option<u64>,
}

impl From<Stop> for StopFields {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::After(span) => Self { duration_s: Some(span.as_secs_f64()), transactions: None },
            Stop::Count(count) => Self { duration_s: None, transactions: Some(count) },
            Stop::Done => Self { duration_s: None, transactions: None },
        }
    }
}

impl From<StopFields> for Stop {
    fn from(fields: StopFields) -> Self {
        match (fields.transactions, fields.duration_s) {
            (Some(count), _) => Self::Count(count),
            (None, Some(seconds)) => Self::After(seconds::span(seconds)),
            (None, None) => Self::Done,
        }
    }
}

/// The policy for retrying failed transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RetryPolicy {
    /// The input to use for retries.
    #[serde(rename = "retry")]
    pub input: RetryInput,
    /// Maximum number of attempts per transaction, including the first.
    pub attempts: u32,
    /// Wait before the second attempt; doubles with each subsequent attempt.
    #[serde(rename = "backoff_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub backoff: Duration,
}

choice! {
    /// The input with which a failed transaction is retried.
    #[derive(JsonSchema)]
    pub enum RetryInput {
        /// No retry.
        None = "none",
        /// The same input.
        Same = "same",
        /// New input, for the same type of transaction.
        New = "new",
    }
}

choice! {
    /// The policy for a session that has lost its connection.
    #[derive(JsonSchema)]
    pub enum OnDisconnect {
        /// The session ends, and the run is INVALID.
        Stop = "stop",
        /// The session reconnects, and the outage is measured.
        Reconnect = "reconnect",
    }
}

choice! {
    /// The policy for a run that has lost a load host.
    #[derive(JsonSchema)]
    pub enum OnHostLoss {
        /// The run is INVALID.
        Invalid = "invalid",
        /// The run remains valid, but a warning names the lost host.
        Mark = "mark",
        /// Another agent takes over the lost host's share, and a warning is shown. If no agent is available, the run is
        /// INVALID.
        TakeOver = "take-over",
    }
}

/// The load of one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "independent settings, accessed by name")]
pub struct LoadPlan {
    /// Number of virtual users.
    pub sessions: u32,
    /// Number of terminals that share the sessions, each with its own keying and think times. Absent if each session is
    /// a virtual user of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminals: Option<u32>,
    /// Number of threads for event-driven drivers; one per core if absent. Blocking drivers use one thread per virtual
    /// user.
    pub workers: Option<u32>,
    /// The schedule that determines when transactions start.
    #[serde(flatten)]
    pub arrival: Arrival,
    /// Latency above which a transaction is late; 0 for no limit. Open arrivals that are already late are skipped.
    #[serde(rename = "latency_limit_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub latency_limit: Duration,
    /// Factor by which the workload's keying and think times are multiplied; 0 disables them.
    pub pacing: f64,
    /// Time for which the load runs before the measured phase.
    #[serde(rename = "ramp_up_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub ramp_up: Duration,
    /// End of the measured phase.
    #[serde(flatten)]
    pub stop: Stop,
    /// Time for which the load continues after the measured phase, if the measured phase has a fixed duration.
    #[serde(rename = "ramp_down_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub ramp_down: Duration,
    /// The handling of failures.
    #[serde(flatten)]
    pub retry: RetryPolicy,
    /// The policy for a session that has lost its connection.
    pub on_disconnect: OnDisconnect,
    /// True if each transaction uses a new connection.
    pub reconnect: bool,
    /// Time after which a session stops trying to reconnect. It applies only to a load without a fixed duration. In a
    /// load with one, sessions keep trying until the load ends.
    #[serde(rename = "reconnect_within_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub reconnect_within: Duration,
    /// Length of each reporting interval.
    #[serde(rename = "interval_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub interval: Duration,
    /// Maximum time to wait at the end of the load until transactions in flight have finished.
    #[serde(rename = "drain_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub drain: Duration,
    /// Maximum time to wait for the response to a request outside of transactions, such as a reading of counters.
    #[serde(rename = "answer_timeout_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub answer_within: Duration,
    /// Seed for generating inputs, arrivals, and the results of simulated databases.
    #[schemars(with = "u64")]
    pub seed: Seed,
    /// Delay between one virtual user's login and the next. Each user starts its load as soon as it has logged in. If
    /// 0, all virtual users log in before the load starts.
    #[serde(rename = "stagger_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub stagger: Duration,
    /// True if latencies are also recorded separately for each virtual user.
    pub session_times: bool,
    /// True if the latency of each statement is recorded.
    pub statement_times: bool,
    /// Number of load hosts; 1 means only this host, unless agents are used.
    pub hosts: u32,
    /// The effect of losing a load host.
    pub on_host_loss: OnHostLoss,
    /// True if other clients use the same data. The database's counters then include their work.
    pub shared: bool,
}

impl LoadPlan {
    /// Returns the number of virtual users: terminals or, without terminals, sessions.
    pub fn users(&self) -> u32 {
        self.terminals.unwrap_or(self.sessions)
    }

    /// Returns a closed load on one thread that runs until `stop`, without ramps, pauses or retries.
    pub fn closed(sessions: u32, stop: Stop) -> Self {
        let retry = RetryPolicy { input: RetryInput::None, attempts: 1, backoff: Duration::ZERO };
        let (workers, ramp_up, seed) = (Some(1), Duration::ZERO, Seed(1));
        Self { sessions, workers, ramp_up, stop, retry, seed, ..Self::default() }
    }

    /// Returns a load in which no value is set, for building the default load.
    pub(crate) fn blank() -> Self {
        Self {
            sessions: 0,
            terminals: None,
            workers: None,
            arrival: Arrival { rate: None, spacing: Spacing::Poisson, backlog: 0 },
            latency_limit: Duration::ZERO,
            pacing: 0.0,
            ramp_up: Duration::ZERO,
            stop: Stop::Done,
            ramp_down: Duration::ZERO,
            retry: RetryPolicy { input: RetryInput::None, attempts: 0, backoff: Duration::ZERO },
            on_disconnect: OnDisconnect::Stop,
            reconnect: false,
            reconnect_within: Duration::ZERO,
            interval: Duration::ZERO,
            drain: Duration::ZERO,
            answer_within: Duration::ZERO,
            seed: Seed(0),
            stagger: Duration::ZERO,
            session_times: false,
            statement_times: false,
            hosts: 0,
            on_host_loss: OnHostLoss::Invalid,
            shared: false,
        }
    }
}
