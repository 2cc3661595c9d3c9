//! The load of a run: virtual users, arrivals, phases, failures.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_core::{Seed, choice};

use crate::seconds;

/// How transactions become due.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "ArrivalFields", into = "ArrivalFields")]
#[schemars(with = "ArrivalFields")]
pub struct Arrival {
    /// Arrivals per second, of all virtual users together, whatever the database does: any free virtual
    /// user takes the next one. Without a rate the arrival is closed: each virtual user begins its next
    /// transaction when the last one has ended and its keying and think times are over.
    pub rate: Option<f64>,
    /// How open arrivals are spread.
    pub spacing: Spacing,
    /// Open arrivals that may wait; further ones are skipped and counted.
    pub backlog: u64,
}

impl Arrival {
    /// Open arrivals at a rate per second.
    pub fn open(rate: f64, spacing: Spacing) -> Self {
        Self { rate: Some(rate), spacing, ..Self::default() }
    }

    /// `open` or `closed`.
    pub const fn word(&self) -> &'static str {
        if self.rate.is_some() { "open" } else { "closed" }
    }
}

/// An arrival as it is written: of a closed one, the rest is absent.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct ArrivalFields {
    /// `closed` or `open`.
    #[schemars(extend("enum" = ["closed", "open"]))]
    arrival: String,
    /// Requested rate of an open arrival.
    rate_per_s: Option<f64>,
    /// Distribution of the times between open arrivals.
    spacing: Option<Spacing>,
    /// Open arrivals that may wait before further ones are skipped.
    backlog: Option<u64>,
}

impl From<Arrival> for ArrivalFields {
    fn from(own: Arrival) -> Self {
        let is_open = own.rate.is_some();
        Self {
            arrival: own.word().into(),
            rate_per_s: own.rate,
            spacing: is_open.then_some(own.spacing),
            backlog: is_open.then_some(own.backlog),
        }
    }
}

impl From<ArrivalFields> for Arrival {
    fn from(own: ArrivalFields) -> Self {
        let usual = Self::default();
        Self {
            rate: own.rate_per_s,
            spacing: own.spacing.unwrap_or(usual.spacing),
            backlog: own.backlog.unwrap_or(usual.backlog),
        }
    }
}

choice! {
    /// How the arrivals of an open schedule are spread.
    #[derive(JsonSchema)]
    pub enum Spacing {
        /// As a Poisson process: independent, exponentially distributed gaps.
        Poisson = "poisson",
        /// Evenly.
        Uniform = "uniform",
    }
}

/// When the measured phase ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "StopFields", into = "StopFields")]
#[schemars(with = "StopFields")]
pub enum Stop {
    /// After this time.
    After(Duration),
    /// After this many transactions.
    Count(u64),
    /// When every virtual user has come to its end.
    Done,
}

/// A stop as it is written: a length, a number, or null for both.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct StopFields {
    /// Planned length of the measured phase; absent if the run ends by count or with its last session.
    duration_s: Option<f64>,
    /// Number of transactions to measure, if the run ends by count.
    transactions: Option<u64>,
}

impl From<Stop> for StopFields {
    fn from(own: Stop) -> Self {
        match own {
            Stop::After(span) => Self { duration_s: Some(span.as_secs_f64()), transactions: None },
            Stop::Count(count) => Self { duration_s: None, transactions: Some(count) },
            Stop::Done => Self { duration_s: None, transactions: None },
        }
    }
}

impl From<StopFields> for Stop {
    fn from(own: StopFields) -> Self {
        match (own.transactions, own.duration_s) {
            (Some(count), _) => Self::Count(count),
            (None, Some(seconds)) => Self::After(seconds::span(seconds)),
            (None, None) => Self::Done,
        }
    }
}

/// What is done about a failed transaction that may be tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RetryPolicy {
    /// Input of the further attempts.
    #[serde(rename = "retry")]
    pub input: RetryInput,
    /// Maximum number of attempts of a transaction, the first included.
    pub attempts: u32,
    /// Wait before the second attempt; doubles with each further one.
    #[serde(rename = "backoff_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub backoff: Duration,
}

choice! {
    /// With which input a transaction is tried again.
    #[derive(JsonSchema)]
    pub enum RetryInput {
        /// Not at all.
        None = "none",
        /// The same.
        Same = "same",
        /// A new one for the same kind of transaction.
        New = "new",
    }
}

