//! What the engine is asked to do, resolved and complete.

use std::time::Duration;

use tacho_core::Seed;

/// How transactions become due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrival {
    /// Each virtual user begins its next transaction when the last one has ended and its keying and
    /// think times are over.
    Closed,
    /// By a schedule, whatever the database does; any free virtual user takes the next arrival.
    Open {
        /// Arrivals per second, of all virtual users together.
        rate: f64,
        /// How they are spread.
        spacing: Spacing,
        /// Arrivals that may wait; further ones are skipped and counted.
        backlog: u64,
    },
}

/// How the arrivals of an open schedule are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// Evenly.
    Uniform,
    /// As a Poisson process: independent, exponentially distributed gaps.
    Poisson,
}

/// When the measured phase ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// After this time.
    After(Duration),
    /// After this many transactions.
    Count(u64),
    /// When every virtual user has come to its end.
    Done,
}

/// What is done about a failed transaction that may be tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// With which input.
    pub input: RetryInput,
    /// Most attempts per transaction, the first included.
    pub attempts: u32,
    /// Wait before the second attempt; doubles with each further one.
    pub backoff: Duration,
}

/// With which input a transaction is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryInput {
    /// Not at all.
    None,
    /// The same.
    Same,
    /// A new one for the same kind of transaction.
    New,
}

/// What a session does whose connection is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDisconnect {
    /// It ends, and the run is INVALID.
    Stop,
    /// It connects again, and the outage is measured.
    Reconnect,
}

/// The load of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadPlan {
    /// Virtual users.
    pub sessions: u32,
    /// Threads for event-driven drivers; blocking drivers take one for each virtual user.
    pub workers: usize,
    /// How transactions become due.
    pub arrival: Arrival,
    /// Factor on the workload's keying and think times; 0 is none.
    pub pacing: f64,
    /// Load before the measured phase.
    pub ramp_up: Duration,
    /// End of the measured phase.
    pub stop: Stop,
    /// Load after the measured phase; only if it stops after a time.
    pub ramp_down: Duration,
    /// What is done about failures.
    pub retry: RetryPolicy,
    /// What a session does whose connection is lost.
    pub on_disconnect: OnDisconnect,
    /// How long a session tries to connect again, where the load has no end in time; else until that end.
    pub reconnect_within: Duration,
    /// Length of an interval.
    pub interval: Duration,
    /// Longest wait for transactions in flight at the end.
    pub drain: Duration,
    /// Longest wait for an answer of the server outside of transactions, such as its counters.
    pub answer_within: Duration,
    /// Seed of arrivals and, for simulated databases, of their answers.
    pub seed: Seed,
    /// Time between the logins of two virtual users, each of whom begins at once; zero if all are
    /// there before the load.
    pub stagger: Duration,
    /// Whether the times of each virtual user are kept by themselves.
    pub session_times: bool,
    /// Whether others work in the database too: what it counts for all of them is no session's then.
    pub shared: bool,
}

impl LoadPlan {
    /// Closed arrivals on one thread until `stop`, and nothing else: no ramp, no pauses, no retries.
    pub const fn closed(sessions: u32, stop: Stop) -> Self {
        Self {
            sessions,
            workers: 1,
            arrival: Arrival::Closed,
            pacing: 0.0,
            ramp_up: Duration::ZERO,
            stop,
            ramp_down: Duration::ZERO,
            retry: RetryPolicy { input: RetryInput::None, attempts: 1, backoff: Duration::ZERO },
            on_disconnect: OnDisconnect::Stop,
            reconnect_within: Duration::from_mins(5),
            interval: Duration::from_secs(1),
            drain: Duration::from_secs(30),
            answer_within: Duration::from_mins(1),
            seed: Seed(1),
            stagger: Duration::ZERO,
            session_times: false,
            shared: false,
        }
    }
}