choice! {
    /// What a session does whose connection is lost.
    #[derive(JsonSchema)]
    pub enum OnDisconnect {
        /// It ends, and the run is INVALID.
        Stop = "stop",
        /// It connects again, and the outage is measured.
        Reconnect = "reconnect",
    }
}

choice! {
    /// What becomes of a run that loses a load host.
    #[derive(JsonSchema)]
    pub enum OnHostLoss {
        /// It is INVALID.
        Invalid = "invalid",
        /// It stays VALID if nothing else speaks against it, and a warning names the host.
        Mark = "mark",
        /// Another agent continues the share, and the run is marked; it is INVALID if none is free.
        TakeOver = "take-over",
    }
}

/// The load of one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LoadPlan {
    /// Virtual users.
    pub sessions: u32,
    /// Threads for event-driven drivers; absent: one for each core. Blocking drivers take one for each
    /// virtual user.
    pub workers: Option<u32>,
    /// How transactions become due.
    #[serde(flatten)]
    pub arrival: Arrival,
    /// Factor on the workload's keying and think times; 0 is none.
    pub pacing: f64,
    /// Length of the load before the measured phase.
    #[serde(rename = "ramp_up_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub ramp_up: Duration,
    /// End of the measured phase.
    #[serde(flatten)]
    pub stop: Stop,
    /// Length of the load after the measured phase; only if it stops after a time.
    #[serde(rename = "ramp_down_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub ramp_down: Duration,
    /// What is done about failures.
    #[serde(flatten)]
    pub retry: RetryPolicy,
    /// Reaction of a session to a lost connection.
    pub on_disconnect: OnDisconnect,
    /// Time after which a session gives up reconnecting, if the load does not end by time; otherwise
    /// sessions try until its end.
    #[serde(rename = "reconnect_within_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub reconnect_within: Duration,
    /// Length of an interval.
    #[serde(rename = "interval_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub interval: Duration,
    /// Longest wait for unfinished transactions at the end.
    #[serde(rename = "drain_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub drain: Duration,
    /// Longest wait for an answer of the server outside of transactions, such as its counters.
    #[serde(rename = "answer_timeout_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub answer_within: Duration,
    /// Seed of the inputs, of arrivals and, for simulated databases, of their answers.
    #[schemars(with = "u64")]
    pub seed: Seed,
    /// Time between the logins of two virtual users, each of whom begins at once; 0 if all log in before
    /// the load.
    #[serde(rename = "stagger_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub stagger: Duration,
    /// Whether the times of each virtual user are also kept separately.
    pub session_times: bool,
    /// Load hosts; 1 is this one, unless agents are used.
    pub hosts: u32,
    /// What becomes of a run that loses a host.
    pub on_host_loss: OnHostLoss,
    /// Whether other clients use the same data and are included in the database's counters.
    pub shared: bool,
}

impl LoadPlan {
    /// Closed arrivals on one thread until `stop`, and nothing else: no ramp, no pauses, no retries.
    pub fn closed(sessions: u32, stop: Stop) -> Self {
        let retry = RetryPolicy { input: RetryInput::None, attempts: 1, backoff: Duration::ZERO };
        let (workers, ramp_up, seed) = (Some(1), Duration::ZERO, Seed(1));
        Self { sessions, workers, ramp_up, stop, retry, seed, ..Self::default() }
    }

    /// A load without any value, into which the defaults are read.
    pub(crate) fn blank() -> Self {
        Self {
            sessions: 0,
            workers: None,
            arrival: Arrival { rate: None, spacing: Spacing::Poisson, backlog: 0 },
            pacing: 0.0,
            ramp_up: Duration::ZERO,
            stop: Stop::Done,
            ramp_down: Duration::ZERO,
            retry: RetryPolicy { input: RetryInput::None, attempts: 0, backoff: Duration::ZERO },
            on_disconnect: OnDisconnect::Stop,
            reconnect_within: Duration::ZERO,
            interval: Duration::ZERO,
            drain: Duration::ZERO,
            answer_within: Duration::ZERO,
            seed: Seed(0),
            stagger: Duration::ZERO,
            session_times: false,
            hosts: 0,
            on_host_loss: OnHostLoss::Invalid,
            shared: false,
        }
    }
}
